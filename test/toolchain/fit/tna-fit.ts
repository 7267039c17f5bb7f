/** The fit of a TNA program with one pipe `pipe`, given as text. */
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type FitResult, fitProgram, onePipe, type Target } from "../../../src/toolchain/fit/index.js";
import type { AllocationInput } from "../../../src/toolchain/fit/phv/allocation.js";
import { readRequests } from "../../../src/toolchain/fit/phv/requests.js";
import { chainsOfFlow } from "../../../src/toolchain/fit/place/chains.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { loadTarget } from "./golden.js";
import { type PardeParts, pardeSource } from "./programs.js";

export function fitTna(text: string, target: Target = loadTarget("tofino")): FitResult {
  const diagnostics = new Diagnostics();
  const file = new SourceFile("test.p4", text);
  const defines = { __TARGET_TOFINO__: target.name === "tofino" ? "1" : "2" };
  const built = compile({ file, resolveInclude: () => undefined, defines, form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  return fitProgram(onePipe(built!.program, "pipe"), target);
}

/** The fit of a program with a header `h.w` of five words `a` to `e`, which the parser extracts. */
export function fitWords(
  parts: Partial<PardeParts>,
  chip: "tofino" | "tofino2" = "tofino",
  target: Target = loadTarget(chip),
): FitResult {
  const text = pardeSource({
    arch: chip === "tofino" ? "tna" : "t2na",
    types: "header w_h { bit<32> a; bit<32> b; bit<32> c; bit<32> d; bit<32> e; }",
    headers: "w_h w;",
    states: "state first { p.extract(h.w); transition accept; }",
    ...parts,
  });
  return fitTna(text, target);
}

/** What the containers of a fit were allocated for, as `verifyPhv` takes it. */
export function allocationInputOf({ model, target, problem, placement }: FitResult): AllocationInput {
  const { earliest, below } = chainsOfFlow(problem);
  return {
    ...{ model, target, requests: readRequests(model, target).requests },
    stagesOf: (unit) => placement.parts.filter((part) => part.unit.id === unit).map(({ stage }) => stage),
    earliestOf: (unit) => earliest[unit] ?? 0,
    belowOf: (unit) => below[unit] ?? 0,
  };
}
