import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import type { ReadQuery } from "../../../src/toolchain/device/index.js";
import { decodeDigestList, encodeDigestList } from "../../../src/toolchain/p4runtime/codec/digest.js";
import {
  decodeEntity,
  decodeQuery,
  decodeUpdate,
  encodeQuery,
  encodeUpdate,
} from "../../../src/toolchain/p4runtime/codec/entity.js";
import {
  decodePacketIn,
  decodePacketOut,
  encodePacketIn,
  encodePacketOut,
} from "../../../src/toolchain/p4runtime/codec/packet.js";
import { CURRENT_DIALECT, LEGACY_DIALECT } from "../../../src/toolchain/p4runtime/codec/ports.js";
import { makeWire } from "../../../src/toolchain/p4runtime/codec/wire.js";
import { EntitySchema, UpdateSchema } from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { createP4Info, P4InfoIndex, readP4Info } from "../../../src/toolchain/program/index.js";
import { entities, metadataOf } from "./arbitraries.js";
import { codeOf, cpuProgram, wireOf } from "./helpers.js";

const golden = join(import.meta.dirname, "../../golden");

/** Programs of the golden data that have something to control. */
const programs = readdirSync(golden)
  .filter((name) => existsSync(join(golden, name, `${name}.p4info.txtpb`)))
  .map((name): [string, P4InfoIndex] => {
    const path = join(golden, name, `${name}.p4info.txtpb`);
    const p4info = readP4Info(new SourceFile(path, readFileSync(path, "utf8")), "text", new Diagnostics());
    return [name, new P4InfoIndex(p4info!)];
  });

describe("entities survive the wire", () => {
  for (const [name, index] of programs) {
    for (const dialect of [CURRENT_DIALECT, LEGACY_DIALECT]) {
      it(`${name}, ${dialect.legacyPorts ? "ports as integers" : "ports as bytes"}`, () => {
        const server = makeWire(index, dialect, false);
        const client = makeWire(index, dialect, true);
        fc.assert(
          fc.property(entities(index), (entity) => {
            const sent = toBinary(UpdateSchema, encodeUpdate(server, { type: "modify", entity }));
            const message = fromBinary(UpdateSchema, sent);
            expect(decodeEntity(client, message.entity!)).toEqual(entity);
            const [update] = decodeUpdate(server, message);
            // a server remembers the form of ports, which is not part of what the entity means
            if (!dialect.legacyPorts) expect(update).toEqual({ type: "modify", entity });
            const answer = encodeUpdate(makeWire(index, CURRENT_DIALECT, false), update!);
            expect(toBinary(UpdateSchema, answer)).toEqual(sent);
          }),
          { numRuns: 150 },
        );
      });
    }
  }

  it("a DELETE needs no more than the key", () => {
    const { index } = wireOf(cpuProgram());
    const wire = wireOf(cpuProgram());
    fc.assert(
      fc.property(
        entities(index).filter((e) =>
          ["tableEntry", "member", "group", "multicastGroup", "cloneSession"].includes(e.kind),
        ),
        (entity) => {
          const message = encodeUpdate(wire, { type: "delete", entity });
          const { entity: variant } = message.entity!;
          // nonsense in the parts that do not count
          if (variant.case === "tableEntry") variant.value.action = undefined;
          if (variant.case === "actionProfileMember") variant.value.action = undefined;
          if (variant.case === "actionProfileGroup") variant.value.maxSize = -5;
          if (
            variant.case === "packetReplicationEngineEntry" &&
            variant.value.type.case === "cloneSessionEntry"
          ) {
            variant.value.type.value.packetLengthBytes = -1;
          }
          expect([...decodeUpdate(wire, message)]).toHaveLength(1);
        },
      ),
    );
  });
});

describe("read requests survive the wire", () => {
  const wire = wireOf(cpuProgram());
  const { index } = wire;
  const [table, profile] = [index.tables.list[0]!.name, index.actionProfiles.list[0]!.name];
  const match = [{ kind: "exact", field: "hdr.eth.dst", value: 5n }] as const;
  const queries: ReadQuery[] = [
    { kind: "tableEntry", isDefault: false },
    { kind: "tableEntry", isDefault: false, table, match, counter: true, idle: true },
    { kind: "tableEntry", isDefault: true, table, meter: true },
    { kind: "tableEntry", isDefault: false, priority: 7 },
    { kind: "member" },
    { kind: "member", profile, memberId: 3 },
    { kind: "group", profile },
    { kind: "group", profile, groupId: 9 },
    { kind: "counter" },
    { kind: "counter", counter: index.counters.list[0]!.name, index: 0 },
    { kind: "meter", meter: index.meters.list[0]!.name },
    { kind: "register", register: index.registers.list[0]!.name, index: 1 },
    { kind: "directCounter" },
    { kind: "directCounter", table, match },
    { kind: "multicastGroup" },
    { kind: "multicastGroup", groupId: 4 },
    { kind: "cloneSession" },
    { kind: "cloneSession", sessionId: 4 },
    { kind: "digest" },
    { kind: "digest", digest: index.digests.list[0]!.name },
    { kind: "valueSet" },
  ];
  for (const query of queries) {
    it(
      Object.entries(query)
        .map(([k, v]) => `${k}=${typeof v === "object" ? "..." : v}`)
        .join(" "),
      () => {
        const message = fromBinary(EntitySchema, toBinary(EntitySchema, encodeQuery(wire, query)));
        expect(decodeQuery(wire, message).query).toEqual(query);
      },
    );
  }

  it("filters entries by action and metadata, as the standard allows", () => {
    const action = index.actions.byName("TheIngress.forward")!;
    const message = create(EntitySchema, {
      entity: {
        case: "tableEntry",
        value: {
          tableId: index.tables.list[0]!.id,
          action: { type: { case: "action", value: { actionId: action.id } } },
          metadata: Uint8Array.of(1, 2),
          controllerMetadata: 9n,
        },
      },
    });
    const { keep } = decodeQuery(wire, message);
    const entry = {
      kind: "tableEntry",
      table,
      match,
      priority: 0,
      action: { kind: "action", action: action.name, params: { port: 1n } },
      metadata: Uint8Array.of(1, 2),
      controllerMetadata: 9n,
    } as const;
    expect(keep!(entry)).toBe(true);
    expect(keep!({ ...entry, metadata: Uint8Array.of(1, 3) })).toBe(false);
    expect(keep!({ ...entry, controllerMetadata: 8n })).toBe(false);
    expect(keep!({ ...entry, action: { kind: "action", action: "TheIngress.drop", params: {} } })).toBe(
      false,
    );
  });
});

