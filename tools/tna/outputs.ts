/**
 * Compares the outputs for controllers with what the open Tofino compiler wrote for public programs:
 *
 *     RIVAL=DIR [CORPUS=DIR] npx tsx tools/tna/outputs.ts [NAME ...]
 *
 * `RIVAL` has the folders `as-published/` and `adapted/`, one folder a program in each, with `p4info.txtpb` and `bfrt.json`; none of it is
 * part of the project. From each P4Info, bf-rt.json is made and compared with the one that stands beside it, as structures, ids and all.
 * One id is compared as a choice of two: the open compiler gives `snapshot.cfg` the id of the ingress' or the egress' snapshot by the
 * addresses of its own objects, so that the number is no property of the program. How often ours is the same number is told apart.
 *
 * With `CORPUS` (`golden-programs.ts` says what it holds) each program is compiled, too, and its P4Info and bf-rt.json are compared.
 * With NAMEs only the programs whose names contain one of them are judged.
 *
 * Exit status 0: all are equal, or `RIVAL` is absent; 1: there is a difference.
 */
import { Diagnostics, formatDiagnostic, given, SourceFile } from "../../src/base/index.js";
import { targetOf } from "../../src/toolchain/p4/architectures/registry.js";
import type { CompileInput } from "../../src/toolchain/p4/index.js";
import { elaborate } from "../../src/toolchain/p4/lower/elaborate/program.js";
import { applyPasses } from "../../src/toolchain/p4/lower/passes.js";
import { parse } from "../../src/toolchain/p4/syntax/index.js";
import { check } from "../../src/toolchain/p4/types/index.js";
import {
  bfrtSchema,
  type P4Info,
  sameBfrt,
  sameP4Info,
  writeP4InfoText,
} from "../../src/toolchain/program/index.js";
import { type GoldenOutput, goldenOutputs } from "./golden-outputs.js";
import { goldenPrograms } from "./golden-programs.js";

interface Verdict {
  readonly golden: GoldenOutput;
  /** All but the ids of `snapshot.cfg`. */
  readonly differences: readonly string[];
  readonly sameSnapshotId: boolean;
  /** Whether the P4Info prints back byte for byte. */
  readonly printsBack: boolean;
}

const SNAPSHOT_ID = /^tables\[[^\]]*\.snapshot\.cfg\]\.id: (\d+) \/ (\d+)$/;

function judge(golden: GoldenOutput): Verdict {
  const p4info = golden.p4info();
  const diagnostics = new Diagnostics();
  const schema = bfrtSchema(p4info, diagnostics);
  const printsBack = writeP4InfoText(p4info) === golden.p4infoText();
  if (schema === undefined) {
    return {
      golden,
      differences: diagnostics.list.map((one) => one.message),
      sameSnapshotId: false,
      printsBack,
    };
  }
  const all = sameBfrt(schema, golden.bfrt(), Number.POSITIVE_INFINITY);
  const differences = withoutChoice(all, p4info);
  return { golden, differences, sameSnapshotId: differences.length === all.length, printsBack };
}

