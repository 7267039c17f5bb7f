/** The codes of an example's diagnostics, by what reads its input. */
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { fitProgram } from "../../src/toolchain/fit/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { loadTarget } from "../toolchain/fit/golden.js";

/** Reads the input as the tool that reports the code, and returns the codes of errors and warnings. */
export async function codesOf(code: string, name: string, text: string): Promise<string[]> {
  const diagnostics = new Diagnostics();
  const file = new SourceFile(name, text);
  if (/^P40[1-6]/.test(code)) {
    // A file that includes itself finds itself.
    compile({ file, resolveInclude: (path) => (path === name ? file : undefined) }, diagnostics);
  } else if (code.startsWith("P440")) {
    const result = compile({ file }, diagnostics);
    if (result !== undefined)
      for (const one of fitProgram(result.program, loadTarget("tofino")).diagnostics) diagnostics.add(one);
  } else throw new Error(`${code}: nothing here reads ${name}`);
  return diagnostics.list.filter(({ severity }) => severity !== "info").map((one) => one.code);
}
