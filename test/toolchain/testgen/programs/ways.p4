// Every way through simple_switch, and decisions that random packets hardly ever meet.
#include <core.p4>
#include <v1model.p4>

header main_t {
    bit<8>  kind;
    bit<16> number;
    bit<8>  small;
    bit<16> sum;
}

header item_t {
    bit<8> last;
    bit<8> value;
}

header text_t {
    bit<8>    bytes;
    varbit<32> text;
}

struct headers_t {
    main_t    main;
    item_t[3] items;
    text_t    text;
}

struct metadata_t {
    @field_list(1) bit<8> rounds;
    bit<16> hash;
}

parser TheParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.main);
        transition select(hdr.main.kind, hdr.main.small) {
            (1, 0 &&& 0x80): items;
            (2, _): text;
            default: accept;
        }
    }
    state items {
        packet.extract(hdr.items.next);
        transition select(hdr.items.last.last) {
            1: accept;
            default: items;
        }
    }
    state text {
        packet.extract(hdr.text, (bit<32>) (packet.lookahead<bit<8>>() & 3) * 8);
        transition accept;
    }
}

control TheVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.main.kind == 3, { hdr.main.kind, hdr.main.small, hdr.main.number }, hdr.main.sum,
            HashAlgorithm.csum16);
    }
}

control TheIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action send(bit<9> port) { sm.egress_spec = port; }
    action discard() { mark_to_drop(sm); }
    action copy_to(bit<16> group) { sm.mcast_grp = group; }
    action mirror(bit<8> value) {
        clone_preserving_field_list(CloneType.I2E, 7, 1);
        hdr.main.small = value;
    }
    action again() { resubmit_preserving_field_list(1); }
    table kinds {
        key = { hdr.main.kind : ternary; hdr.main.number : lpm; hdr.main.small : range; hdr.items[1].isValid() : exact; }
        actions = { send; discard; copy_to; mirror; NoAction; }
        default_action = NoAction();
    }
    table members {
        key = { hdr.main.number : exact; }
        actions = { send; NoAction; }
        implementation = action_profile(4);
    }
    apply {
        if (sm.checksum_error == 1 && hdr.main.kind == 3)
            discard();
        else if (hdr.main.kind == 4 && meta.rounds == 0) {
            meta.rounds = 1;
            again();
        } else if (meta.rounds == 1)
            hdr.main.small = 0xaa;
        else if (hdr.main.number * 3 - 7 == 0x1234 && hdr.main.kind > 0xf0)
            hdr.main.number = hdr.main.number << 2;
        else if (hdr.text.isValid()) {
            // A header with a varbit that changes in its place.
            hdr.text.bytes = hdr.text.bytes ^ 0x50;
            members.apply();
        }
        else if (kinds.apply().hit)
            hdr.main.small = hdr.main.small |+| 0xf0;
        if (sm.instance_type == 4)
            hdr.main.sum = 0x4444;
        hash(meta.hash, HashAlgorithm.crc16, 16w0, { hdr.main.number }, 16w256);
        if (hdr.main.kind == 9 && meta.hash == 0x42)
            hdr.main.small = 0x42;
    }
}

control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 1)
            hdr.main.sum = 0x1111;
        else if (sm.instance_type == 5 && sm.egress_rid == 3)
            hdr.main.sum = 0x5555;
        else if (hdr.main.kind == 0x77 && hdr.main.small == 0x66)
            recirculate_preserving_field_list(1);
        else if (hdr.items[2].isValid() && hdr.items[2].value == hdr.items[0].value) {
            hdr.items.pop_front(1);
            hdr.main.small = (bit<8>) ((int<8>) hdr.main.small >> 3);
        }
    }
}

control TheCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.main.kind == 5, { hdr.main.kind, hdr.main.small, hdr.main.number }, hdr.main.sum,
            HashAlgorithm.csum16);
    }
}

control TheDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.main);
        packet.emit(hdr.items);
        packet.emit(hdr.text);
    }
}

V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheCompute(), TheDeparser()) main;
