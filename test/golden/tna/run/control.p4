// What a controller sees and sets: digests, value sets, direct counters and meters, selectors, the CPU port.
#include "common.p4"

struct learn_t {
    bit<16> value;
    PortId_t port;
}

struct own_t {
    bit<1> isKnown;
    bit<8> colour;
}

parser Take(packet_in pkt, out headers_t hdr, out own_t md, out ingress_intrinsic_metadata_t ig) {
    value_set<bit<16>>(4) values;
    state start {
        pkt.extract(ig);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.data);
        transition select(hdr.data.value) {
            values : known;
            default : accept;
        }
    }
    state known {
        md.isKnown = 1;
        transition accept;
    }
}

control Work(inout headers_t hdr, inout own_t md, in ingress_intrinsic_metadata_t ig,
             in ingress_intrinsic_metadata_from_parser_t prsr,
             inout ingress_intrinsic_metadata_for_deparser_t dprsr,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    DirectCounter<bit<32>>(CounterType_t.PACKETS_AND_BYTES) hits;
    DirectMeter(MeterType_t.PACKETS) rate;
    ActionProfile(8) members;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) choice;
    ActionSelector(members, choice, SelectorMode_t.FAIR, 4, 2) selector;

    action count() {
        hits.count();
        md.colour = rate.execute();
    }
    action send(PortId_t port) { tm.ucast_egress_port = port; }
    table counted {
        key = { hdr.data.kind : ternary; }
        actions = { count; }
        counters = hits;
        meters = rate;
    }
    table chosen {
        key = {
            hdr.data.port : exact;
            hdr.data.value : selector;
        }
        actions = { send; }
        implementation = selector;
    }
    apply {
        counted.apply();
        if (md.isKnown == 1) tm.copy_to_cpu = 1;
        else dprsr.digest_type = 1;
        chosen.apply();
        hdr.data.kind = md.colour;
    }
}

control Put(packet_out pkt, inout headers_t hdr, in own_t md,
            in ingress_intrinsic_metadata_for_deparser_t dprsr,
            in ingress_intrinsic_metadata_t ig) {
    Digest<learn_t>() learned;
    apply {
        if (dprsr.digest_type == 1) learned.pack({ hdr.data.value, ig.ingress_port });
        pkt.emit(hdr);
    }
}

Pipeline(Take(), Work(), Put(), LeaveParser(), Leave(), LeaveDeparser()) pipe;
Switch(pipe) main;
