// Loops: for over ranges and lists, with break and continue, written out or left as cycles.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header num_t { bit<8> n; bit<8> v; }
struct headers_t { eth_t eth; num_t[3] nums; }
struct meta_t { bit<8> a; bit<16> b; bit<32> c; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition first; }
  state first { pkt.extract(hdr.nums.next); transition select(hdr.nums.last.n) { 0: accept; _: second; } }
  state second { pkt.extract(hdr.nums.next); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {
    if (!hdr.nums[0].isValid()) { sm.egress_spec = 2; return; }
    for (bit<8> i = 0; i < 4; i = i + 1) { m.b = m.b + (bit<16>) i; }
    for (bit<8> j in 8w1 .. 8w3) { if (j == 2) { continue; } m.b = m.b << j; }
    for (bit<8> k = 0; k < hdr.nums[0].n && k < 5; k = k + 1) { if (m.a == 7) { break; } m.a = m.a + hdr.nums[0].v; }
    if (hdr.nums[1].isValid()) { for (bit<16> x in (list<bit<16>>) { 16w3, 16w9 }) { m.b = m.b ^ x; } }
    hdr.eth.src = m.a ++ m.b ++ 24w0;
    sm.egress_spec = 1;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
