// The ECMP of ../plain/ecmp.p4 for a Tofino: the same tables and actions, so that both take the same entries. Egress marks packets that met a
// queue, whose depth the traffic manager counts in cells of 80 bytes.
#include <core.p4>
#include <tna.p4>

header ethernet_t {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  diffserv;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> header_checksum;
    bit<32> src_addr;
    bit<32> dst_addr;
}

header ports_t {
    bit<16> src_port;
    bit<16> dst_port;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ports_t    ports;
}

struct metadata_t {
    bit<16> group;
    bit<16> mask;
    bit<16> seed;
    bit<16> bucket;
    bool    wrong;
}

struct none_t { }

parser PlainParser(packet_in packet, out headers_t hdr, out metadata_t meta,
                   out ingress_intrinsic_metadata_t ig) {
    Checksum() checksum;
    state start {
        packet.extract(ig);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        checksum.add(hdr.ipv4);
        meta.wrong = checksum.verify();
        transition select(hdr.ipv4.protocol) {
            6: parse_ports;
            17: parse_ports;
            default: accept;
        }
    }
    state parse_ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control PlainIngress(inout headers_t hdr, inout metadata_t meta, in ingress_intrinsic_metadata_t ig,
                     in ingress_intrinsic_metadata_from_parser_t prsr,
                     inout ingress_intrinsic_metadata_for_deparser_t dprsr,
                     inout ingress_intrinsic_metadata_for_tm_t tm) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) choice;

    action drop() {
        dprsr.drop_ctl = 1;
    }

    action to_port(bit<9> port, bit<48> mac) {
        tm.ucast_egress_port = port;
        hdr.ethernet.src_addr = hdr.ethernet.dst_addr;
        hdr.ethernet.dst_addr = mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    // The number of buckets is a power of two: an ALU has no division.
    action to_group(bit<16> group, bit<16> buckets, bit<16> seed) {
        meta.group = group;
        meta.mask = buckets - 1;
        meta.seed = seed;
    }

    action choose() {
        meta.bucket = choice.get({ meta.seed, hdr.ipv4.src_addr, hdr.ipv4.dst_addr,
            hdr.ipv4.protocol, hdr.ports.src_port, hdr.ports.dst_port });
    }

    table routes {
        key = {
            hdr.ipv4.dst_addr : lpm;
        }
        actions = {
            to_port;
            to_group;
            drop;
        }
        default_action = drop();
        size = 256;
    }

    table next_hops {
        key = {
            meta.group  : exact;
            meta.bucket : exact;
        }
        actions = {
            to_port;
            drop;
        }
        default_action = drop();
        size = 256;
    }

    apply {
        if (!hdr.ipv4.isValid() || hdr.ipv4.ttl <= 1 || meta.wrong) {
            drop();
        } else {
            switch (routes.apply().action_run) {
                to_group: {
                    choose();
                    meta.bucket = meta.bucket & meta.mask;
                    next_hops.apply();
                }
            }
        }
    }
}

control PlainIngressDeparser(packet_out packet, inout headers_t hdr, in metadata_t meta,
                             in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Checksum() checksum;
    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.header_checksum = checksum.update({ hdr.ipv4.version, hdr.ipv4.ihl,
                hdr.ipv4.diffserv, hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags,
                hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src_addr,
                hdr.ipv4.dst_addr });
        }
        packet.emit(hdr);
    }
}

parser PlainEgressParser(packet_in packet, out headers_t hdr, out none_t meta,
                         out egress_intrinsic_metadata_t eg) {
    state start {
        packet.extract(eg);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control PlainEgress(inout headers_t hdr, inout none_t meta, in egress_intrinsic_metadata_t eg,
                    in egress_intrinsic_metadata_from_parser_t prsr,
                    inout egress_intrinsic_metadata_for_deparser_t dprsr,
                    inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {
        // Congestion experienced, of a packet that says it can be marked.
        if (hdr.ipv4.isValid() && hdr.ipv4.diffserv & 3 != 0 && eg.deq_qdepth >= 40) {
            hdr.ipv4.diffserv = hdr.ipv4.diffserv | 3;
        }
    }
}

control PlainEgressDeparser(packet_out packet, inout headers_t hdr, in none_t meta,
                            in egress_intrinsic_metadata_for_deparser_t dprsr) {
    Checksum() checksum;
    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.header_checksum = checksum.update({ hdr.ipv4.version, hdr.ipv4.ihl,
                hdr.ipv4.diffserv, hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags,
                hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src_addr,
                hdr.ipv4.dst_addr });
        }
        packet.emit(hdr);
    }
}

Pipeline(PlainParser(), PlainIngress(), PlainIngressDeparser(), PlainEgressParser(), PlainEgress(),
         PlainEgressDeparser()) pipe;
Switch(pipe) main;
