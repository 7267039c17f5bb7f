#include <core.p4>
#include <tna.p4>

header h_t {
    bit<32> a;
}

struct headers_t {
    h_t h;
}

struct none_t {}

parser In(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.h);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<16>, bit<8>>(256) counts;
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) count = { // <- here
        void apply(inout bit<32> value, out bit<32> result) {
            value = value + 1;
            result = value;
        }
    };
    apply {
        hdr.h.a = count.execute(8w0);
        tm.ucast_egress_port = ig.ingress_port;
    }
}

control Out(packet_out pkt, inout headers_t hdr, in none_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

parser EgressIn(packet_in pkt, out none_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        transition accept;
    }
}

control EgressWork(inout none_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
                   in egress_intrinsic_metadata_from_parser_t prsr,
                   inout egress_intrinsic_metadata_for_deparser_t dprsr,
                   inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {}
}

control EgressOut(packet_out pkt, inout none_t hdr, in none_t md,
                  in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply {}
}

Pipeline(In(), Work(), Out(), EgressIn(), EgressWork(), EgressOut()) pipe;
Switch(pipe) main;
