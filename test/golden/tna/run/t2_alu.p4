// What ALUs of Tofino 2 answer beside cells, learning in the data plane, meters with a colour before, symmetric hashes. Needs -D __TARGET_TOFINO__=2.
#include "common.p4"

struct cells_t {
    bit<32> first;
    bit<32> second;
}

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<16>, bit<8>>(256) seen;
    RegisterAction<bit<16>, bit<8>, bit<16>>(seen) compare = {
        void apply(inout bit<16> cell, out bit<16> bits, out bit<16> where) {
            if (cell == hdr.data.value) cell = 0;
            else if (cell < 5) cell = hdr.data.value;
            bits = this.predicate();
            where = this.address();
        }
    };
    @chain_address
    RegisterAction<bit<16>, bit<8>, bit<16>>(seen) chained = {
        void apply(inout bit<16> cell, out bit<16> old) { old = cell; }
    };

    Register<cells_t, bit<8>>(256) ways;
    LearnAction<cells_t, bit<8>, bit<32>, bit<16>>(ways) learn = {
        void apply(inout cells_t cell, in bit<32> digest, in bool elsewhere, out bit<16> result) {
            if (cell.first & 0xffffffe0 == digest) result = 1;
            else if (cell.second & 0xffffffe0 == digest) result = 2;
            else if (!elsewhere && cell.first & 1 == 0) { cell.first = digest | 1; result = 3; }
            else if (!elsewhere && cell.second & 1 == 0) { cell.second = digest | 1; result = 4; }
            else result = 5;
        }
    };
    action look() { hdr.data.value = learn.execute(0); }
    @ways(1)
    table known {
        key = { hdr.data.value : dleft_hash; }
        actions = { look; }
        default_action = look();
    }

    Meter<bit<8>>(4, MeterType_t.PACKETS) rate;
    @symmetric("hdr.data.port", "hdr.data.kind")
    Hash<bit<16>>(HashAlgorithm_t.CRC16) both;
    @symmetric("hdr.data.port", "hdr.data.kind")
    Hash<bit<16>>(HashAlgorithm_t.CRC16) turned;

    apply {
        tm.ucast_egress_port = 2;
        bit<16> more = 0;
        if (hdr.data.kind == 0) { hdr.data.value = compare.execute(7, more); }
        else if (hdr.data.kind == 1) { compare.execute(7, more); hdr.data.value = more; }
        else if (hdr.data.kind == 2) { chained.execute(7); hdr.data.value = chained.address(); }
        else if (hdr.data.kind == 3) known.apply();
        else if (hdr.data.kind == 4)
            hdr.data.value = 8w0 ++ rate.execute(0, (MeterColor_t)hdr.data.value[7:0], 32w0);
        else if (hdr.data.kind == 7) hdr.data.value = turned.get({ hdr.data.kind, hdr.data.port });
        else hdr.data.value = both.get({ hdr.data.port, hdr.data.kind });
    }
}

Pipeline(TakeData(), Work(), PutData(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
