// A sum of 16 bits with a byte of a header that is sent.
#include <core.p4>
#include <tna.p4>
header d_h { bit<32> a; bit<32> b; bit<16> sum; bit<8> z; }
struct headers_t { d_h d; }
struct meta_t { bit<1> x; bit<8> z; bit<16> s; }
struct no_headers_t { }
struct no_meta_t { }
parser InParser(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig) {
    state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); transition first; }
    state first { pkt.extract(hdr.d); transition accept; }
}
control In(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig,
           in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
    action go(bit<8> v) { md.z = v; md.x = v[0:0]; }
    table t { key = { hdr.d.a : exact; md.s : exact; } actions = { go; } size = 100; }
    apply { tm.ucast_egress_port = ig.ingress_port; md.s = hdr.d.sum + (bit<16>) hdr.d.z; t.apply(); }
}
control InDeparser(packet_out pkt, inout headers_t hdr, in meta_t md, in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
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
