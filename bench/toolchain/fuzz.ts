/**
 * `npx tsx bench/toolchain/fuzz.ts [--rival] [--minutes N] [--seed N] [--out DIR]`: compiles generated programs, correct ones and mutated
 * ones, and looks for faults: exceptions, hangs, a correct program rejected. The program of each new kind of fault is reduced and
 * written to DIR (out/fuzz). With --rival p4c compiles the correct programs too, and BMv2 must treat packets alike under
 * both outputs. Prints one JSON line; the exit status is 1 if there was a fault.
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../../src/base/index.js";
import { findFault } from "./fuzz/check.js";
import { mutate } from "./fuzz/mutate.js";
import { makeProgram } from "./fuzz/program.js";
import { compareWithRival, rivalsInstalled } from "./fuzz/rival.js";

interface Case {
  text: string;
  /** Correct by construction. */
  isRight: boolean;
}

const root = join(import.meta.dirname, "../..");
/** A worker that sends no message for this time counts as hung. */
const HANG = 60_000;

/** All programs of the project, correct and incorrect. */
function corpus(): string[] {
  return ["p4", "test/golden", "test/bad"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".p4"))
      .sort()
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  );
}

function makeCase(seed: Random, number: number, programs: readonly string[]): Case {
  const random = seed.fork(number);
  const generated = makeProgram(random);
  if (number % 4 === 0) return { text: generated, isRight: true };
  const base = number % 4 === 1 ? generated : random.pick(programs);
  return { text: mutate(base, random, programs), isRight: false };
}

/** Removes lines, then tokens, while the program still shows a fault of the same kind. */
async function reduce(
  failing: Case,
  kind: string,
  ask: (text: string) => Promise<string | undefined>,
): Promise<string> {
  let { text } = failing;
  for (const split of [/(?<=\n)/, /(?<=\W)(?=\w)|(?<=\w)(?=\W)|(?<=[^\w\s])/]) {
    let pieces = text.split(split);
    for (let size = pieces.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at + size <= pieces.length && pieces.length < 20_000; ) {
        const fewer = [...pieces.slice(0, at), ...pieces.slice(at + size)];
        const fault = await ask(fewer.join(""));
        if (fault !== undefined && kindOf(fault) === kind) pieces = fewer;
        else at += size;
      }
    }
    text = pieces.join("");
  }
  return text;
}

/** The kind of a fault: its message without names and numbers. */
function kindOf(fault: string): string {
  return fault
    .replace(/'[^']*'/g, "''")
    .replace(/\d+/g, "0")
    .slice(0, 160);
}

/** Runs cases in a process of its own, so that a hang can be ended. */
class Tester {
  #child = this.#start();

  #start(): ChildProcess {
    return fork(import.meta.filename, ["--answer"], { execArgv: process.execArgv });
  }

  ask(input: Case): Promise<string | undefined> {
    const child = this.#child;
    return new Promise((resolve) => {
      const finish = (fault: string | undefined, restart: boolean) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (restart) {
          child.kill("SIGKILL");
          this.#child = this.#start();
        }
        resolve(fault);
      };
      const timer = setTimeout(() => finish("hangs", true), HANG);
      child.once("message", (fault: string | null) => finish(fault ?? undefined, false));
      child.once("exit", (status, signal) => finish(`the process ended with ${signal ?? status}`, true));
      child.send(input);
    });
  }

  stop(): void {
    this.#child.removeAllListeners();
    this.#child.kill("SIGKILL");
  }
}

/** The comparison with p4c. Programs that p4c rejects are counted and are not faults. */
async function compare(seed: number, minutes: number, out: string): Promise<number> {
  if (!rivalsInstalled()) {
    console.error("--rival needs p4c-bm2-ss and simple_switch on the PATH");
    return 2;
  }
  const start = performance.now();
  const seeds = new Random(seed);
  let [number, refused, faults] = [0, 0, 0];
  for (; performance.now() - start < minutes * 60_000; number++) {
    const random = seeds.fork(number);
    const text = makeProgram(random, { comparable: true });
    const fault = await compareWithRival(text, random, join(out, "rival"));
    if (fault?.startsWith("p4c:")) refused++;
    else if (fault !== undefined) {
      faults++;
      console.error(`case ${number}: ${fault}`);
      writeFileSync(join(out, `rival-${seed}-${number}.p4`), `// ${fault}\n${text}`);
    }
  }
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    JSON.stringify({ name: "fuzz-rival", cases: number, seconds, refused_by_p4c: refused, faults }),
  );
  return faults > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rival: { type: "boolean", default: false },
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: "1" },
      out: { type: "string", default: join(root, "out/fuzz") },
    },
  });
  if (values.rival) return await compare(Number(values.seed), Number(values.minutes), values.out);
  const programs = corpus();
  const seed = new Random(Number(values.seed));
  const start = performance.now();
  const end = start + Number(values.minutes) * 60_000;
  const tester = new Tester();
  const kinds = new Map<string, number>();
  let number = 0;
  for (; performance.now() < end; number++) {
    const generated = makeCase(seed, number, programs);
    const fault = await tester.ask(generated);
    if (fault === undefined) continue;
    const kind = kindOf(fault);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kinds.get(kind) !== 1) continue;
    console.error(`case ${number}: ${fault}`);
    // A reduced program may be incorrect; its rejection is then no fault.
    const small =
      generated.isRight && !fault.startsWith("thrown") && !fault.startsWith("printed")
        ? generated.text
        : fault === "hangs"
          ? generated.text
          : await reduce(generated, kind, (text) => tester.ask({ text, isRight: false }));
    mkdirSync(values.out, { recursive: true });
    writeFileSync(
      join(values.out, `${values.seed}-${number}.p4`),
      `// ${fault.replaceAll("\n", " ")}\n${small}`,
    );
  }
  tester.stop();
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    JSON.stringify({ name: "fuzz", cases: number, seconds, faults: kinds.size, kinds: [...kinds] }),
  );
  return kinds.size > 0 ? 1 : 0;
}

if (!process.argv.includes("--answer")) process.exitCode = await main();
else process.on("message", ({ text, isRight }: Case) => process.send!(findFault(text, isRight) ?? null));
