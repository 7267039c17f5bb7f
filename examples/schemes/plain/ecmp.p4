// ECMP by a hash, as in the P4 tutorials: a group of next hops is a number of buckets, the hash of the five-tuple picks one.
#include <core.p4>
#include <v1model.p4>

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
    bit<16> bucket;
}

parser PlainParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                   inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
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

control PlainVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.total_length,
              hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.src_addr,
              hdr.ipv4.dst_addr },
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

control PlainIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action drop() {
        mark_to_drop(sm);
    }

    action to_port(bit<9> port, bit<48> mac) {
        sm.egress_spec = port;
        hdr.ethernet.src_addr = hdr.ethernet.dst_addr;
        hdr.ethernet.dst_addr = mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    // Switches that hash alike choose alike: the seed of each tier is another one.
    action to_group(bit<16> group, bit<16> buckets, bit<16> seed) {
        meta.group = group;
        hash(meta.bucket, HashAlgorithm.crc16, 16w0,
             { seed, hdr.ipv4.src_addr, hdr.ipv4.dst_addr, hdr.ipv4.protocol, hdr.ports.src_port,
               hdr.ports.dst_port },
             buckets);
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
        if (!hdr.ipv4.isValid() || hdr.ipv4.ttl <= 1 || sm.checksum_error == 1) {
            drop();
        } else {
            switch (routes.apply().action_run) {
                to_group: { next_hops.apply(); }
                default: { }
            }
        }
    }
}

control PlainEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

control PlainChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.total_length,
              hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.src_addr,
              hdr.ipv4.dst_addr },
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

control PlainDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(PlainParser(), PlainVerify(), PlainIngress(), PlainEgress(), PlainChecksum(),
         PlainDeparser()) main;
