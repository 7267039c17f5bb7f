/** The ghost thread of a Tofino 2: its tables in the stages of ingress and egress, its report in a container, its registers, cycles and power. */
import { describe, expect, it } from "vitest";
import { type FitResult, toJson, toText } from "../../../src/toolchain/fit/index.js";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";

import { loadTarget } from "./golden.js";
import { pardeSource } from "./programs.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

interface Threads {
  /** Outside all controls; locals and statements of ingress and of the ghost thread. */
  readonly globals?: string;
  readonly controls?: string;
  readonly apply?: string;
  readonly locals?: string;
  readonly ghost: string;
}

function fitted({ globals = "", controls = "", apply = "", locals = "", ghost }: Threads): FitResult {
  const text = pardeSource({
    arch: "t2na",
    types: `header w_h { bit<32> a; bit<32> b; bit<16> c; bit<16> d; } ${globals}`,
    headers: "w_h w;",
    states: "state first { p.extract(h.w); transition accept; }",
    controls,
    apply,
  });
  const thread = `control G(in ghost_intrinsic_metadata_t g) { ${locals} apply { ${ghost} } }`;
  const changed = text
    .replace(
      "inout ingress_intrinsic_metadata_for_tm_t tm)",
      "inout ingress_intrinsic_metadata_for_tm_t tm, in ghost_intrinsic_metadata_t g)",
    )
    .replace(
      "Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;",
      `${thread} Pipeline(IP(), I(), ID(), EP(), E(), ED(), G()) pipe;`,
    );
  return fitTna(changed, loadTarget("tofino2"));
}

const LENGTHS: Threads = {
  globals: "Register<bit<16>, bit<11>>(2048) lengths;",
  controls: `RegisterAction<bit<16>, bit<11>, bit<16>>(lengths) length = { void apply(inout bit<16> cell, out bit<16> answer) { answer = cell; } };`,
  apply: "h.w.c = length.execute(h.w.a[10:0]);",
  locals: `RegisterAction<bit<16>, bit<11>, bit<16>>(lengths) note = { void apply(inout bit<16> cell) { cell = g.qlength[15:0]; } };`,
  ghost: "note.execute(g.qid);",
};

const FIRST =
  "action one(bit<32> v) { h.w.a = v; } table t { key = { h.w.b : exact; } actions = { one; } size = 64; }";

/** The ghost thread compares what a table of it has set. */
const LATE: Threads = {
  globals: LENGTHS.globals!,
  locals: `bit<16> x; action put(bit<16> v) { x = v; } table s { key = { g.qid : exact; } actions = { put; } size = 64; } ${LENGTHS.locals}`,
  ghost: "s.apply(); if (x == 7) { note.execute(g.qid); }",
};

const isGhost = ({ model }: FitResult, unit: number) => model.units[unit]?.isGhost === true;

const placesOf = (result: FitResult) =>
  result.placement.parts
    .filter(({ unit }) => unit.kind !== "condition")
    .map(({ unit, stage }) => `${unit.isGhost ? "ghost" : unit.gress} ${stage}`);

