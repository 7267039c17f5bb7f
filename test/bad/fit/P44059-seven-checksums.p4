// More checksums than a deparser has units.
#include <core.p4>
#include <tna.p4>
header d_h { bit<32> a; bit<16> sum; }
struct headers_t { d_h h0; d_h h1; d_h h2; d_h h3; d_h h4; d_h h5; d_h h6; }
struct meta_t {  }
struct no_headers_t { }
struct no_meta_t { }
parser InParser(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig) {
    state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); transition first; }
    state first { pkt.extract(hdr.h0); pkt.extract(hdr.h1); pkt.extract(hdr.h2); pkt.extract(hdr.h3); pkt.extract(hdr.h4); pkt.extract(hdr.h5); pkt.extract(hdr.h6); transition accept; }
}
control In(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig,
           in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply { tm.ucast_egress_port = ig.ingress_port;  }
}
control InDeparser(packet_out pkt, inout headers_t hdr, in meta_t md, in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Checksum() sum0; Checksum() sum1; Checksum() sum2; Checksum() sum3; Checksum() sum4; Checksum() sum5; Checksum() sum6;
    apply { 
            hdr.h0.sum = sum0.update({ hdr.h0.a });
            hdr.h1.sum = sum1.update({ hdr.h1.a });
            hdr.h2.sum = sum2.update({ hdr.h2.a });
            hdr.h3.sum = sum3.update({ hdr.h3.a });
            hdr.h4.sum = sum4.update({ hdr.h4.a });
            hdr.h5.sum = sum5.update({ hdr.h5.a });
            hdr.h6.sum = sum6.update({ hdr.h6.a });
            pkt.emit(hdr); }
}
parser OutParser(packet_in pkt, out no_headers_t hdr, out no_meta_t md, out egress_intrinsic_metadata_t eg) {
    state start { pkt.extract(eg); transition accept; }
}
control Out(inout no_headers_t hdr, inout no_meta_t md, in egress_intrinsic_metadata_t eg,
            in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
            inout egress_intrinsic_metadata_for_output_port_t port) { apply { } }
control OutDeparser(packet_out pkt, inout no_headers_t hdr, in no_meta_t md, in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}
Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) pipe;
Switch(pipe) main;
