// The externs of PSA, each with its answer in the packet.
#include <core.p4>
#include <psa.p4>

struct empty_t {}
struct pair_t { bit<8> high; bit<16> low; }
struct learned_t { bit<8> op; bit<16> a; }
header h_t { bit<8> op; bit<16> a; bit<16> b; bit<32> answer; }
struct headers_t { h_t h; }
struct meta_t { bit<16> sum; bit<1> learns; bit<8> known; }

parser IP(packet_in pkt, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd,
          in empty_t resubmit_meta, in empty_t recirculate_meta) {
    InternetChecksum() sum;
    value_set<bit<16>>(4) set;
    state start {
        pkt.extract(hdr.h);
        sum.clear();
        sum.add({ hdr.h.a, hdr.h.b });
        sum.subtract(hdr.h.b);
        meta.sum = sum.get();
        transition select(hdr.h.a) {
            set: in_set;
            default: accept;
        }
    }
    state in_set {
        meta.known = 1;
        transition accept;
    }
}

control IC(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(16, PSA_CounterType_t.PACKETS_AND_BYTES) packets;
    Meter<bit<8>>(16, PSA_MeterType_t.PACKETS) meter;
    Register<pair_t, bit<8>>(8) pairs;
    Register<bit<32>, bit<8>>(8, 32w0xabcd) numbers;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) small;
    Hash<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) ones;
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) gathered;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) plain;
    Random<bit<8>>(10, 11) random;
    ActionProfile(16) profile;
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 32w16, 32w16) selector;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) hits;
    DirectMeter(PSA_MeterType_t.BYTES) rate;

    action set_out(bit<32> value) { hdr.h.answer = value; }
    action counted() { hits.count(); hdr.h.answer = 1; }
    action metered() { hdr.h.answer = (bit<32>) (rate.execute() == PSA_MeterColor_t.GREEN ? 8w2 : 8w3); }
    table direct {
        key = { hdr.h.a : exact; }
        actions = { counted; NoAction; }
        psa_direct_counter = hits;
        default_action = NoAction();
        size = 16;
    }
    table limited {
        key = { hdr.h.a : ternary; }
        actions = { metered; NoAction; }
        psa_direct_meter = rate;
        default_action = NoAction();
    }
    table profiled {
        key = { hdr.h.a : exact; }
        actions = { set_out; NoAction; }
        psa_implementation = profile;
    }
    table selected {
        key = { hdr.h.a : exact; hdr.h.b : selector; }
        actions = { set_out; NoAction; }
        psa_implementation = selector;
    }
    apply {
        send_to_port(ostd, (PortId_t) 2);
        switch (hdr.h.op) {
            1: { packets.count(hdr.h.op); }
            2: {
                PSA_MeterColor_t color = meter.execute(8w1);
                if (color == PSA_MeterColor_t.GREEN) hdr.h.answer = 1;
                if (meter.execute(8w1, PSA_MeterColor_t.RED) == PSA_MeterColor_t.RED) hdr.h.answer = hdr.h.answer + 16;
            }
            3: {
                pairs.write(3, { hdr.h.a[7:0], hdr.h.b });
                pair_t found = pairs.read(3);
                hdr.h.answer = found.high ++ 8w0 ++ found.low;
                numbers.write(1, numbers.read(1) + 1);
            }
            4: { hdr.h.answer = crc.get_hash({ hdr.h.a, hdr.h.b }); }
            5: { hdr.h.answer = 16w0 ++ small.get_hash(16w100, { hdr.h.a }, 16w10); }
            6: {
                gathered.clear();
                gathered.update(hdr.h.a);
                gathered.update(hdr.h.b);
                hdr.h.answer = gathered.get();
            }
            7: {
                plain.update({ hdr.h.a, hdr.h.b });
                hdr.h.answer = plain.get() ++ ones.get_hash({ hdr.h.a, hdr.h.b });
            }
            8: {
                bit<8> drawn = random.read();
                hdr.h.answer = drawn >= 10 && drawn <= 11 ? 32w1 : 0;
            }
            9: { direct.apply(); }
            10: { limited.apply(); }
            11: { profiled.apply(); }
            12: { selected.apply(); }
            13: { hdr.h.answer = meta.sum ++ 8w0 ++ meta.known; }
            14: { meta.learns = 1; }
        }
    }
}
control ID(packet_out pkt, out empty_t clone_i2e_meta, out empty_t resubmit_meta, out empty_t normal_meta,
           inout headers_t hdr, in meta_t meta, in psa_ingress_output_metadata_t istd) {
    Digest<learned_t>() learned;
    apply {
        if (meta.learns == 1) learned.pack({ hdr.h.op, hdr.h.a });
        pkt.emit(hdr.h);
    }
}
parser EP(packet_in pkt, out headers_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
          in empty_t normal_meta, in empty_t clone_i2e_meta, in empty_t clone_e2e_meta) {
    state start { transition accept; }
}
control EC(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
           inout psa_egress_output_metadata_t ostd) {
    apply {}
}
control ED(packet_out pkt, out empty_t clone_e2e_meta, out empty_t recirculate_meta, inout headers_t hdr,
           in empty_t meta, in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply { pkt.emit(hdr.h); }
}
IngressPipeline(IP(), IC(), ID()) ingress;
EgressPipeline(EP(), EC(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
