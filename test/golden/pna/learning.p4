// Entries that packets add: the second packet of a flow hits. Both tables share the action that adds, each adds to itself.
#include <core.p4>
#include <pna.p4>

header h_t { bit<8> op; bit<16> flow; bit<16> size; bit<8> first; bit<8> second; }
struct headers_t { h_t h; }
struct meta_t { bit<8> x; }
struct seen_t { bit<8> mark; bit<16> size; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t istd) {
    state start { pkt.extract(hdr.h); transition accept; }
}
control Pre(in headers_t hdr, inout meta_t meta, in pna_pre_input_metadata_t istd,
            inout pna_pre_output_metadata_t ostd) {
    apply {}
}
control Main(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    action known(bit<8> mark, bit<16> size) { hdr.h.first = mark; hdr.h.size = size; }
    action add_known() {
        hdr.h.first = 0xff;
        add_entry("known", (seen_t) { mark = hdr.h.op, size = hdr.h.size }, (ExpireTimeProfileId_t) 0);
    }
    action counted(bit<8> mark) { hdr.h.second = mark; }
    action add_counted() { add_entry("counted", 8w7, (ExpireTimeProfileId_t) 0); }
    table flows {
        key = { hdr.h.flow : exact; hdr.h.op : exact; }
        actions = { @tableonly known; @defaultonly add_known; }
        default_action = add_known();
        add_on_miss = true;
        size = 2;
    }
    table one {
        key = { hdr.h.flow : exact; }
        actions = { @tableonly counted; @defaultonly add_counted; }
        default_action = add_counted();
        add_on_miss = true;
    }
    table other {
        key = { hdr.h.op : exact; }
        actions = { @tableonly counted; @defaultonly add_counted; }
        default_action = add_counted();
        add_on_miss = true;
    }
    apply {
        flows.apply();
        if (hdr.h.op == 1) one.apply(); else other.apply();
        send_to_port((PortId_t) 2);
    }
}
control D(packet_out pkt, in headers_t hdr, in meta_t meta, in pna_main_output_metadata_t ostd) {
    apply { pkt.emit(hdr.h); }
}
PNA_NIC(P(), Pre(), Main(), D()) main;
