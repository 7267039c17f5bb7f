// Values: comparisons of structs and headers, nested structs, tuples, lists as arguments, conversions, compound assignments, switch over enums.
#include <core.p4>
#include <v1model.p4>
header eth_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}
enum bit<4> Level { low = 1, mid = 5, high = 15 }
enum Colour { red, green, blue }
struct inner_t {
    bit<8> x;
    bool   y;
}
struct outer_t {
    inner_t               i;
    bit<16>               z;
    tuple<bit<8>, bit<4>> t;
    Level                 level;
}
header num_t {
    bit<8> n;
    bit<8> m;
}
const num_t   FIRST = { 8w1, 8w2 };
const inner_t NAMED = { y = true, x = 8w7 };
bool isSmall(in inner_t v) { return v.x < 8w10 && !v.y; }
struct headers_t {
    eth_t eth;
    num_t a;
    num_t b;
}
struct meta_t {
    outer_t o;
    outer_t p;
    Colour  colour;
    int<16> signed;
    bit<1>  one;
    bool    flag;
    bit<8>  r;
}
parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    state start {
        pkt.extract(hdr.eth);
        pkt.extract(hdr.a);
        m.o.i = { 8w3, false };
        m.one = (bit<1>) (hdr.a.n > 4);
        transition select(m.one, hdr.a.n) {
            (1, 8w0 .. 8w0x7f): more;
            (0, 8w5 .. 8w5): more;
            (_, 8w0x10 .. 8w0xf3): more;
            default: accept;
        }
    }
    state more {
        pkt.extract(hdr.b);
        m.flag = (bool) hdr.b.n[0:0];
        transition select(m.flag) {
            true: accept;
            default: accept;
        }
    }
}
control V(inout headers_t hdr, inout meta_t m) {
    apply { }
}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    action put(in tuple<bit<8>, bit<4>> v, inout outer_t to, in Level level) {
        to.t       = v;
        to.level   = level;
        to.z[11:4] = 8w0xab;
    }
    apply {
        if (!hdr.a.isValid()) {
            sm.egress_spec = 2;
            return;
        }
        m.o.z = 16w9;
        m.p   = m.o;
        m.p.i = NAMED;
        put({ 8w1, 4w2 }, m.p, Level.mid);
        if (m.o == m.p) { m.r                             = 1; }
        if (m.o.i != m.p.i && isSmall(m.o.i)) { m.r       = m.r + 2; }
        if (hdr.a == hdr.b) { m.r                         = m.r | 4; }
        if (hdr.b.isValid()) { hdr.b                      = FIRST; } else { hdr.b = hdr.a; }
        m.signed                                          = (int<16>) (int<8>) hdr.a.n;
        m.signed                                          = m.signed >> 2;
        if (m.signed < 0 || m.signed == -16s3) { m.signed = -m.signed; }
        m.r += 8w3;
        m.r <<= 1;
        m.r ^= (bit<4>) m.p.level ++ 4w0;
        m.colour = m.r > 9 ? Colour.green : Colour.red;
        switch (m.colour) {
            Colour.red: { m.o.z                = 1; }
            Colour.green: Colour.blue: { m.o.z = 2; }
        }
        switch (m.p.level) {
            Level.low: { m.o.z = m.o.z + 5; }
            default: { m.o.z   = m.o.z + 6; }
        }
        hdr.eth.dst    = m.o.z ++ m.r ++ (bit<16>) m.signed ++ m.p.t[0];
        hdr.eth.src    = (bit<48>) m.p.z * 1 + 0;
        hdr.eth.type   = (bit<16>) (bit<1>) m.flag;
        sm.egress_spec = 1;
    }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    apply { }
}
control C(inout headers_t hdr, inout meta_t m) {
    apply { }
}
control D(packet_out pkt, in headers_t hdr) {
    apply { pkt.emit(hdr); }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
