import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import type { Entity, TableEntry } from "../../../src/toolchain/device/index.js";
import { encodeEntity } from "../../../src/toolchain/p4runtime/codec/entity.js";
import { CURRENT_DIALECT } from "../../../src/toolchain/p4runtime/codec/ports.js";
import { encodeReadResponse } from "../../../src/toolchain/p4runtime/codec/read-response.js";
import { makeWire, type Wire } from "../../../src/toolchain/p4runtime/codec/wire.js";
import {
  type Entity as EntityMessage,
  ReadResponseSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { P4InfoIndex, readP4Info } from "../../../src/toolchain/program/index.js";
import { entities } from "./arbitraries.js";
import { refusal } from "./helpers.js";

const golden = join(import.meta.dirname, "../../golden");

function wireOfGolden(name: string): Wire {
  const path = join(golden, name, `${name}.p4info.txtpb`);
  const p4info = readP4Info(new SourceFile(path, readFileSync(path, "utf8")), "text", new Diagnostics());
  return makeWire(new P4InfoIndex(p4info!), CURRENT_DIALECT, false);
}

const cpu = wireOfGolden("cpu");

function entry(changes: Partial<TableEntry>): TableEntry {
  return {
    kind: "tableEntry",
    table: "TheIngress.destinations",
    match: [{ kind: "exact", field: "hdr.eth.dst", value: 1n }],
    priority: 0,
    action: { kind: "action", action: "TheIngress.forward", params: { port: 1n } },
    ...changes,
  };
}

/** Programs of the golden data that have something to control. */
const programs = readdirSync(golden).filter((name) => existsSync(join(golden, name, `${name}.p4info.txtpb`)));

function generated(wire: Wire, list: readonly Entity[]): Uint8Array {
  const entities = list.map((entity) => encodeEntity(wire, entity));
  return toBinary(ReadResponseSchema, create(ReadResponseSchema, { entities }));
}

describe("a ReadResponse has the bytes of the generated code", () => {
  for (const name of programs) {
    it(`random entities of ${name}`, () => {
      const wire = wireOfGolden(name);
      fc.assert(
        fc.property(fc.array(entities(wire.index), { maxLength: 20 }), (list) => {
          expect(encodeReadResponse(wire, list)).toEqual(generated(wire, list));
        }),
        { numRuns: 100 },
      );
    });
  }

  const MAX_INT64 = 2n ** 63n - 1n;
  const parts: [string, Partial<TableEntry>][] = [
    ["the widest value", { match: [{ kind: "exact", field: "hdr.eth.dst", value: 2n ** 48n - 1n }] }],
    ["a value of 0", { match: [{ kind: "exact", field: "hdr.eth.dst", value: 0n }] }],
    ["a value beyond 31 bits", { match: [{ kind: "exact", field: "hdr.eth.dst", value: 2n ** 31n }] }],
    ["the largest priority", { priority: 2 ** 31 - 1 }],
    ["a constant default entry", { match: [], isDefault: true, isConst: true }],
    ["a member of id 0", { action: { kind: "member", memberId: 0 } }],
    ["the largest group id", { action: { kind: "group", groupId: 2 ** 32 - 1 } }],
    ["counters of 0", { counter: { packets: 0n, bytes: 0n } }],
    ["counters on both sides of 2^53", { counter: { packets: 2n ** 53n - 1n, bytes: 2n ** 53n } }],
    ["numbers of 64 bits", { idleTimeoutNs: MAX_INT64, controllerMetadata: 2n ** 64n - 1n }],
    ["the time since the last hit", { elapsedNs: 5n }],
    ["a meter", { meter: { committedRate: 1n, committedBurst: 2n, peakRate: 3n, peakBurst: 4n } }],
    ["metadata of 40,000 bytes", { metadata: new Uint8Array(40_000).fill(7) }],
  ];
  for (const [what, part] of parts) {
    it(what, () => {
      const list = [entry({}), entry(part), entry({})];
      expect(encodeReadResponse(cpu, list)).toEqual(generated(cpu, list));
    });
  }

  it("thousands of entries", () => {
    const list = Array.from({ length: 5000 }, (_, i) => entry({ priority: i }));
    expect(encodeReadResponse(cpu, list)).toEqual(generated(cpu, list));
  });
});

it("only the entities to keep are answered", () => {
  const list = [1, 2, 3, 4].map((priority) => entry({ priority }));
  const keep = ({ entity }: EntityMessage): boolean =>
    entity.case === "tableEntry" && entity.value.priority % 2 === 0;
  const { entities: answered } = fromBinary(ReadResponseSchema, encodeReadResponse(cpu, list, keep));
  expect(answered).toEqual([list[1]!, list[3]!].map((kept) => encodeEntity(cpu, kept)));
});

describe("what cannot be encoded is refused as by the generated code", () => {
  const wrong: [string, Partial<TableEntry>][] = [
    ["an unknown table", { table: "nothing" }],
    ["an unknown field", { match: [{ kind: "exact", field: "nothing", value: 1n }] }],
    ["a match of another kind", { match: [{ kind: "optional", field: "hdr.eth.dst", value: 1n }] }],
    ["a value too wide", { match: [{ kind: "exact", field: "hdr.eth.dst", value: 2n ** 48n }] }],
    ["a negative value", { match: [{ kind: "exact", field: "hdr.eth.dst", value: -1n }] }],
    ["an unknown action", { action: { kind: "action", action: "nothing", params: {} } }],
    ["a missing parameter", { action: { kind: "action", action: "TheIngress.forward", params: {} } }],
    [
      "a parameter too many",
      { action: { kind: "action", action: "TheIngress.forward", params: { port: 1n, x: 1n } } },
    ],
    ["a priority below 0", { priority: -1 }],
    ["a member id beyond 32 bits", { action: { kind: "member", memberId: 2 ** 32 } }],
    ["a counter beyond 63 bits", { counter: { packets: 2n ** 63n, bytes: 0n } }],
  ];
  const filter = (match: TableEntry["match"]): Partial<TableEntry> => ({
    ...{ table: "TheIngress.filters", priority: 1, match },
    action: { kind: "action", action: "TheIngress.drop", params: {} },
  });
  const source = (value: bigint, mask: bigint) =>
    filter([{ kind: "ternary", field: "hdr.eth.src", value, mask }]);
  const type = (low: bigint, high: bigint) => filter([{ kind: "range", field: "hdr.eth.type", low, high }]);
  const prefix = (value: bigint, prefixLength: number): Partial<TableEntry> => ({
    table: "TheIngress.types",
    match: [{ kind: "lpm", field: "hdr.eth.type", value, prefixLength }],
    action: { kind: "action", action: "TheIngress.set_vlan", params: { vlan: 1n } },
  });
  wrong.push(
    ["a ternary value too wide", source(2n ** 48n, 1n)],
    ["a mask too wide", source(1n, 2n ** 48n)],
    ["a low bound too wide", type(2n ** 16n, 2n ** 16n)],
    ["a high bound too wide", type(1n, 2n ** 16n)],
    ["an optional value too wide", filter([{ kind: "optional", field: "sm.ingress_port", value: 512n }])],
    ["a prefix of a value too wide", prefix(2n ** 16n, 8)],
    ["a negative prefix", prefix(0n, -1)],
    ["half a prefix", prefix(0n, 0.5)],
    ["a priority beyond 31 bits", { priority: 2 ** 31 }],
    ["a priority that is no whole number", { priority: 1.5 }],
    ["a negative group id", { action: { kind: "group", groupId: -1 } }],
    ["negative packets", { counter: { packets: -1n, bytes: 0n } }],
    ["bytes beyond 63 bits", { counter: { packets: 0n, bytes: 2n ** 63n } }],
    ["an idle timeout beyond 63 bits", { idleTimeoutNs: 2n ** 63n }],
    ["a cookie beyond 64 bits", { controllerMetadata: 2n ** 64n }],
    ["a negative cookie", { controllerMetadata: -1n }],
    [
      "a parameter too wide",
      { action: { kind: "action", action: "TheIngress.forward", params: { port: 512n } } },
    ],
  );
  for (const [what, part] of wrong) {
    it(what, async () => {
      const list = [entry({}), entry(part)];
      const expected = await refusal(() => generated(cpu, list));
      expect(await refusal(() => encodeReadResponse(cpu, list))).toEqual(expected);
    });
  }
});
