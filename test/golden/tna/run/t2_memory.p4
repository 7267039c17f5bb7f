// Registers of Tofino 2: a queue, a stack, the largest part of a whole line of memory, all cells at once, results beside the first. Needs -D __TARGET_TOFINO__=2.
#include "common.p4"

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<16>, bit<8>>(2) queue;
    RegisterAction<bit<16>, bit<8>, bit<16>>(queue) put = {
        void apply(inout bit<16> cell, out bit<16> result) {
            cell = hdr.data.value;
            result = 1;
        }
        void overflow(inout bit<16> cell, out bit<16> result) { result = 0xffff; }
    };
    RegisterAction<bit<16>, bit<8>, bit<16>>(queue) take = {
        void apply(inout bit<16> cell, out bit<16> result) { result = cell; }
        void underflow(inout bit<16> cell, out bit<16> result) { result = 0xeeee; }
    };
    Register<bit<16>, bit<8>>(4) stack;
    RegisterAction<bit<16>, bit<8>, bit<16>>(stack) push = {
        void apply(inout bit<16> cell) { cell = hdr.data.value; }
    };
    RegisterAction<bit<16>, bit<8>, bit<16>>(stack) pop = {
        void apply(inout bit<16> cell, out bit<16> result) { result = cell; }
    };
    Register<bit<16>, bit<13>>(64) line;
    RegisterAction<bit<16>, bit<13>, bit<16>>(line) store = {
        void apply(inout bit<16> cell) { cell = hdr.data.value; }
    };
    MinMaxAction2<bit<16>, bit<10>, bit<16>, bit<8>>(line) largest = {
        void apply(inout bit<128> cells, out bit<16> result, out bit<8> place) {
            bit<3> at;
            result = this.max16(cells, 0xff, at, -1);
            place = 5w0 ++ at;
        }
    };
    RegisterAction2<bit<16>, bit<8>, bit<16>, bit<8>>(stack) two = {
        void apply(inout bit<16> cell, out bit<16> first, out bit<8> second) {
            first = cell;
            second = 0x77;
        }
    };

    apply {
        tm.ucast_egress_port = (PortId_t)(bit<9>)hdr.data.port;
        if (hdr.data.kind == 0) hdr.data.value = put.enqueue();
        else if (hdr.data.kind == 1) hdr.data.value = take.dequeue();
        else if (hdr.data.kind == 2) push.push();
        else if (hdr.data.kind == 3) hdr.data.value = pop.pop();
        else if (hdr.data.kind == 4) store.execute((bit<13>)hdr.data.value);
        else if (hdr.data.kind == 5) hdr.data.value = largest.execute(0, hdr.data.kind);
        else if (hdr.data.kind == 6) line.clear(0x20);
        else if (hdr.data.kind == 7) hdr.data.value = two.execute(0, hdr.data.kind);
    }
}

Pipeline(TakeData(), Work(), PutData(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
