/** Dahu's programs on chips: the paper's map in one register is refused, a copy for each hash is placed. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { type DahuProgram, dahuProgram } from "../../../../src/fabric/schemes/dahu/program.js";
import { fitProgram } from "../../../../src/toolchain/fit/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { loadTarget } from "../../../toolchain/fit/golden.js";
import { templates } from "../../../toolchain/generate/load.js";

/** 64 groups of 1,024 virtual ports. */
function verdictOf(target: string, ports: 32 | 64, parameters: Partial<DahuProgram>, prefixes = 1024) {
  const plan = dahuProgram("switch", {
    role: "switch",
    ports,
    groups: 64,
    virtualPortBits: 10,
    field: "dscp",
    unit: "bytes",
    sizes: { routes: prefixes, destinations: prefixes },
    ...parameters,
  });
  const diagnostics = new Diagnostics();
  const { program } = compile(
    { file: new SourceFile("switch.p4", renderProgram(templates, plan)) },
    diagnostics,
  )!;
  diagnostics.throwIfErrors();
  const { verdict, stages } = fitProgram(program, loadTarget(target));
  return { verdict, stages };
}

const COPIES = { map: "copies" } as const;
const ONE_ROUND = { map: "copies", retry: false } as const;

describe("Dahu on chips", () => {
  it.each([
    ["tofino", 32, ONE_ROUND, 12],
    ["rmt", 32, ONE_ROUND, 13],
    ["rmt", 32, COPIES, 15],
    ["rmt", 64, COPIES, 15],
    ["tofino", 32, ONE_ROUND, 12, 2048],
    ["rmt", 64, COPIES, 17, 16_384],
  ] as const)(
    "%s places the program for %i ports with %o in %i stages",
    (target, ports, parameters, stages, prefixes: number = 1024) => {
      expect(verdictOf(target, ports, parameters, prefixes)).toEqual({ verdict: "placed", stages });
    },
  );

  it("tofino finds no place in 12 stages for 64 ports, for both rounds, or for 4,096 prefixes", () => {
    expect(verdictOf("tofino", 64, ONE_ROUND)).toEqual({ verdict: "fits by counts", stages: 13 });
    expect(verdictOf("tofino", 32, COPIES)).toEqual({ verdict: "cannot fit", stages: 13 });
    expect(verdictOf("tofino", 32, ONE_ROUND, 4096)).toEqual({ verdict: "fits by counts", stages: 13 });
  });

  it.each(["tofino", "rmt"])("%s refuses the map in a register", (target) => {
    expect(verdictOf(target, 32, {}).verdict).toBe("refused");
    expect(verdictOf(target, 32, { retry: false }).verdict).toBe("refused");
  });
});
