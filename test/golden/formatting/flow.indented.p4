// Control flow: loops with known bounds, switches over values, conditional expressions, short circuit, functions, returns.
#include <core.p4>
#include <v1model.p4>
header eth_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}
bit<16> highest(in bit<16> x, in bit<16> y) {
    if (x > y) { return x; }
    return y;
}
void bump(inout bit<8> v, in bit<8> by) {
    if (by == 0) { return; }
    v = v + by;
}
struct headers_t { eth_t eth; }
struct meta_t {
    bit<8>  a;
    bit<16> b;
    bit<32> c;
    bit<8>  n;
}
parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    state start {
        pkt.extract(hdr.eth);
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t m) {
    apply { }
}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    action one(inout bit<8> v) { v = v | 1; }
    apply {
        if (!hdr.eth.isValid()) {
            sm.egress_spec = 5;
            return;
        }
        m.n = hdr.eth.dst[7:0];
        m.b = highest(hdr.eth.type, 16w100);
        bump(m.a, m.n);
        if (m.n > 3 && (m.a < 7 || hdr.eth.type == 5)) { m.a = 1; } else {
            m.a = m.n == 0 ? 8w9 : m.a;
        }
        switch (m.n) {
            8w1: { one(m.a); }
            8w2:
                8w3: { m.a = m.a << 2; }
            default: { m.a = m.a >> m.n; }
        }
        if (m.a == 1) {
            hdr.eth.src = 5;
            return;
        }
        bit<8> left          = 8w3;
        if (m.a != 2) { left = left - m.a; }
        hdr.eth.src          = (bit<48>) left;
        hdr.eth.dst[15:8]    = (bit<8>) (m.b % 16);
        sm.egress_spec       = hdr.eth.dst[8:0];
    }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    apply {
        if (hdr.eth.src == 5) { exit; }
        hdr.eth.type = hdr.eth.type |+| 16w3;
    }
}
control C(inout headers_t hdr, inout meta_t m) {
    apply { }
}
control D(packet_out pkt, in headers_t hdr) {
    apply { pkt.emit(hdr); }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
