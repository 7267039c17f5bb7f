/** What a table lookup and an extraction say, for each kind of key, entry, meter and header. */
import { describe, expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile } from "../../../../src/base/index.js";
import type { Match, TableEntry } from "../../../../src/toolchain/device/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { type PacketTrace, Switch, type SwitchOptions } from "../../../../src/toolchain/switch/index.js";
import { fresh, ManualClock } from "../golden.js";
import { eventsOf } from "./features.js";

const SOURCE = `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; bit<12> c; bit<4> d; }
header empty_t { }
header s_t { bit<8> x; }
header_union u_t { s_t p; h_t q; }
struct headers { h_t h; empty_t nothing; s_t[2] s; u_t u; s_t absent; }
struct metadata { bit<2> first; bit<8> second; bit<8> done; }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t sm) {
  state start {
    p.extract(hdr.h); p.extract(hdr.nothing); p.extract(hdr.s.next); p.extract(hdr.s.next);
    transition select(hdr.h.a) { 9: more; default: accept; }
  }
  state more { p.extract(hdr.u.p); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t sm) {
  direct_meter<bit<2>>(MeterType.packets) slow;
  direct_meter<bit<8>>(MeterType.packets) fast;
  direct_counter(CounterType.packets) hits;
  action one() { slow.read(m.first); m.done = 1; }
  action two(bit<12> narrow, bit<40> wide) { fast.read(m.second); m.done = (bit<8>) narrow + (bit<8>) wide; }
  action plain() { m.done = 3; }
  table firsts { key = { hdr.h.a: exact; } actions = { one; NoAction; } meters = slow; size = 8; }
  table seconds { key = { hdr.h.a: exact; } actions = { two; NoAction; } meters = fast; counters = hits; size = 8; }
  table validities {
    key = { hdr.absent.isValid(): exact @name("absent"); hdr.u.isValid(): exact @name("union"); hdr.h.b: exact; }
    actions = { plain; NoAction; }
    size = 8;
  }
  table kinds {
    key = { hdr.h.a: ternary; hdr.h.b: optional; hdr.h.c: range; hdr.h.d: lpm; }
    actions = { plain; NoAction; }
    size = 8;
  }
  table fixed {
    key = { hdr.h.b: exact; }
    actions = { plain; NoAction; }
    const entries = { 5: plain(); }
  }
  apply {
    sm.egress_spec = 2;
    firsts.apply(); seconds.apply(); validities.apply(); kinds.apply(); fixed.apply();
  }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t sm) { apply { } }
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.h); p.emit(hdr.s); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;

const diagnostics = new Diagnostics();
const compiled = compile({ file: new SourceFile("tables.p4", SOURCE) }, diagnostics);
diagnostics.throwIfErrors();

function start(options: Partial<SwitchOptions> = {}) {
  const clock = new ManualClock();
  const traces: PacketTrace[] = [];
  const device = new Switch(fresh(compiled!.program), {
    clock,
    transmit: () => {},
    trace: (packet) => traces.push(packet),
    ...options,
  });
  const insert = (
    table: string,
    match: Match[],
    action: string,
    params = {},
    more: Partial<TableEntry> = {},
  ) =>
    device.apply([
      {
        type: "insert",
        entity: {
          kind: "tableEntry",
          table: `TheIngress.${table}`,
          match,
          priority: 0,
          action: { kind: "action", action: `TheIngress.${action}`, params },
          ...more,
        },
      },
    ]);
  const trace = (hex: string) => {
    device.receive(1, fromHex(hex)!);
    return traces.at(-1)!.root;
  };
  const lookup = (hex: string, table: string) =>
    eventsOf(trace(hex), "table_lookup").find(({ table_name }) => table_name === `TheIngress.${table}`)!;
  return { device, clock, traces, insert, trace, lookup };
}

const exact = (field: string, value: bigint): Match => ({ kind: "exact", field, value });
const PACKET = "01053451 0a0b".replaceAll(" ", "");

describe("a lookup", () => {
  it("shows the colour of its own direct meter and its own counter, where there is an entry", () => {
    const { device, insert, lookup } = start();
    insert("firsts", [exact("hdr.h.a", 1n)], "one");
    insert("seconds", [exact("hdr.h.a", 1n)], "two", { narrow: 1n, wide: 2n });
    // One packet at once, then none for a long time.
    device.apply([
      {
        type: "modify",
        entity: {
          kind: "directMeter",
          entry: {
            kind: "tableEntry",
            table: "TheIngress.seconds",
            match: [exact("hdr.h.a", 1n)],
            priority: 0,
          },
          config: { committedRate: 1n, committedBurst: 1n, peakRate: 1n, peakBurst: 1n },
        },
      },
    ]);
    expect(lookup(PACKET, "firsts").direct_meter).toBe("green");
    const second = lookup(PACKET, "seconds");
    expect(second.direct_meter).toBe("red");
    expect(second.direct_counter).toEqual({ packets: 2, bytes: 12 });
    expect(second.params).toEqual({ narrow: "0x001", wide: "0x0000000002" });
    expect(second.changes).toEqual([{ field: "metadata.second", before: "0x00", after: "0x02" }]);
    const first = lookup(PACKET, "firsts");
    expect(first).not.toHaveProperty("direct_counter");
    expect(first).not.toHaveProperty("changes");
    const miss = lookup("02053451 0a0b".replaceAll(" ", ""), "seconds");
    expect(miss).toMatchObject({ hit: false, action_name: "NoAction" });
    expect(miss).not.toHaveProperty("direct_meter");
    expect(miss).not.toHaveProperty("direct_counter");
    expect(lookup(PACKET, "kinds")).not.toHaveProperty("direct_meter");
  });

  it("has a value for a key of validity, also where the header is not valid", () => {
    const { insert, lookup } = start();
    insert("validities", [exact("absent", 0n), exact("union", 1n), exact("hdr.h.b", 5n)], "plain");
    const plain = lookup(PACKET, "validities");
    expect(plain.hit).toBe(false);
    expect(plain.key).toEqual([
      { field: "absent", match_type: "exact", value: "0x0" },
      { field: "union", match_type: "exact", value: "0x0" },
      { field: "hdr.h.b", match_type: "exact", value: "0x05" },
    ]);
    const union = lookup("09053451 0a0b0c".replaceAll(" ", ""), "validities");
    expect(union.hit).toBe(true);
    expect(union.key.map(({ value }) => value)).toEqual(["0x0", "0x1", "0x05"]);
  });

  it("shows the entry as each kind of match writes it", () => {
    const { insert, lookup } = start();
    const match: Match[] = [
      { kind: "ternary", field: "hdr.h.a", value: 1n, mask: 0x0fn },
      { kind: "optional", field: "hdr.h.b", value: 5n },
      { kind: "range", field: "hdr.h.c", low: 0x300n, high: 0x3ffn },
      { kind: "lpm", field: "hdr.h.d", value: 0n, prefixLength: 1 },
    ];
    insert("kinds", match.slice(0, 1), "plain", {}, { priority: 3 });
    insert("kinds", match, "plain", {}, { priority: 9 });
    const { key, matched_entry } = lookup(PACKET, "kinds");
    expect(key.map(({ match_type, value }) => [match_type, value])).toEqual([
      ["ternary", "0x01"],
      ["optional", "0x05"],
      ["range", "0x345"],
      ["lpm", "0x1"],
    ]);
    expect(matched_entry).toEqual({
      handle: 1,
      priority: 9,
      match: [
        { field: "hdr.h.a", match_type: "ternary", value: "0x01", mask: "0x0f" },
        { field: "hdr.h.b", match_type: "optional", value: "0x05" },
        { field: "hdr.h.c", match_type: "range", value: "0x300", high: "0x3ff" },
        { field: "hdr.h.d", match_type: "lpm", value: "0x0", prefix_length: 1 },
      ],
    });
  });

  it("says that an entry is of the program", () => {
    const { lookup } = start();
    expect(lookup(PACKET, "fixed").matched_entry).toEqual({
      handle: 0,
      match: [{ field: "hdr.h.b", match_type: "exact", value: "0x05" }],
      is_const: true,
    });
  });
});

describe("an extraction", () => {
  it("names the header, the element of the stack, and a header without fields", () => {
    const found = eventsOf(start().trace(PACKET), "extract");
    expect(found.map(({ header, packet_size, fields }) => [header, packet_size, fields.length])).toEqual([
      ["h", 4, 4],
      ["nothing", 0, 0],
      ["s[0]", 1, 1],
      ["s[1]", 1, 1],
    ]);
    expect(found[0]!.fields[2]).toEqual({ field: "h.c", value: "0x345" });
    expect(found[3]!.fields).toEqual([{ field: "s[1].x", value: "0x0b" }]);
  });
});

it("the time in a queue is from the end of ingress to the start of egress, absent where the wire was free", () => {
  // A packet of six bytes takes 48 us at 1 Mbit/s.
  const { device, clock, traces } = start({ queue: { rateBitsPerSecond: () => 1e6 } });
  clock.advance(100);
  for (let i = 0; i < 3; i++) device.receive(1, fromHex(PACKET)!);
  clock.advance(1000);
  const times = traces.map(({ root }) => {
    const stage = eventsOf(root, "pipeline_stage").find(({ stage_name }) => stage_name === "egress")!;
    return [stage.time_us, stage.queued_us];
  });
  expect(times).toEqual([
    [100, undefined],
    [148, 48],
    [196, 96],
  ]);
});
