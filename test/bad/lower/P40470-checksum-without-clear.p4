#include <core.p4>
#include <psa.p4>

struct empty_t {}
header h_t { bit<32> a; bit<32> b; }
struct headers_t { h_t h; }

parser IP(packet_in pkt, out headers_t hdr, inout empty_t meta, in psa_ingress_parser_input_metadata_t istd,
          in empty_t resubmit_meta, in empty_t recirculate_meta) {
    state start { pkt.extract(hdr.h); transition accept; }
}
control IC(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) sum;
    apply {
        sum.update(hdr.h.a);
        hdr.h.b = sum.get();
        send_to_port(ostd, (PortId_t) 1);
    }
}
control ID(packet_out pkt, out empty_t clone_i2e_meta, out empty_t resubmit_meta, out empty_t normal_meta,
           inout headers_t hdr, in empty_t meta, in psa_ingress_output_metadata_t istd) {
    apply { pkt.emit(hdr.h); }
}
parser EP(packet_in pkt, out headers_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
          in empty_t normal_meta, in empty_t clone_i2e_meta, in empty_t clone_e2e_meta) {
    state start { transition accept; }
}
control EC(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
           inout psa_egress_output_metadata_t ostd) {
    apply {}
}
control ED(packet_out pkt, out empty_t clone_e2e_meta, out empty_t recirculate_meta, inout headers_t hdr,
           in empty_t meta, in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {}
}

IngressPipeline(IP(), IC(), ID()) ingress;
EgressPipeline(EP(), EC(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
