// Checksums: verified and updated under conditions, with payload, over lists with constants and slices.
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header ip_t { bit<4> v; bit<4> ihl; bit<16> len; bit<8> proto; bit<16> sum; bit<32> src; bit<32> dst; }
header udp_t { bit<16> sp; bit<16> dp; bit<16> len; bit<16> sum; }
struct headers_t { eth_t eth; ip_t ip; udp_t udp; }
struct meta_t { bit<8> a; bit<16> b; bit<32> c; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  state start { pkt.extract(hdr.eth); transition select(hdr.eth.type) { 0x800: ip; default: accept; } }
  state ip { pkt.extract(hdr.ip); transition select(hdr.ip.proto) { 17: udp; default: accept; } }
  state udp { pkt.extract(hdr.udp); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { 
    verify_checksum(hdr.ip.isValid() && hdr.ip.ihl == 5, { hdr.ip.v, hdr.ip.ihl, hdr.ip.len, hdr.ip.proto, 8w0, hdr.ip.src, hdr.ip.dst }, hdr.ip.sum, HashAlgorithm.csum16);
    verify_checksum_with_payload(hdr.udp.isValid() && hdr.udp.sum != 0, { hdr.ip.src, hdr.ip.dst, 8w0, hdr.ip.proto, hdr.udp.len, hdr.udp.sp, hdr.udp.dp, hdr.udp.len }, hdr.udp.sum, HashAlgorithm.csum16);
   } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {
    if (sm.checksum_error == 1) { hdr.eth.dst = 1; }
    if (hdr.ip.isValid()) { hdr.ip.dst = hdr.ip.src; }
    sm.egress_spec = 1;
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {

  apply {  }
}
control C(inout headers_t hdr, inout meta_t m) { apply { 
    update_checksum(hdr.ip.isValid(), { hdr.ip.v, hdr.ip.ihl, hdr.ip.len, hdr.ip.proto, 8w0, hdr.ip.src, hdr.ip.dst }, hdr.ip.sum, HashAlgorithm.csum16);
    update_checksum_with_payload(hdr.udp.isValid(), { hdr.ip.src, hdr.ip.dst, 8w0, hdr.ip.proto, hdr.udp.len, hdr.udp.sp, hdr.udp.dp, hdr.udp.len }, hdr.udp.sum, HashAlgorithm.csum16);
    update_checksum(hdr.eth.isValid(), { hdr.eth.type }, m.b, HashAlgorithm.crc16);
   } }
control D(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
