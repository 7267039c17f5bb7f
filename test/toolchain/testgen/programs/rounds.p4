// Packets that go round: for ever by port 68, once by port 69, as a mirror for ever; and a random bit.
#include "common.p4"

header note_t {
    bit<8> mark;
}

struct own_t {
    bit<10> session;
}

parser Take(packet_in pkt, out headers_t hdr, out own_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout own_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Random<bit<1>>() coin;

    apply {
        tm.bypass_egress = 1;
        tm.ucast_egress_port = 3;
        if (hdr.data.kind == 1) {
            hdr.data.value = 0x1234;
            tm.ucast_egress_port = 68;
        } else if (hdr.data.kind == 2) {
            hdr.data.kind = 9;
            tm.ucast_egress_port = 69;
        } else if (hdr.data.kind == 3) {
            dprsr.mirror_type = 1;
            md.session = 5;
            hdr.data.value = 0xabcd;
            tm.ucast_egress_port = 68;
        } else if (hdr.data.kind == 4) {
            hdr.data.value = 15w0 ++ coin.get();
        } else if (hdr.data.kind == 9) {
            hdr.data.value = 0x9999;
        }
    }
}

control Put(packet_out pkt, inout headers_t hdr, in own_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Mirror(1) mirror;
    apply {
        mirror.emit<note_t>(md.session, { 0xaa });
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
