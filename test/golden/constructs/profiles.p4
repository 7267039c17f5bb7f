// Action profiles and selectors, shared and per table; switch on their actions.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }

struct headers_t { eth_t eth; }
struct meta_t { bit<8> a; bit<16> b; bit<32> c; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  @max_group_size(8) @name("ways") action_selector(HashAlgorithm.crc32, 32w64, 32w10) ways;
  action_profile(32w16) shared;
  action to(bit<9> p) { sm.egress_spec = p; }
  action mark(bit<16> v) { m.b = v; }
  table a { key = { hdr.eth.dst : exact; hdr.eth.src : selector; hdr.eth.type : selector; } actions = { to; mark; NoAction; } implementation = ways; size = 10; }
  table b { key = { hdr.eth.dst : lpm; } actions = { to; mark; } implementation = shared; }
  table c { key = { m.b : exact; } actions = { mark; to; } implementation = shared; size = 7; }
  apply {
    switch (a.apply().action_run) { to: { b.apply(); } mark: { if (c.apply().miss) { m.a = 1; } } default: { m.a = 2; } }
    hdr.eth.src = (bit<48>) m.b;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
