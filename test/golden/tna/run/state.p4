// State: registers of one word and of two, with results; a register that belongs to a table; a parameter; counters, hashes, saturation.
#include "common.p4"

struct pair_t {
    bit<16> first;
    bit<16> second;
}

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<16>, bit<8>>(16, 7) totals;
    RegisterAction<bit<16>, bit<8>, bit<16>>(totals) add = {
        void apply(inout bit<16> total, out bit<16> before) {
            before = total;
            if (total < 100) total = total + hdr.data.value;
            else total = 0;
        }
    };
    RegisterParam<bit<16>>(5) step;
    Register<pair_t, bit<8>>(4) pairs;
    RegisterAction<pair_t, bit<8>, bit<16>>(pairs) shift_in = {
        void apply(inout pair_t pair, out bit<16> result) {
            pair.second = pair.first |+| 0xff00;
            pair.first = hdr.data.value + step.read();
            result = pair.second;
        }
    };
    DirectRegister<bit<16>>() hits;
    DirectRegisterAction<bit<16>, bit<16>>(hits) hit = {
        void apply(inout bit<16> count, out bit<16> result) {
            count = count + 1;
            result = count;
        }
    };
    Counter<bit<32>, bit<8>>(4, CounterType_t.PACKETS_AND_BYTES) counted;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc;
    CRCPolynomial<bit<16>>(0x1021, false, false, false, 0xffff, 0) ccitt;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, ccitt) own;
    Hash<bit<8>>(HashAlgorithm_t.IDENTITY) same;

    action count_hit() { hdr.data.value = hit.execute(); }
    action none() {}
    table direct {
        key = { hdr.data.value : exact; }
        actions = { count_hit; none; }
        const default_action = none();
        registers = hits;
        size = 8;
    }

    Hash<bit<24>>(HashAlgorithm_t.CRC8) wide;
    Register<bit<32>, bit<1>>(1) scratch;
    MathUnit<bit<32>>(MathOp_t.MUL, 1, 10) tenth;
    RegisterAction<bit<32>, bit<1>, bit<32>>(scratch) divide = {
        void apply(inout bit<32> cell, out bit<32> result) {
            cell = tenth.execute((bit<32>)hdr.data.value);
            result = cell;
        }
    };
    MathUnit<bit<32>>(MathOp_t.SQRT, 16) root;
    RegisterAction<bit<32>, bit<1>, bit<32>>(scratch) roots = {
        void apply(inout bit<32> cell, out bit<32> result) {
            cell = root.execute((bit<32>)hdr.data.value);
            result = cell;
        }
    };

    apply {
        tm.ucast_egress_port = (PortId_t)(bit<9>)hdr.data.port;
        if (hdr.data.kind == 0) hdr.data.value = add.execute(3);
        else if (hdr.data.kind == 1) hdr.data.value = shift_in.execute(0);
        else if (hdr.data.kind == 2) direct.apply();
        else if (hdr.data.kind == 3) hdr.data.value = crc.get({ hdr.data.kind, hdr.data.port, hdr.data.value });
        else if (hdr.data.kind == 4) hdr.data.value = own.get({ hdr.data.value });
        else if (hdr.data.kind == 5) hdr.data.kind = same.get(hdr.data.value);
        else if (hdr.data.kind == 6) hdr.data.value = min(hdr.data.value, 16w9) |-| 16w4;
        else if (hdr.data.kind == 7) funnel_shift_right(hdr.data.value, 16w0x1234, hdr.data.value, 4);
        else if (hdr.data.kind == 8) hdr.data.value = wide.get({ hdr.data.value })[23:8];
        else if (hdr.data.kind == 9) hdr.data.value = divide.execute(0)[15:0];
        else if (hdr.data.kind == 10) hdr.data.value = roots.execute(0)[15:0];
        counted.count(hdr.data.kind);
    }
}

Pipeline(TakeData(), Work(), PutData(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
