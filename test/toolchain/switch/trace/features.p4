// A program for traces: the first byte of a packet says which feature it is to use.
#include <core.p4>
#include <v1model.p4>

header order_t {
    bit<8>  what;
    bit<8>  value;
    bit<32> address;
}

header note_t {
    bit<8> code;
}

struct headers_t {
    order_t order;
    note_t  note;
}

struct meta_t {
    @field_list(1)
    bit<8>  kept;
    bit<8>  lost;
    bit<16> hash;
    bit<32> state;
    bit<2>  color;
}

error { OddValue }

parser TheParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        verify(hdr.order.what != 99 || hdr.order.value & 1 == 0, error.OddValue);
        transition select(hdr.order.what, hdr.order.value) {
            (20 &&& 0xfe, _): with_note;
            default: accept;
        }
    }
    state with_note {
        packet.extract(hdr.note);
        transition accept;
    }
}

control TheVerify(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

struct report_t {
    bit<8>  value;
    bit<32> address;
}

control TheIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(4, CounterType.packets_and_bytes) seen;
    direct_counter(CounterType.packets_and_bytes) hits;
    register<bit<32>>(4) sums;
    meter(4, MeterType.packets) speed;
    action_selector(HashAlgorithm.crc16, 16, 16) paths;

    action send(bit<9> port) {
        sm.egress_spec = port;
    }
    action discard() {
        mark_to_drop(sm);
    }
    table routes {
        key = { hdr.order.address : lpm; }
        actions = { send; discard; NoAction; }
        counters = hits;
        default_action = discard();
        size = 16;
    }
    table filters {
        key = {
            hdr.order.value : ternary;
            hdr.note.code   : range @name("code");
        }
        actions = { send; discard; NoAction; }
        size = 16;
    }
    table balanced {
        key = {
            hdr.order.what    : exact;
            hdr.order.address : selector;
            hdr.order.value   : selector;
        }
        actions = { send; NoAction; }
        implementation = paths;
        size = 16;
    }

    apply {
        meta.kept = hdr.order.value;
        if (hdr.order.what == 1) {
            routes.apply();
        } else if (hdr.order.what == 2) {
            balanced.apply();
        } else if (hdr.order.what == 3) {
            sm.mcast_grp = (bit<16>) hdr.order.value;
        } else if (hdr.order.what == 4) {
            clone_preserving_field_list(CloneType.I2E, (bit<32>) hdr.order.value, 1);
            sm.egress_spec = 4;
        } else if (hdr.order.what == 5) {
            if (sm.instance_type == 0) {
                resubmit_preserving_field_list(1);
            }
            sm.egress_spec = 5;
        } else if (hdr.order.what == 6) {
            seen.count((bit<32>) hdr.order.value);
            sums.read(meta.state, (bit<32>) hdr.order.value);
            sums.write((bit<32>) hdr.order.value, meta.state + hdr.order.address);
            speed.execute_meter((bit<32>) hdr.order.value, meta.color);
            sm.egress_spec = 6;
        } else if (hdr.order.what == 7) {
            hash(meta.hash, HashAlgorithm.crc16, 16w1, { hdr.order.address, hdr.order.value }, 16w1000);
            digest<report_t>(1, { hdr.order.value, hdr.order.address });
            log_msg("hash {}", { meta.hash });
            sm.egress_spec = 7;
        } else if (hdr.order.what == 8) {
            assert(hdr.order.value == 1);
            sm.egress_spec = 8;
        } else if (hdr.order.what == 9) {
            sm.egress_spec = 511;
        } else if (hdr.order.what == 10) {
            truncate(7);
            sm.egress_spec = 10;
        } else if (hdr.order.what == 11) {
            hdr.note.setValid();
            hdr.note.code = 0xab;
            hdr.order.setInvalid();
            hdr.order.value = 3;
            sm.egress_spec = 11;
        } else if (hdr.order.what == 20 || hdr.order.what == 21) {
            filters.apply();
            if (sm.egress_spec == 3) {
                exit;
            }
            meta.lost = 1;
        } else {
            sm.egress_spec = (bit<9>) hdr.order.what;
        }
    }
}

control TheEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.order.what == 12) {
            clone_preserving_field_list(CloneType.E2E, 5, 1);
            hdr.order.what = 0;
        } else if (hdr.order.what == 13) {
            hdr.order.what = 1;
            recirculate_preserving_field_list(1);
        } else if (hdr.order.what == 14) {
            mark_to_drop(sm);
        } else if (hdr.order.what == 15) {
            recirculate_preserving_field_list(1);
        }
    }
}

control TheCompute(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control TheDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.order);
        packet.emit(hdr.note);
    }
}

V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheCompute(), TheDeparser()) main;
