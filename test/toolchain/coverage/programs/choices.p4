// A program for coverage: a select, conditions, a table with two actions, an action that two tables share.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> kind;
    bit<8> value;
}

header more_t {
    bit<8> port;
}

struct headers_t {
    data_t data;
    more_t more;
}

struct metadata_t {
}

parser TheParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.kind) {
            1: accept;
            2: more;
        }
    }
    state more {
        packet.extract(hdr.more);
        transition accept;
    }
}

control TheVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action send() {
        sm.egress_spec = 1;
    }
    action add_one() { hdr.data.value = hdr.data.value + 1; }
    table kinds {
        key = { hdr.data.kind : exact; }
        actions = { send; add_one; }
        const entries = { 3 : add_one(); }
        default_action = send();
    }
    apply {
        kinds.apply();
        if (hdr.more.isValid() && hdr.more.port == 7) {
            sm.egress_spec = 7;
        } else if (hdr.data.kind == 2)
            add_one();
    }
}

control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

control TheCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.data);
        packet.emit(hdr.more);
    }
}

V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheCompute(), TheDeparser()) main;
