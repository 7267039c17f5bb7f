#include <core.p4>
#include <tna.p4>

header h_t {
    bit<16> a;
    bit<16> b;
    bit<64> wide;
}

struct headers_t {
    h_t h;
}

struct meta_t {
    bit<16> x;
    bit<8> z;
}

parser In(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0, 0 };
        pkt.extract(hdr.h);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        tm.ucast_egress_port = ig.ingress_port;
    }
}

control Out(packet_out pkt, inout headers_t hdr, in meta_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply {
        pkt.emit(hdr);
    }
}

parser EgressIn(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg) {
    state start { // <- here
        pkt.extract(eg);
        pkt.advance(12);
        transition accept;
    }
}

control EgressWork(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg,
                   in egress_intrinsic_metadata_from_parser_t prsr,
                   inout egress_intrinsic_metadata_for_deparser_t dprsr,
                   inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {}
}

control EgressOut(packet_out pkt, inout headers_t hdr, in meta_t md,
                  in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(In(), Work(), Out(), EgressIn(), EgressWork(), EgressOut()) pipe;
Switch(pipe) main;
