// Solution of exercise 15: the switch answers for the server.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
// The port of UDP at which the server has its store.
const bit<16> STORE = 4000;
const bit<8> GET = 1;
const bit<8> PUT = 2;
const bit<8> ANSWER = 3;
const bit<32> LINES = 16;

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

header store_t {
    bit<8>  op;
    bit<32> key;
    bit<64> value;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
    store_t store;
}

struct metadata_t {
    bit<32> line;
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
            PROTOCOL_UDP: parse_udp;
            default: accept;
        }
    }

    // Requests go to the store's port, answers come from it.
    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.src, hdr.udp.dst) {
            (_, STORE): parse_store;
            (STORE, _): parse_store;
            default: accept;
        }
    }

    state parse_store {
        packet.extract(hdr.store);
        transition accept;
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    register<bit<64>>(LINES) values;
    // 1: the line has the value that the server has.
    register<bit<1>>(LINES) valid;
    counter(LINES, CounterType.packets) hits;

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

    // The lines of the keys that are cached; the control plane chooses them.
    action use_line(bit<32> line) {
        meta.line = line;
    }

    table lines {
        key = {
            hdr.store.key: exact;
        }
        actions = {
            use_line;
            NoAction;
        }
        size = 16;
        default_action = NoAction();
    }

    // The request becomes the answer of the server, to whoever asked.
    action answer(bit<64> value) {
        bit<32> client = hdr.ipv4.src;
        bit<16> port = hdr.udp.src;
        hdr.ipv4.src = hdr.ipv4.dst;
        hdr.ipv4.dst = client;
        hdr.udp.src = hdr.udp.dst;
        hdr.udp.dst = port;
        // 0: UDP without a checksum (RFC 768).
        hdr.udp.checksum = 0;
        hdr.store.op = ANSWER;
        hdr.store.value = value;
    }

    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            if (hdr.store.isValid() && lines.apply().hit) {
                if (hdr.store.op == GET) {
                    bit<1> is_valid;
                    bit<64> value;
                    valid.read(is_valid, meta.line);
                    values.read(value, meta.line);
                    if (is_valid == 1) {
                        hits.count(meta.line);
                        answer(value);
                    }
                } else if (hdr.store.op == PUT) {
                    valid.write(meta.line, 0);
                } else if (hdr.store.op == ANSWER) {
                    values.write(meta.line, hdr.store.value);
                    valid.write(meta.line, 1);
                }
            }
            routes.apply();
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
        packet.emit(hdr.store);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
