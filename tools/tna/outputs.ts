/**
 * Compares the outputs for controllers with what the open Tofino compiler wrote for public programs:
 *
 *     RIVAL=DIR npx tsx tools/tna/outputs.ts
 *
 * `RIVAL` has the folders `as-published/` and `adapted/`, one folder a program in each, with `p4info.txtpb` and `bfrt.json`; none of it is
 * part of the project. From each P4Info, bf-rt.json is made and compared with the one that stands beside it, as structures, ids and all.
 * One id is compared as a choice of two: the open compiler gives `snapshot.cfg` the id of the ingress' or the egress' snapshot by the
 * addresses of its own objects, so that the number is no property of the program. How often ours is the same number is told apart.
 *
 * Exit status 0: all are equal, or `RIVAL` is absent; 1: there is a difference.
 */
import { Diagnostics } from "../../src/base/index.js";
import { bfrtSchema, sameBfrt, writeP4InfoText } from "../../src/toolchain/program/index.js";
import { type GoldenOutput, goldenOutputs } from "./golden-outputs.js";

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
  const snapshots = new Set(
    p4info.externs
      .filter((one) => one.externTypeName === "Snapshot")
      .flatMap((one) => one.instances.map(({ preamble }) => preamble?.id ?? 0)),
  );
  const isChoice = (text: string): boolean => {
    const [, ours, theirs] = SNAPSHOT_ID.exec(text) ?? [];
    return snapshots.has(Number(ours)) && snapshots.has(Number(theirs));
  };
  const differences = all.filter((text) => !isChoice(text));
  return { golden, differences, sameSnapshotId: differences.length === all.length, printsBack };
}

function share(part: number, whole: number): string {
  return `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
}

function main(): number {
  const goldens = goldenOutputs(process.env["RIVAL"]);
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
  return verdicts.every((one) => one.differences.length === 0) ? 0 : 1;
}

process.exitCode = main();
