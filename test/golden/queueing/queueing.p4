// Shows in the packet what egress sees of its queue.
#include <core.p4>
#include <v1model.p4>

header ask_t {
    bit<8>  port;
    bit<8>  priority;
    bit<16> number;
    bit<32> before;
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
    apply {
        std.egress_spec = (bit<9>)hdr.ask.port;
        std.priority = (bit<3>)hdr.ask.priority;
        std.mcast_grp = (bit<16>)hdr.ask.multicast;
    }
}
control TheEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.ask.before = (bit<32>)std.enq_qdepth;
        hdr.ask.after = (bit<32>)std.deq_qdepth;
        if (std.egress_rid != 0) hdr.ask.number = std.egress_rid;
    }
}
control TheUpdate(inout headers_t hdr, inout meta_t meta) { apply { } }
control TheDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.ask); } }
V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheUpdate(), TheDeparser()) main;
