// Copies of a packet: resubmission, mirrors of both gresses, groups, recirculation, packets without egress, drops.
#include "common.p4"

header note_t {
    bit<8> mark;
    bit<8> from;
}

header again_t {
    bit<8> rounds;
    bit<56> unused;
}

struct noted_t {
    note_t note;
    data_t data;
}

struct own_t {
    again_t again;
    bit<10> session;
}

parser Take(packet_in pkt, out headers_t hdr, out own_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        transition select(ig.resubmit_flag) {
            1 : resubmitted;
            default : first;
        }
    }
    state resubmitted {
        pkt.extract(md.again);
        transition data;
    }
    state first {
        pkt.advance(PORT_METADATA_SIZE);
        transition data;
    }
    state data {
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout own_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        tm.ucast_egress_port = (PortId_t)(bit<9>)hdr.data.port;
        if (hdr.data.kind == 1) {
            if (md.again.rounds < 2) dprsr.resubmit_type = 1;
            hdr.data.value[7:0] = md.again.rounds;
        } else if (hdr.data.kind == 2) {
            dprsr.mirror_type = 1;
            md.session = 5;
            hdr.data.value = 0;
        } else if (hdr.data.kind == 4) {
            tm.mcast_grp_a = 1;
            tm.mcast_grp_b = 2;
        } else if (hdr.data.kind == 5) {
            tm.bypass_egress = 1;
        } else if (hdr.data.kind == 6) {
            dprsr.drop_ctl = 1;
        } else if (hdr.data.kind == 7) {
            invalidate(tm.ucast_egress_port);
        } else if (hdr.data.kind == 8 && ig.ingress_port == 68) {
            tm.ucast_egress_port = 9;
        }
    }
}

control Put(packet_out pkt, inout headers_t hdr, in own_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Mirror(1) mirror;
    Resubmit() resubmit;
    apply {
        if (dprsr.resubmit_type == 1) resubmit.emit<again_t>({ md.again.rounds + 1, 0 });
        mirror.emit<note_t>(md.session, { 0xaa, 1 });
        pkt.emit(hdr);
    }
}

struct eg_t {
    bit<10> session;
}

parser EgressTake(packet_in pkt, out noted_t hdr, out eg_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        transition select(pkt.lookahead<bit<8>>()) {
            0xaa : noted;
            default : data;
        }
    }
    state noted {
        pkt.extract(hdr.note);
        transition data;
    }
    state data {
        pkt.extract(hdr.data);
        transition accept;
    }
}

control EgressWork(inout noted_t hdr, inout eg_t md, in egress_intrinsic_metadata_t eg,
                   in egress_intrinsic_metadata_from_parser_t prsr,
                   inout egress_intrinsic_metadata_for_deparser_t dprsr,
                   inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {
        if (hdr.data.kind == 4) hdr.data.value = eg.egress_rid;
        else hdr.data.value = hdr.data.value + 1;
        if (hdr.data.kind == 3 && !hdr.note.isValid()) {
            dprsr.mirror_type = 2;
            md.session = 6;
        }
        if (hdr.data.kind == 9) dprsr.drop_ctl = 1;
    }
}

control EgressPut(packet_out pkt, inout noted_t hdr, in eg_t md,
                  in egress_intrinsic_metadata_for_deparser_t dprsr) {
    Mirror() mirror;
    apply {
        if (dprsr.mirror_type == 2) mirror.emit<note_t>(md.session, { 0xaa, 2 });
        pkt.emit(hdr);
    }
}

Pipeline(Take(), Work(), Put(), EgressTake(), EgressWork(), EgressPut()) pipe;
Switch(pipe) main;
