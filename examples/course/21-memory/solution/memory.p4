// Solution of exercise 21: a limit for each sender, by the stateful ALU of a Tofino.
#include <core.p4>
#include <tna.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
// Packets of UDP that a host may send in a window, and the length of a window: 1.024 s in units of 1,024 ns.
const bit<32> LIMIT = 10;
const bit<32> WINDOW = 1000000;
// A packet to this port ends the window of the host that it is sent to.
const bit<16> PARDON = 7000;

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

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
}

struct metadata_t {
    // The time, and the end of a window that begins now.
    bit<32> now;
    bit<32> end;
    // The sender's packets in its window so far.
    bit<32> used;
    // The sender's packets that were dropped since the last one that passed.
    bit<8> missed;
}

struct none_t { }

// The two words of an element, which the ALU reads and writes together.
struct window_t {
    bit<32> end;
    bit<32> used;
}

parser CourseParser(packet_in packet, out headers_t hdr, out metadata_t meta,
                    out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
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
        transition accept;
    }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      in ingress_intrinsic_metadata_t intrinsic,
                      in ingress_intrinsic_metadata_from_parser_t from_parser,
                      inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                      inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    // By the last byte of a host's address: the end of its window, and its packets in it.
    Register<window_t, bit<8>>(256, { 0, 0 }) windows;

    // Two comparisons, two words of the packet, one result: all that the ALU has. Both words are read before one is written.
    RegisterAction<window_t, bit<8>, bit<32>>(windows) admit = {
        void apply(inout window_t window, out bit<32> used) {
            used = 0;
            if (meta.now >= window.end) {
                window.end = meta.end;
                window.used = 1;
            } else {
                used = window.used;
                if (window.used < LIMIT) {
                    window.used = window.used + 1;
                }
            }
        }
    };

    RegisterAction<window_t, bit<8>, bit<32>>(windows) pardon = {
        void apply(inout window_t window) {
            window.end = 0;
        }
    };

    // By the last byte of a host's address: its packets that were dropped since the last one that passed, at most 63.
    Register<bit<8>, bit<8>>(256, 0) missed;

    RegisterAction<bit<8>, bit<8>, bit<8>>(missed) miss = {
        void apply(inout bit<8> count) {
            if (count < 63) {
                count = count + 1;
            }
        }
    };

    RegisterAction<bit<8>, bit<8>, bit<8>>(missed) tell = {
        void apply(inout bit<8> count, out bit<8> before) {
            before = count;
            count = 0;
        }
    };

    action drop() {
        for_deparser.drop_ctl = 1;
    }

    action forward(bit<48> mac, bit<9> port) {
        for_tm.ucast_egress_port = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        meta.now = from_parser.global_tstamp[41:10];
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
            if (routes.apply().hit && hdr.udp.isValid()) {
                meta.end = meta.now + WINDOW;
                if (hdr.udp.dst == PARDON) {
                    pardon.execute(hdr.ipv4.dst[7:0]);
                } else {
                    meta.used = admit.execute(hdr.ipv4.src[7:0]);
                    if (meta.used == LIMIT) {
                        miss.execute(hdr.ipv4.src[7:0]);
                        drop();
                    } else {
                        meta.missed = tell.execute(hdr.ipv4.src[7:0]);
                        hdr.ipv4.dscp = meta.missed[5:0];
                    }
                }
            }
        } else {
            drop();
        }
    }
}

control CourseDeparser(packet_out packet, inout headers_t hdr, in metadata_t meta,
                       in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    Checksum() checksum;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = checksum.update({ hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp,
                hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.offset,
                hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        }
        packet.emit(hdr);
    }
}

// Egress sends packets as they are.
parser EgressParser(packet_in packet, out none_t hdr, out none_t meta,
                    out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control CourseEgress(inout none_t hdr, inout none_t meta, in egress_intrinsic_metadata_t intrinsic,
                     in egress_intrinsic_metadata_from_parser_t from_parser,
                     inout egress_intrinsic_metadata_for_deparser_t for_deparser,
                     inout egress_intrinsic_metadata_for_output_port_t for_port) {
    apply { }
}

control EgressDeparser(packet_out packet, inout none_t hdr, in none_t meta,
                       in egress_intrinsic_metadata_for_deparser_t for_deparser) {
    apply { }
}

Pipeline(CourseParser(), CourseIngress(), CourseDeparser(), EgressParser(), CourseEgress(),
         EgressDeparser()) pipe;

Switch(pipe) main;