describe("tables of a ghost thread", () => {
  it("are placed in the stages of the others, with no finding", () => {
    const result = fitted({
      ghost: "if (g.ping_pong == 1) note.execute(g.qid);",
      locals: LENGTHS.locals!,
      globals: LENGTHS.globals!,
    });
    expect(result.diagnostics).toEqual([]);
    expect(placesOf(result)).toContain("ghost 0");
    expect(toJson(result).stages).toEqual({ total: 1, ingress: 0, egress: 0, ghost: 1 });
    expect(toText(result)).toContain("(ingress 0, egress 0, ghost 1)");
  });

  it("stand in one stage with the table of ingress that calls the same register, where ingress needs the value late", () => {
    const result = fitted({
      ...LENGTHS,
      controls: `${LENGTHS.controls} ${FIRST}`,
      apply: `t.apply(); if (g.ping_pong == 0) { ${LENGTHS.apply} }`,
      ghost: `if (g.ping_pong == 1) { ${LENGTHS.ghost} }`,
    });
    const stages = result.placement.parts
      .filter(({ unit }) => unit.attached.some(({ kind }) => kind === "register"))
      .map(({ stage }) => stage);
    expect(stages).toEqual([1, 1]);
    expect(result.verdict).toBe("placed");
    // Both are the register's only place.
    expect(result.placement.stages.map(({ meter_alus: alus }) => alus)).toEqual([0, 1]);
    expect(result.diagnostics).toEqual([]);
  });

  it("are there twice, with a second register, where neither thread compares ping_pong: tables and cycles are the compiler's", () => {
    const result = fitted({
      ...LENGTHS,
      controls: `${LENGTHS.controls} ${FIRST}`,
      apply: `t.apply(); ${LENGTHS.apply}`,
    });
    expect(placesOf(result).sort()).toEqual([
      "ghost 0",
      "ghost 1",
      "ghost 1",
      "ingress 0",
      "ingress 1",
      "ingress 1",
    ]);
    expect(
      result.placement.stages.map(({ srams, meter_alus: alus, logical_tables: tables }) => [
        srams,
        alus,
        tables,
      ]),
    ).toEqual([
      [4, 0, 2],
      [4, 2, 4],
    ]);
    expect(result.cycles!.map(({ gress, total }) => [gress, total])).toEqual([
      ["ingress", 80],
      ["egress", 58],
      ["ghost", 78],
    ]);
    expect(result.diagnostics).toEqual([]);
  });

  it("have what is wrong with their register stated once, where it is there twice", () => {
    const large = (text: string) => text.replaceAll("bit<11>", "bit<20>");
    const { diagnostics, placement } = fitted({
      globals: "Register<bit<16>, bit<20>>(1048576) lengths;",
      controls: large(LENGTHS.controls!),
      apply: "h.w.c = length.execute(h.w.a[19:0]);",
      locals: large(LENGTHS.locals!),
      ghost: "note.execute((bit<20>) g.qid);",
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(["P44027", "P44027"]);
    expect(diagnostics.map(({ message }) => message).join()).not.toContain("$other");
    const labels = [...placement.parts, ...placement.unplaced].map(({ unit }) => unit.label);
    expect(labels.join()).not.toContain("$other");
  });

  it("keep, where they are there twice, the pragmas of their table and its one stage for a result of the register", () => {
    const result = fitted({
      ...LENGTHS,
      controls: `${LENGTHS.controls} action rd() { h.w.c = length.execute(h.w.a[10:0]); } @ternary(1) table t { key = { h.w.b : exact; } actions = { rd; } size = 64; }`,
      apply: "t.apply();",
    });
    const tables = result.model.units.filter(({ kind }) => kind === "match");
    expect(tables.map(({ pragmas }) => pragmas.isTernary)).toEqual([true, true]);
    expect(result.stages).toBe(1);
    expect(result.diagnostics).toEqual([]);
    expect(toText(result)).toContain("if (ping_pong == 0)");
  });

  it("wait for each other alone: what ingress writes concerns no table of the ghost thread", () => {
    const result = fitted({ ...LATE, apply: "h.w.c = h.w.c + 1; if (h.w.c == 7) { h.w.c = 3; }" });
    expect(toJson(result).stages).toEqual({ total: 2, ingress: 2, egress: 0, ghost: 2 });
    expect(
      result.problem.graph.edges.filter(({ from, to }) => isGhost(result, from) !== isGhost(result, to)),
    ).toEqual([]);
  });
});

describe("the report to a ghost thread", () => {
  it("stands in one container of 32 bits of ingress, in its order, whether it is read or not", () => {
    const result = fitted(LENGTHS);
    const home = result.phv.allocation!.containers.filter(({ slices }) =>
      slices.some(({ field }) => result.model.ghostFields.includes(field)),
    );
    expect(home.map(({ size, gress }) => [size, gress])).toEqual([[32, "ingress"]]);
    expect(home[0]!.slices.map(({ field, at, width }) => [field.split(".").at(-1), at, width])).toEqual([
      ["ping_pong", 31, 1],
      ["qlength", 13, 18],
      ["qid", 2, 11],
      ["pipe_id", 0, 2],
    ]);
  });

  it("is checked by the verifier", () => {
    const result = fitted(LENGTHS);
    const { phv } = result;
    const allocation = phv.allocation!;
    const moved = allocation.containers.map((container) => ({
      ...container,
      slices: container.slices.map((slice) =>
        slice.field.endsWith(".ping_pong")
          ? { ...slice, at: 0 }
          : slice.field.endsWith(".pipe_id")
            ? { ...slice, at: 1 }
            : slice,
      ),
    }));
    const input = allocationInputOf(result);
    expect(verifyPhv(input, allocation)).toEqual([]);
    expect(
      verifyPhv(input, { ...allocation, containers: moved })
        .map(({ detail }) => detail)
        .join(),
    ).toContain("of the ghost thread is not at bit");
  });
});

describe("cycles and power with a ghost thread", () => {
  it("are those of ingress where both wait, and its tables are in the watts", () => {
    const result = fitted(LENGTHS);
    const [ingress, , ghost] = result.cycles!;
    expect(ghost!.gress).toBe("ghost");
    expect(ghost!.stages.map(({ wait }) => wait)).toEqual(ingress!.stages.map(({ wait }) => wait));
    const tables = result.power!.gresses.map(({ gress, tables: list }) => [gress, list.length]);
    expect(tables).toEqual([
      ["ingress", 2],
      ["egress", 0],
      ["ghost", 3],
    ]);
  });

  it("make a stage of ingress wait for results where the ghost thread does", () => {
    const alone = fitted({ ...LENGTHS, ghost: "" });
    const late = fitted(LATE);
    const waits = (result: FitResult) => result.cycles![0]!.stages.slice(0, 2).map(({ wait }) => wait);
    expect([waits(alone), waits(late)]).toEqual([
      ["match", "none"],
      ["match", "match"],
    ]);
  });
});
