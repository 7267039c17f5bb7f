// PNA in the form of BMv2's pna_nic: three blocks.
#include <core.p4>
#include <bmv2/pna.p4>

header h_t { bit<8> op; bit<16> sum; bit<32> a; }
struct headers_t { h_t h; }
struct meta_t { bit<8> x; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t istd) {
    state start { pkt.extract(hdr.h); transition accept; }
}
control Main(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(8, PNA_CounterType_t.PACKETS) packets;
    apply {
        packets.count(hdr.h.op);
        if (is_net_port(istd.input_port) && !istd.recirculated) send_to_port((PortId_t) 2);
    }
}
control D(packet_out pkt, inout headers_t hdr, in meta_t meta, in pna_main_output_metadata_t ostd) {
    InternetChecksum() ck;
    apply {
        ck.clear();
        ck.add({ hdr.h.a });
        hdr.h.sum = ck.get();
        pkt.emit(hdr.h);
    }
}
PNA_NIC(P(), Main(), D()) main;
