/** Pragmas of tables that ask for a place or a layout: obeyed, or noted. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FitResult, fitProgram, type Target } from "../../../src/toolchain/fit/index.js";
import { askedWays } from "../../../src/toolchain/fit/memory/exact.js";
import { isNamed, pragmasOf, stageFor } from "../../../src/toolchain/fit/model/pragmas.js";
import { placeExactly } from "../../../src/toolchain/fit/place/exact.js";
import { verifyPlacement } from "../../../src/toolchain/fit/place/verify.js";
import { compileText, loadTarget } from "./golden.js";
import { FIELDS, smaller, wrap } from "./programs.js";
import { fitWords } from "./tna-fit.js";

const tofino = loadTarget("tofino");

function fitOf(
  tables: readonly [pragma: string, name: string, key: string, to: string, size?: number][],
  target: Target = tofino,
): FitResult {
  const locals = tables.map(
    ([pragma, name, key, to, size = 16]) => `action ${name}_go(bit<32> v) { h.d.${to} = v; }
  ${pragma} table ${name} { key = { h.d.${key}; } actions = { ${name}_go; NoAction; } size = ${size}; default_action = NoAction(); }`,
  );
  const apply = tables.map(([, name]) => `${name}.apply();`).join(" ");
  const { program, error } = compileText(wrap(FIELDS, locals.join("\n"), apply));
  expect(error).toBeUndefined();
  return fitProgram(program!, target);
}

const stagesOf = ({ placement }: FitResult) =>
  Object.fromEntries(placement.parts.map(({ unit, stage }) => [unit.name.split(".")[1], stage]));

describe("pragmas of a table", () => {
  it("@stage lets it wait, what needs it too, and leaves stages empty", async () => {
    const result = fitOf([
      ["@stage(4)", "t", "a: exact", "b"],
      ["", "u", "b: exact", "c"],
      ["", "w", "e: exact", "f"],
    ]);
    expect(stagesOf(result)).toEqual({ t: 4, u: 5, w: 0 });
    expect(result.verdict).toBe("placed");
    const exact = await placeExactly(result.problem, result.placement, { timeLimit: 5 });
    expect(exact.placement.parts.find(({ unit }) => unit.name === "Ing.t")!.stage).toBeGreaterThanOrEqual(4);
    const early = {
      ...result.placement,
      parts: result.placement.parts.map((part) =>
        part.unit.name === "Ing.t" ? { ...part, stage: 0 } : part,
      ),
    };
    expect(verifyPlacement(result.problem, early)).toContain(
      "Ing.t is before the stage that its pragma asks for",
    );
  });

  it("@stage in the last stages makes the program need more than the device has", () => {
    const result = fitOf([
      ["@stage(11)", "t", "a: exact", "b"],
      ["", "u", "b: exact", "c"],
    ]);
    expect([result.verdict, result.stages]).toEqual(["fits by counts", 13]);
  });

  it("@stage of a passed stage asks for nothing", () => {
    expect(
      stagesOf(
        fitOf([
          ["", "t", "a: exact", "b"],
          ["@stage(0)", "u", "b: exact", "c"],
        ]),
      ),
    ).toEqual({ t: 0, u: 1 });
    expect([0, 3, 5, 9].map((at) => stageFor({ ...pragmasOf(["@stage(5)", "@stage(3)"]) }, at))).toEqual([
      3, 3, 5, 9,
    ]);
  });

  it.each(["@placement_priority(1)", '@placement_priority("Ing.u")'])(
    "%s takes the place of another table",
    (pragma) => {
      const one = smaller(tofino)({ ternary_tables: 1 });
      const tables = (own: string) =>
        fitOf(
          [
            [own, "t", "a: ternary", "c"],
            ["", "u", "b: ternary", "e"],
          ],
          one,
        );
      expect(stagesOf(tables(""))).toEqual({ t: 1, u: 0 });
      expect(stagesOf(tables(pragma))).toEqual({ t: 0, u: 1 });
    },
  );

  it("@ignore_table_dependency lets both tables be in one stage, and names a table by its end", () => {
    const tables = (pragma: string) =>
      fitOf([
        ["", "t", "a: exact", "b"],
        [pragma, "u", "b: exact", "c"],
      ]);
    expect(stagesOf(tables(""))).toEqual({ t: 0, u: 1 });
    expect(stagesOf(tables('@ignore_table_dependency("t")'))).toEqual({ t: 0, u: 0 });
    expect(stagesOf(tables('@ignore_table_dependency("x")'))).toEqual({ t: 0, u: 1 });
    // No name, and the end of a word, name no table.
    expect(stagesOf(tables('@ignore_table_dependency("")'))).toEqual({ t: 0, u: 1 });
    expect(isNamed(["t"], "Ingress.acl_t")).toBe(false);
    expect(isNamed(["t", "Ingress.t"], "pipe.Ingress.t")).toBe(true);
  });

  it("@ways, @pack and @ternary choose the layout", () => {
    const layout = (pragma: string, size = 4096) =>
      fitOf([[pragma, "t", "a: exact", "b", size]]).placement.parts[0]!.layout;
    expect(layout("@ways(6)").wayRams).toHaveLength(6);
    expect(layout("@ways(2)").wayRams).toHaveLength(2);
    expect(layout("@pack(2)").entriesPerWord).toBe(2);
    expect(layout("").entriesPerWord).not.toBe(2);
    expect(layout("@ternary(1)")).toMatchObject({ match: "ternary", tcams: 8 });
    expect(layout("@ternary(0)").match).toBe("exact");
  });

  it("@ways divides a depth into powers of two, as the compiler does", () => {
    expect(askedWays(10, 3)).toEqual([4, 4, 2]);
    expect(askedWays(1, 4)).toEqual([1, 1, 1, 1]);
    expect(askedWays(7, 2)).toEqual([4, 4]);
  });

  it("are noted once each where fit does not consider them", () => {
    const result = fitOf([
      ["@use_hash_action(1)", "t", "a: exact", "b"],
      ["@use_hash_action(1) @stage(1, 512)", "u", "b: exact", "c"],
    ]);
    const notes = result.diagnostics.filter(({ code }) => code === "P44048");
    expect(notes.map(({ severity }) => severity)).toEqual(["info", "info"]);
    expect(notes[0]!.message).toBe(
      "tofino: @use_hash_action(1) of table Ing.t and 1 more: fit does not consider @use_hash_action",
    );
    expect(notes[0]!.span).toBeDefined();
    expect(result.verdict).toBe("placed");
    const wrong = readFileSync(
      join(import.meta.dirname, "../../bad/fit-notes/P44048-use-hash-action.p4"),
      "utf8",
    );
    const { diagnostics } = fitProgram(compileText(wrong).program!, tofino);
    expect(diagnostics.map(({ code }) => code)).toEqual(["P44048"]);
  });

  const notesOf = (...tables: Parameters<typeof fitOf>) =>
    fitOf(...tables)
      .diagnostics.filter(({ code }) => code === "P44048")
      .map(({ message }) => /(@.*) of table/.exec(message)?.[1]);

  it.each([
    "@alpm(2)",
    "@alpm_partitions(0)",
    "@alpm_partitions(512)",
    "@alpm_foo(3)",
    "@alpm_atcam_exclude_field_msbs(h.d.a,4)",
    "@atcam_number_partitions(-3)",
    "@atcam_number_partitions(256)",
    "@atcam_subset_width(3)",
    '@atcam_partition_index("nosuch")',
    '@atcam_partition_index("")',
  ])("%s alone is noted: partitions cannot be made of it", (pragma) => {
    expect(pragmasOf([pragma]).alpm).toBeUndefined();
    expect(notesOf([[pragma, "t", "a: lpm", "b"]])).toEqual([pragma]);
  });

  it("that lay a table out in partitions are noted where the table or the target cannot have them", () => {
    expect(notesOf([["@alpm(1)", "t", "a: lpm", "b"]])).toEqual([]);
    expect(notesOf([["@alpm(0) @alpm_partitions(512)", "t", "a: lpm", "b"]])).toEqual([]);
    expect(notesOf([["@alpm(1) @alpm_partitions(100000)", "t", "a: lpm", "b"]])).toEqual([
      "@alpm_partitions(100000)",
    ]);
    const both = "@alpm(1) @alpm_partitions(512)";
    const ofBoth = ["@alpm(1)", "@alpm_partitions(512)"];
    expect(notesOf([[both, "t", "a: exact", "b"]])).toEqual(ofBoth);
    expect(notesOf([[both, "t", "a: lpm", "b"]], loadTarget("rmt"))).toEqual(ofBoth);
    const named = '@atcam_partition_index("i") @atcam_number_partitions(16)';
    expect(notesOf([[named, "t", 'a: exact @name("i")', "b"]])).toEqual([]);
    expect(notesOf([[named, "t", 'a: ternary @name("i")', "b"]])).toHaveLength(2);
    expect(notesOf([[`@alpm(1) ${named}`, "t", 'a: lpm @name("i")', "b"]])).toHaveLength(2);
  });

  it("may be written with @pragma", () => {
    expect(pragmasOf(["@pragma stage 3", "@pragma ways 5"])).toMatchObject({ stages: [3], ways: 5 });
    expect(pragmasOf(["@ways(99)", "@stage(x)"]).passedOver).toEqual(["@ways(99)", "@stage(x)"]);
  });
});

describe("@stage of tables that share a register", () => {
  const fitAt = (t: string, u: string, chip: "tofino" | "tofino2" = "tofino", before = "") =>
    fitWords(
      {
        controls: `
  Register<bit<32>, bit<8>>(256) r;
  RegisterAction<bit<32>, bit<8>, bit<32>>(r) get = { void apply(inout bit<32> v, out bit<32> o) { o = v; } };
  RegisterAction<bit<32>, bit<8>, bit<32>>(r) put = { void apply(inout bit<32> v) { v = h.w.c; } };
  action first(bit<32> v) { h.w.d = v; }
  action second(bit<32> v) { h.w.e = v; }
  table x { key = { h.w.c : exact; } actions = { first; } size = 64; }
  table y { key = { h.w.d : exact; } actions = { second; } size = 64; }
  action read() { h.w.a = get.execute(h.w.e[7:0]); }
  action write() { put.execute(h.w.e[7:0]); }
  ${t} table t { actions = { read; } size = 1; const default_action = read; }
  ${u} table u { actions = { write; } size = 1; const default_action = write; }`,
        apply: `${before} if (h.w.b == 1) { t.apply(); } else { u.apply(); }`,
      },
      chip,
    );
  const codesOf = (...args: Parameters<typeof fitAt>) =>
    fitAt(...args).diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));

  it("is one stage where the register is in one", () => {
    expect(codesOf("@stage(1)", "@stage(3)")).toEqual(["P44053"]);
    expect(codesOf("@stage(3)", "@stage(1)")).toEqual(["P44053"]);
    expect(codesOf("@stage(3)", "@stage(3)")).toEqual([]);
    expect(codesOf("@stage(3)", "")).toEqual([]);
  });

  it("may differ where the table that asks for the first stage waits for a later one", () => {
    expect(codesOf("@stage(1)", "@stage(2)", "tofino", "x.apply(); y.apply();")).toEqual([]);
  });

  it("may differ where a register continues in the next stages", () => {
    expect(codesOf("@stage(1)", "@stage(3)", "tofino2")).toEqual([]);
  });
});
