/** Resources that tables of TNA programs take, each number as the open compiler gave it. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import type { Resource } from "../../../src/toolchain/fit/place/stage.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";

/** The sums of these resources over all stages of Tofino. */
function sumsOf(parts: TnaParts, ...names: readonly Resource[]): number[] {
  const diagnostics = new Diagnostics();
  const made = compile({ file: tnaSource(parts), form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  const { program } = made!;
  const { stages } = fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget("tofino")).placement;
  return names.map((name) => stages.reduce((sum, stage) => sum + stage[name], 0));
}

describe("an exact table with an entry for each value of its key", () => {
  const sums = (actions: string, size: number, key = "hdr.d.t[4:0]") =>
    sumsOf(
      {
        ingress: `
  DirectCounter<bit<32>>(CounterType_t.PACKETS) counted;
  action count() { counted.count(); }
  action set(bit<16> v) { hdr.d.i = v; }
  table t { key = { ${key} : exact; } actions = { ${actions} size = ${size}; ${actions.includes("count") ? "counters = counted;" : ""} }`,
        apply: "t.apply();",
      },
      "srams",
      "gateways",
      "hash_dist_units",
      "hash_bits",
    );

  it("has counters and data at the address that the key is: a gateway, a unit of hash distribution, no match", () => {
    expect(sums("count; } default_action = count();", 32)).toEqual([2, 1, 1, 5]);
    expect(sums("set; } default_action = set(1);", 32)).toEqual([1, 1, 1, 5]);
  });

  it("is matched with fewer entries, or with another action for the default", () => {
    expect(sums("count; } default_action = count();", 31)).toEqual([3, 0, 0, 10]);
    expect(sums("count; @defaultonly NoAction; } default_action = NoAction();", 32)).toEqual([3, 0, 0, 10]);
  });

  it("is matched where no stage holds all its data", () => {
    const [srams, gateways] = sums("set; } default_action = set(1);", 1 << 20, "hdr.d.a[19:0]");
    expect(gateways).toBe(0);
    expect(srams).toBeGreaterThan(80);
  });
});
