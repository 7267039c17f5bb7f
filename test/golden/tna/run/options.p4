// The length of a varbit by a field of its own header: the one that the packet has.
#include "common.p4"

header options_t {
    bit<4> kind;
    bit<4> words;
    bit<8> port;
    varbit<120> data;
}

struct optional_t {
    options_t options;
    data_t data;
}

parser Take(packet_in pkt, out optional_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.options, (bit<32>)hdr.options.words * 8);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Work(inout optional_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        tm.ucast_egress_port = (PortId_t)(bit<9>)hdr.options.port;
        hdr.data.value = hdr.data.value + 1;
    }
}

control Put(packet_out pkt, inout optional_t hdr, in none_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(Take(), Work(), Put(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
