/** A compiler with a Tofino back end as a judge: one command, its limits, and what it said. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loadTarget } from "../../src/cli/targets.js";
import { type Case, chipDefines } from "./corpus.js";
import { compilerResource } from "./resources.js";

const SECONDS = 900;
const MEMORY_GB = 12;
/** A line of an error is cut here: it can list every field of a program. */
const MESSAGE_LENGTH = 400;

/** What the compiler said of one source. */
export interface Answer {
  /** `no answer`: beyond 15 minutes of processor time or 12 GB; `failed`: an error of the compiler itself, or one that has nothing to do with fitting. */
  readonly said: "placed" | "refused" | "no answer" | "failed";
  /** Stages of its placement, where it wrote one. */
  readonly stages?: number;
  /** The resource that a refusal names, in a word. */
  readonly resource: string;
  readonly message: string;
  readonly seconds: number;
}

/**
 * Gives one source to the compiler. `command` has `{file}`, `{target}`, `{arch}` and `{output}`, a folder; defines and include folders follow it.
 * A placement in more stages than the chip has is a refusal: the open compiler ends with status 0 there, so its `table_summary.log` is read.
 */
export async function ask(
  command: string,
  one: Case,
  { main, include }: { main: string; include: readonly string[] },
): Promise<Answer> {
  const output = `${main}.out`;
  const ended = await compile(command, one, { main, include, output, seconds: SECONDS });
  const stages = stagesIn(output);
  return {
    ...judged(ended, stages, loadTarget(one.chip).stages),
    ...(stages === undefined ? {} : { stages }),
    seconds: ended.seconds,
  };
}

interface Ended {
  readonly status: number | "no answer";
  readonly errors: string;
  readonly seconds: number;
}

/** Gives one source to the compiler, which writes to a new folder, with a limit of processor time. */
export async function compile(
  command: string,
  { chip, defines }: Case,
  {
    main,
    include,
    output,
    seconds: limit,
  }: { main: string; include: readonly string[]; output: string; seconds: number },
): Promise<Ended> {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const values: Record<string, string> = {
    ...{ file: main, target: chip, output },
    arch: chip === "tofino" ? "tna" : "t2na",
  };
  const words = command
    .split(/\s+/)
    .map((word) => word.replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? ""));
  const options = [
    ...[...chipDefines(chip), ...defines].map((name) => `-D${name}`),
    ...include.map((folder) => `-I${folder}`),
  ];
  const start = performance.now();
  const ended = await run([...words, ...options], limit);
  return { ...ended, seconds: Math.round((performance.now() - start) / 100) / 10 };
}

/** The answer that an exit status, the messages and the number of stages make. */
export function judged(
  { status, errors }: { status: number | "no answer"; errors: string },
  stages: number | undefined,
  most: number,
): Pick<Answer, "said" | "resource" | "message"> {
  if (status === "no answer") return { said: "no answer", resource: "", message: "" };
  const line =
    errors.split("\n").find((text) => /\berror:|Compiler Bug|Out of memory|Internal/.test(text)) ?? "";
  const message = line.slice(0, MESSAGE_LENGTH);
  if (status === 0)
    return (stages ?? 0) > most
      ? { said: "refused", resource: "stages", message: "" }
      : { said: "placed", resource: "", message: "" };
  const resource = message === "" ? "other" : compilerResource(message);
  return { said: resource === "other" ? "failed" : "refused", resource, message };
}

async function run(words: readonly string[], limit: number): Promise<Omit<Ended, "seconds">> {
  const limited = `ulimit -t ${limit} -v ${MEMORY_GB * 2 ** 20}; exec "$@"`;
  const child = spawn("sh", ["-c", limited, "sh", ...words], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (part: Buffer) => {
    if (errors.length < 1e6) errors += part.toString();
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code));
  });
  const isOutOfMemory = /out of memory|bad_alloc|Cannot allocate/i.test(errors);
  return { status: status === null || isOutOfMemory ? "no answer" : status, errors };
}

/** The last number of stages in each pipe's `table_summary.log`, the largest; undefined where there is none. */
function stagesIn(folder: string): number | undefined {
  if (!existsSync(folder)) return undefined;
  const logs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("table_summary.log"),
  );
  const found = logs.flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const last = [...text.matchAll(/Number of stages in table allocation: (\d+)/g)].at(-1);
    return last === undefined ? [] : [Number(last[1])];
  });
  return found.length === 0 ? undefined : Math.max(...found);
}
