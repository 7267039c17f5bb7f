/** What an entity keeps, refuses and changes (P4Runtime specification 9.1, 9.2, 9.6), where other tests do not come to it. */
import { describe, expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile } from "../../../../src/base/index.js";
import { DeviceError, type Entity, type Update } from "../../../../src/toolchain/device/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { fresh, goldenJson, ManualClock, startProgram } from "../golden.js";

const start = (name: string) => startProgram(goldenJson(name, `${name}.json`));

function codeOf(device: Switch, update: Update): string {
  try {
    device.apply([update]);
    return "OK";
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return error.code;
  }
}

const forwarded = (more: object = {}): Entity => ({
  kind: "tableEntry",
  table: "TheIngress.destinations",
  match: [{ kind: "exact", field: "hdr.eth.dst", value: 1n }],
  priority: 0,
  action: { kind: "action", action: "TheIngress.forward", params: { port: 5n } },
  ...more,
});

it("a register has the value before again when a batch is rolled back", () => {
  const { device } = start("memory");
  const [first] = device.query([{ kind: "register" }]);
  if (first?.kind !== "register") expect.fail("the program has no register");
  const write = (index: number, value: bigint): Update => ({
    type: "modify",
    entity: { kind: "register", register: first.register, index, value },
  });
  const value = () => device.query([{ kind: "register", register: first.register, index: 0 }]);
  device.apply([write(0, 1n)]);
  const before = value();
  expect(() => device.apply([write(0, 0n), write(-1, 1n)], "rollbackOnError")).toThrow(DeviceError);
  expect(value()).toEqual(before);
  expect(before).toMatchObject([{ value: 1n }]);
});

describe("a table entry", () => {
  it("gives back what the controller noted in it, and nothing where it noted nothing", () => {
    const { device } = start("cpu");
    const query = [{ kind: "tableEntry" as const, table: "TheIngress.destinations" }];
    const noted = forwarded({ controllerMetadata: 7n, metadata: Uint8Array.of(1, 2) });
    device.apply([{ type: "insert", entity: noted }]);
    expect(device.query(query)).toEqual([noted]);
    device.apply([{ type: "modify", entity: forwarded() }]);
    expect(device.query(query)).toEqual([forwarded()]);
  });

  const meter = { committedRate: 1n, committedBurst: 1n, peakRate: 1n, peakBurst: 1n };
  it.each<[string, object, string]>([
    ["a meter of a table without meters", { meter }, "INVALID_ARGUMENT"],
    ["an idle time below 0", { idleTimeoutNs: -1n }, "INVALID_ARGUMENT"],
    ["a count below 0", { counter: { packets: -1n, bytes: 0n } }, "INVALID_ARGUMENT"],
    ["a count", { counter: { packets: 1n, bytes: 0n } }, "OK"],
  ])("with %s", (_, more, code) => {
    const { device } = start("cpu");
    expect(codeOf(device, { type: "insert", entity: forwarded(more) })).toBe(code);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.destinations" }])).toHaveLength(
      code === "OK" ? 1 : 0,
    );
  });

  it("has an idle time in tables alone that support it", () => {
    const { device } = start("memory");
    const entity = (idleTimeoutNs: bigint): Entity => ({
      kind: "tableEntry",
      table: "TheIngress.kinds",
      match: [{ kind: "exact", field: "kind", value: 6n }],
      priority: 0,
      action: { kind: "action", action: "TheIngress.sort_of", params: {} },
      idleTimeoutNs,
    });
    expect(codeOf(device, { type: "insert", entity: entity(1n) })).toBe("INVALID_ARGUMENT");
    expect(codeOf(device, { type: "insert", entity: entity(0n) })).toBe("OK");
  });

  it("of a table with direct meters has its rates checked, and loses them when the write gives none", () => {
    const { device } = start("memory");
    const kind = (more: object): Entity => ({
      kind: "tableEntry",
      table: "TheIngress.kinds",
      match: [{ kind: "exact", field: "kind", value: 6n }],
      priority: 0,
      action: { kind: "action", action: "TheIngress.sort_of", params: {} },
      ...more,
    });
    const below = { ...meter, peakRate: 0n };
    expect(codeOf(device, { type: "insert", entity: kind({ meter: below }) })).toBe("INVALID_ARGUMENT");
    device.apply([{ type: "insert", entity: kind({ meter }) }]);
    const query = [{ kind: "tableEntry" as const, table: "TheIngress.kinds", meter: true }];
    expect(device.query(query)).toMatchObject([{ meter }]);
    device.apply([{ type: "modify", entity: { kind: "directMeter", entry: kind({}) } as Entity }]);
    expect(device.query(query)).not.toMatchObject([{ meter }]);
  });

  it("cannot replace a constant default action", () => {
    const { device } = start("cpu");
    const entity: Entity = {
      kind: "tableEntry",
      table: "TheIngress.filters",
      match: [],
      priority: 0,
      isDefault: true,
      action: { kind: "action", action: "TheIngress.drop", params: {} },
    };
    expect(codeOf(device, { type: "modify", entity })).toBe("PERMISSION_DENIED");
    // Nor can it be written as it is, or be reset (9.1.3).
    const { action: _, ...reset } = entity;
    const same = { kind: "action", action: "NoAction", params: {} } as const;
    expect(codeOf(device, { type: "modify", entity: { ...entity, action: same } })).toBe("PERMISSION_DENIED");
    expect(codeOf(device, { type: "modify", entity: reset })).toBe("PERMISSION_DENIED");
  });
});

