/** Two values at one place of a container: the verifier lets them stand there where no packet has both at a time, and only there. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import type { PhvAllocation } from "../../../src/toolchain/fit/phv/allocation.js";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

/** Rules that an allocation breaks in which `first` and `second` stand at one place. */
function brokenBy(parts: TnaParts, pragma: string, [first, second]: readonly [string, string]): string[] {
  const text = tnaSource(parts).replace("control In(", `${pragma}\ncontrol In(`);
  const diagnostics = new Diagnostics();
  const { program } = compile({ file: text, form: "hardware" }, diagnostics)!;
  diagnostics.throwIfErrors();
  const target = loadTarget("tofino");
  const result = fitProgram(onePipe(program, pipesOf(program)[0]!), target);
  const { phv } = result;
  const input = allocationInputOf(result);
  const allocation = phv.allocation!;
  const rules = (one: PhvAllocation) => [...new Set(verifyPhv(input, one).map(({ rule }) => rule))];
  expect(rules(allocation)).toEqual([]);
  const isOf = (field: string, name: string) => field === name || field.endsWith(`.${name}`);
  const live = allocation.containers
    .flatMap(({ slices }) => slices)
    .find(({ field }) => isOf(field, second))!;
  // The second value takes the bits of the first one, however that is cut.
  const containers = allocation.containers.map((one) => {
    const rest = one.slices.filter(({ field }) => !isOf(field, second));
    const hosts = rest.filter(({ field }) => isOf(field, first));
    return {
      ...one,
      slices: [...rest, ...hosts.map(({ lo, width, at }) => ({ ...live, lo, width, at }))],
    };
  });
  return rules({ ...allocation, containers });
}

const keyed = (name: string, statements: string, key = "hdr.d.t") =>
  `action ${name}_go(bit<32> v) { ${statements} } table ${name} { key = { ${key} : exact; } actions = { ${name}_go; NoAction; } size = 16; }\n`;
const use = "action seen() { } ";
const user = (name: string, value: string) =>
  `action ${name}_go(bit<32> v) { hdr.d.c = v; } table ${name} { key = { ${value} : exact; } actions = { ${name}_go; NoAction; } size = 16; }\n`;
/** `set_m` and `set_n` set the values, `use_m` and `use_n` match on them. */
const tables =
  use +
  keyed("set_m", "md.m = v;") +
  keyed("set_n", "md.n = v;", "hdr.d.c") +
  user("use_m", "md.m") +
  user("use_n", "md.n");
const always = "set_m.apply(); use_m.apply();";

