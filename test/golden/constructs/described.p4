// P4Info: annotations with constants, selectors with semantics of size, stacks and unions in digests, widths of translations as text.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
const bool FLAG = true;
const string WORD = "word";
const int NUMBER = 9;
@p4runtime_translation("example.com/wide", bit<48>)
type bit<12> wide_t;
@p4runtime_translation("example.com/signed", 24)
type bit<16> sixteen_t;
header num_t { bit<8> n; int<8> v; wide_t w; bit<4> f; }
header opt_t { varbit<32> o; }
struct deep_t { wide_t w; sixteen_t x; }
struct learn_t { deep_t d; bit<9> port; }
@controller_header("packet_in") header cpu_t { @hidden bit<7> pad; bit<9> port; @name("named") wide_t w; @id(8) bit<4> fill; }
struct headers_t { cpu_t cpu; eth_t eth; num_t num; num_t other; opt_t o1; opt_t o2; }
struct meta_t { deep_t d; bit<8> a; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition select(hdr.eth.type) { 1: number; default: accept; } }
  state number { pkt.extract(hdr.num); pkt.extract(hdr.o1, 32w16); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  @selector_size_semantics("sum_of_members") @max_member_weight(7) @max_group_size(9) action_selector(HashAlgorithm.crc16, 32w64, 32w14) by_members;
  @selector_size_semantics("sum_of_weights") action_selector(HashAlgorithm.crc16, 32w32, 32w14) by_weight;
  @list[FLAG, WORD, NUMBER, "plain", false, -5] @pairs[flag = FLAG, word = WORD, number = NUMBER]
  action to(@list[1] bit<9> p) { sm.egress_spec = p; }
  action none() { }
  @unparsed(x,y , z) @other(a ,b) table a { key = { hdr.eth.dst : exact; hdr.eth.src : selector; } actions = { to; none; } implementation = by_members; }
  table b { key = { hdr.eth.dst : ternary; hdr.eth.type : selector; } actions = { to; none; } implementation = by_weight; }
  table c { key = { m.d.w : exact; m.d.x : exact; } actions = { none; } const entries = { } }
  apply {
    m.d.w = (wide_t) hdr.eth.type[11:0];
    m.d.x = (sixteen_t) hdr.eth.type;
    if (!a.apply().hit) { b.apply(); }
    c.apply();
    digest<learn_t>(1, { m.d, sm.ingress_port });
    if (hdr.num.isValid()) { hdr.other = hdr.num; hdr.o2 = hdr.o1; digest<eth_t>(2, hdr.eth); }
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
