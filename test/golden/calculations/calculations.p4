// Every calculation that BMv2 has, over inputs of several lengths. v1model cannot name most of them: the JSON
// beside was compiled from this file, and then "algo" of each calculation was set to the name in its comment.
#include <core.p4>
#include <v1model.p4>

header input_t {
    bit<48> a;
    bit<32> b;
    bit<16> c;
    bit<13> d;
    bit<3>  e;
}

header more_t {
    bit<128> f;
    bit<64>  g;
    bit<40>  h;
}

header results_t {
    bit<64> full;
    bit<64> shortest;
    bit<64> longer;
    bit<32> folded;
}

header checks_t {
    bit<64> with_payload;
    bit<16> narrow;
    bit<8>  wrong;
    bit<8>  member;
}

struct headers_t {
    input_t      input;
    more_t       more;
    results_t[16]  results;
    checks_t     checks;
}

struct meta_t { }

parser TheParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.checks);
        packet.extract(hdr.input);
        packet.extract(hdr.more);
        transition accept;
    }
}

control TheVerify(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.input.e == 7, { hdr.input.a, hdr.input.b }, hdr.checks.narrow, HashAlgorithm.crc32);
    }
}

control TheIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action take(bit<8> value) {
        hdr.checks.member = value;
    }
    table by_xxh64 {
        key = { hdr.input.e: exact; hdr.input.a: selector; hdr.input.d: selector; }
        actions = { take; }
        implementation = action_selector(HashAlgorithm.crc32, 32, 32);
    }
    table in_turn {
        key = { hdr.input.e: exact; hdr.input.c: selector; }
        actions = { take; }
        implementation = action_selector(HashAlgorithm.crc16, 32, 32);
    }
    table in_turn_consistent {
        key = { hdr.input.e: exact; hdr.input.b: selector; }
        actions = { take; }
        implementation = action_selector(HashAlgorithm.identity, 32, 32);
    }
    apply {
        // xxh64
        hdr.results[0].setValid();
        hash(hdr.results[0].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[0].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[0].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[0].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // bmv2_hash
        hdr.results[1].setValid();
        hash(hdr.results[1].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[1].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[1].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[1].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // hash_ex
        hdr.results[2].setValid();
        hash(hdr.results[2].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[2].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[2].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[2].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // crc8_custom
        hdr.results[3].setValid();
        hash(hdr.results[3].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[3].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[3].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[3].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // crc16_custom
        hdr.results[4].setValid();
        hash(hdr.results[4].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[4].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[4].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[4].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // crc32_custom
        hdr.results[5].setValid();
        hash(hdr.results[5].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[5].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[5].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[5].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // crc64_custom
        hdr.results[6].setValid();
        hash(hdr.results[6].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[6].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[6].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[6].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // crcCCITT
        hdr.results[7].setValid();
        hash(hdr.results[7].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[7].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[7].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[7].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // csum16
        hdr.results[8].setValid();
        hash(hdr.results[8].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[8].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[8].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[8].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // cksum16
        hdr.results[9].setValid();
        hash(hdr.results[9].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[9].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[9].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[9].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // xor16
        hdr.results[10].setValid();
        hash(hdr.results[10].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[10].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[10].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[10].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // xor32
        hdr.results[11].setValid();
        hash(hdr.results[11].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[11].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[11].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[11].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // toeplitz
        hdr.results[12].setValid();
        hash(hdr.results[12].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[12].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[12].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[12].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // identity
        hdr.results[13].setValid();
        hash(hdr.results[13].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[13].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[13].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[13].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // round_robin
        hdr.results[14].setValid();
        hash(hdr.results[14].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[14].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[14].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[14].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        // round_robin_consistent
        hdr.results[15].setValid();
        hash(hdr.results[15].full, HashAlgorithm.crc16, 64w0, { hdr.input.a, hdr.input.b, hdr.input.c, hdr.input.d, hdr.input.e }, 64w0xffffffffffffffff);
        hash(hdr.results[15].shortest, HashAlgorithm.crc16, 64w0, { hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[15].longer, HashAlgorithm.crc16, 64w0, { hdr.input.c, hdr.more.f, hdr.more.g, hdr.more.h, hdr.input.d }, 64w0xffffffffffffffff);
        hash(hdr.results[15].folded, HashAlgorithm.crc16, 32w7, { hdr.input.b, hdr.input.a }, 32w1000003);
        if (hdr.input.d[0:0] == 1) by_xxh64.apply();
        else if (hdr.input.d[1:1] == 1) in_turn.apply();
        else in_turn_consistent.apply();
        hdr.checks.wrong = (bit<8>)std.checksum_error;
        std.egress_spec = 1;
    }
}

control TheEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply { }
}

control TheUpdate(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum_with_payload(true, { hdr.input.a, hdr.input.c }, hdr.checks.with_payload, HashAlgorithm.crc32);
    }
}

control TheDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.checks);
        packet.emit(hdr.results);
        packet.emit(hdr.input);
        packet.emit(hdr.more);
    }
}

V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheUpdate(), TheDeparser()) main;
