/** Checks the compiler's behaviour for any input: it must end in time, with a result or with located diagnostics. */
import { type Diagnostic, Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { parse, printUnit } from "../../../src/toolchain/p4/syntax/index.js";

/** Maximum time for one small program, in milliseconds. */
const TIME_LIMIT = 10_000;

/** The fault in the compiler's result for an input; undefined if there is none. */
export function findFault(text: string, isRight: boolean): string | undefined {
  const diagnostics = new Diagnostics();
  const start = performance.now();
  let compiled: ReturnType<typeof compile>;
  try {
    compiled = compile({ file: new SourceFile("input.p4", text) }, diagnostics);
    for (const diagnostic of diagnostics.list) formatDiagnostic(diagnostic);
  } catch (error) {
    const { name, message, stack } = error as Error;
    const place = /at .*?\(?(?:file:\/\/)?[^\s()]*\/((?:src|bench)\/[^\s()]*)/.exec(stack ?? "")?.[1];
    return `thrown: ${name}: ${message} (${place ?? "somewhere"})`;
  }
  const taken = performance.now() - start;
  if (taken > TIME_LIMIT) return `slow: ${Math.round(taken)} ms`;
  const errors = diagnostics.list.filter(({ severity }) => severity === "error");
  if (compiled === undefined && errors.length === 0) return "no result and no error";
  if (compiled !== undefined && errors.length > 0) return `a result in spite of ${describe(errors[0]!)}`;
  const lost = errors.find(({ span }) => span === undefined);
  if (lost !== undefined && text.trim() !== "" && !/no .*main/i.test(lost.message))
    return `no place: ${describe(lost)}`;
  if (!isRight) return undefined;
  const rejected = errors.find(({ code }) => !/^P40[45]/.test(code));
  if (rejected !== undefined) return `a right program is rejected: ${describe(rejected)}`;
  return printingFault(text);
}

function describe({ code, message }: Diagnostic): string {
  return `${code} ${message}`;
}

/** Whether the program changes when it is printed and parsed again. */
function printingFault(text: string): string | undefined {
  const tree = (source: string) => {
    const diagnostics = new Diagnostics();
    const unit = parse({ file: new SourceFile("input.p4", source) }, diagnostics);
    diagnostics.throwIfErrors();
    const plain = JSON.stringify(unit, (key, value) =>
      key === "span" ? undefined : typeof value === "bigint" ? `${value}n` : value,
    );
    return { unit, plain };
  };
  const first = tree(text);
  return tree(printUnit(first.unit)).plain === first.plain
    ? undefined
    : "printed and parsed again it is another tree";
}
