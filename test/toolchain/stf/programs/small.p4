// A program for packet tests: one table of every kind of key, counters of both kinds, a register, a clone.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8>  kind;
    bit<16> key;
    bit<8>  value;
}

struct headers_t {
    data_t data;
}

struct metadata_t {
}

parser TheParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition accept;
    }
}

control TheVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    counter(4, CounterType.packets_and_bytes) seen;
    direct_counter(CounterType.packets_and_bytes) hits;
    register<bit<8>>(4) last;

    action send(bit<9> port) {
        sm.egress_spec = port;
    }
    action discard() {
        mark_to_drop(sm);
    }
    action mark(bit<8> value) {
        hdr.data.value = value;
    }
    action mirror() {
        clone(CloneType.I2E, 5);
    }

    table exactly {
        key = { hdr.data.kind : exact; hdr.data.isValid() : exact; }
        actions = { send; discard; }
        default_action = discard();
        counters = hits;
    }
    table masked {
        key = { hdr.data.key : ternary; hdr.data.value : optional; }
        actions = { mark; mirror; NoAction; }
        default_action = NoAction();
    }
    table prefixes {
        key = { hdr.data.key : lpm; }
        actions = { mark; NoAction; }
        default_action = NoAction();
    }
    table ranges {
        key = { hdr.data.value : range; }
        actions = { mark; NoAction; }
        default_action = NoAction();
    }

    apply {
        seen.count((bit<32>) hdr.data.kind & 3);
        last.write(0, hdr.data.kind);
        exactly.apply();
        masked.apply();
        prefixes.apply();
        ranges.apply();
    }
}

control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

control TheCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheDeparser(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr.data); }
}

V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheCompute(), TheDeparser()) main;
