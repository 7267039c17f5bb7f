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
    DirectMeter(MeterType_t.BYTES) rate;
    action measure() {
        hdr.h.a[7:0] = rate.execute(MeterColor_t.GREEN, 32w4); // <- here
    }
    action skip() {
        hdr.h.a[7:0] = rate.execute();
    }
    table measured {
        key = {
            hdr.h.a: exact;
        }
        actions = {
            measure;
            skip;
        }
        meters = rate;
        const default_action = skip();
        size = 16;
    }
    apply {
        measured.apply();
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
