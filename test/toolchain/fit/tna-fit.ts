/** The fit of a TNA program with one pipe `pipe`, given as text. */
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type FitResult, fitProgram, onePipe, type Target } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { loadTarget } from "./golden.js";

export function fitTna(text: string, target: Target = loadTarget("tofino")): FitResult {
  const diagnostics = new Diagnostics();
  const file = new SourceFile("test.p4", text);
  const defines = { __TARGET_TOFINO__: target.name === "tofino" ? "1" : "2" };
  const built = compile({ file, resolveInclude: () => undefined, defines, form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  return fitProgram(onePipe(built!.program, "pipe"), target);
}
