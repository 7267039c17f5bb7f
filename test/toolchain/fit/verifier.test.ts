/** The verifier of placements: each rule of a placement, broken alone. */
import { describe, expect, it } from "vitest";
import { type FitResult, fitProgram } from "../../../src/toolchain/fit/index.js";
import type { Part, Problem } from "../../../src/toolchain/fit/place/placement.js";
import { verifyPlacement } from "../../../src/toolchain/fit/place/verify.js";
import { compileText, loadTarget } from "./golden.js";
import { oneTable, wrap } from "./programs.js";

const tofino = loadTarget("tofino");

function placed(text: string): FitResult {
  const { program, error } = compileText(text);
  expect(error).toBeUndefined();
  const result = fitProgram(program!, tofino);
  expect(verifyPlacement(result.problem, result.placement)).toEqual([]);
  return result;
}

/** What the verifier says when parts or the problem are changed. */
const said = (
  { problem, placement }: FitResult,
  change: { parts?: (part: Part, all: readonly Part[]) => Part; problem?: Partial<Problem> },
): string =>
  verifyPlacement(
    { ...problem, ...change.problem },
    {
      ...placement,
      parts: placement.parts.map((part) => change.parts?.(part, placement.parts) ?? part),
    },
  ).join("\n");

const guarded = (apply: string) =>
  wrap(
    "bit<32> a; bit<32> b; bit<8> s; bit<8> u;",
    `action a0(bit<32> v) { h.d.a = v; }
    action a1(bit<32> v) { h.d.b = v; }
    table t0 { key = { h.d.s : exact; } actions = { a0; NoAction; } size = 16; default_action = NoAction(); }
    table t1 { key = { h.d.u : exact; } actions = { a1; NoAction; } size = 16; default_action = NoAction(); }`,
    apply,
  );

describe("the verifier sees", () => {
  it("a part whose memory holds fewer entries than it states", () => {
    const result = placed(oneTable({ kind: "exact", keyBits: 32, size: 16 }));
    const room = result.placement.parts.find(({ unit }) => unit.kind === "match")!.layout.entries;
    const entries = (count: number) =>
      said(result, { parts: (part) => (part.unit.kind === "match" ? { ...part, entries: count } : part) });
    expect(entries(room)).toBe("");
    expect(entries(room + 1)).toContain("Ing.t in stage 0 holds fewer entries than the part states");
    expect(entries(15)).toContain("Ing.t has room for 15 of 16 entries");
  });

  it("too few entries of one table of several", () => {
    const result = placed(guarded("t0.apply(); t1.apply();"));
    const less = (name: string) =>
      said(result, { parts: (part) => (part.unit.name === name ? { ...part, entries: 15 } : part) });
    expect(less("Ing.t0")).toBe("Ing.t0 has room for 15 of 16 entries");
    expect(less("Ing.t1")).toBe("Ing.t1 has room for 15 of 16 entries");
  });

  it("more hash bits than all groups have", () => {
    const result = placed(oneTable({ kind: "exact", keyBits: 32, size: 16 }));
    const groups = (hash_groups: number, hash_group_bits: number) =>
      said(result, {
        problem: {
          target: { ...tofino, per_stage: { ...tofino.per_stage, hash_groups, hash_group_bits } },
        },
      });
    expect(groups(1, 40)).toBe("");
    expect(groups(0, 40)).toContain("stage 0 uses 40 of 0 hash_bits");
  });

  it("TCAM units that no column holds", () => {
    // 48 bits are two blocks wide.
    const result = placed(oneTable({ kind: "ternary", keyBits: 48, size: 512 }));
    const columns = (count: number) =>
      said(result, { problem: { target: { ...tofino, tcam: { ...tofino.tcam, columns: count } } } });
    expect(columns(12)).toBe("");
    expect(columns(24)).toBe("stage 0: TCAM blocks do not fit the columns");
  });

  it("a condition that is the gateway of two tables, of a table elsewhere, or of one it does not lead to", () => {
    const result = placed(guarded("if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }"));
    const gateway = result.placement.parts.find((part) => part.gateway !== undefined)!.gateway!;
    expect(
      said(result, {
        parts: (part) => ({ ...part, gateway: part.unit.kind === "match" ? gateway : undefined }),
      }),
    ).toContain("is the gateway of two tables");
    expect(
      said(result, { parts: (part) => (part.unit.id === gateway ? { ...part, stage: 1 } : part) }),
    ).toMatch(/ is the gateway of Ing\.t\d but in another stage/);
    const sequence = placed(guarded("if (h.d.s == 1) { t0.apply(); } t1.apply();"));
    const own = sequence.placement.parts.find((part) => part.gateway !== undefined)!;
    const moved = said(sequence, {
      parts: (part) =>
        part.unit.kind !== "match"
          ? part
          : { ...part, gateway: part.unit.id === own.unit.id ? undefined : own.gateway! },
    });
    // After t0 runs t1 in any case, so that the condition does not decide on it.
    expect(moved).toContain("does not lead to");
    // Within its branch, each table can have the gateway.
    const both = placed(guarded("if (h.d.s == 1) { t0.apply(); t1.apply(); }"));
    const first = both.placement.parts.find((part) => part.gateway !== undefined)!;
    expect(
      said(both, {
        parts: (part) =>
          part.unit.kind !== "match"
            ? part
            : { ...part, gateway: part.unit.id === first.unit.id ? undefined : first.gateway! },
      }),
    ).toBe("");
  });

  it("tables that share a register but not a stage, and a register with too few blocks", () => {
    const text = wrap(
      "bit<32> a; bit<32> b; bit<8> s; bit<8> u;",
      `register<bit<32>>(16) r;
      action a0() { r.write(h.d.a, 1); }
      action a1() { r.write(h.d.b, 2); }
      table t0 { key = { h.d.s : exact; } actions = { a0; NoAction; } size = 16; default_action = NoAction(); }
      table t1 { key = { h.d.u : exact; } actions = { a1; NoAction; } size = 16; default_action = NoAction(); }`,
      "if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }",
    );
    const result = placed(text);
    const apart = said(result, {
      parts: (part) => (part.unit.name === "Ing.t1" ? { ...part, stage: part.stage + 1 } : part),
    });
    expect(apart).toMatch(/Ing\.t0, Ing\.t1 share a memory but not a stage/);
    const demands = result.problem.demands.map((demand) => ({
      ...demand,
      shared: demand.shared.map((memory) => ({ ...memory, srams: memory.srams - 1 })),
    }));
    expect(said(result, { problem: { demands } })).toContain("Ing.r has too few blocks");
  });
});
