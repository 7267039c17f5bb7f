/** Broken input: whatever bytes arrive, the answer is a value or a proper refusal, never a fault. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import {
  decodeEntity,
  decodeQuery,
  decodeUpdate,
  encodeUpdate,
} from "../../../src/toolchain/p4runtime/codec/entity.js";
import { EntitySchema, UpdateSchema } from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { P4InfoIndex, readP4Info, validateP4Info } from "../../../src/toolchain/program/index.js";
import { sameP4Info } from "../../../src/toolchain/program/p4info/same.js";
import { entities } from "./arbitraries.js";
import { cpuProgram, wireOf } from "./helpers.js";

const wire = wireOf(cpuProgram());
const client = wireOf(cpuProgram(), true);

/** A few bytes set, put in or taken away. */
const mutations = fc.array(fc.tuple(fc.constantFrom("set", "insert", "remove"), fc.nat(), fc.nat(255)), {
  minLength: 1,
  maxLength: 4,
});

function mutate(bytes: Uint8Array, list: readonly (readonly [string, number, number])[]): Uint8Array {
  const out = [...bytes];
  for (const [what, where, value] of list) {
    const at = where % (out.length + 1);
    if (what === "insert") out.splice(at, 0, value);
    else if (what === "remove") out.splice(at, 1);
    else if (at < out.length) out[at] = value;
  }
  return Uint8Array.from(out);
}

function parse<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> | undefined {
  try {
    return fromBinary(schema, bytes);
  } catch {
    // gRPC refuses what is no message at all
    return undefined;
  }
}

function refusesProperly(task: () => unknown): void {
  try {
    task();
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
  }
}

describe("mutated messages", () => {
  it("are decoded or refused", () => {
    const type = fc.constantFrom("insert" as const, "modify" as const, "delete" as const);
    fc.assert(
      fc.property(entities(wire.index), type, mutations, (entity, kind, list) => {
        const bytes = mutate(toBinary(UpdateSchema, encodeUpdate(wire, { type: kind, entity })), list);
        const update = parse(UpdateSchema, bytes);
        if (update === undefined) return;
        refusesProperly(() => decodeUpdate(wire, update));
        const inner = update.entity;
        if (inner === undefined) return;
        refusesProperly(() => decodeQuery(wire, inner));
        refusesProperly(() => decodeEntity(client, inner));
      }),
      { numRuns: 3000 },
    );
  });

  it("of random bytes are decoded or refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const entity = parse(EntitySchema, bytes);
        if (entity !== undefined) refusesProperly(() => decodeQuery(wire, entity));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("mutated P4Info", () => {
  const text = readFileSync(join(import.meta.dirname, "../../golden/cpu/cpu.p4info.txtpb"));

  it("is read or reported, and what was read can be validated and looked up", () => {
    fc.assert(
      fc.property(mutations, (list) => {
        const source = new SourceFile("x.txtpb", Buffer.from(mutate(text, list)).toString("utf8"));
        const diagnostics = new Diagnostics();
        const info = readP4Info(source, "text", diagnostics);
        if ((info === undefined) !== diagnostics.hasErrors) throw new Error("neither read nor reported");
        if (info === undefined) return;
        validateP4Info(info, diagnostics);
        sameP4Info(info, cpuProgram().p4info);
        const index = new P4InfoIndex(info);
        for (const digest of index.digests.list) index.membersOf(digest.message.typeSpec);
      }),
      { numRuns: 300 },
    );
  });
});
