/**
 * Our compiler against p4c on third-party programs, and our switch against BMv2.
 *
 *     npm run bench -- differential FOLDER... [-I FOLDER]... [--only TEXT] [--compiled FOLDER] [--seed N]
 *         [--packets N] [--entries N] [--bmv2]
 *
 * Every v1model program below the folders is compiled by both compilers. For each seed there are random entries within
 * sizes, kinds of match and scopes, and random packets that follow the program's own parser; both forms run on our
 * switch, and every packet, write and counter must be the same. With `--bmv2` (and simple_switch_grpc on PATH or in
 * P4LOOM_BMV2) our form also runs on BMv2 and must send what our switch sends, and p4c's form on BMv2 what ours does.
 *
 * p4c is P4LOOM_P4C or p4c-bm2-ss on PATH; `--compiled` takes NAME.json and NAME.p4info.txtpb of a folder instead,
 * or beside the program.
 * Prints a line for each program that differs, with its seed, then the counts. Exit status 1 when one differs.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { compile, type IncludeResolver } from "../../src/toolchain/p4/index.js";
import { type Program, readBmv2, readP4Info } from "../../src/toolchain/program/index.js";
import { BMV2, P4C, playOnBmv2 } from "../../test/parity/bmv2.js";
import { PORTS } from "./differential/entries.js";
import {
  type Frame,
  firstDifference,
  type Job,
  makeJob,
  playOnSwitch,
  portsDiffer,
} from "./differential/play.js";

interface Options {
  includes: readonly string[];
  compiled: string | undefined;
  seeds: readonly number[];
  packets: number;
  entries: number;
  bmv2: boolean;
}

/** Maximum number of packets for BMv2: without simple_switch_CLI its queues hold 64. */
const BMV2_PACKETS = 50;
const P4C_SECONDS = 120;

type Verdict = "same" | "different" | "ours refuses" | "p4c refuses" | "both refuse" | "fault" | "alone";

function v1modelPrograms(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory())
    return readdirSync(path)
      .sort()
      .flatMap((name) => v1modelPrograms(join(path, name)));
  return path.endsWith(".p4") && /\bV1Switch\s*\(/.test(readFileSync(path, "utf8")) ? [path] : [];
}

const source = (path: string) => new SourceFile(path, readFileSync(path, "utf8"));

function resolver(folders: readonly string[]): IncludeResolver {
  return (name, from, system) => {
    for (const folder of [...(system ? [] : [dirname(from.path)]), ...folders])
      if (existsSync(join(folder, name))) return source(join(folder, name));
    return undefined;
  };
}

/** A compiled program, or why there is none. */
type Compiled = { program: Program; why?: undefined } | { program?: undefined; why: string };

function compileHere(path: string, includes: readonly string[]): Compiled {
  const diagnostics = new Diagnostics();
  const input = { file: source(path), resolveInclude: resolver([dirname(path), ...includes]) };
  const result = compile(input, diagnostics);
  if (result === undefined) {
    const error = diagnostics.list.find(({ severity }) => severity === "error");
    return { why: error === undefined ? "no message" : formatDiagnostic(error).split("\n")[0]! };
  }
  // A file, so that the test also reads what the compiler writes.
  return readPrograms("ours", JSON.stringify(result.program.bmv2), undefined, result.program);
}

function readPrograms(name: string, json: string, info: string | undefined, made?: Program): Compiled {
  const diagnostics = new Diagnostics();
  const bmv2 = readBmv2(new SourceFile(`${name}.json`, json), diagnostics);
  const p4info = made?.p4info ?? readP4Info(new SourceFile(`${name}.txtpb`, info ?? ""), "text", diagnostics);
  const error = diagnostics.list.find(({ severity }) => severity === "error");
  if (bmv2 === undefined || p4info === undefined || error !== undefined)
    return { why: error === undefined ? "unreadable" : formatDiagnostic(error).split("\n")[0]! };
  return { program: { bmv2, p4info } };
}

