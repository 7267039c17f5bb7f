// What egress sees of its queue: the depth when the packet came, and when it left.
#include "common.p4"

control Work(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply { tm.ucast_egress_port = 2; }
}

parser Depths(packet_in pkt, out headers_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Show(inout headers_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
             in egress_intrinsic_metadata_from_parser_t prsr,
             inout egress_intrinsic_metadata_for_deparser_t dprsr,
             inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {
        hdr.data.kind = eg.enq_qdepth[15:8];
        hdr.data.port = eg.enq_qdepth[7:0];
        hdr.data.value = eg.deq_qdepth[15:0];
    }
}

control PutBack(packet_out pkt, inout headers_t hdr, in none_t md,
                in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(TakeData(), Work(), PutData(), Depths(), Show(), PutBack()) pipe;
Switch(pipe) main;
