// A router that spreads packets over the members of a group, and marks those of a class.
#include <core.p4>
#include <v1model.p4>

header label_t {
    bit<8> destination;
    bit<8> flow;
    bit<8> class;
}

struct headers_t {
    label_t label;
}

struct metadata_t { }

parser TheParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                 inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.label);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 32w64, 32w16) paths;

    action send(bit<9> port) {
        standard.egress_spec = port;
    }

    action mark(bit<8> class) {
        hdr.label.class = class;
    }

    table classes {
        key = { hdr.label.destination: exact; }
        actions = { mark; NoAction; }
        default_action = NoAction();
    }

    table routes {
        key = {
            hdr.label.destination: exact;
            hdr.label.flow: selector;
        }
        actions = { send; NoAction; }
        implementation = paths;
    }

    apply {
        classes.apply();
        if (!routes.apply().hit) {
            mark_to_drop(standard);
        }
    }
}

control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Update(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.label);
    }
}

V1Switch(TheParser(), Verify(), TheIngress(), TheEgress(), Update(), TheDeparser()) main;
