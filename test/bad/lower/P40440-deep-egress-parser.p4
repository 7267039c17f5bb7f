#include <core.p4>
#include <tna.p4>

header h_t {
    bit<32> a;
}

header probe_h {
    bit<32> node;
    bit<32> time;
}

header rest_h {
    bit<1000> a;
}

struct headers_t {
    h_t h;
}

struct egress_headers_t {
    probe_h[4] probes;
    rest_h rest;
}

struct none_t {}

parser In(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.h);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        tm.ucast_egress_port = ig.ingress_port;
    }
}

control Out(packet_out pkt, inout headers_t hdr, in none_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

parser EgressIn(packet_in pkt, out egress_headers_t hdr, out none_t md, // <- here
                out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        transition select(pkt.lookahead<bit<8>>()) {
            0: probe;
            default: accept;
        }
    }
    state probe {
        pkt.extract(hdr.probes.next);
        transition select(hdr.probes.last.node) {
            0: rest;
            default: probe;
        }
    }
    state rest {
        pkt.extract(hdr.rest);
        transition accept;
    }
}

control EgressWork(inout egress_headers_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
                   in egress_intrinsic_metadata_from_parser_t prsr,
                   inout egress_intrinsic_metadata_for_deparser_t dprsr,
                   inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {}
}

control EgressOut(packet_out pkt, inout egress_headers_t hdr, in none_t md,
                  in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply {}
}

Pipeline(In(), Work(), Out(), EgressIn(), EgressWork(), EgressOut()) pipe;
Switch(pipe) main;
