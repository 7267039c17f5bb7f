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
    register<bit<32>>(16) r;
    action one() { r.read(m.x, h.d.a); }
    action two() { r.write(h.d.a, m.x); }
    apply {
        sm.egress_spec = 1;
        one(); two();
    }
}
control Egr(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {
    apply {  }
}
control Dep(packet_out pkt, in headers_t h) { apply { pkt.emit(h.d); } }
V1Switch(Prs(), Vfy(), Ing(), Egr(), Cmp(), Dep()) main;
