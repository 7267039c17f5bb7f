/** A program whose ports, VRFs and next hops are strings for a controller; compiled by our compiler. */
import { Diagnostics } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";

const SOURCE = `
#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("example.org/port", string)
type bit<9> port_id_t;
@p4runtime_translation("", string)
@p4runtime_translation_mappings({ { "", 0 }, { "vrf-default", 15 } })
type bit<4> vrf_id_t;
@p4runtime_translation("example.org/wide", 32)
type bit<9> wide_t;

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
@controller_header("packet_in")
header packet_in_t { port_id_t ingress_port; bit<7> pad; }
@controller_header("packet_out")
header packet_out_t { port_id_t egress_port; bit<7> pad; }
struct headers { packet_in_t packet_in; packet_out_t packet_out; ethernet_t ethernet; }
struct metadata { vrf_id_t vrf; wide_t wide; port_id_t from; bit<7> unused; }
struct learned { port_id_t port; vrf_id_t vrf; bit<48> src; }

parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
  state start {
    transition select(s.ingress_port) { 255: from_controller; default: ethernet; }
  }
  state from_controller { p.extract(h.packet_out); transition ethernet; }
  state ethernet { p.extract(h.ethernet); transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
  action set_vrf(vrf_id_t vrf) { m.vrf = vrf; }
  action forward(port_id_t port) { s.egress_spec = (bit<9>) port; }
  action wide(wide_t port) { s.egress_spec = (bit<9>) port; }
  action learn() {
    digest<learned>(1, { (port_id_t) s.ingress_port, m.vrf, h.ethernet.src });
  }
  action punt() { s.egress_spec = 255; }
  action multicast() { s.mcast_grp = 1; }
  table vrf {
    key = { h.ethernet.src: ternary; m.from: optional @name("port"); }
    actions = { set_vrf; NoAction; }
    default_action = NoAction();
  }
  table route {
    key = { m.vrf: exact @name("vrf"); h.ethernet.dst: exact @name("dst"); }
    actions = { forward; wide; learn; punt; multicast; }
    size = 64;
  }
  action_selector(HashAlgorithm.crc16, 32w16, 32w8) group;
  table spread {
    key = { h.ethernet.type: exact @name("type"); h.ethernet.src: selector; }
    actions = { forward; NoAction; }
    implementation = group;
  }
  apply {
    m.from = (port_id_t) s.ingress_port;
    if (h.packet_out.isValid()) {
      s.egress_spec = (bit<9>) h.packet_out.egress_port;
      h.packet_out.setInvalid();
    } else {
      vrf.apply();
      if (!spread.apply().hit) { route.apply(); }
    }
  }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) {
  apply {
    if (s.egress_port == 255) {
      h.packet_in.setValid();
      h.packet_in.ingress_port = (port_id_t) s.ingress_port;
      h.packet_in.pad = 0;
    }
  }
}
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.packet_in); p.emit(h.ethernet); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

let compiled: Program | undefined;

export function namesProgram(): Program {
  if (compiled !== undefined) return compiled;
  const diagnostics = new Diagnostics();
  const result = compile({ file: SOURCE }, diagnostics);
  diagnostics.throwIfErrors();
  compiled = result!.program;
  return compiled;
}
