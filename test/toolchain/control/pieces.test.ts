/** Parts of statements by themselves: names, numbers, times, kinds of entities, and what a switch without some services refuses. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import {
  countersIn,
  entriesIn,
  metersIn,
  ofKind,
  registersIn,
} from "../../../src/toolchain/control/entities.js";
import { keyText, TableHandles } from "../../../src/toolchain/control/entry-handles.js";
import { Interpreter, type Surroundings } from "../../../src/toolchain/control/index.js";
import { candidatesFor, endsOf, shortestName } from "../../../src/toolchain/control/names.js";
import { element, readDuration } from "../../../src/toolchain/control/shell/parts.js";
import { floatText, partText } from "../../../src/toolchain/control/text/format.js";
import { type Word, wordsOf } from "../../../src/toolchain/control/words.js";
import type { Device, Entity, Match, PortDescription } from "../../../src/toolchain/device/index.js";
import { createP4Info, P4InfoIndex } from "../../../src/toolchain/program/index.js";
import { MemoryDevice } from "../p4runtime/memory-device.js";
import { p4infoOf, start } from "./start.js";

const word = (text: string): Word => wordsOf(new SourceFile("x", text), text, 0)[0]!;

it("finds entities by kind, whatever else a switch sends", () => {
  const entry = (isDefault?: true): Entity => ({
    ...{ kind: "tableEntry", table: "t", match: [], priority: 0 },
    ...(isDefault && { isDefault }),
  });
  const key = { kind: "tableEntry", table: "t", match: [], priority: 0 } as const;
  const data = { packets: 1n, bytes: 2n };
  const config = { committedRate: 1n, committedBurst: 2n, peakRate: 3n, peakBurst: 4n };
  const register: Entity = { kind: "register", register: "r", index: 0, value: 5n };
  const all: Entity[] = [
    entry(),
    entry(true),
    { kind: "counter", counter: "c", index: 0, data },
    { kind: "directCounter", entry: key, data: { packets: 3n, bytes: 4n } },
    { kind: "meter", meter: "m", index: 0, config },
    { kind: "directMeter", entry: key },
    register,
    { kind: "multicastGroup", groupId: 1, replicas: [] },
  ];
  expect(entriesIn(all)).toEqual([entry()]);
  expect(countersIn(all)).toEqual([data, { packets: 3n, bytes: 4n }]);
  expect(metersIn(all)).toEqual([config, undefined]);
  expect(registersIn(all)).toEqual([register]);
  expect(ofKind(all, "member")).toEqual([]);
  expect(ofKind(all, "multicastGroup")).toEqual([all[7]]);
});

// What Python 3 prints for each.
it.each<[number, string]>([
  [0, "0.0"],
  [5, "5.0"],
  [-5, "-5.0"],
  [0.5, "0.5"],
  [0.0001, "0.0001"],
  [0.00011, "0.00011"],
  [0.00009, "9e-05"],
  [-0.00001, "-1e-05"],
  [1.5e-10, "1.5e-10"],
  [1e-300, "1e-300"],
  [9999999999999998, "9999999999999998.0"],
  [1e16, "1e+16"],
  [1.25e21, "1.25e+21"],
  [12345.678, "12345.678"],
])("%f is printed as %s", (value, text) => {
  expect(floatText(value)).toBe(text);
});

describe("names", () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));

  it("mean the object of exactly this name, then of this alias, then all that end in it", () => {
    const things = [{ name: "a.b.c", alias: "c" }, { name: "x.c" }, { name: "c.d" }, { name: "xc" }];
    const found = (text: string) => candidatesFor(things, text).map(({ name }) => name);
    expect(found("x.c")).toEqual(["x.c"]);
    expect(found("c")).toEqual(["a.b.c"]);
    expect(found("b.c")).toEqual(["a.b.c"]);
    expect(found("d")).toEqual(["c.d"]);
    expect(found("")).toEqual([]);
    expect(candidatesFor(named("a.t", "b.t", "t.u"), "t").map(({ name }) => name)).toEqual(["a.t", "b.t"]);
    expect(candidatesFor(named("a.t", "t"), "t").map(({ name }) => name)).toEqual(["t"]);
  });

  it("have ends, the shortest of which that means nothing else is offered", () => {
    expect(endsOf("a.b.c")).toEqual(["a.b.c", "b.c", "c"]);
    expect(shortestName("a.b.c", ["a.b.c", "a.c"])).toBe("b.c");
    expect(shortestName("a.b.c", ["a.b.c", "d.b.c"])).toBe("a.b.c");
    expect(shortestName("a.b", ["a.b", "b", "x.a.b"])).toBe("a.b");
    expect(shortestName("a.b", ["a.b", "ab", "b.a"])).toBe("b");
  });
});

it.each<[string, bigint | undefined]>([
  ["500ms", 500_000_000n],
  ["2s", 2_000_000_000n],
  ["1.5us", 1500n],
  ["0.25ns", 0n],
  ["3ns", 3n],
  ["2", undefined],
  ["s", undefined],
  ["1.s", undefined],
  ["-1s", undefined],
  ["1sec", undefined],
  ["1 s", undefined],
])("the time %s is %s ns", (text, expected) => {
  const read = () => readDuration("the time", { ...word("x"), text });
  if (expected === undefined) expect(read).toThrow("give a time like 500ms or 2s");
  else expect(read()).toBe(expected);
});

it.each<[string, string, string | undefined]>([
  ["a.b[3]", "a.b", "3"],
  ["a[*]", "a", undefined],
  ["a", "a", undefined],
  ["a[]", "a[]", undefined],
  ["[3]", "[3]", undefined],
  ["a[3]b", "a[3]b", undefined],
  ["a[1][2]", "a[1]", "2"],
])("the element %s is of %s, at %s", (text, name, index) => {
  const found = element(word(text));
  expect([found.name.text, found.index?.text]).toEqual([name, index]);
  if (found.index !== undefined) expect(text.slice(found.index.span.start, found.index.span.end)).toBe(index);
});

it.each<[string, Match | undefined, string]>([
  ["routes4", { kind: "lpm", field: "hdr.ipv4.dst", value: 0x0a000000n, prefixLength: 8 }, "0a000000/8"],
  ["routes4", undefined, "00000000/0"],
  ["acl", { kind: "ternary", field: "hdr.ipv4.src", value: 1n, mask: 255n }, "00000001 &&& 000000ff"],
  ["acl", undefined, "00000000 &&& 00000000"],
  ["next_hops", { kind: "exact", field: "meta.next_hop", value: 258n }, "0102"],
])("a part of a key of %s is printed as BMv2 does", (name, part, text) => {
  const [field] = new P4InfoIndex(p4infoOf("l3")).tables.byName(`TheIngress.${name}`)!.fields.list;
  const hex = (value: bigint, bits: number) => value.toString(16).padStart(bits / 4, "0");
  expect(partText(field!, part, hex)).toBe(text);
});

it("handles take the lowest free slot, and the top byte counts its uses", () => {
  const handles = new TableHandles(new MemoryDevice(), "t");
  const key = (value: number) => ({
    match: [{ kind: "exact", field: "f", value: BigInt(value) } as const],
    priority: 0,
  });
  expect([0, 1, 2, 3].map((i) => handles.add(key(i)))).toEqual([0, 1, 2, 3]);
  for (const handle of [2, 0, 3]) handles.remove(handle);
  handles.remove(77);
  const again = 1 << 24;
  expect([4, 5, 6, 7].map((i) => handles.add(key(i)))).toEqual([again, again + 2, again + 3, 4]);
  // An entry that was added again has another handle, and the former one means nothing.
  expect(handles.add(key(1))).toBe(again + 1);
  expect(handles.handleOf(key(1))).toBe(again + 1);
  expect(handles.handleOf(key(0))).toBeUndefined();
  handles.clear();
  expect(handles.handleOf(key(1))).toBeUndefined();
  expect(handles.add(key(9))).toBe(0);
});

it("keys are the same in any order of their fields, and differ in kind, value and priority", () => {
  const parts: Match[] = [
    { kind: "exact", field: "a", value: 1n },
    { kind: "lpm", field: "b", value: 1n, prefixLength: 2 },
    { kind: "ternary", field: "c", value: 1n, mask: 3n },
    { kind: "range", field: "d", low: 1n, high: 2n },
  ];
  const text = keyText({ match: parts, priority: 1 });
  expect(keyText({ match: [...parts].reverse(), priority: 1 })).toBe(text);
  expect(keyText({ match: parts, priority: 2 })).not.toBe(text);
  const others: Match[] = [
    { kind: "exact", field: "a", value: 2n },
    { kind: "lpm", field: "b", value: 1n, prefixLength: 3 },
    { kind: "ternary", field: "c", value: 1n, mask: 1n },
    { kind: "range", field: "d", low: 1n, high: 3n },
  ];
  for (const [i, other] of others.entries())
    expect(keyText({ match: parts.with(i, other), priority: 1 })).not.toBe(text);
});

/** Statements on a device that lacks something. */
async function sayTo(device: Device, text: string, surroundings: Surroundings = {}) {
  const diagnostics = new Diagnostics();
  const lines: string[] = [];
  const data: unknown[] = [];
  const output = { print: (line: string) => lines.push(line), data: (value: unknown) => data.push(value) };
  await new Interpreter(device, surroundings).run(
    new SourceFile("s1-runtime.json", text),
    diagnostics,
    output,
  );
  return { lines, data, errors: diagnostics.list.map(({ code, message }) => `${code} ${message}`) };
}

