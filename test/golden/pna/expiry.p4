// Entries that packets add and the data plane deletes at their time: op 1 only hits, 2 restarts the timer, 3 gives the entry the profile, 4
// gives it and restarts it. `op` 5 is looked up in a table by the other name of the property, whose entries live for 30 seconds whatever comes.
#include <core.p4>
#include <pna.p4>

header h_t { bit<8> op; bit<16> flow; bit<8> profile; bit<8> seen; }
struct headers_t { h_t h; }
struct meta_t { bit<8> x; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t istd) {
    state start { pkt.extract(hdr.h); transition accept; }
}
control Pre(in headers_t hdr, inout meta_t meta, in pna_pre_input_metadata_t istd,
            inout pna_pre_output_metadata_t ostd) {
    apply {}
}
control Main(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    action known() {
        hdr.h.seen = 1;
        if (hdr.h.op == 2) {
            restart_expire_timer();
        } else if (hdr.h.op >= 3) {
            set_entry_expire_time((ExpireTimeProfileId_t) hdr.h.profile);
            if (hdr.h.op == 4) restart_expire_timer();
        }
    }
    action add() {
        hdr.h.seen = 0xff;
        add_entry("known", {}, (ExpireTimeProfileId_t) hdr.h.profile);
    }
    action brief() { hdr.h.seen = 2; }
    action add_brief() {
        hdr.h.seen = 0xfe;
        add_entry("brief", {}, (ExpireTimeProfileId_t) 1);
    }
    table flows {
        key = { hdr.h.flow : exact; }
        actions = { @tableonly known; @defaultonly add; }
        default_action = add();
        add_on_miss = true;
        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;
    }
    table others {
        key = { hdr.h.flow : exact; }
        actions = { @tableonly known; @tableonly brief; @defaultonly add_brief; }
        default_action = add_brief();
        add_on_miss = true;
        idle_timeout_with_auto_delete = true;
    }
    apply {
        if (hdr.h.op == 5) others.apply(); else flows.apply();
        send_to_port((PortId_t) 2);
    }
}
control D(packet_out pkt, in headers_t hdr, in meta_t meta, in pna_main_output_metadata_t ostd) {
    apply { pkt.emit(hdr.h); }
}
PNA_NIC(P(), Pre(), Main(), D()) main;
