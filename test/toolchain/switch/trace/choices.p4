// Everything that decides beside the packet and the tables: selectors, random numbers, hashes, the time of an update.
#include <core.p4>
#include <v1model.p4>

header order_t {
    bit<8> what;
    bit<8> tag;
    bit<8> value;
    bit<8> key;
}

struct headers_t {
    order_t order;
}

struct metadata_t { }

parser TheParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                 inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control TheIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 32w128, 32w16) paths;
    action_selector(HashAlgorithm.crc32, 32w64, 32w16) marks;
    register<bit<32>>(4) seen;
    counter(4, CounterType.packets) counts;

    action send(bit<9> port) {
        standard.egress_spec = port;
    }

    action mark(bit<8> tag) {
        hdr.order.tag = tag;
    }

    action copy(bit<16> group) {
        standard.mcast_grp = group;
    }

    table next {
        key = {
            hdr.order.what: exact;
            hdr.order.key: selector;
        }
        actions = { send; copy; NoAction; }
        implementation = paths;
    }

    table marked {
        key = {
            hdr.order.what: exact;
            hdr.order.key: selector;
        }
        actions = { mark; NoAction; }
        implementation = marks;
    }

    table first {
        key = { hdr.order.what: exact; }
        actions = { mark; NoAction; }
    }

    table second {
        key = { hdr.order.what: exact; }
        actions = { send; NoAction; }
        default_action = NoAction();
    }

    apply {
        bit<32> old;
        seen.read(old, 0);
        seen.write(0, old + 1);
        counts.count(1);
        if (hdr.order.what == 1) {
            next.apply();
        } else if (hdr.order.what == 2) {
            marked.apply();
            next.apply();
        } else if (hdr.order.what == 3) {
            random(hdr.order.value, 8w4, 8w7);
            standard.egress_spec = 1;
        } else if (hdr.order.what == 4) {
            random(hdr.order.value, 8w0, 8w200);
            standard.egress_spec = 1;
        } else if (hdr.order.what == 5) {
            hash(hdr.order.value, HashAlgorithm.crc16, 8w10, { hdr.order.key }, 16w3);
            standard.egress_spec = 1;
        } else if (hdr.order.what == 6) {
            first.apply();
            second.apply();
        } else if (hdr.order.what == 7) {
            clone(CloneType.I2E, 32w5);
            next.apply();
        } else if (hdr.order.what == 9) {
            standard.egress_spec = 1;
        } else if (hdr.order.what == 10) {
            first.apply();
            standard.egress_spec = 1;
            if (standard.instance_type == 0) {
                resubmit_preserving_field_list(0);
            }
        } else if (hdr.order.what == 8) {
            hash(hdr.order.value, HashAlgorithm.crc16, 8w0, { hdr.order.key }, 16w200);
            standard.egress_spec = 1;
        }
    }
}

control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.identity, 32w64, 32w16) ends;

    action stamp(bit<8> value) {
        hdr.order.value = value;
    }

    table stamped {
        key = {
            standard.egress_rid: exact;
            hdr.order.key: selector;
        }
        actions = { stamp; NoAction; }
        implementation = ends;
    }

    apply {
        stamped.apply();
        if (hdr.order.what == 9) {
            random(hdr.order.value, 8w0, 8w1);
            recirculate_preserving_field_list(0);
        }
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Update(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.order);
    }
}

V1Switch(TheParser(), Verify(), TheIngress(), TheEgress(), Update(), TheDeparser()) main;
