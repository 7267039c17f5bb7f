// The entry is assigned always, and again in one case.
#include <core.p4>
#include <tna.p4>
header d_h { bit<32> a; bit<32> b; bit<32> c; bit<16> i; }
struct headers_t { d_h d; }
struct meta_t { }
struct pair_t { bit<32> lo; bit<32> hi; }
struct no_headers_t { }
struct no_meta_t { }
parser InParser(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig) {
    state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.d); transition accept; }
}
control In(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig,
           in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<32>, bit<16>>(1024) reg;
    RegisterAction<bit<32>, bit<16>, bit<32>>(reg) act = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = hdr.d.a; if (hdr.d.b == 1) { value = value + 1; } result = value;
        }
    };
    bit<32> x;
    apply { tm.ucast_egress_port = ig.ingress_port; x = act.execute(hdr.d.i); hdr.d.c = (bit<32>) x; }
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
