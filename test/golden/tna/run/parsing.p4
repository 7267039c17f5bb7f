// Parsers and checksums: a counter, a stack, a lookahead, a value set, port metadata, errors with and without a look at them.
#include "common.p4"

header item_t {
    bit<8> value;
}

header sum_t {
    bit<16> first;
    bit<16> second;
    bit<16> sum;
}

struct parsed_t {
    data_t data;
    sum_t sum;
    item_t[4] items;
}

struct port_t {
    bit<16> tag;
}

struct own_t {
    port_t port;
    bit<8> ahead;
    bool wrong;
    bool keeps;
    bit<16> rest;
}

parser Take(packet_in pkt, out parsed_t hdr, out own_t md, out ingress_intrinsic_metadata_t ig) {
    ParserCounter() left;
    Checksum() checked;
    Checksum() rest;
    value_set<bit<8>>(4) known;
    state start {
        pkt.extract(ig);
        md.port = port_metadata_unpack<port_t>(pkt);
        md.ahead = pkt.lookahead<data_t>().port;
        pkt.extract(hdr.data);
        transition select(hdr.data.kind) {
            known : accept;
            1 : count;
            2 : sum;
            5 : kept;
            3 &&& 0xff : none;
        }
    }
    state count {
        left.set(hdr.data.value[7:0]);
        transition items;
    }
    state items {
        transition select(left.is_zero()) {
            true : accept;
            false : item;
        }
    }
    state item {
        pkt.extract(hdr.items.next);
        left.decrement(1);
        transition items;
    }
    state sum {
        pkt.extract(hdr.sum);
        checked.add(hdr.sum);
        md.wrong = checked.verify();
        transition accept;
    }
    state kept {
        pkt.extract(hdr.sum);
        rest.subtract(hdr.sum);
        rest.subtract_all_and_deposit(md.rest);
        pkt.extract(hdr.items.next);
        pkt.extract(hdr.items.next);
        md.keeps = true;
        transition accept;
    }
    state none {
        transition reject;
    }
}

control Work(inout parsed_t hdr, inout own_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        tm.ucast_egress_port = (PortId_t)(bit<9>)md.ahead;
        if (prsr.parser_err != 0) {
            tm.ucast_egress_port = 6;
            hdr.data.value = prsr.parser_err;
        } else if (hdr.sum.isValid()) {
            hdr.data.value = md.wrong ? 16w1 : 16w0;
            hdr.sum.first = hdr.sum.first + 1;
        }
    }
}

control Put(packet_out pkt, inout parsed_t hdr, in own_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Checksum() updated;
    Checksum() kept;
    apply {
        if (md.keeps)
            hdr.sum.sum = kept.update({ hdr.sum.first, hdr.sum.second, hdr.items[0], hdr.items[1], md.rest });
        else if (hdr.sum.isValid()) hdr.sum.sum = updated.update({ hdr.sum.first, hdr.sum.second });
        pkt.emit(hdr);
    }
}

Pipeline(Take(), Work(), Put(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
