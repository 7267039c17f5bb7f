// Solution of exercise 16: packets tell where they were.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
// Packets to this port of UDP have a list of hops.
const bit<16> TELEMETRY = 5001;
const bit<16> HOP_BYTES = 6;
// A list with this number of hops is full.
const bit<8> MOST_HOPS = 4;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> length;
    bit<16> id;
    bit<3>  flags;
    bit<13> offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header udp_t {
    bit<16> src;
    bit<16> dst;
    bit<16> length;
    bit<16> checksum;
}

// The number of hops that follow, the last one first. Hops of other switches are not parsed: they stay in the payload.
header list_t {
    bit<8> hops;
}

header hop_t {
    bit<8>  switch_id;
    bit<8>  port;
    bit<32> packets;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
    list_t list;
    hop_t hop;
}

struct metadata_t { }

parser CourseParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.protocol) {
            PROTOCOL_UDP: parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.dst) {
            TELEMETRY: parse_list;
            default: accept;
        }
    }

    state parse_list {
        packet.extract(hdr.list);
        transition accept;
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(bit<48> mac, bit<9> port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            forward;
            drop;
        }
        size = 64;
        default_action = drop();
    }

    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            routes.apply();
        } else {
            drop();
        }
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    // Packets that left by each port.
    register<bit<32>>(512) sent;

    // The entry of the control plane says which switch this is.
    action add_hop(bit<8> switch_id) {
        bit<32> packets;
        sent.read(packets, (bit<32>) standard_metadata.egress_port);
        hdr.hop.setValid();
        hdr.hop.switch_id = switch_id;
        hdr.hop.port = (bit<8>) standard_metadata.egress_port;
        hdr.hop.packets = packets;
        hdr.list.hops = hdr.list.hops + 1;
        hdr.ipv4.length = hdr.ipv4.length + HOP_BYTES;
        hdr.udp.length = hdr.udp.length + HOP_BYTES;
        // 0: UDP without a checksum (RFC 768).
        hdr.udp.checksum = 0;
    }

    table own {
        actions = {
            add_hop;
            NoAction;
        }
        default_action = NoAction();
    }

    apply {
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        bit<32> packets;
        sent.read(packets, port);
        sent.write(port, packets + 1);
        if (hdr.list.isValid() && hdr.list.hops < MOST_HOPS) {
            own.apply();
        }
    }
}

control UpdateChecksums(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length,
              hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control CourseDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.list);
        packet.emit(hdr.hop);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
