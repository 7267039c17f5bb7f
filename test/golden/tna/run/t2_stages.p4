// What Tofino 2 has around its stages: a ghost thread, a queue over two stages, a table that learns in four ways, a sweep; a key that masks bits out,
// and a table that no controller sees. Needs -D __TARGET_TOFINO__=2.
#include "common.p4"

struct cells_t {
    bit<32> first;
    bit<32> second;
}

Register<bit<16>, bit<11>>(2048) lengths;

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm, in ghost_intrinsic_metadata_t g) {
    RegisterAction<bit<16>, bit<11>, bit<16>>(lengths) length = {
        void apply(inout bit<16> cell, out bit<16> answer) { answer = cell; }
    };

    @chain_total_size(8)
    Register<bit<16>, bit<32>>(4) front;
    Register<bit<16>, bit<32>>(4) back;
    @chain_address
    RegisterAction<bit<16>, bit<32>, bit<16>>(front) put_front = {
        void apply(inout bit<16> cell) { cell = hdr.data.value; }
    };
    RegisterAction<bit<16>, bit<32>, bit<16>>(back) put_back = {
        void apply(inout bit<16> cell) { cell = hdr.data.value; }
    };
    @chain_address
    RegisterAction<bit<16>, bit<32>, bit<16>>(front) get_front = {
        void apply(inout bit<16> cell, out bit<16> answer) { answer = cell; }
    };
    RegisterAction<bit<16>, bit<32>, bit<16>>(back) get_back = {
        void apply(inout bit<16> cell, out bit<16> answer) { answer = cell + 0x100; }
    };

    Register<cells_t, bit<8>>(8) ways;
    LearnAction<cells_t, bit<8>, bit<32>, bit<32>>(ways) learn = {
        void apply(inout cells_t cell, in bit<32> digest, in bool elsewhere, out bit<32> where) {
            if (cell.first & 0xffffffe0 == digest) where = this.address(0);
            else if (cell.second & 0xffffffe0 == digest) where = this.address(1);
            else if (!elsewhere && cell.first & 1 == 0) { cell.first = digest | 1; where = this.address(0); }
            else if (!elsewhere && cell.second & 1 == 0) { cell.second = digest | 1; where = this.address(1); }
            else where = 0xffffffff;
        }
    };
    action look() {
        bit<32> where = learn.execute(1);
        hdr.data.value = (bit<16>)(where[24:23] ++ where[6:0]);
    }
    table known {
        key = { hdr.data.value : dleft_hash; }
        actions = { look; }
        default_action = look();
    }

    Register<bit<16>, bit<16>>(300) ages;
    RegisterAction<bit<16>, bit<16>, bit<16>>(ages) older = {
        void apply(inout bit<16> cell) { if (cell < 2) cell = cell + 1; else cell = cell + 2; }
    };
    RegisterAction<bit<16>, bit<16>, bit<16>>(ages) age = {
        void apply(inout bit<16> cell, out bit<16> answer) { answer = cell; }
    };

    action give(bit<16> value) { hdr.data.value = value; }
    table masked {
        key = { hdr.data.value & 0xff00 : exact @name("value"); }
        actions = { give; }
        default_action = give(0);
    }
    @hidden
    table secret {
        key = { hdr.data.value : exact; }
        actions = { give; }
        default_action = give(0);
    }

    apply {
        tm.ucast_egress_port = 2;
        bit<16> at = 0;
        if (hdr.data.kind == 0) { hdr.data.value = length.execute(hdr.data.value[10:0]); }
        else if (hdr.data.kind == 1) {
            put_front.enqueue();
            at = put_front.address();
            put_back.execute((bit<32>)at);
        } else if (hdr.data.kind == 2) {
            hdr.data.value = get_front.dequeue();
            at = get_front.address();
            bit<16> more = get_back.execute((bit<32>)at);
            hdr.data.value = hdr.data.value | more;
        } else if (hdr.data.kind == 3) known.apply();
        else if (hdr.data.kind == 4) older.sweep();
        else if (hdr.data.kind == 5) hdr.data.value = age.execute(hdr.data.value);
        else if (hdr.data.kind == 6) masked.apply();
        else secret.apply();
    }
}

control Ghost(in ghost_intrinsic_metadata_t g) {
    RegisterAction<bit<16>, bit<11>, bit<16>>(lengths) note = {
        void apply(inout bit<16> cell) { cell = g.qlength[15:0]; }
    };
    apply { if (g.ping_pong == 1) note.execute(g.qid); }
}

Pipeline(TakeData(), Work(), PutData(), LeaveParser(), Leave(), LeaveDeparser(), Ghost()) pipe;
Switch(pipe) main;
