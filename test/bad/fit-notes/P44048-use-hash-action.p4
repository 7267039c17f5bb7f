#include <core.p4>
#include <v1model.p4>

header data_h {
    bit<8> a;
    bit<32> b;
}

struct headers_t {
    data_h data;
}

struct meta_t {
}

parser Prs(packet_in pkt, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Vfy(inout headers_t hdr, inout meta_t meta) {
    apply {
    }
}

control Ing(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action put(bit<32> value) {
        hdr.data.b = value;
    }

    @use_hash_action(1)
    table t {
        key = {
            hdr.data.a: exact;
        }
        actions = {
            put;
        }
        size = 256;
    }

    apply {
        t.apply();
        sm.egress_spec = 1;
    }
}

control Egr(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
    }
}

control Cmp(inout headers_t hdr, inout meta_t meta) {
    apply {
    }
}

control Dep(packet_out pkt, in headers_t hdr) {
    apply {
        pkt.emit(hdr.data);
    }
}

V1Switch(Prs(), Vfy(), Ing(), Egr(), Cmp(), Dep()) main;
