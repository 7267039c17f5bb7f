// A program with every entity of P4Runtime, for the comparison of clients.
#include <core.p4>
#include <v1model.p4>

@controller_header("packet_in") header packet_in_t { bit<9> ingress_port; bit<7> pad; }
@controller_header("packet_out") header packet_out_t { bit<9> egress_port; bit<7> pad; }

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t {
  bit<4> version; bit<4> ihl; bit<8> tos; bit<16> len; bit<16> id; bit<16> frag; bit<8> ttl; bit<8> protocol;
  bit<16> checksum; bit<32> src; bit<32> dst;
}
struct headers_t { packet_in_t packet_in; packet_out_t packet_out; ethernet_t ethernet; ipv4_t ipv4; }
struct learned_t { bit<48> src; bit<9> port; }
struct metadata_t { bit<16> hash; }

parser P(packet_in p, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
  value_set<bit<16>>(4) tunnels;
  state start { transition select(s.ingress_port) { 510: out_header; default: ethernet; } }
  state out_header { p.extract(h.packet_out); transition ethernet; }
  state ethernet {
    p.extract(h.ethernet);
    transition select(h.ethernet.type) { tunnels: ipv4; 0x0800: ipv4; default: accept; }
  }
  state ipv4 { p.extract(h.ipv4); transition accept; }
}
control V(inout headers_t h, inout metadata_t m) { apply { } }

control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) {
  counter(16, CounterType.packets_and_bytes) port_counter;
  meter(16, MeterType.packets) port_meter;
  register<bit<32>>(16) seen;
  direct_counter(CounterType.packets_and_bytes) route_counter;
  direct_meter<bit<8>>(MeterType.bytes) acl_meter;
  action_selector(HashAlgorithm.crc16, 32w64, 32w14) ecmp;
  bit<8> colour = 0;
  action forward(bit<9> port) { s.egress_spec = port; }
  action drop() { mark_to_drop(s); }
  action forward_counted(bit<9> port) { s.egress_spec = port; route_counter.count(); }
  action police() { acl_meter.read(colour); }
  action permit() { }
  table hosts {
    key = { h.ethernet.dst: exact; }
    actions = { forward; drop; @defaultonly NoAction; }
    default_action = NoAction();
    size = 64;
    support_timeout = true;
  }
  table routes {
    key = { h.ipv4.dst: lpm; }
    actions = { forward_counted; drop; }
    default_action = drop();
    counters = route_counter;
    size = 64;
  }
  table acl {
    key = { h.ipv4.src: ternary; h.ipv4.protocol: range; s.ingress_port: optional; }
    actions = { police; drop; }
    meters = acl_meter;
    size = 64;
  }
  table paths {
    key = { h.ipv4.dst: exact; h.ipv4.src: selector; }
    actions = { forward; drop; }
    implementation = ecmp;
    size = 64;
  }
  table fixed {
    key = { h.ipv4.tos: exact; }
    actions = { permit; drop; }
    const entries = { 1: drop(); 2: permit(); }
    const default_action = permit();
  }
  apply {
    if (h.packet_out.isValid()) {
      s.egress_spec = h.packet_out.egress_port;
      h.packet_out.setInvalid();
      exit;
    }
    hosts.apply();
    if (h.ipv4.isValid()) {
      routes.apply();
      acl.apply();
      paths.apply();
      fixed.apply();
      bit<32> n;
      seen.read(n, 0);
      seen.write(0, n + 1);
      port_counter.count((bit<32>)s.ingress_port);
      port_meter.execute_meter((bit<32>)s.ingress_port, colour);
      digest<learned_t>(1, { h.ethernet.src, s.ingress_port });
    }
    if (s.egress_spec == 510) {
      h.packet_in.setValid();
      h.packet_in.ingress_port = s.ingress_port;
    }
  }
}
control E(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t h, inout metadata_t m) { apply { } }
control D(packet_out p, in headers_t h) {
  apply { p.emit(h.packet_in); p.emit(h.ethernet); p.emit(h.ipv4); }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