describe("a switch", () => {
  it("of another maker has no BMv2 program, settings or ports", async () => {
    const index = new P4InfoIndex(createP4Info({ pkgInfo: { name: "other.p4" } }));
    for (const [text, error] of [
      ["set_crc16_parameters calc 1 2 3 0 1", "P43207"],
      ["set_queue_depth 3", "P43207"],
      ["show_ports", "P43207 `show_ports`"],
      ["reset_state", "P43207 `reset_state`: the switch does not report its BMv2 program"],
      ["save_state x", "P43207"],
    ] as const) {
      const { errors } = await sayTo(Object.assign(new MemoryDevice(), { index }), text);
      expect(errors).toEqual([expect.stringContaining(error)]);
    }
    const { lines } = await sayTo(Object.assign(new MemoryDevice(), { index }), "switch_info");
    expect(lines).toEqual(["name                     : memory", "program                  : other.p4"]);
  });

  it("without a program has nothing to name", async () => {
    for (const text of ["tables", "insert t 1 => a", '{"table_entries": []}']) {
      const { errors } = await sayTo(new MemoryDevice(), text);
      expect(errors).toEqual([expect.stringMatching(/^P43205 memory runs no program/)]);
    }
  });

  it("reports its ports with what they lost", async () => {
    const port = (number: number, more: Partial<PortDescription>): PortDescription => ({
      ...{ port: number, attachment: { kind: "interface", name: "veth1" }, up: true },
      ...{ received: 5, sent: 6, receiveDrops: 0, sendDrops: 0 },
      ...more,
    });
    const list: PortDescription[] = [
      port(1, {}),
      port(22, { up: false, receiveDrops: 7, sendDrops: 8 }),
      port(3, { attachment: { kind: "files", name: "run/p3" } }),
      port(4, { attachment: { kind: "interface", name: "eth0", namespace: "h2" } }),
    ];
    const ports = { list: async () => list, add: async () => {}, remove: async () => {} };
    const { lines, data } = await sayTo(Object.assign(new MemoryDevice(), { ports }), "show_ports");
    expect(lines).toEqual([
      "  port #       iface name       status  extra info",
      "=".repeat(50),
      "    1            veth1            UP    received=5; sent=6",
      "    22           veth1           DOWN   received=5; sent=6; receive_drops=7; send_drops=8",
      "    3            run/p3           UP    pcap files; received=5; sent=6",
      "    4             eth0            UP    netns=h2; received=5; sent=6",
    ]);
    const counts = { received: 5, sent: 6, receive_drops: 0, send_drops: 0 };
    expect(data).toEqual([
      { port: 1, interface: "veth1", up: true, ...counts },
      { port: 22, interface: "veth1", up: false, ...counts, receive_drops: 7, send_drops: 8 },
      { port: 3, files: "run/p3", up: true, ...counts },
      { port: 4, interface: "eth0", netns: "h2", up: true, ...counts },
    ]);
  });

  it("gets the program of a runtime file, from the paths that it names, and its entries", async () => {
    const { program } = start("l3").device;
    const text = JSON.stringify({
      ...{ bmv2_json: "build/l3.json", p4info: "build/l3.txt" },
      multicast_group_entries: [{ multicast_group_id: 3, replicas: [{ egress_port: 1 }] }],
    });
    const device = new MemoryDevice();
    const paths: (string | undefined)[] = [];
    const { lines, errors } = await sayTo(device, text, {
      loadProgram: async (path, _span, p4info) => {
        paths.push(path, p4info);
        return program!;
      },
    });
    expect(errors).toEqual([]);
    expect(paths).toEqual(["build/l3.json", "build/l3.txt"]);
    expect(lines).toEqual(["# build/l3.json is loaded", "# 1 update of s1-runtime.json written"]);
    expect(device.program).toBe(program);
    expect(await device.read([{ kind: "multicastGroup" }])).toHaveLength(1);
    const refused = await sayTo(new MemoryDevice(), text);
    expect(refused.errors).toEqual([expect.stringContaining("P43207 a program cannot be read here")]);
  });
});
