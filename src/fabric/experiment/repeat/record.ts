/** What a folder of results carries so that its run can be repeated: `repeat/run.json`, and the files that the run has read in `repeat/files/`. */
import { z } from "zod";
import { given, type SourceFile } from "../../../base/index.js";
import { ENGINES, type EngineName, type SeeingRequest } from "../experiment.js";
import type { FileText } from "../results.js";
import { type Inputs, inputsOf, sha256 } from "./inputs.js";

export const RECORD_FILE = "repeat/run.json";
export const FILES_FOLDER = "repeat/files";

const digest = z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hexadecimal digits");
/** Below the folder: no absolute paths, none that lead out. */
const path = z
  .string()
  .min(1)
  .refine(
    (text) => !/^([/\\]|[A-Za-z]:)/.test(text) && !text.split(/[/\\]/).includes(".."),
    "expected a path below the folder",
  );

export const recordSchema = z.strictObject({
  /** Versions of p4loom and of Node that ran it. */
  p4loom: z.string(),
  node: z.string(),
  /** For people. */
  command: z.string(),
  experiment: path,
  engine: z.enum(ENGINES),
  seed: z.number().int().min(0),
  runs: z.number().int().min(1).optional(),
  p4c: z.string().optional(),
  seeing: z
    .strictObject({
      pcap: z.array(z.string()).optional(),
      flows: z.array(z.number().int().min(0)).optional(),
      timeline: z.boolean().optional(),
    })
    .optional(),
  /** SHA-256 by path below `repeat/files`. */
  inputs: z.record(path, digest),
  /** SHA-256 by absolute path. */
  outside: z.record(z.string(), digest),
  left_out: z.array(path),
});

export type RunRecord = z.output<typeof recordSchema>;

export interface RepeatedRun {
  readonly p4loom: string;
  readonly engine: EngineName;
  readonly seed: number;
  /** In place of the file's seed and number of runs. */
  readonly givenSeed: number | undefined;
  readonly runs: number | undefined;
  readonly p4c: string | undefined;
  readonly seeing: Partial<SeeingRequest> | undefined;
}

/** The files of the record, from the files that the run of `experiment` reads now: called before the run starts. */
export function recordFiles(
  experiment: SourceFile,
  run: RepeatedRun,
): (readonly [name: string, text: FileText])[] {
  const inputs = inputsOf(experiment);
  const record = recordOf(inputs, run);
  return [
    [RECORD_FILE, `${JSON.stringify(record, null, 2)}\n`],
    ...[...inputs.files].map(([name, bytes]) => [`${FILES_FOLDER}/${name}`, bytes] as const),
  ];
}

function recordOf(
  { experiment, files, outside, leftOut }: Inputs,
  { p4loom, engine, seed, givenSeed, runs, p4c, seeing }: RepeatedRun,
): RunRecord {
  const words = [
    `p4loom run ${experiment}`,
    ...(engine === "sim" ? [] : [`--engine ${engine}`]),
    ...(givenSeed === undefined ? [] : [`--seed ${givenSeed}`]),
    ...(runs === undefined ? [] : [`--runs ${runs}`]),
    ...(p4c === undefined ? [] : [`--p4c ${p4c}`]),
    ...(seeing?.pcap === undefined || seeing.pcap.length === 0 ? [] : [`--pcap ${seeing.pcap.join(",")}`]),
    ...(seeing?.flows ?? []).map((flow) => `--trace-flow ${flow}`),
    ...(seeing?.timeline === true ? ["--timeline"] : []),
  ];
  return {
    ...{ p4loom, node: process.version, command: words.join(" "), experiment, engine, seed },
    ...given({ runs, p4c, seeing: seeing === undefined ? undefined : mutable(seeing) }),
    inputs: Object.fromEntries([...files].map(([name, bytes]) => [name, sha256(bytes)])),
    outside: Object.fromEntries(outside),
    left_out: [...leftOut],
  };
}

function mutable({ pcap, flows, timeline }: Partial<SeeingRequest>): NonNullable<RunRecord["seeing"]> {
  return given({ pcap: pcap && [...pcap], flows: flows && [...flows], timeline });
}
