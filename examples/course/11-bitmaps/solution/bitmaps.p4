// Solution of exercise 11: a bitmap of allowed ports for each destination.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

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

// The first four bytes of TCP and UDP.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
}

struct metadata_t {
    bit<4>  allowed;
    bit<4>  ports;
    bit<16> count;
    bit<16> rank;
}

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
            PROTOCOL_TCP: parse_ports;
            PROTOCOL_UDP: parse_ports;
            default: accept;
        }
    }

    state parse_ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    // The working ports, which the control plane writes; bit i stands for port i + 2.
    register<bit<4>>(1) usable;
    counter(1, CounterType.packets) derouted;

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(bit<48> mac, bit<9> port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    // Shortest paths to the destination begin at these ports.
    action allow(bit<48> mac, bit<4> ports) {
        meta.allowed = ports;
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
            allow;
            drop;
        }
        size = 64;
        default_action = drop();
    }

    action leave_by(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    // Maps a bitmap and a rank to the port with this number among the ports of the bitmap.
    table pick {
        key = {
            meta.ports: exact;
            meta.rank: exact;
        }
        actions = {
            leave_by;
            drop;
        }
        const entries = {
            (1, 0): leave_by(2);
            (2, 0): leave_by(3);
            (3, 0): leave_by(2);
            (3, 1): leave_by(3);
            (4, 0): leave_by(4);
            (5, 0): leave_by(2);
            (5, 1): leave_by(4);
            (6, 0): leave_by(3);
            (6, 1): leave_by(4);
            (7, 0): leave_by(2);
            (7, 1): leave_by(3);
            (7, 2): leave_by(4);
            (8, 0): leave_by(5);
            (9, 0): leave_by(2);
            (9, 1): leave_by(5);
            (10, 0): leave_by(3);
            (10, 1): leave_by(5);
            (11, 0): leave_by(2);
            (11, 1): leave_by(3);
            (11, 2): leave_by(5);
            (12, 0): leave_by(4);
            (12, 1): leave_by(5);
            (13, 0): leave_by(2);
            (13, 1): leave_by(4);
            (13, 2): leave_by(5);
            (14, 0): leave_by(3);
            (14, 1): leave_by(4);
            (14, 2): leave_by(5);
            (15, 0): leave_by(2);
            (15, 1): leave_by(3);
            (15, 2): leave_by(4);
            (15, 3): leave_by(5);
        }
        const default_action = drop();
    }

    apply {
        if (!hdr.ipv4.isValid() || hdr.ipv4.ttl <= 1) {
            drop();
        } else {
            routes.apply();
            if (meta.allowed != 0) {
                bit<4> working;
                usable.read(working, 0);
                meta.ports = meta.allowed & working;
                if (meta.ports == 0) {
                    meta.ports = working;
                    derouted.count(0);
                }
                meta.count = (bit<16>) meta.ports[0:0] + (bit<16>) meta.ports[1:1] +
                    (bit<16>) meta.ports[2:2] + (bit<16>) meta.ports[3:3];
                if (meta.count != 0) {
                    hash(meta.rank, HashAlgorithm.crc16, 16w0,
                        { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, hdr.ports.src,
                          hdr.ports.dst }, meta.count);
                }
                pick.apply();
            }
        }
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply { }
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
        packet.emit(hdr.ports);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