function compileThere(path: string, { includes, compiled }: Options): Compiled | undefined {
  if (compiled !== undefined) {
    const name = basename(path, ".p4");
    const base = [compiled, dirname(path)]
      .map((folder) => join(folder, name))
      .find((one) => existsSync(`${one}.json`));
    if (base === undefined) return { why: `no ${name}.json` };
    return readPrograms(
      base,
      readFileSync(`${base}.json`, "utf8"),
      readFileSync(`${base}.p4info.txtpb`, "utf8"),
    );
  }
  if (P4C === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "p4loom-differential-"));
  try {
    const [json, info] = [join(folder, "a.json"), join(folder, "a.txtpb")];
    const folders = [dirname(path), ...includes].flatMap((one) => ["-I", one]);
    const args = ["--arch", "v1model", ...folders, "-o", json, "--p4runtime-files", info, path];
    const { status, stderr } = spawnSync(P4C, args, { encoding: "utf8", timeout: P4C_SECONDS * 1000 });
    if (status !== 0 || !existsSync(json)) {
      const line = stderr?.split("\n").find((one) => /\berror:/.test(one)) ?? `status ${status}`;
      return { why: line.trim() };
    }
    return readPrograms("p4c", readFileSync(json, "utf8"), readFileSync(info, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Values that differ between runs, or that depend on elapsed time. */
const TIMED =
  /"(?:modify_field_rng_uniform|ingress_global_timestamp|egress_global_timestamp|enq_timestamp|deq_timedelta|enq_qdepth|deq_qdepth)"/;

async function compareOne(path: string, options: Options): Promise<{ verdict: Verdict; lines: string[] }> {
  const ours = compileHere(path, options.includes);
  const theirs = compileThere(path, options);
  if (ours.program === undefined) {
    if (theirs?.program === undefined) return { verdict: "both refuse", lines: [ours.why] };
    return { verdict: "ours refuses", lines: [ours.why] };
  }
  const lines: string[] = [];
  if (theirs !== undefined && theirs.program === undefined) lines.push(theirs.why);
  const programs = theirs?.program === undefined ? [ours.program] : [ours.program, theirs.program];
  let differs = false;
  const note = (seed: number, what: string, difference: string | undefined): void => {
    if (difference === undefined) return;
    differs = true;
    lines.push(`seed ${seed}, ${what}: ${difference}`);
  };
  for (const seed of options.seeds) {
    const job = makeJob(programs, { seed: `${seed} ${basename(path)}`, ...options });
    const [here, there] = await Promise.all(programs.map((program) => playOnSwitch(program, job)));
    if (there !== undefined)
      note(seed, "ours against p4c's on our switch", firstDifference(here!, there, job));
    if (!options.bmv2) continue;
    if (TIMED.test(JSON.stringify([ours.program.bmv2.actions, ours.program.bmv2.pipelines]))) continue;
    // BMv2's P4Runtime server cannot write registers and value sets, and ports that BMv2 does not have send nothing.
    const taken = job.updates.filter(
      ({ entity }, i) => here!.writes[i] === "OK" && entity.kind !== "register" && entity.kind !== "valueSet",
    );
    const short: Job = { updates: taken, packets: job.packets.slice(0, BMV2_PACKETS) };
    const connected = ({ port }: Frame) => port < PORTS;
    const expected = (await playOnSwitch(ours.program, short)).sent.flat().filter(connected);
    const onBmv2 = (program: Program) =>
      playOnBmv2({ program, ...short, ports: PORTS, expected: expected.length });
    const { sent } = await onBmv2(ours.program);
    note(seed, "ours on our switch against BMv2", portsDiffer(expected, sent));
    if (programs[1] === undefined) continue;
    note(seed, "ours against p4c's on BMv2", portsDiffer(sent, (await onBmv2(programs[1])).sent));
  }
  if (differs) return { verdict: "different", lines };
  if (theirs === undefined) return { verdict: "alone", lines };
  return { verdict: theirs.program === undefined ? "p4c refuses" : "same", lines };
}

export async function differential(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      include: { type: "string", short: "I", multiple: true, default: [] },
      only: { type: "string", default: "" },
      compiled: { type: "string" },
      seed: { type: "string", default: "1" },
      seeds: { type: "string", default: "1" },
      packets: { type: "string", default: "200" },
      entries: { type: "string", default: "12" },
      bmv2: { type: "boolean", default: false },
    },
  });
  const programs = positionals.flatMap(v1modelPrograms).filter((path) => path.includes(values.only));
  if (programs.length === 0) {
    console.error("usage: npm run bench -- differential FOLDER... (with v1model programs)");
    return 2;
  }
  if (P4C === undefined && values.compiled === undefined)
    console.error("differential: p4c is neither on PATH nor in P4LOOM_P4C; programs run by themselves");
  if (values.bmv2 && BMV2 === undefined)
    console.error("differential: no simple_switch_grpc on PATH or in P4LOOM_BMV2");
  const options: Options = {
    includes: values.include,
    compiled: values.compiled,
    seeds: Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.seed) + i),
    packets: Number(values.packets),
    entries: Number(values.entries),
    bmv2: values.bmv2 && BMV2 !== undefined,
  };
  const counts = new Map<Verdict, number>();
  for (const path of programs) {
    const { verdict, lines } = await compareOne(path, options).catch((error: unknown) => {
      if (error instanceof DiagnosticError) return { verdict: "fault" as const, lines: [error.message] };
      return {
        verdict: "fault" as const,
        lines: [(error as Error).stack?.split("\n").slice(0, 4).join("\n") ?? ""],
      };
    });
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (verdict !== "same" && verdict !== "alone")
      console.log([`${path}: ${verdict}`, ...lines].join("\n    "));
  }
  console.log(
    [`${programs.length} programs`, ...[...counts].map(([what, many]) => `${many} ${what}`)].join(", "),
  );
  return (counts.get("different") ?? 0) + (counts.get("fault") ?? 0) > 0 ? 1 : 0;
}
