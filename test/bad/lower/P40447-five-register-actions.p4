#include <core.p4>
#include <tna.p4>

header h_t {
    bit<16> a;
    bit<16> b;
    bit<64> wide;
}

struct headers_t {
    h_t h;
}

struct meta_t {
    bit<16> x;
    bit<8> z;
}

parser In(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0, 0 };
        pkt.extract(hdr.h);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<16>, bit<8>>(256) r; // <- here
    RegisterAction<bit<16>, bit<8>, bit<16>>(r) set1 = { void apply(inout bit<16> value) { value = 1; } };
    RegisterAction<bit<16>, bit<8>, bit<16>>(r) set2 = { void apply(inout bit<16> value) { value = 2; } };
    RegisterAction<bit<16>, bit<8>, bit<16>>(r) set3 = { void apply(inout bit<16> value) { value = 3; } };
    RegisterAction<bit<16>, bit<8>, bit<16>>(r) set4 = { void apply(inout bit<16> value) { value = 4; } };
    RegisterAction<bit<16>, bit<8>, bit<16>>(r) set5 = { void apply(inout bit<16> value) { value = 5; } };
    apply {
        if (md.z == 1) { set1.execute(0); }
        else if (md.z == 2) { set2.execute(0); }
        else if (md.z == 3) { set3.execute(0); }
        else if (md.z == 4) { set4.execute(0); }
        else { set5.execute(0); }
        tm.ucast_egress_port = ig.ingress_port;
    }
}

control Out(packet_out pkt, inout headers_t hdr, in meta_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply {
        pkt.emit(hdr);
    }
}

parser EgressIn(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        transition accept;
    }
}

control EgressWork(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg,
                   in egress_intrinsic_metadata_from_parser_t prsr,
                   inout egress_intrinsic_metadata_for_deparser_t dprsr,
                   inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {}
}

control EgressOut(packet_out pkt, inout headers_t hdr, in meta_t md,
                  in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(In(), Work(), Out(), EgressIn(), EgressWork(), EgressOut()) pipe;
Switch(pipe) main;
