/** Standard metadata as a whole: handed to actions, copied, dropped, and kept by the older forms of recirculate and resubmit. */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/base/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { compileParts, type Parts } from "../lower/v1model.js";

const packet: Parts = {
  headers: "h_t h;",
  states: "state start { pkt.extract(hdr.h); transition accept; }",
  deparser: "pkt.emit(hdr.h);",
};

/** What leaves the switch for the packet 0000, each as `port:bytes`. */
function answers(parts: Parts): string[] {
  const top = `header h_t { bit<8> a; bit<8> b; } ${parts.top ?? ""}`;
  const out: string[] = [];
  const node = new Switch(compileParts({ ...packet, ...parts, top }).program, {
    clock: { now: () => 0, at: () => () => undefined },
    transmit: (port, frame) => out.push(`${port}:${toHex(frame)}`),
  });
  node.receive(0, fromHex("0000")!);
  return out;
}

const drop = "action drop(inout standard_metadata_t s) { mark_to_drop(s); }";
const table = (key = "") => `table t {
    ${key}
    actions = { drop(sm); NoAction; }
    default_action = ${key === "" ? "drop(sm)" : "NoAction"};
  }`;

describe("mark_to_drop on a parameter", () => {
  it.each([
    ["of an action of the program, in a table", { top: drop, locals: table(), ingress: "t.apply();" }],
    ["of an action of the control, in a table", { locals: drop + table(), ingress: "t.apply();" }],
    ["of an action that is called", { locals: drop, ingress: "drop(sm);" }],
    ["of a function", { top: "void f(inout standard_metadata_t s) { mark_to_drop(s); }", ingress: "f(sm);" }],
    ["in egress", { top: drop, egressLocals: table(), egress: "t.apply();" }],
  ] satisfies [string, Parts][])("%s drops the packet", (_, parts) => {
    expect(answers(parts)).toEqual([]);
  });

  it("is copied back where the action reads the caller's metadata beside its parameter", () => {
    const locals = `action move(inout standard_metadata_t s) {
        sm.egress_spec = 4;
        mark_to_drop(s);
        hdr.h.a = sm.egress_spec[7:0];
      }`;
    expect(
      answers({ locals, ingress: "move(sm); hdr.h.b = sm.egress_spec[7:0]; sm.egress_spec = 2;" }),
    ).toEqual(["2:04ff"]);
  });
});

it("mark_to_drop on a variable leaves the packet alone", () => {
  const ingress = `standard_metadata_t copy = sm;
    sm.mcast_grp = 0;
    copy.mcast_grp = 3;
    mark_to_drop(copy);
    hdr.h.a = copy.egress_spec[7:0];
    hdr.h.b = copy.mcast_grp[7:0];`;
  expect(answers({ ingress })).toEqual(["1:ff00"]);
});

it.each(["recirculate", "resubmit"])("%s(standard_metadata) keeps each of its fields", (name) => {
  const call = `if (hdr.h.a == 0) { ${name}(sm); }`;
  const { program } = compileParts({
    ...packet,
    top: "header h_t { bit<8> a; bit<8> b; }",
    ...(name === "resubmit" ? { ingress: call } : { egress: call }),
  });
  const fields = program.bmv2.field_lists![0]!.elements.map(({ value }) => (value as string[])[1]);
  const declared = program.bmv2.headers.find(({ name }) => name === "standard_metadata")!.header_type;
  const type = program.bmv2.header_types.find(({ name }) => name === declared)!;
  const names = type.fields.map(([field]) => field).filter((field) => !field.startsWith("_"));
  expect(fields).toEqual(names);
  expect(names).toContain("egress_spec");
});

it("hash over standard_metadata reads its fields", () => {
  const ingress = `bit<16> value;
    hash(value, HashAlgorithm.identity, 16w0, { sm }, 32w65536);
    hdr.h.a = value[7:0];`;
  const { program } = compileParts({ ...packet, top: "header h_t { bit<8> a; bit<8> b; }", ingress });
  const inputs = program.bmv2.calculations[0]!.input.map(({ value }) => (value as string[])[1]);
  expect(inputs).toContain("ingress_port");
  expect(inputs).not.toContain("");
});

it("a parameter's @name is its name in both outputs", () => {
  const locals = `action to(@name("out") bit<9> port) { sm.egress_spec = port; }
    table t { key = { hdr.h.a : exact; } actions = { to; } }`;
  const { program } = compileParts({
    ...packet,
    top: "header h_t { bit<8> a; bit<8> b; }",
    locals,
    ingress: "t.apply();",
  });
  expect(program.bmv2.actions.find(({ name }) => name === "I.to")!.runtime_data).toEqual([
    { name: "out", bitwidth: 9 },
  ]);
  const action = program.p4info.actions.find(({ preamble }) => preamble!.name === "I.to")!;
  expect(action.params.map(({ name }) => name)).toEqual(["out"]);
});
