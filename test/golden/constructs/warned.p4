// What is warned of: reads before writes, tables that are never applied, empty lists, shadows, constant keys, drops that come too late.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct pair_t { bit<8> x; bit<8> y; }
struct headers_t { eth_t eth; }
struct meta_t { pair_t p; bit<8> a; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  action unused(bit<8> v) { m.a = v; }
  action fill(out bit<8> v) { v = 5; }
  table never { key = { m.a : exact; } actions = { NoAction; } }
  table fixed { key = { 8w3 : exact @name("three"); m.a : exact; } actions = { unused; NoAction; } }
  bit<8> a;
  apply {
    bit<8> x;
    bit<8> y;
    pair_t q;
    pair_t r = { 8w1, 8w2 };
    if (hdr.eth.type == 1) { x = 3; y = 4; } else { y = 5; }
    m.a = x;
    m.p.x = y;
    q.x = 1;
    m.p.y = q.y;
    m.p.x = r.y + q.x;
    fill(a);
    m.a = m.a + a;
    switch (fixed.apply().action_run) { unused: { x = 1; } default: { } }
    bit<16> wide;
    wide[7:0] = m.a;
    hdr.eth.type = wide;
    hdr.eth.src = (bit<48>) x;
    sm.egress_spec = 1;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply { bit<8> z; if (hdr.eth.type == 2) { return; } else { z = 1; } hdr.eth.dst = (bit<48>) z; sm.egress_spec = 3; }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