describe("members and groups", () => {
  const profile = "TheIngress.spread";
  const member = (memberId: number, port: bigint): Entity => ({
    kind: "member",
    profile,
    memberId,
    action: { action: "TheIngress.use", params: { port } },
  });
  const group = (groupId: number, maxSize = 0): Entity => ({
    kind: "group",
    profile,
    groupId,
    members: [],
    maxSize,
  });

  it("are changed in their place", () => {
    const { device } = start("cpu");
    device.apply([
      { type: "insert", entity: member(3, 1n) },
      { type: "insert", entity: group(3, 2) },
      { type: "modify", entity: member(3, 2n) },
    ]);
    expect(device.query([{ kind: "member" }, { kind: "group" }])).toEqual([member(3, 2n), group(3, 2)]);
    // A group keeps the size that it was made with; 0 says nothing about it.
    expect(codeOf(device, { type: "modify", entity: group(3, 3) })).toBe("INVALID_ARGUMENT");
    expect(codeOf(device, { type: "modify", entity: group(3, 0) })).toBe("OK");
    expect(device.query([{ kind: "group" }])).toEqual([group(3, 2)]);
  });

  it.each(["modify", "delete"] as const)("are not found where there are none: %s", (type) => {
    const { device } = start("cpu");
    device.apply([
      { type: "insert", entity: member(1, 1n) },
      { type: "insert", entity: group(1) },
    ]);
    expect(codeOf(device, { type, entity: member(2, 1n) })).toBe("NOT_FOUND");
    expect(codeOf(device, { type, entity: group(2) })).toBe("NOT_FOUND");
  });

  it("have room for the members of the profile, and not for one more", () => {
    const { device } = start("cpu");
    for (let id = 0; id < 16; id++) device.apply([{ type: "insert", entity: member(id, 1n) }]);
    expect(codeOf(device, { type: "insert", entity: member(16, 1n) })).toBe("RESOURCE_EXHAUSTED");
  });
});

/** One byte; 1 sends a digest, 2 fails an assertion, 4 is dropped by ingress, 5 by egress. */
const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
struct seen_t { bit<8> what; }
header h_t { bit<8> what; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
  state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
  apply {
    if (hdr.h.what == 1) { digest<seen_t>(1, { hdr.h.what }); }
    assert(hdr.h.what != 2);
    if (hdr.h.what == 4) { mark_to_drop(s); }
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
  apply { if (hdr.h.what == 5) { mark_to_drop(s); } }
}
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

const diagnostics = new Diagnostics();
const compiled = compile({ file: new SourceFile("one-byte.p4", PROGRAM) }, diagnostics);
diagnostics.throwIfErrors();

describe("a digest", () => {
  it.each([
    ["sizes and times of 0", {}, "OK"],
    ["a list of less than 0", { maxListSize: -1 }, "INVALID_ARGUMENT"],
    ["a time before 0", { maxTimeoutNs: -1n }, "INVALID_ARGUMENT"],
    ["an acknowledgement before 0", { ackTimeoutNs: -1n }, "INVALID_ARGUMENT"],
  ])("with %s", (_, more, code) => {
    const device = new Switch(fresh(compiled!.program), { clock: new ManualClock(), transmit: () => {} });
    const entity = {
      kind: "digest" as const,
      digest: "seen_t",
      maxTimeoutNs: 0n,
      maxListSize: 0,
      ackTimeoutNs: 0n,
    };
    expect(codeOf(device, { type: "modify", entity })).toBe("NOT_FOUND");
    expect(codeOf(device, { type: "insert", entity: { ...entity, ...more } })).toBe(code);
    expect(codeOf(device, { type: "insert", entity })).toBe(code === "OK" ? "ALREADY_EXISTS" : "OK");
    expect(codeOf(device, { type: "delete", entity })).toBe("OK");
  });
});

describe("a dropped packet counts by its cause", () => {
  const frame = (what: number) => fromHex(`0${what}`)!;
  it.each<[string, number, string]>([
    ["a false assertion", 2, "assertion"],
    ["the drop port after ingress", 4, "ingress"],
    ["the drop port after egress", 5, "egress"],
  ])("%s", (_, what, cause) => {
    const device = new Switch(fresh(compiled!.program), { clock: new ManualClock(), transmit: () => {} });
    device.receive(1, frame(what));
    const { drops, dropped, aborted } = device.stats;
    expect(Object.entries(drops).filter(([, count]) => count !== 0)).toEqual([[cause, 1]]);
    expect([dropped, aborted]).toEqual([1, what === 2 ? 1 : 0]);
  });

  it("no program, and a port that is down", () => {
    const device = new Switch(undefined, { clock: new ManualClock(), transmit: () => {} });
    device.receive(1, frame(0));
    expect(device.stats).toMatchObject({ received: 1, dropped: 1, drops: { program: 1, port: 0 } });
    device.install(compiled!.program);
    device.setPortState(1, false);
    device.receive(1, frame(0));
    device.receive(2, frame(0));
    expect(device.stats).toMatchObject({ received: 3, dropped: 2, drops: { program: 1, port: 1 } });
  });
});
