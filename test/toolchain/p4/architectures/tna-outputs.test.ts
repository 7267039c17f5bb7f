/** P4Info and bf-rt.json of TNA programs: a recorded program with each kind of instance, and rules that need programs of their own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { build, controlPlaneOf } from "../../../../src/toolchain/p4/index.js";
import {
  bfrtSchema,
  type P4Info,
  readP4Info,
  sameBfrt,
  sameP4Info,
  validateP4Info,
  writeBfrt,
  writeP4InfoText,
} from "../../../../src/toolchain/program/index.js";
import { tna } from "./tna.js";

const golden = join(import.meta.dirname, "../../../golden/tna");

function p4infoOf(text: string): P4Info {
  const diagnostics = new Diagnostics();
  const built = build({ file: new SourceFile("program.p4", text) }, diagnostics);
  const p4info = built && controlPlaneOf(built, diagnostics);
  diagnostics.throwIfErrors();
  return p4info!;
}

function instances(p4info: P4Info, kind: string): string[] {
  const of = p4info.externs.find((one) => one.externTypeName === kind);
  return of?.instances.map(({ preamble }) => preamble!.name) ?? [];
}

it("the recorded program has the recorded outputs", async () => {
  const p4info = p4infoOf(readFileSync(join(golden, "controllers.p4"), "utf8"));
  await expect(writeP4InfoText(p4info)).toMatchFileSnapshot(join(golden, "controllers.txtpb"));
  const diagnostics = new Diagnostics();
  expect(validateP4Info(p4info, diagnostics)).toBe(true);
  const schema = bfrtSchema(p4info, diagnostics);
  expect(diagnostics.list).toEqual([]);
  await expect(writeBfrt(schema!)).toMatchFileSnapshot(join(golden, "controllers.bf-rt.json"));
});

it("the text of the P4Info has all that the schema needs", () => {
  const p4info = p4infoOf(readFileSync(join(golden, "controllers.p4"), "utf8"));
  const diagnostics = new Diagnostics();
  const again = readP4Info(new SourceFile("x.txtpb", writeP4InfoText(p4info)), undefined, diagnostics)!;
  expect(sameP4Info(p4info, again)).toEqual([]);
  expect(sameBfrt(bfrtSchema(p4info, diagnostics), bfrtSchema(again, diagnostics))).toEqual([]);
});

it("a hash is shown where one place computes it: an action that two tables run is two places", () => {
  const program = (tables: number) =>
    p4infoOf(
      tna({
        locals: `Hash<bit<16>>(HashAlgorithm_t.CRC16) h;
          action a() { meta.x = h.get({ hdr.h.a }); }
          table s { key = { meta.z : exact; } actions = { a; } }
          table t { key = { meta.z : exact; } actions = { a; } }`,
        ingress: tables === 2 ? "s.apply(); t.apply();" : "s.apply();",
      }),
    );
  expect(instances(program(1), "DynHash")).toEqual(["pipe.I.h"]);
  expect(instances(program(2), "DynHash")).toEqual([]);
});

it("an instance outside of blocks has the prefix of the pipe that takes it as an argument, or none", () => {
  const p4info = p4infoOf(
    tna({
      top: "Register<bit<16>, bit<8>>(4) used; Register<bit<16>, bit<8>>(4) unused;",
      locals: `RegisterAction<bit<16>, bit<8>, bit<16>>(used) act = {
          void apply(inout bit<16> value) { value = value + 1; } };`,
      ingress: "act.execute(meta.z);",
    }),
  );
  expect(instances(p4info, "Register")).toEqual(["pipe.used", "unused"]);
});

it("the tables and instances of two pipes are told apart by the names of the pipes", () => {
  const pipe = "Pipeline(IP(), I(), ID(), EP(), E(), ED())";
  const p4info = p4infoOf(
    tna({
      locals: `Register<bit<16>, bit<8>>(4) r;
        action a() { meta.x = r.read(meta.z); }
        table t { key = { meta.z : exact; } actions = { a; } }`,
      ingress: "t.apply();",
      main: `${pipe} first; ${pipe} second; Switch(first, second) main;`,
    }),
  );
  expect(p4info.tables.map(({ preamble }) => preamble!.name)).toEqual(["first.I.t", "second.I.t"]);
  expect(p4info.actions.map(({ preamble }) => preamble!.name).sort()).toEqual(["I.a", "NoAction"]);
  expect(instances(p4info, "Register")).toEqual(["first.I.r", "second.I.r"]);
  expect(instances(p4info, "Snapshot").sort()).toEqual([
    "first.E.E",
    "first.I.I",
    "second.E.E",
    "second.I.I",
  ]);
});

it("a table has 512 entries where it does not say, and those of min_size", () => {
  const size = (property: string): bigint =>
    p4infoOf(
      tna({
        locals: `table t { key = { meta.z : exact; } actions = { NoAction; } ${property} }`,
        ingress: "t.apply();",
      }),
    ).tables[0]!.size;
  expect(size("")).toBe(512n);
  expect(size("min_size = 64;")).toBe(64n);
  expect(size("size = 2000;")).toBe(2000n);
});
