// A packet that goes back to ingress, of which the parser of its first pass has read a part of the frame check sequence as a header.
#include "common.p4"

header tail_t {
    bit<24> rest;
}

struct tails_t {
    data_t data;
    tail_t tail;
}

struct own_t {}

parser Take(packet_in pkt, out tails_t hdr, out own_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.data);
        pkt.extract(hdr.tail);
        transition accept;
    }
}

control Work(inout tails_t hdr, inout own_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        tm.bypass_egress = 1;
        tm.ucast_egress_port = 3;
        if (hdr.data.kind == 1) {
            hdr.data.kind = 2;
            tm.ucast_egress_port = 68;
        } else if (hdr.tail.rest == 0) {
            tm.ucast_egress_port = 4;
        }
    }
}

control Put(packet_out pkt, inout tails_t hdr, in own_t md, in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply {
        pkt.emit(hdr);
    }
}

parser Behind(packet_in pkt, out none_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        transition accept;
    }
}

Pipeline(Take(), Work(), Put(), Behind(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
