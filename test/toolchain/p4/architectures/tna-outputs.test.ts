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

it("a control that is declared and not applied shows none of its instances, nor counts among the names", () => {
  const program = (apply: string) =>
    p4infoOf(
      tna({
        top: `control C(inout meta_t m) { Register<bit<16>, bit<8>>(4) r; Hash<bit<16>>(HashAlgorithm_t.CRC16) h;
          apply { m.x = h.get({ m.y }) + r.read(0); } }
          control Outer(inout meta_t m) { C() c; apply { c.apply(m); } }`,
        locals: "C() c; Outer() outer; Register<bit<16>, bit<8>>(4) own;",
        ingress: apply,
      }),
    );
  expect(instances(program("c.apply(meta); outer.apply(meta);"), "Register")).toEqual([
    "pipe.I.c.r",
    "pipe.I.outer.c.r",
    "pipe.I.own",
  ]);
  const one = program("c.apply(meta);");
  expect(instances(one, "Register")).toEqual(["pipe.I.c.r", "pipe.I.own"]);
  expect(instances(one, "DynHash")).toEqual(["pipe.I.c.h"]);
  const aliases = one.externs.flatMap((kind) => kind.instances.map(({ preamble }) => preamble!.alias));
  expect(aliases).toContain("r");
  expect(instances(program(""), "Register")).toEqual(["pipe.I.own"]);
});

it("a number of an annotation for the back end is its value, also where a constant names it", () => {
  const shown = (annotation: string): string[] =>
    p4infoOf(
      tna({
        top: "const int NOTIFY = 2;\n#define TWO 2\n",
        locals: `${annotation} table t { key = { meta.z : exact; } actions = { NoAction; } }`,
        ingress: "t.apply();",
      }),
    ).tables[0]!.preamble!.annotations;
  expect(shown("@idletime_precision(NOTIFY)")).toEqual(["@idletime_precision(2)"]);
  expect(shown("@idletime_precision(NOTIFY + 1)")).toEqual(["@idletime_precision(3)"]);
  expect(shown("@idletime_precision(TWO)")).toEqual(["@idletime_precision(2)"]);
  // What p4c does not read as expressions stays text.
  expect(shown("@pa_something(NOTIFY)")).toEqual(["@pa_something(NOTIFY)"]);
});

it("the parsers of a pipe with several are named by their places, and listed as choices", () => {
  const p4info = p4infoOf(
    tna({
      parserLocals: "value_set<bit<8>>(4) vs;",
      states: "state next { transition select(pkt.lookahead<bit<8>>()) { vs : accept; default : accept; } }",
      main: `IngressParsers(IP(), IP()) in_parsers;
        @name("out") EgressParsers(EP()) out_parsers;
        MultiParserPipeline(in_parsers, I(), ID(), out_parsers, E(), ED()) mine;
        MultiParserSwitch(mine) main;`,
    }),
  );
  expect(instances(p4info, "PortMetadata")).toEqual([
    "pipe0.in_parsers.prsr0.$PORT_METADATA",
    "pipe0.in_parsers.prsr1.$PORT_METADATA",
  ]);
  expect(instances(p4info, "ValueSet")).toEqual([
    "pipe0.in_parsers.prsr0.IP.vs",
    "pipe0.in_parsers.prsr1.IP.vs",
  ]);
  expect(instances(p4info, "ParserChoices")).toEqual(["mine.in_parsers", "mine.out"]);
  const text = writeP4InfoText(p4info);
  expect(text).toContain('arch_name: "mine.in_parsers.prsr1"');
  expect(text).toContain('type_name: "EP"');
  const diagnostics = new Diagnostics();
  const tables = bfrtSchema(p4info, diagnostics)?.tables.map(({ name }) => name);
  expect(tables).toContain("pipe0.in_parsers.prsr1.$PORT_METADATA");
});

it("snapshots capture fields of a type that the program declares with `type`, with the width of what it stands for", () => {
  const p4info = p4infoOf(
    tna({ metadata: "mac_t mac;" }).replace("header h_t", "type bit<48> mac_t;\nheader h_t"),
  );
  const text = writeP4InfoText(p4info);
  expect(text).toMatch(/name: "meta\.mac"\s+bitwidth: 48/);
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
