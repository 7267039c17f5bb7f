// A packet that fills a register, goes round by port 69 and reads a cell. Needs -D __TARGET_TOFINO__=2.
#include "common.p4"

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<16>, bit<8>>(16) cells;
    RegisterAction<bit<16>, bit<8>, bit<16>>(cells) load = {
        void apply(inout bit<16> cell, out bit<16> result) { result = cell; }
    };

    apply {
        tm.bypass_egress = 1;
        if (hdr.data.kind == 1) {
            cells.clear(0x20);
            hdr.data.kind = 2;
            tm.ucast_egress_port = 69;
        } else {
            hdr.data.value = load.execute(3);
            tm.ucast_egress_port = 3;
        }
    }
}

Pipeline(TakeData(), Work(), PutData(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
