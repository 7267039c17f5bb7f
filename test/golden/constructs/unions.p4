// Header unions: members, comparisons of validity, copies, unions in stacks.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header a_t { bit<8> k; bit<8> x; }
header b_t { bit<8> k; bit<16> y; }
header_union ab_t { a_t a; b_t b; }
struct headers_t { eth_t eth; ab_t ab; ab_t other; ab_t[2] many; }
struct meta_t { bit<8> a; bit<16> b; bit<32> c; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition select(pkt.lookahead<bit<8>>()) { 1: one; 2: two; default: accept; } }
  state one { pkt.extract(hdr.ab.a); transition rest; }
  state two { pkt.extract(hdr.ab.b); transition rest; }
  state rest { transition select(pkt.lookahead<bit<8>>()) { 1: again; default: accept; } }
  state again { pkt.extract(hdr.many.next.a); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {
    if (hdr.ab.isValid()) { m.a = 1; }
    if (hdr.ab.a.isValid()) { hdr.ab.b.setValid(); hdr.ab.b.k = 2; hdr.ab.b.y = 7; }
    else if (hdr.ab.b.isValid()) { hdr.ab.a.setValid(); hdr.ab.a = { 8w1, 8w9 }; hdr.eth.src = 1; }
    if (hdr.many[0].a.isValid()) { hdr.many[0].a.x = m.a; }
    hdr.other.a.setInvalid();
    hdr.eth.dst = (bit<48>) m.a;
    sm.egress_spec = 1;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
