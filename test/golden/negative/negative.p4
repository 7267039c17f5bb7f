// Negative constants in entries and defaults. p4c 1.2.5.16 made negative.json of it (source positions left out).
#include <core.p4>
#include <v1model.p4>

header ask_t {
    bit<8>  port;
    bit<8>  priority;
    bit<16> number;
    int<32> before;
    bit<32> after;
    bit<8>  multicast;
}

struct headers_t { ask_t ask; }
struct meta_t { }

parser TheParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ask);
        transition accept;
    }
}
control TheVerify(inout headers_t hdr, inout meta_t meta) { apply { } }
control TheIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action put(int<32> v) { hdr.ask.before = v; }
    table t { key = { hdr.ask.before: exact; hdr.ask.port: ternary; } actions = { put; } default_action = put(-5); const entries = { (-1, 0 &&& 0): put(-2); (-3, _): put(7); } }
    apply { t.apply();
        std.egress_spec = (bit<9>)hdr.ask.port;
        std.priority = (bit<3>)hdr.ask.priority;
        std.mcast_grp = (bit<16>)hdr.ask.multicast;
    }
}
control TheEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        
        hdr.ask.after = (bit<32>)std.deq_qdepth;
        if (std.egress_rid != 0) hdr.ask.number = std.egress_rid;
    }
}
control TheUpdate(inout headers_t hdr, inout meta_t meta) { apply { } }
control TheDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.ask); } }
V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheUpdate(), TheDeparser()) main;
