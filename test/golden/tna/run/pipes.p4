// Two pipes with a program each: ports 0 to 127 meet the first, 128 to 255 the second, and what goes from one to the other meets both.
#include "common.p4"

control First(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
              in ingress_intrinsic_metadata_from_parser_t prsr,
              inout ingress_intrinsic_metadata_for_deparser_t dprsr,
              inout ingress_intrinsic_metadata_for_tm_t tm) {
    Counter<bit<32>, bit<1>>(1, CounterType_t.PACKETS) seen;
    apply {
        seen.count(0);
        hdr.data.value = hdr.data.value + 1;
        tm.ucast_egress_port = hdr.data.kind == 0 ? 9w2 : 9w130;
    }
}

control Second(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
               in ingress_intrinsic_metadata_from_parser_t prsr,
               inout ingress_intrinsic_metadata_for_deparser_t dprsr,
               inout ingress_intrinsic_metadata_for_tm_t tm) {
    Counter<bit<32>, bit<1>>(1, CounterType_t.PACKETS) seen;
    apply {
        seen.count(0);
        hdr.data.value = hdr.data.value + 16;
        tm.ucast_egress_port = 3;
    }
}

parser OtherParser(packet_in pkt, out headers_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Other(inout headers_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
              in egress_intrinsic_metadata_from_parser_t prsr,
              inout egress_intrinsic_metadata_for_deparser_t dprsr,
              inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply { hdr.data.value = hdr.data.value + 0x100; }
}

control OtherDeparser(packet_out pkt, inout headers_t hdr, in none_t md,
                      in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(TakeData(), First(), PutData(), LeaveParser(), Leave(), LeaveDeparser()) first;
Pipeline(TakeData(), Second(), PutData(), OtherParser(), Other(), OtherDeparser()) second;
Switch(first, second) main;