describe("two values at one place", () => {
  it.each<[string, boolean, TnaParts]>([
    [
      "in the branches of a condition",
      true,
      {
        ingress: tables,
        apply: "if (hdr.d.i == 1) { set_m.apply(); use_m.apply(); } else { set_n.apply(); use_n.apply(); }",
      },
    ],
    [
      "in one branch",
      false,
      {
        ingress: tables,
        apply: "if (hdr.d.i == 1) { set_m.apply(); set_n.apply(); use_m.apply(); use_n.apply(); }",
      },
    ],
    [
      "of which the second is set behind the last use of the first",
      true,
      { ingress: tables, apply: `${always} set_n.apply(); use_n.apply();` },
    ],
    [
      "of which the second is set before the last use of the first",
      false,
      { ingress: tables, apply: `set_m.apply(); set_n.apply(); use_n.apply(); use_m.apply();` },
    ],
    [
      "of which the first is set again behind the second",
      false,
      {
        ingress: tables + keyed("more_m", "md.m = v;", "md.n") + user("last", "md.m"),
        apply: `${always} set_n.apply(); use_n.apply(); more_m.apply(); last.apply();`,
      },
    ],
    [
      "of which one is also used behind both branches",
      false,
      {
        ingress: tables,
        apply: "if (hdr.d.i == 1) { set_m.apply(); } else { set_n.apply(); use_n.apply(); } use_m.apply();",
      },
    ],
    [
      "of which the first is read in the stage in which the second is set",
      true,
      {
        ingress: tables + keyed("first", "hdr.d.i = v[15:0];") + keyed("late_n", "md.n = v;", "hdr.d.i"),
        apply: "first.apply(); set_m.apply(); use_m.apply(); late_n.apply(); use_n.apply();",
      },
    ],
    [
      "of two actions of a table",
      true,
      {
        ingress: `action of_m(bit<32> v) { md.m = v; } action of_n(bit<32> v) { md.n = v; }
          table set { key = { hdr.d.t : exact; } actions = { of_m; of_n; NoAction; } size = 16; }
          ${user("use_m", "md.m")} ${user("use_n", "md.n")}`,
        apply:
          "switch (set.apply().action_run) { of_m: { use_m.apply(); } of_n: { use_n.apply(); } default: { } }",
      },
    ],
    [
      "of two actions of a table, one of which is used behind both",
      false,
      {
        ingress: `action of_m(bit<32> v) { md.m = v; } action of_n(bit<32> v) { md.n = v; }
          table set { key = { hdr.d.t : exact; } actions = { of_m; of_n; NoAction; } size = 16; }
          ${user("use_m", "md.m")} ${user("use_n", "md.n")}`,
        apply: "switch (set.apply().action_run) { of_n: { use_n.apply(); } default: { } } use_m.apply();",
      },
    ],
    [
      "of which the parser gives one",
      false,
      {
        ingress: tables,
        parser: "md.m = hdr.d.a; transition accept; }",
        apply: "if (hdr.d.i == 1) { set_m.apply(); use_m.apply(); } else { set_n.apply(); use_n.apply(); }",
      },
    ],
  ])("%s: %s", (_, isRight, parts) => {
    const more = { ...parts, apply: `tm.ucast_egress_port = 1; ${parts.apply}` };
    const broken = brokenBy(more, "", ["md.m", "md.n"]);
    if (isRight) expect(broken).toEqual([]);
    else expect(broken).toContain("overlay");
  });

  it("in turn need a zero where metadata begins as zero and some packet reads the second unset", () => {
    const apply = `tm.ucast_egress_port = 1; ${always} set_n.apply(); use_n.apply();`;
    expect(brokenBy({ ingress: tables, apply }, "@pa_auto_init_metadata", ["md.m", "md.n"])).toEqual([
      "overlay",
    ]);
    // Every packet has it set by a statement: none reads a zero.
    const set = `tm.ucast_egress_port = 1; ${always} md.n = hdr.d.c + 1; use_n.apply();`;
    expect(
      brokenBy({ ingress: tables, apply: set }, "@pa_auto_init_metadata", ["md.m", "md.n"]),
    ).not.toContain("overlay");
  });
});

/** Rules that are broken where the low half of a value of 32 bits stands at the place of `w`, which the tables of the other branch have. */
function brokenByHalf(high: string): string[] {
  const result = fitTna(
    tnaSource({
      ingress: `bit<32> v; bit<16> w; bit<16> k;
        action set_low(bit<16> a) { v[15:0] = a; } table t1 { key = { hdr.d.a : exact; } actions = { set_low; } size = 16; }
        action set_high(bit<16> a) { v[31:16] = a; } table t2 { key = { hdr.d.b : exact; } actions = { set_high; } size = 16; }
        action set_w(bit<16> a) { w = a; } table t3 { key = { hdr.d.c : exact; } actions = { set_w; } size = 16; }
        action m1(bit<16> a) { hdr.d.t = a; } table t4 { key = { v[15:0] : exact; } actions = { m1; } size = 16; }
        action m2(bit<16> a) { hdr.d.t = a; } table t5 { key = { w : exact; ${high} : exact; } actions = { m2; } size = 16; }`,
      apply: `tm.ucast_egress_port = 1;
        if (hdr.d.i == 3) { t1.apply(); t4.apply(); } else { t2.apply(); t3.apply(); t5.apply(); }`,
    }),
  );
  const { containers, ...rest } = result.phv.allocation!;
  const half = (of: PhvAllocation["containers"][number]["slices"], lo: number, at: number) =>
    of.filter(({ field }) => field.endsWith(".v")).map((slice) => ({ ...slice, lo, width: 16, at }));
  const whole = containers.flatMap(({ slices }) => slices).filter(({ field }) => field.endsWith(".v"));
  expect(whole.map(({ lo, width }) => [lo, width])).toEqual([[0, 32]]);
  const moved = containers.map(({ slices, ...one }) => ({
    ...one,
    slices: slices.some(({ field }) => field.endsWith(".w"))
      ? [...slices, ...half(whole, 0, 0)]
      : slices.map((slice) => (slice.field.endsWith(".v") ? half(whole, 16, 16)[0]! : slice)),
  }));
  const broken = verifyPhv(allocationInputOf(result), { ...rest, containers: moved });
  return [...new Set(broken.map(({ rule }) => rule))];
}

describe("a part of a value and a value of another branch", () => {
  it("may have one place where no packet has both, though it has the other part", () => {
    expect(brokenByHalf("v[31:16]")).toEqual([]);
    expect(brokenByHalf("v")).toContain("overlay");
  });
});
