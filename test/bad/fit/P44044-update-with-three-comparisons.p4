#include <core.p4>
#include <v1model.p4>
header d_h { bit<32> a; bit<32> b; bit<128> w; bit<128> v; bit<16> c; bit<8> p; bit<8> q; bit<64> l; }
struct headers_t { d_h d; }
struct meta_t { bit<3> m3; bit<5> m5; bit<32> x; }
parser Prs(packet_in pkt, out headers_t h, inout meta_t m, inout standard_metadata_t sm) {
    state start { pkt.extract(h.d); transition accept; }
}
control Vfy(inout headers_t h, inout meta_t m) { apply { } }
control Cmp(inout headers_t h, inout meta_t m) { apply { } }
control Ing(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {

    register<bit<32>>(1024) r;
    action go(bit<32> v) {
        bit<32> c;
        r.read(c, h.d.b);
        if (c < 10 || c > 20 || c == 15) { c = c + 1; }
        r.write(h.d.b, c);
    }
    table t { key = { h.d.a : exact; } actions = { go; NoAction; } default_action = NoAction(); }
    apply {
        sm.egress_spec = 1;
        t.apply();
    }
}
control Egr(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {
    apply {  }
}
control Dep(packet_out pkt, in headers_t h) { apply { pkt.emit(h.d); } }
V1Switch(Prs(), Vfy(), Ing(), Egr(), Cmp(), Dep()) main;
