// Metadata of ports, and copies of a group that a packet excludes.
#include "common.p4"

struct port_t {
    bit<16> tag;
    bit<8> more;
}

struct own_t {
    port_t port;
}

parser Take(packet_in pkt, out headers_t hdr, out own_t md, out ingress_intrinsic_metadata_t ig) {
    state start {
        pkt.extract(ig);
        md.port = port_metadata_unpack<port_t>(pkt);
        pkt.extract(hdr.data);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout own_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply {
        if (hdr.data.kind == 0) {
            tm.ucast_egress_port = 2;
            hdr.data.value = md.port.tag;
            hdr.data.port = md.port.more;
        } else {
            tm.mcast_grp_a = 1;
            tm.level1_exclusion_id = (bit<16>)hdr.data.port;
            tm.level2_exclusion_id = (bit<9>)hdr.data.kind;
            tm.rid = hdr.data.value;
        }
    }
}

control Put(packet_out pkt, inout headers_t hdr, in own_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(Take(), Work(), Put(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
