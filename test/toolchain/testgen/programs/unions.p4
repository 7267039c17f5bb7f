// A stack of header unions in all that a program does with one.
#include <core.p4>
#include <v1model.p4>

header head_t {
    bit<8> count;
    bit<8> what;
}

header short_t {
    bit<8> kind;
}

header long_t {
    bit<8>  kind;
    bit<16> value;
}

header_union option_t {
    short_t small;
    long_t  large;
}

struct headers_t {
    head_t      head;
    option_t[3] options;
    option_t[3] others;
}

struct meta_t {
    bit<8> last;
}

parser P(packet_in pkt, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        pkt.extract(hdr.head);
        transition option;
    }
    state option {
        transition select(pkt.lookahead<bit<8>>()) {
            1: small;
            2: large;
            default: accept;
        }
    }
    state small {
        pkt.extract(hdr.options.next.small);
        meta.last = hdr.options.last.small.kind;
        transition option;
    }
    state large {
        pkt.extract(hdr.options.next.large);
        transition select(hdr.options.last.large.value) {
            7: accept;
            default: option;
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        if (hdr.head.what == 1) hdr.options.push_front(1);
        else if (hdr.head.what == 2) hdr.options.pop_front(1);
        else if (hdr.head.what == 3) hdr.others = hdr.options;
        else if (hdr.head.what == 4) hdr.options[1] = hdr.options[0];
        else if (hdr.head.what == 5) hdr.options[2].small.setValid();
        else if (hdr.head.what == 6 && hdr.options[0] == hdr.options[1]) sm.egress_spec = 3;
        else if (hdr.head.what == 7 && hdr.options[hdr.head.count].isValid()) sm.egress_spec = 4;
        if (hdr.options[0].large.isValid()) hdr.options[0].large.value = 0xabcd;
        if (hdr.options[1].small.isValid()) hdr.head.count = meta.last;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control D(packet_out pkt, in headers_t hdr) {
    apply {
        pkt.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
