/** The code of whole programs: what it leaves out, since each packet would pay for it, and that no part is written twice. */
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../../../src/base/index.js";
import type { Entity } from "../../../../src/toolchain/device/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Bmv2Program } from "../../../../src/toolchain/program/index.js";
import { newFrame } from "../../../../src/toolchain/switch/codegen/frames.js";
import { layOut } from "../../../../src/toolchain/switch/codegen/layout.js";
import { specialise } from "../../../../src/toolchain/switch/codegen/program.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { goldenJson, ManualClock } from "../golden.js";
import { changed } from "../raw-program.js";

const golden = resolve(import.meta.dirname, "../../../golden");
/** Names of the golden programs that p4c compiled. */
const NAMES = readdirSync(golden).filter((name) => {
  const files = readdirSync(resolve(golden, name));
  return files.includes(`${name}.json`) && files.includes("packets.json");
});

/** A program of two headers with this ingress control. */
function programOf(ingress: string) {
  const source = `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; bit<16> c; }
struct headers { h_t h; h_t i; }
struct metadata { bit<8> m; bit<2> colour; }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t sm) {
  state start { p.extract(hdr.h); p.extract(hdr.i); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t sm) { ${ingress} }
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t sm) { apply { } }
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.h); p.emit(hdr.i); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("part.p4", source) }, diagnostics);
  diagnostics.throwIfErrors();
  return compiled!.program;
}

/** The lines of a function of the code of a program, without indentation. */
function functionOf(ingress: string, name: string): string[] {
  const { source } = specialise(programOf(ingress).bmv2);
  const lines = source.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`function ${name}(`));
  return lines.slice(from + 1, lines.indexOf("}", from)).map((line) => line.trim());
}

describe("the code of a control", () => {
  it("has the statements of the program alone, without a lookup", () => {
    expect(
      functionOf("apply { hdr.h.a = 1; if (hdr.h.b == 2) { m.m = 3; } hdr.i.c = 4; }", "ingress"),
    ).toEqual([
      "const P = s.phv;",
      "let jumps = 0;",
      "join0: {",
      "action1(s, P);",
      "if ((P[25] === 2)) {",
      "action0(s, P);",
      "break join0;",
      "} else {",
      "break join0;",
      "}",
      "}",
      "action2(s, P);",
      "return;",
    ]);
  });

  it("looks up a table, and does nothing for an action without statements", () => {
    const table = `action one(bit<8> n) { hdr.h.a = n; }
      table t { key = { hdr.h.a: exact; } actions = { one; NoAction; } }
      apply { t.apply(); }`;
    expect(functionOf(table, "ingress")).toEqual([
      "const P = s.phv;",
      "let jumps = 0;",
      "const t0 = s.own.t0;",
      "const e1 = lookup0(s.own.x0, (P[22] === 1 ? P[24] : 0));",
      "let a2 = t0.defaultAction, A3 = t0.defaultData, o4 = 0;",
      "if (e1 >= 0) {",
      "A3 = s.own.x0.slots; o4 = s.own.x0.found + 1;",
      "a2 = A3[o4 - 1];",
      "}",
      "switch (a2) {",
      "case 1: action1(s, P, A3, o4); break;",
      "}",
      "return;",
    ]);
  });

  it("runs the default action of a table without a key where no controller can change it", () => {
    const table = (more: string) => `
      action one() { hdr.h.a = 1; } action two(bit<8> n) { hdr.h.b = n; }
      ${more.includes("= hits") ? "direct_counter(CounterType.packets) hits;" : ""}
      table t { ${more} }
      apply { t.apply(); }`;
    const looks = (more: string) =>
      functionOf(table(more), "ingress").some((line) => line.includes("t0.only"));
    expect(looks("actions = { one; } const default_action = one();")).toBe(false);
    expect(looks("actions = { one; } default_action = one();")).toBe(true);
    expect(looks("actions = { one; two; } const default_action = one();")).toBe(true);
    expect(looks("actions = { two; } const default_action = two(7);")).toBe(true);
    expect(looks("actions = { one; } const default_action = one(); counters = hits;")).toBe(true);
  });

  it.each<[string, string, RegExp]>([
    ["counters", "counters = hits;", /\.counts\[/],
    ["meters", "meters = rates;", /\.meter\.execute\(/],
    ["idle times", "support_timeout = true;", /\.touch\(/],
  ])("has %s of the tables alone that have them", (_, property, text) => {
    const table = (more: string) => `
      direct_counter(CounterType.packets) hits; direct_meter<bit<2>>(MeterType.packets) rates;
      action one() { ${more.includes("rates") ? "rates.read(m.colour);" : ""} }
      table t { key = { hdr.h.a: exact; } actions = { one; NoAction; } ${more} }
      apply { t.apply(); }`;
    expect(functionOf(table(property), "ingress").join("\n")).toMatch(text);
    expect(functionOf(table(""), "ingress").join("\n")).not.toMatch(text);
  });

  it("tests for an exit only after an action that may exit", () => {
    const table = (second: string) => `
      action one() { hdr.h.a = 1; } action two() { ${second} }
      table t { key = { hdr.h.a: exact; } actions = { one; two; } }
      table u { key = { hdr.h.b: exact; } actions = { one; } }
      apply { switch (t.apply().action_run) { one: { m.m = 1; } two: { u.apply(); } } u.apply(); }`;
    const tests = (second: string) =>
      functionOf(table(second), "ingress").filter((line) => /s\.exit/.test(line));
    expect(tests("hdr.h.b = 1;")).toEqual([]);
    expect(tests("exit;")).toEqual(["if (s.exit !== 0) return;"]);
  });

  it.each(NAMES)("has each table of %s once", (name) => {
    const { source, tables } = specialise(goldenJson<Bmv2Program>(name, `${name}.json`));
    const found = [...source.matchAll(/^\s*const t\d+ = (s\.own\.t\d+);$/gm)].map(([, place]) => place);
    expect(new Set(found).size).toBe(found.length);
    // Those that were left out have a fixed action, which is called once.
    const called = [...source.matchAll(/^\s*(action\d+)\(s, P\);$/gm)].map(([, action]) => action);
    expect(found.length + called.length).toBeLessThanOrEqual(tables.length);
  });
});

describe("the code of the deparser", () => {
  it("writes of a header in its place only the bytes that the program may change", () => {
    const lines = functionOf("apply { hdr.h.b = 1; hdr.i.c = 2; }", "deparse");
    const from = (text: string) => lines.slice(lines.findIndex((line) => line.startsWith(text)));
    const inPlace = (text: string) => {
      const rest = from(text);
      return rest.slice(1, rest.indexOf("} else {"));
    };
    expect(inPlace("if (stays && P[27] === at)")).toEqual(["R[at + 1] = P[25];"]);
    expect(inPlace("if (stays && P[31] === at)")).toEqual([
      "R[at + 2] = (P[30] >>> 8);",
      "R[at + 3] = P[30];",
    ]);
  });

  it("writes a header whole that the program may make valid, or of which it may change each byte", () => {
    const whole = (ingress: string) =>
      functionOf(ingress, "deparse").filter((line) => line.startsWith("if (stays && ")).length;
    expect(whole("apply { }")).toBe(2);
    expect(whole("apply { hdr.h.setValid(); }")).toBe(1);
    expect(whole("apply { hdr.h = hdr.i; }")).toBe(1);
    expect(whole("apply { hdr.h.a = 1; hdr.h.b = 1; hdr.h.c = 1; }")).toBe(1);
    const lines = functionOf("apply { hdr.h.setValid(); hdr.i.setValid(); }", "deparse");
    expect(lines.filter((line) => /^R\[at/.test(line)).map((line) => line.split(" = ")[0])).toEqual([
      ...["R[at]", "R[at + 1]", "R[at + 2]", "R[at + 3]"],
      ...["R[at]", "R[at + 1]", "R[at + 2]", "R[at + 3]"],
    ]);
  });
});

it("the words of a packet are cleared one by one, many of them at once", () => {
  const clear = (bits: number) => {
    const { source, layout } = specialise(
      changed(({ header_types, headers }) => {
        const { header_type } = headers.find(({ metadata }) => metadata)!;
        header_types.find(({ name }) => name === header_type)!.fields.push(["more", bits, false] as never);
      }).bmv2,
    );
    return {
      words: layout.cleared,
      text: source.split("\n").find((line) => line.startsWith("function clear"))!,
    };
  };
  const { words } = clear(32);
  const few = clear(32 * (128 - words + 1));
  expect(few.words).toBe(128);
  expect(few.text.match(/P\[\d+\] = 0;/g)).toHaveLength(128);
  expect(clear(32 * (129 - words + 1)).text).toBe("function clear(P) { P.fill(0, 0, 129); }");
});

describe("the words of a packet", () => {
  it.each([
    ...NAMES.map((name) => [name, goldenJson<Bmv2Program>(name, `${name}.json`)] as const),
    ["raw", changed(() => {}).bmv2] as const,
  ])(
    "of %s: those of its fields, one for each header and each stack, and one for each header with a place",
    (_, program) => {
      const types = new Map(program.header_types.map((type) => [type.name, type]));
      const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
      const fields = program.headers.map(({ header_type }) => {
        const { fields, max_length = 0 } = types.get(header_type)!;
        const fixed = sum(fields.map(([, width]) => (width === "*" ? 0 : width)));
        return sum(
          fields.map(([, width]) =>
            width === "*" ? 1 + Math.ceil((8 * max_length - fixed) / 32) : Math.ceil(width / 32),
          ),
        );
      });
      const real = program.headers.filter(({ metadata }) => !metadata);
      const unions = new Map(program.header_unions.map((union) => [union.id, union.header_ids]));
      const stacked = new Set([
        ...program.header_stacks.flatMap(({ header_ids }) => header_ids),
        ...program.header_union_stacks.flatMap(({ header_union_ids }) =>
          header_union_ids.flatMap((id) => unions.get(id)!),
        ),
      ]);
      const withPlace = real.filter(
        ({ id, header_type }) =>
          !stacked.has(id) && types.get(header_type)!.fields.every(([, width]) => width !== "*"),
      );
      const stacks = program.header_stacks.length + program.header_union_stacks.length;
      const layout = layOut(program);
      expect(layout.words).toBe(sum(fields) + real.length + stacks + withPlace.length);
      expect(layout.cleared).toBe(layout.metadata + real.length + stacks);
    },
  );
});

describe("the memory of a frame", () => {
  it.each([
    [0, 0],
    [64, 64],
    [65, 8192],
    [512, 8192],
    [513, 65536],
    [4096, 65536],
    [4097, 4097],
  ])("of %i bytes is of %i bytes", (size, memory) => {
    expect(newFrame(size).buffer.byteLength).toBe(memory);
  });
});

describe("a table without a key", () => {
  const program = programOf(`
    action one(bit<16> n) { hdr.h.c = n; } action two() { hdr.h.a = 2; }
    table t { actions = { two; one; } default_action = two(); }
    apply { t.apply(); sm.egress_spec = 1; }`);

  it("has one entry, which matches every packet, and else its default action", () => {
    const sent: string[] = [];
    const device = new Switch(program, {
      clock: new ManualClock(),
      transmit: (_, frame) => sent.push(toHex(frame)),
    });
    const send = () => {
      device.receive(1, fromHex("0506070809101112")!);
      return sent.at(-1);
    };
    const entry = (value: bigint): Entity => ({
      kind: "tableEntry",
      table: "TheIngress.t",
      match: [],
      priority: 0,
      action: { kind: "action", action: "TheIngress.one", params: { n: value } },
    });
    expect(send()).toBe("0206070809101112");
    device.apply([{ type: "insert", entity: entry(0xabcdn) }]);
    expect(send()).toBe("0506abcd09101112");
    expect(() => device.apply([{ type: "insert", entity: entry(1n) }])).toThrow(/has an entry with this key/);
    device.apply([{ type: "modify", entity: entry(0x1234n) }]);
    expect(send()).toBe("0506123409101112");
    device.apply([{ type: "delete", entity: entry(0n) }]);
    expect(send()).toBe("0206070809101112");
  });
});
