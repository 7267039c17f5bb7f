// Exercise 21: a limit for each sender, by the stateful ALU of a Tofino.
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
    // The time.
    bit<32> now;
    // The sender's packets so far.
    bit<32> used;
}

struct none_t { }

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
    // By the last byte of a host's address: its packets so far.
    // TODO 1: let an element have two words, the end of the window and the packets in it, and let one RegisterAction
    //   compare, count and say what the control must know.
    Register<bit<32>, bit<8>>(256, 0) windows;

    RegisterAction<bit<32>, bit<8>, bit<32>>(windows) look = {
        void apply(inout bit<32> packets, out bit<32> before) {
            before = packets;
        }
    };

    RegisterAction<bit<32>, bit<8>, bit<32>>(windows) add_one = {
        void apply(inout bit<32> packets) {
            packets = packets + 1;
        }
    };

    // TODO 2: a second RegisterAction, which ends a window.
    // TODO 3: a register with the dropped packets of each host, and what adds to it and takes from it.

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
                meta.used = look.execute(hdr.ipv4.src[7:0]);
                if (meta.used == LIMIT) {
                    drop();
                } else {
                    add_one.execute(hdr.ipv4.src[7:0]);
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
