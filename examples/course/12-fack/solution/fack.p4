// Solution of exercise 12: the switch answers for the receiver, with a smaller window.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
// The flag ACK alone.
const bit<8> ACK = 0x10;
// The window that a FACK announces to the sender.
const bit<16> WINDOW = 10;
const bit<32> FLOWS = 1024;
// Senders get FACKs if their data leaves by this port.
const bit<9> BOTTLENECK = 2;
// Value of instance_type for a copy from egress.
const bit<32> EGRESS_CLONE = 2;

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

header tcp_t {
    bit<16> src;
    bit<16> dst;
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<4>  offset;
    bit<4>  reserved;
    bit<8>  flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
}

struct metadata_t {
    bool is_fack;
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
        transition select(hdr.ipv4.ihl, hdr.ipv4.protocol) {
            (5, PROTOCOL_TCP): parse_tcp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
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

    action send_to(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    table stations {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            send_to;
            drop;
        }
        size = 64;
        default_action = drop();
    }

    apply {
        if (hdr.ipv4.isValid()) {
            stations.apply();
        } else {
            drop();
        }
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    // The receiver's last acknowledgement number, by flow (in the direction of the data).
    register<bit<32>>(FLOWS) acknowledged;

    action to_fack(bit<32> acknowledgement) {
        bit<48> mac = hdr.ethernet.src;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = mac;
        bit<32> address = hdr.ipv4.src;
        hdr.ipv4.src = hdr.ipv4.dst;
        hdr.ipv4.dst = address;
        bit<16> port = hdr.tcp.src;
        hdr.tcp.src = hdr.tcp.dst;
        hdr.tcp.dst = port;
        hdr.tcp.sequence = hdr.tcp.acknowledgement;
        hdr.tcp.acknowledgement = acknowledgement;
        hdr.tcp.flags = ACK;
        hdr.tcp.window = WINDOW;
        hdr.tcp.offset = 5;
        hdr.tcp.urgent = 0;
        hdr.ipv4.length = 40;
        hdr.ipv4.ttl = 64;
        truncate(54);
    }

    apply {
        if (hdr.tcp.isValid()) {
            bit<16> payload = hdr.ipv4.length - 20 - ((bit<16>) hdr.tcp.offset << 2);
            bit<32> flow;
            if (standard_metadata.instance_type == EGRESS_CLONE) {
                // The copy has the headers of the data.
                bit<32> number;
                hash(flow, HashAlgorithm.crc16, 32w0,
                    { hdr.ipv4.src, hdr.ipv4.dst, hdr.tcp.src, hdr.tcp.dst }, FLOWS);
                acknowledged.read(number, flow);
                meta.is_fack = true;
                to_fack(number);
            } else if (payload == 0 && hdr.tcp.flags == ACK) {
                hash(flow, HashAlgorithm.crc16, 32w0,
                    { hdr.ipv4.dst, hdr.ipv4.src, hdr.tcp.dst, hdr.tcp.src }, FLOWS);
                acknowledged.write(flow, hdr.tcp.acknowledgement);
            } else if (payload != 0 && standard_metadata.egress_port == BOTTLENECK) {
                bit<32> number;
                hash(flow, HashAlgorithm.crc16, 32w0,
                    { hdr.ipv4.src, hdr.ipv4.dst, hdr.tcp.src, hdr.tcp.dst }, FLOWS);
                acknowledged.read(number, flow);
                if (number != 0) {
                    clone(CloneType.E2E, (bit<32>) standard_metadata.ingress_port);
                }
            }
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
        update_checksum(meta.is_fack,
            { hdr.ipv4.src, hdr.ipv4.dst, 8w0, hdr.ipv4.protocol, 16w20,
              hdr.tcp.src, hdr.tcp.dst, hdr.tcp.sequence, hdr.tcp.acknowledgement, hdr.tcp.offset,
              hdr.tcp.reserved, hdr.tcp.flags, hdr.tcp.window, hdr.tcp.urgent },
            hdr.tcp.checksum, HashAlgorithm.csum16);
    }
}

control CourseDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
