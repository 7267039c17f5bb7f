// A selector with the hash IDENTITY: the member is the value modulo the size of the group, and a miss runs the default action of the table, which needs
// no member. And an `out` argument that the control leaves alone, of which
// another argument is a part: it keeps its value.
#include "common.p4"

struct marks_t {
    bit<8> kept;
    bit<8> other;
}

control Leaves(inout marks_t marks, out bit<8> kept) {
    action put(bit<8> value) {
        kept = value;
    }

    table choices {
        key = { marks.other : exact; }
        actions = { put; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 16;
    }

    apply {
        choices.apply();
    }
}

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Hash<bit<16>>(HashAlgorithm_t.IDENTITY) identity;
    ActionProfile(16) members;
    ActionSelector(members, identity, SelectorMode_t.FAIR, 8, 4) selector;
    Leaves() leaves;
    marks_t marks;

    action send(PortId_t port) {
        tm.ucast_egress_port = port;
    }

    action unchosen(bit<16> value) {
        tm.ucast_egress_port = 9;
        hdr.data.value = value;
    }

    table chosen {
        key = {
            hdr.data.kind : exact;
            hdr.data.value : selector;
        }
        actions = { send; @defaultonly unchosen; }
        default_action = unchosen(0xbeef);
        implementation = selector;
        size = 16;
    }

    apply {
        marks.kept = hdr.data.port;
        marks.other = hdr.data.kind;
        leaves.apply(marks, marks.kept);
        hdr.data.port = marks.kept;
        chosen.apply();
    }
}

Pipeline(TakeData(), Work(), PutData(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
