// Exercise 13: the same program in fewer stages.
// The comment with TODO describes the change.
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
    bit<16> score;
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
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action send_to(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            send_to;
            drop;
        }
        size = 1024;
        default_action = drop();
    }

    // Packets with this score or a higher one go to the scrubber.
    table verdict {
        key = {
            meta.score: range;
        }
        actions = {
            send_to;
            NoAction;
        }
        size = 16;
        default_action = NoAction();
    }

    // Each rule adds its points to the score. A rule must wait for the previous rule: both change the same field.
    // TODO: make the rules independent of each other, and sum up their points in few stages.

    action add_0(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_0 {
        key = {
            hdr.ipv4.src: exact;
        }
        actions = {
            add_0;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_1(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_1 {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            add_1;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_2(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_2 {
        key = {
            hdr.ports.src: exact;
        }
        actions = {
            add_2;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_3(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_3 {
        key = {
            hdr.ports.dst: exact;
        }
        actions = {
            add_3;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_4(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_4 {
        key = {
            hdr.ipv4.protocol: exact;
        }
        actions = {
            add_4;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_5(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_5 {
        key = {
            hdr.ipv4.dscp: exact;
        }
        actions = {
            add_5;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_6(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_6 {
        key = {
            hdr.ipv4.ttl: exact;
        }
        actions = {
            add_6;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_7(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_7 {
        key = {
            hdr.ipv4.src: exact;
        }
        actions = {
            add_7;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_8(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_8 {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            add_8;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_9(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_9 {
        key = {
            hdr.ports.src: exact;
        }
        actions = {
            add_9;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_10(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_10 {
        key = {
            hdr.ports.dst: exact;
        }
        actions = {
            add_10;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_11(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_11 {
        key = {
            hdr.ipv4.protocol: exact;
        }
        actions = {
            add_11;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_12(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_12 {
        key = {
            hdr.ipv4.dscp: exact;
        }
        actions = {
            add_12;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    action add_13(bit<16> points) {
        meta.score = meta.score + points;
    }

    table rule_13 {
        key = {
            hdr.ipv4.ttl: exact;
        }
        actions = {
            add_13;
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    apply {
        if (hdr.ipv4.isValid()) {
            routes.apply();
            rule_0.apply();
            rule_1.apply();
            rule_2.apply();
            rule_3.apply();
            rule_4.apply();
            rule_5.apply();
            rule_6.apply();
            rule_7.apply();
            rule_8.apply();
            rule_9.apply();
            rule_10.apply();
            rule_11.apply();
            rule_12.apply();
            rule_13.apply();
            verdict.apply();
        } else {
            drop();
        }
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply { }
}

control UpdateChecksums(inout headers_t hdr, inout metadata_t meta) {
    apply { }
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
