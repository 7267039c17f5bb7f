// Constants: folded arithmetic, casts, lists, structs, enums and errors; shifts beyond the width.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
const bit<16> TYPE = 16w0x0800;
const bit<8> SUM = 8w250 + 8w10;
const bit<8> SAT = 8w250 |+| 8w10;
const bit<8> LOW = 8w5 |-| 8w10;
const int<8> NEG = -8s100 - 8s50;
const bool YES = (TYPE == 0x800) && !(SUM > 8w5);
const bit<32> WIDE = 16w1 ++ 8w2 ++ SUM;
const bit<8> PART = WIDE[15:8];
const bit<8> MANY = 8w3 << 9;
const bit<8> FEW = 8w0x80 >> 8;
const int<8> SIGN = -8s1 >> 10;
const int BIG = 7 * 6 - 100 / 3 + 17 % 5;
struct pair_t { bit<8> x; bit<16> y; }
const pair_t PAIR = { 8w3, 16w4 };
const tuple<bit<8>, bit<16>> BOTH = { 8w9, 16w10 };
enum bit<8> Kind { one = 1, two = 2, ten = 10 }
enum Mode { idle, busy }
struct headers_t { eth_t eth; }
struct meta_t { bit<8> a; bit<16> b; bit<32> c; int<8> s; bool f; Mode mode; pair_t p; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  action set(bit<8> v) { m.a = v + PAIR.x; m.b = PAIR.y & TYPE; }
  apply {
    m.a = SUM + SAT + LOW;
    m.s = NEG;
    m.f = YES;
    m.c = WIDE | 32w0xf0;
    if (m.a == PART) { m.a = MANY | FEW; }
    if (YES) { m.s = SIGN; } else { m.s = 8s3; }
    if (8w4 > 8w5 || false) { m.a = 99; }
    m.b = (bit<16>) BIG + (bit<16>) (bit<8>) Kind.ten;
    m.p = PAIR;
    m.p.y = BOTH[1];
    m.mode = m.a == (bit<8>) Kind.two ? Mode.busy : Mode.idle;
    if (m.mode == Mode.busy && hdr.eth.isValid()) { set(8w7); }
    if (sm.parser_error == error.NoError) { m.a = m.a ^ ~8w0x0f; }
    hdr.eth.dst = (bit<48>) m.c;
    hdr.eth.src = m.a ++ m.b ++ 24w5;
    hdr.eth.type = m.f ? m.b : 16w1;
    sm.egress_spec = 1;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
