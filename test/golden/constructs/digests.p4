// Digests and parameters of all types that P4Info describes.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
type bit<12> tag_t;
enum bit<8> Kind { none = 0, some = 5 }
header num_t { bit<8> n; int<8> v; }
struct in_t { bit<8> x; bool y; }
struct all_t { bit<9> port; int<16> signed; bool flag; tag_t tag; Kind kind; in_t inside; tuple<bit<4>, bit<12>> pair; error why; }
struct both_t { @match(lpm) @name("prefix") bit<8> p; @match(optional) bit<16> o; }
@controller_header("packet_in") header cpu_t { bit<9> port; bit<7> pad; tag_t tag; bit<4> fill; }
struct headers_t { cpu_t cpu; eth_t eth; num_t num; }
struct meta_t { in_t inside; tag_t tag; Kind kind; bool flag; int<16> s; bit<8> a; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  value_set<bit<12>>(3) tags;
  value_set<both_t>(2) both;
  state start { pkt.extract(hdr.eth); m.tag = (tag_t) hdr.eth.type[11:0]; transition select(hdr.eth.type[11:0]) { tags: number; default: next; } }
  state next { transition select(hdr.eth.dst[7:0], hdr.eth.type) { both: number; default: accept; } }
  state number { pkt.extract(hdr.num); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  action set(bit<1> flag, int<16> s, tag_t tag, Kind kind) { m.flag = flag == 1; m.s = s; m.tag = tag; m.kind = kind; }
  table t {
    key = { m.tag : exact; m.kind : ternary; hdr.num.v : exact @name("num.v[7:0]"); m.inside.x[3:1] : lpm; m.flag : exact; }
    actions = { set; NoAction; }
    const entries = {
      ((tag_t) 12w3, Kind.some, -8s1, 3w0b100 &&& 3w0b110, true) : set(1w1, -16s5, (tag_t) 12w9, Kind.none);
    }
    default_action = set(1w0, 16s7, (tag_t) 12w1, Kind.some);
  }
  apply {
    t.apply();
    digest<all_t>(1, { 9w1, m.s, m.flag, m.tag, m.kind, m.inside, { 4w1, 12w2 }, sm.parser_error });
    digest<tuple<bit<48>, bit<16>>>(2, { hdr.eth.src, hdr.eth.type });
    if (m.flag) { hdr.eth.src = (bit<48>) (bit<16>) m.s; }
    sm.egress_spec = 1;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
