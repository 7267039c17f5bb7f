// What the packet tests share: a packet of one small header, the metadata in front of it, parsers and an egress that do nothing.
#include <core.p4>
#if __TARGET_TOFINO__ == 2 && !defined(TNA_ALONE)
#include <t2na.p4>
#else
#include <tna.p4>
#endif

header data_t {
    bit<8> kind;
    bit<8> port;
    bit<16> value;
}

struct headers_t {
    data_t data;
}

struct none_t {}

parser TakeData(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control PutData(packet_out pkt, inout headers_t hdr, in none_t md,
                in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

parser LeaveParser(packet_in pkt, out none_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start {
        pkt.extract(eg);
        transition accept;
    }
}

control Leave(inout none_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
              in egress_intrinsic_metadata_from_parser_t prsr,
              inout egress_intrinsic_metadata_for_deparser_t dprsr,
              inout egress_intrinsic_metadata_for_output_port_t oport) {
    apply {}
}

control LeaveDeparser(packet_out pkt, inout none_t hdr, in none_t md,
                      in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply {}
}
