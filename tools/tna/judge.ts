/** Our verdict about a program: what the compiler's phases say. */
import { type Diagnostic, Diagnostics } from "../../src/base/index.js";
import { compileInput } from "../../src/toolchain/loading/index.js";
import { build } from "../../src/toolchain/p4/index.js";
import { type Case, chipDefines, programFile, searchPath } from "./corpus.js";

/** One message with its place; the path is relative to the repository, or `p4include/NAME`. */
export interface Message {
  code: string;
  file: string;
  line: number;
  text: string;
}

/**
 * How far a program comes: refused by the language (preprocessor, parser, checker), refused by the architecture (lowering),
 * or through both; `crash` for an exception, which is an error of ours.
 */
type Outcome = "language" | "architecture" | "accepted" | "crash";

export interface Verdict {
  outcome: Outcome;
  errors: Message[];
  /** Codes of warnings and notes, with how often. */
  remarks: Record<string, number>;
  milliseconds: number;
}

/** Codes of the preprocessor, the parser and the checker; those of actions' names come from the checker as well. */
const LANGUAGE = /^P40[123]|^P40545$/;

/** Checks and lowers one program as the command `check` does. */
export function judge(corpus: string, one: Case, strict: boolean): Verdict {
  const start = performance.now();
  const diagnostics = new Diagnostics();
  const path = programFile(corpus, one);
  const define = [...chipDefines(one.chip), ...one.defines];
  const root = path.slice(0, path.length - one.path.length);
  const end = (outcome: Outcome, errors: Message[]): Verdict => {
    const remarks: Record<string, number> = {};
    for (const { severity, code } of diagnostics.list)
      if (severity !== "error") remarks[code] = (remarks[code] ?? 0) + 1;
    return { outcome, errors, remarks, milliseconds: Math.round(performance.now() - start) };
  };
  try {
    const input = compileInput({ path, include: searchPath(corpus, one), define });
    build({ ...input, strict }, diagnostics);
  } catch (error) {
    const text = String((error as Error).stack)
      .split("\n")
      .slice(0, 3)
      .join(" ");
    return end("crash", [{ code: "crash", file: "", line: 0, text }]);
  }
  const errors = diagnostics.list
    .filter(({ severity }) => severity === "error")
    .map((error) => messageOf(error, root));
  const [first] = errors;
  const refused = LANGUAGE.test(first?.code ?? "") ? "language" : "architecture";
  return end(first === undefined ? "accepted" : refused, errors.slice(0, 20));
}

function messageOf({ code, message, span }: Diagnostic, root: string): Message {
  const path = span?.file.path ?? "";
  return {
    code,
    file: path.startsWith(root) ? path.slice(root.length) : path,
    line: span === undefined ? 0 : span.file.position(span.start).line,
    text: message,
  };
}
