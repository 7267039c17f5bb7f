// Exercise 12: the switch answers for the receiver, with a smaller window.
// The comments with TODO describe the missing parts.
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
        // TODO 3: turn the copy into an answer of the receiver: swap MAC addresses, IP addresses and ports;
        // the sequence number is the data's acknowledgement number; acknowledge the receiver's last number.
        // TODO 4: a plain acknowledgement: flag ACK, window WINDOW, urgent pointer 0, TTL 64, no options, no payload
        // (truncate).
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
                // TODO 1: this is an acknowledgement of the receiver. Store its number for the flow of the data,
                // whose sender is the destination here.
            } else if (payload != 0 && standard_metadata.egress_port == BOTTLENECK) {
                bit<32> number;
                hash(flow, HashAlgorithm.crc16, 32w0,
                    { hdr.ipv4.src, hdr.ipv4.dst, hdr.tcp.src, hdr.tcp.dst }, FLOWS);
                acknowledged.read(number, flow);
                // TODO 2: if the receiver has acknowledged data, copy the packet back to the port from which it came.
                // Clone session N leads to port N (clone, CloneType.E2E).
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
        // TODO 5: the checksum of the FACK: pseudo-header (addresses, 8w0, protocol, 16w20) and all fields of TCP.
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
