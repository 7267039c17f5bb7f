/** Sizes of the messages on a simulated control channel: by the rule, and beside the real encoding of P4Runtime. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import {
  entityBytes,
  eventBytes,
  MESSAGE_BYTES,
  packetBytes,
  queryBytes,
} from "../../../../src/fabric/sim/packet/control-messages.js";
import type {
  DeviceEvent,
  Entity,
  Match,
  ReadQuery,
  TableEntry,
} from "../../../../src/toolchain/device/index.js";
import { encodeUpdate } from "../../../../src/toolchain/p4runtime/codec/entity.js";
import { CURRENT_DIALECT } from "../../../../src/toolchain/p4runtime/codec/ports.js";
import { makeWire } from "../../../../src/toolchain/p4runtime/codec/wire.js";
import { UpdateSchema } from "../../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { P4InfoIndex, readP4Info } from "../../../../src/toolchain/program/index.js";
import { entities } from "../../../toolchain/p4runtime/arbitraries.js";

/** Tags, lengths and the identifier of any entity. */
const HEADER = 12;

const matches: [Match, number][] = [
  [{ kind: "exact", field: "f", value: 0n }, 9],
  [{ kind: "exact", field: "f", value: 0xffn }, 9],
  [{ kind: "exact", field: "f", value: 0x100n }, 10],
  [{ kind: "exact", field: "f", value: 0xffff_ffffn }, 12],
  [{ kind: "optional", field: "f", value: 0xffff_ffffn }, 12],
  [{ kind: "lpm", field: "f", value: 0x0a00_0000n, prefixLength: 8 }, 14],
  [{ kind: "ternary", field: "f", value: 1n, mask: 0xffffn }, 13],
  [{ kind: "range", field: "f", low: 1n, high: 0x100n }, 13],
];
const entry = (match: readonly Match[]) => ({ kind: "tableEntry" as const, table: "t", match, priority: 0 });
const call = { action: "a", params: {} };
const params = { a: 1n, b: 0x1234n };
const exact: Match = { kind: "exact", field: "f", value: 0n };

const sizes: [string, Entity, number][] = [
  ["an entry without key and action", entry([]), HEADER],
  ["an action", { ...entry([]), action: { kind: "action", ...call } }, HEADER + 10],
  ["an action with parameters", { ...entry([]), action: { kind: "action", ...call, params } }, HEADER + 25],
  ["a reference to a member", { ...entry([]), action: { kind: "member", memberId: 1 } }, HEADER + 8],
  ["a reference to a group", { ...entry([]), action: { kind: "group", groupId: 1 } }, HEADER + 8],
  [
    "two actions of one shot",
    {
      ...entry([]),
      action: {
        kind: "oneShot",
        actions: [
          { ...call, weight: 1 },
          { ...call, weight: 2 },
        ],
      },
    },
    HEADER + 32,
  ],
  ["a direct counter", { kind: "directCounter", entry: entry([exact]), data: zero() }, 2 * HEADER + 25],
  ["a direct meter", { kind: "directMeter", entry: entry([]) }, 2 * HEADER + 16],
  ["a member", { kind: "member", profile: "p", memberId: 1, action: call }, HEADER + 14],
  [
    "a group",
    {
      kind: "group",
      profile: "p",
      groupId: 1,
      members: [
        { memberId: 1, weight: 1 },
        { memberId: 2, weight: 1 },
      ],
      maxSize: 0,
    },
    HEADER + 30,
  ],
  ["a multicast group", { kind: "multicastGroup", groupId: 1, replicas: replicas(3) }, HEADER + 24],
  [
    "a clone session",
    { kind: "cloneSession", sessionId: 1, replicas: replicas(1), classOfService: 0, packetLengthBytes: 0 },
    HEADER + 8,
  ],
  ["a value set", { kind: "valueSet", valueSet: "v", members: [[exact], [exact]] }, HEADER + 18],
  ["a register cell", { kind: "register", register: "r", index: 0, value: 0x100n }, HEADER + 8],
  ["a counter cell", { kind: "counter", counter: "c", index: 0, data: zero() }, HEADER + 16],
  ["a meter cell", { kind: "meter", meter: "m", index: 0 }, HEADER + 16],
];

function zero() {
  return { packets: 0n, bytes: 0n };
}

function replicas(count: number) {
  return Array.from({ length: count }, (_, instance) => ({ port: 1, instance }));
}

describe("bytes of an entity", () => {
  it.each(sizes)("%s", (_, entity, bytes) => {
    expect(entityBytes(entity)).toBe(bytes);
  });

  it.each(matches)("a key of %o", (match, bytes) => {
    expect(entityBytes(entry([match]))).toBe(HEADER + bytes);
    expect(entityBytes(entry([match, match]))).toBe(HEADER + 2 * bytes);
    expect(queryBytes({ kind: "tableEntry", match: [match] })).toBe(HEADER + bytes);
  });
});

describe("bytes of queries, packets and events", () => {
  it.each<[ReadQuery, number]>([
    [{ kind: "tableEntry" }, HEADER],
    [{ kind: "register", register: "r", index: 1 }, HEADER],
    [{ kind: "directCounter", table: "t", match: [exact, exact] }, HEADER + 18],
  ])("%o", (query, bytes) => {
    expect(queryBytes(query)).toBe(bytes);
  });

  const packet = { payload: new Uint8Array(100), metadata: { port: 1n, time: 0x100n } };
  it("a packet has its payload and its metadata", () => {
    expect(packetBytes({ payload: new Uint8Array(100), metadata: {} })).toBe(104);
    expect(packetBytes(packet)).toBe(104 + 7 + 8);
  });

  it.each<[DeviceEvent, number]>([
    [{ kind: "packetIn", packet }, 119],
    [{ kind: "portState", port: 1, up: false }, 0],
    [{ kind: "idleTimeout", entries: [entry([]), entry([exact])], timestampNs: 0n }, 2 * HEADER + 9],
    [{ kind: "digest", list: { digest: "d", listId: 1n, data: [[1n, 2n], [3n]], timestampNs: 0n } }, 24],
  ])("%o", (event, bytes) => {
    expect(eventBytes(event)).toBe(MESSAGE_BYTES + bytes);
  });
});

/** Kinds that schemes write most; their sizes are within 5 bytes. Rates, bursts and other optional numbers make up to 40. */
const CLOSE: readonly Entity["kind"][] = ["tableEntry", "member", "register"];

describe("beside the real encoding", () => {
  const golden = join(import.meta.dirname, "../../../golden");
  it.each(["cpu", "selector", "memory"])(
    "an update of program %s is as large but for a few bytes",
    (name) => {
      const path = join(golden, name, `${name}.p4info.txtpb`);
      const text = new SourceFile(path, readFileSync(path, "utf8"));
      const index = new P4InfoIndex(readP4Info(text, "text", new Diagnostics())!);
      const wire = makeWire(index, CURRENT_DIALECT, false);
      fc.assert(
        fc.property(entities(index), (drawn) => {
          const entity = drawn.kind === "tableEntry" ? keyAndAction(drawn) : drawn;
          const { length } = toBinary(UpdateSchema, encodeUpdate(wire, { type: "modify", entity }));
          expect(Math.abs(entityBytes(entity) - length)).toBeLessThanOrEqual(
            CLOSE.includes(entity.kind) ? 5 : 40,
          );
        }),
        { seed: 1, numRuns: 200 },
      );
    },
  );
});

/** What schemes write of an entry. */
function keyAndAction({ kind, table, match, priority, action }: TableEntry): TableEntry {
  return { kind, table, match, priority, ...(action === undefined ? {} : { action }) };
}
