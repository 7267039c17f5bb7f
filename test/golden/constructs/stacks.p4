// Header stacks: next, last, lastIndex, push and pop, an index of the packet; unions of copies; setValid.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header label_t { bit<20> label; bit<3> tc; bit<1> bottom; bit<8> ttl; }
header num_t { bit<8> n; bit<8> v; }
struct headers_t { eth_t eth; label_t[4] labels; num_t num; num_t[2] copies; }
struct meta_t { bit<8> a; bit<16> b; bit<32> c; bit<2> i; bit<32> last; label_t keep; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition select(hdr.eth.type) { 0x8847: label; 0x0900 &&& 0xff00: number; default: accept; } }
  state label {
    pkt.extract(hdr.labels.next);
    m.c = (bit<32>) hdr.labels.last.label;
    m.last = hdr.labels.lastIndex;
    transition select(hdr.labels.last.bottom, hdr.labels.last.tc) { (0, 3w0 .. 3w6): label; (1, _): number; default: accept; }
  }
  state number { pkt.extract(hdr.num); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {  } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {
    if (hdr.labels[1].isValid()) {
      hdr.labels.pop_front(1);
      hdr.labels[0].ttl = hdr.labels[0].ttl - 1;
    } else {
      hdr.labels.push_front(2);
      hdr.labels[0].setValid();
      hdr.labels[0] = { 20w5, 3w1, 1w0, 8w64 };
      hdr.labels[1].setValid();
      hdr.labels[1].label = 20w6;
    }
    if (hdr.num.isValid()) {
      hdr.copies[0] = hdr.num;
      hdr.copies[1].setValid();
      hdr.copies[1].n = hdr.num.n + 1;
      hdr.copies[1].v = hdr.copies[0].v;
      m.keep = hdr.labels[0];
      hdr.num.setInvalid();
    }
    if (hdr.copies[0] == hdr.copies[1]) { hdr.eth.src = 1; }
    if (m.keep.isValid()) { hdr.eth.dst[7:0] = m.keep.ttl; }
    m.i = hdr.eth.dst[9:8];
    if (hdr.labels[3].isValid()) {
      hdr.labels[m.i].tc = 3w7;
      m.b = (bit<16>) hdr.labels[m.i].label[15:0];
    }
    hdr.eth.type = m.b;
    sm.egress_spec = 1;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply {  } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