function share(part: number, whole: number): string {
  return `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
}

/** What our compiler makes of a program beside what the open compiler wrote. */
interface Compiled {
  readonly golden: GoldenOutput;
  /** Undefined where the program was compiled. */
  readonly refusal: string | undefined;
  readonly p4info: readonly string[];
  readonly bfrt: readonly string[];
}

/**
 * P4Info as after the front end: the open compiler writes it before the checks of its mid end, so it wrote those of programs that are
 * then refused, too.
 */
function p4infoOf({ file, defines, ...input }: CompileInput, diagnostics: Diagnostics): P4Info | undefined {
  const program = typeof file === "string" ? new SourceFile("program.p4", file) : file;
  const unit = parse({ file: program, ...input, ...given({ defines }) }, diagnostics);
  if (!diagnostics.hasErrors) check(unit, diagnostics);
  const target = diagnostics.hasErrors ? undefined : targetOf(unit, given({ defines }));
  if (target === undefined) return undefined;
  const lowered = elaborate(unit, program, target.architecture, diagnostics);
  if (lowered === undefined || diagnostics.hasErrors) return undefined;
  applyPasses(lowered, target.architecture.passes, diagnostics);
  return diagnostics.hasErrors ? undefined : target.controlPlane?.(lowered, unit, diagnostics);
}

function compileOne(golden: GoldenOutput, input: () => CompileInput): Compiled {
  const refused = (refusal: string): Compiled => ({ golden, refusal, p4info: [], bfrt: [] });
  const diagnostics = new Diagnostics();
  try {
    const p4info = p4infoOf(input(), diagnostics);
    const schema = p4info && bfrtSchema(p4info, diagnostics);
    if (p4info === undefined || schema === undefined) {
      const first = diagnostics.list.find(({ severity }) => severity === "error");
      return refused(first === undefined ? "no error" : formatDiagnostic(first).split("\n")[0]!);
    }
    return {
      golden,
      refusal: undefined,
      p4info: sameP4Info(p4info, golden.p4info()),
      bfrt: withoutChoice(sameBfrt(schema, golden.bfrt(), Number.POSITIVE_INFINITY), p4info),
    };
  } catch (error) {
    return refused(
      String((error as Error).stack)
        .split("\n")
        .slice(0, 3)
        .join(" "),
    );
  }
}

function compareCompiled(goldens: readonly GoldenOutput[], corpus: string | undefined): boolean {
  const programs = goldenPrograms(corpus);
  if (programs === undefined) {
    process.stdout.write("compiled programs skipped: CORPUS names no folder with corpus.tsv\n");
    return true;
  }
  const results = goldens
    .filter(({ edition }) => edition === "as-published")
    .map((golden) => {
      const input = programs.get(golden.program);
      const none: Compiled = { golden, refusal: "not in the list", p4info: [], bfrt: [] };
      const result = input === undefined ? none : compileOne(golden, input);
      process.stdout.write(
        `${result.refusal ?? `${result.p4info.length} ${result.bfrt.length}`} ${golden.program}\n`,
      );
      for (const text of result.p4info.slice(0, 200)) process.stdout.write(`    P4Info ${text}\n`);
      for (const text of result.bfrt.slice(0, 2)) process.stdout.write(`    bf-rt ${text}\n`);
      return result;
    });
  const compiled = results.filter((one) => one.refusal === undefined);
  const count = (test: (one: Compiled) => boolean): string =>
    `${share(compiled.filter(test).length, results.length)}; of those compiled ${share(compiled.filter(test).length, compiled.length)}`;
  process.stdout.write(`compiled: ${share(compiled.length, results.length)}\n`);
  process.stdout.write(`P4Info equal: ${count((one) => one.p4info.length === 0)}\n`);
  process.stdout.write(`bf-rt.json equal: ${count((one) => one.bfrt.length === 0)}\n`);
  return (
    compiled.length === results.length && results.every((one) => one.bfrt.length + one.p4info.length === 0)
  );
}

/** The differences but for a choice among the ids of snapshots. */
function withoutChoice(differences: readonly string[], p4info: P4Info): string[] {
  const snapshots = new Set(
    p4info.externs
      .filter((one) => one.externTypeName === "Snapshot")
      .flatMap((one) => one.instances.map(({ preamble }) => preamble?.id ?? 0)),
  );
  return differences.filter((text) => {
    const [, ours, theirs] = SNAPSHOT_ID.exec(text) ?? [];
    return !(snapshots.has(Number(ours)) && snapshots.has(Number(theirs)));
  });
}

function main(): number {
  const names = process.argv.slice(2);
  const goldens = goldenOutputs(process.env["RIVAL"])?.filter(
    ({ program }) => names.length === 0 || names.some((name) => program.includes(name)),
  );
  if (goldens === undefined) {
    process.stdout.write("skipped: RIVAL names no folder with as-published/ and adapted/\n");
    return 0;
  }
  const verdicts = goldens.map(judge);
  const count = (test: (one: Verdict) => boolean): string =>
    share(verdicts.filter(test).length, verdicts.length);
  for (const { golden, differences } of verdicts) {
    if (differences.length === 0) continue;
    process.stdout.write(`${golden.edition}/${golden.program}\n`);
    for (const text of differences.slice(0, 5)) process.stdout.write(`    ${text}\n`);
  }
  process.stdout.write(`P4Info read and printed back byte for byte: ${count((one) => one.printsBack)}\n`);
  process.stdout.write(`bf-rt.json equal: ${count((one) => one.differences.length === 0)}\n`);
  process.stdout.write(
    `of these with the same id of snapshot.cfg: ${count((one) => one.differences.length === 0 && one.sameSnapshotId)}\n`,
  );
  const same = compareCompiled(goldens, process.env["CORPUS"]);
  return same && verdicts.every((one) => one.differences.length === 0) ? 0 : 1;
}

process.exitCode = main();
