/** A program for TNA in the simulator: the same flow as through its v1model twin, and none where an entry is missing. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runOwn } from "./run-own.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-tofino-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

const HEADERS = `header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { eth_h eth; }
struct none_t { }
`;
const table = (
  port: string,
  to: string,
) => `    action to(bit<9> port, bit<48> mac) { ${to} = port; hdr.eth.dst = mac; }
    table forward { key = { ${port} : exact; } actions = { to; } size = 8; }
    apply { forward.apply(); }
`;

write(
  "tofino.p4",
  `#include <core.p4>
#include <tna.p4>
${HEADERS}
parser InParser(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.eth); transition accept; }
}
control In(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
           in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
${table("ig.ingress_port", "tm.ucast_egress_port")}}
control InDeparser(packet_out pkt, inout headers_t hdr, in none_t md,
                   in ingress_intrinsic_metadata_for_deparser_t dprsr) { apply { pkt.emit(hdr); } }
parser OutParser(packet_in pkt, out headers_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start { pkt.extract(eg); transition accept; }
}
control Out(inout headers_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
            in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
            inout egress_intrinsic_metadata_for_output_port_t port) { apply { } }
control OutDeparser(packet_out pkt, inout headers_t hdr, in none_t md,
                    in egress_intrinsic_metadata_for_deparser_t dprsr) { apply { pkt.emit(hdr); } }
Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) pipe;
Switch(pipe) main;
`,
);
write(
  "twin.p4",
  `#include <core.p4>
#include <v1model.p4>
${HEADERS}
parser InParser(packet_in pkt, out headers_t hdr, inout none_t md, inout standard_metadata_t sm) {
    state start { pkt.extract(hdr.eth); transition accept; }
}
control Verify(inout headers_t hdr, inout none_t md) { apply { } }
control In(inout headers_t hdr, inout none_t md, inout standard_metadata_t sm) {
${table("sm.ingress_port", "sm.egress_spec")}}
control Out(inout headers_t hdr, inout none_t md, inout standard_metadata_t sm) { apply { } }
control Compute(inout headers_t hdr, inout none_t md) { apply { } }
control Emit(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }
V1Switch(InParser(), Verify(), In(), Out(), Compute(), Emit()) main;
`,
);

/** The row of one flow through a switch with these entries, each `PORT => PORT MAC`. */
async function flowThrough(program: string, entries: readonly string[]) {
  const prefix = program === "tofino" ? "pipe.In" : "In";
  write("entries.txt", entries.map((entry) => `table_add ${prefix}.forward In.to ${entry}\n`).join(""));
  write(
    "flow.yaml",
    `name: tofino
topology:
  kind: graph
  nodes: [{ name: h1, role: host }, { name: h2, role: host }, { name: s, role: switch }]
  links: [{ a: h1, b: s, rate: 1Gbps }, { a: h2, b: s, rate: 1Gbps }]
schemes: [{ scheme: p4, program: ${program}.p4, entries: { s: entries.txt } }]
flows: [{ from: h1, to: h2, bytes: 200000 }]
duration: 2s
`,
  );
  const { rows } = await runOwn(join(folder, "flow.yaml"), join(folder, "out"), { engine: "sim" });
  return rows[0]!;
}

const THERE = "1 => 2 02:00:00:00:00:02";
const BACK = "2 => 1 02:00:00:00:00:01";

it("carries a flow as its v1model twin does", async () => {
  const row = await flowThrough("tofino", [THERE, BACK]);
  expect(row).toMatchObject({ bytes: 200_000, timeouts: 0 });
  expect(row).toEqual(await flowThrough("twin", [THERE, BACK]));
});

it("carries none where the way back has no entry", async () => {
  expect(await flowThrough("tofino", [THERE])).toMatchObject({ bytes: 0, fct_ms: null });
});

it("runs a leaf-spine of ten Tofinos, and a network that is mixed with v1model, with the same result", async () => {
  const example = resolve(import.meta.dirname, "../../../examples/schemes/tofino.yaml");
  const { rows } = await runOwn(example, join(folder, "ten"), { engine: "sim" });
  const of = (label: string) =>
    rows.filter(({ scheme }) => scheme === label).map(({ scheme: _, ...row }) => row);
  expect(of("Tofino")).toHaveLength(11);
  expect(of("Tofino").every(({ bytes, timeouts }) => bytes === 400_000 && timeouts === 0)).toBe(true);
  expect(of("mixed")).toEqual(of("Tofino"));
});
