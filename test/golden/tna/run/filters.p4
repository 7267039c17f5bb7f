// Low-pass filters and early detection over the time of the switch.
#include "common.p4"

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Lpf<bit<16>, bit<8>>(4) mean;
    Wred<bit<16>, bit<8>>(4, 7, 3) early;
    DirectLpf<bit<16>>() own;
    action filter() { hdr.data.value = own.execute(hdr.data.value); }
    table each {
        key = { hdr.data.port : exact; }
        actions = { filter; }
        const entries = { 1 : filter(); 2 : filter(); }
        size = 4;
        filters = own;
    }
    // Outside of tables: the one entry of a table without keys.
    DirectRegister<bit<16>>(5) alone;
    DirectRegisterAction<bit<16>, bit<16>>(alone) count = {
        void apply(inout bit<16> cell, out bit<16> answer) { cell = cell + 1; answer = cell; }
    };
    apply {
        tm.ucast_egress_port = 2;
        if (hdr.data.kind == 0) hdr.data.value = mean.execute(hdr.data.value, hdr.data.port);
        else if (hdr.data.kind == 1) hdr.data.port = early.execute(hdr.data.value, hdr.data.port);
        else if (hdr.data.kind == 3) hdr.data.value = count.execute();
        else each.apply();
    }
}

Pipeline(TakeData(), Work(), PutData(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