describe("packets", () => {
  const wire = wireOf(cpuProgram());
  it("keep payload and metadata", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        metadataOf(wire.index, "packet_in"),
        metadataOf(wire.index, "packet_out"),
        (payload, incoming, outgoing) => {
          const packetIn = { payload, metadata: incoming };
          expect(decodePacketIn(wire, encodePacketIn(wire, packetIn))).toEqual(packetIn);
          const packetOut = { payload, metadata: outgoing };
          expect(decodePacketOut(wire, encodePacketOut(wire, packetOut))).toEqual(packetOut);
        },
      ),
    );
  });

  it("need each metadata once, in range", async () => {
    const fields = wire.index.controllerHeaders.byName("packet_out")!.fields.list;
    const good = Object.fromEntries(fields.map((f) => [f.name, 0n]));
    const payload = Uint8Array.of(1);
    const { [fields[0]!.name]: _, ...missing } = good;
    expect(await codeOf(() => encodePacketOut(wire, { payload, metadata: missing }))).toBe(
      "INVALID_ARGUMENT",
    );
    expect(await codeOf(() => encodePacketOut(wire, { payload, metadata: { ...good, nothing: 1n } }))).toBe(
      "INVALID_ARGUMENT",
    );
    const wide = { ...good, [fields[0]!.name]: 1n << BigInt(fields[0]!.bitwidth) };
    expect(await codeOf(() => encodePacketOut(wire, { payload, metadata: wide }))).toBe("INVALID_ARGUMENT");
    const message = encodePacketOut(wire, { payload, metadata: good });
    message.metadata.push(message.metadata[0]!);
    expect(await codeOf(() => decodePacketOut(wire, message))).toBe("INVALID_ARGUMENT");
    message.metadata.splice(0, 2);
    expect(await codeOf(() => decodePacketOut(wire, message))).toBe("INVALID_ARGUMENT");
  });
});

describe("digest lists", () => {
  it("keep every kind of leaf, also nested and behind new types", async () => {
    const bit = (bitwidth: number) =>
      ({
        typeSpec: { case: "bitstring", value: { typeSpec: { case: "bit", value: { bitwidth } } } },
      }) as const;
    const int = (bitwidth: number) =>
      ({
        typeSpec: { case: "bitstring", value: { typeSpec: { case: "int", value: { bitwidth } } } },
      }) as const;
    const index = new P4InfoIndex(
      createP4Info({
        digests: [
          {
            preamble: { id: 0x17000001, name: "d", alias: "d" },
            typeSpec: { typeSpec: { case: "struct", value: { name: "s" } } },
          },
          {
            preamble: { id: 0x17000002, name: "h", alias: "h" },
            typeSpec: { typeSpec: { case: "header", value: { name: "x" } } },
          },
        ],
        typeInfo: {
          structs: {
            s: {
              members: [
                { name: "a", typeSpec: bit(48) },
                { name: "b", typeSpec: int(12) },
                { name: "c", typeSpec: { typeSpec: { case: "bool", value: {} } } },
                {
                  name: "d",
                  typeSpec: { typeSpec: { case: "tuple", value: { members: [bit(3), bit(70)] } } },
                },
                { name: "e", typeSpec: { typeSpec: { case: "newType", value: { name: "n" } } } },
                { name: "f", typeSpec: { typeSpec: { case: "serializableEnum", value: { name: "k" } } } },
              ],
            },
          },
          newTypes: { n: { representation: { case: "originalType", value: bit(9) } } },
          serializableEnums: { k: { underlyingType: { bitwidth: 5 } } },
        },
      }),
    );
    const wire = makeWire(index, CURRENT_DIALECT, false);
    const leaf = (width: number) => fc.bigInt(0n, (1n << BigInt(width)) - 1n);
    const row = fc.tuple(leaf(48), leaf(12), leaf(1), leaf(3), leaf(70), leaf(9), leaf(5));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 3 }), leaf(64), leaf(63), (data, listId, timestampNs) => {
        const list = { digest: "d", listId, timestampNs, data };
        expect(decodeDigestList(wire, encodeDigestList(wire, list))).toEqual(list);
      }),
    );
    const bad = { digest: "d", listId: 1n, timestampNs: 0n, data: [[1n]] };
    expect(await codeOf(() => encodeDigestList(wire, bad))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(() => encodeDigestList(wire, { ...bad, digest: "h" }))).toBe("UNIMPLEMENTED");
  });
});
