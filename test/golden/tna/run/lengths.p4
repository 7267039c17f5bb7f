// What egress sees of length and time: ingress puts a header of 20 bytes in front, which is none of the packet's length. With value 1 the packet goes
// through a recirculation port first, and a mirror of it leaves by session 5.
#include "common.p4"

header front_t {
    bit<8> kind;
    bit<152> rest;
}

struct long_t {
    front_t front;
    data_t data;
}

parser Take(packet_in pkt, out long_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Add(inout long_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
            in ingress_intrinsic_metadata_from_parser_t prsr,
            inout ingress_intrinsic_metadata_for_deparser_t dprsr,
            inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        hdr.front.setValid();
        hdr.front.kind = 0xbb;
        hdr.front.rest = 0;
        tm.ucast_egress_port = hdr.data.port == 1 ? 9w68 : 9w2;
        if (hdr.data.port == 1) {
            hdr.data.port = 0;
            dprsr.mirror_type = 1;
        }
    }
}

control Emit(packet_out pkt, inout long_t hdr, in none_t md,
             in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Mirror() mirror;
    apply {
        if (dprsr.mirror_type == 1) {
            mirror.emit<front_t>(5, { 0xaa, 0 });
        }
        pkt.emit(hdr);
    }
}

parser Again(packet_in pkt, out long_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        pkt.extract(hdr.front);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Show(inout long_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
             in egress_intrinsic_metadata_from_parser_t prsr,
             inout egress_intrinsic_metadata_for_deparser_t dprsr,
             inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {
        hdr.front.setInvalid();
        if (hdr.data.kind == 1) {
            hdr.data.value = eg.pkt_length;
        } else {
            hdr.data.value = prsr.global_tstamp[15:0];
        }
    }
}

control PutBack(packet_out pkt, inout long_t hdr, in none_t md,
                in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(Take(), Add(), Emit(), Again(), Show(), PutBack()) pipe;
Switch(pipe) main;
