// A packet that is resubmitted for ever, as no real chip does, and one that is not.
#include "common.p4"

header again_t {
    bit<64> unused;
}

parser Take(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        tm.ucast_egress_port = 3;
        if (hdr.data.kind == 1) dprsr.resubmit_type = 1;
    }
}

control Put(packet_out pkt, inout headers_t hdr, in none_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Resubmit() resubmit;
    apply {
        if (dprsr.resubmit_type == 1) resubmit.emit<again_t>({ 0 });
        pkt.emit(hdr);
    }
}

Pipeline(Take(), Work(), Put(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
