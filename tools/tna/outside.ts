/** Records of what the compiler did with public programs, and the programs outside the list of compared designs that `record.ts` makes records of. */
import { Random } from "../../src/base/index.js";
import { type Case, type Chip, caseName } from "./corpus.js";
import type { CONTAINERS } from "./fit-page.js";

export interface RecordedTable {
  readonly name: string;
  readonly pipe?: string;
  readonly stage: number;
  readonly logical_id?: number;
  readonly gress?: "ingress" | "egress";
  readonly key_bits?: number;
  readonly entries_requested?: number;
  readonly entries_allocated?: number;
  readonly srams?: number;
  readonly map_rams?: number;
  readonly tcams?: number;
  readonly ways?: number;
  readonly ixbar_bytes?: number;
  readonly match_bits?: number;
  readonly action_data_bytes?: number;
}

type Counts = Readonly<Record<"total" | "ingress" | "egress", number>>;
type Phv = Readonly<Record<(typeof CONTAINERS)[number], { readonly containers: number }>>;
/** Resources of a stage by their names; `pipe` where the program has several. */
type StageCounts = Readonly<Record<string, number | string>>;

/** What the compiler did with a program. */
export interface Rival {
  readonly repo: string;
  readonly path: string;
  readonly variant?: string;
  readonly class?: string;
  readonly target: Chip;
  readonly result: "placed" | "error" | "timeout";
  readonly error?: string;
  readonly seconds?: number;
  readonly exceeds_device_stages?: boolean;
  /** The pipes of a program that has several; `stages` are the most of a pipe. */
  readonly pipes?: readonly { readonly name: string; readonly stages: Counts; readonly phv: Phv }[];
  readonly stages?: Counts;
  readonly tables?: readonly RecordedTable[];
  readonly per_stage_resources?: readonly StageCounts[];
  readonly phv?: Phv;
  /** What was changed so that the compiler takes the program. */
  readonly adapted?: { readonly options?: readonly string[] };
}

/** A pipe that the compiler placed; the name where the program has several. */
export interface PlacedPipe {
  readonly name: string | undefined;
  readonly stages: number;
  readonly counts: readonly StageCounts[];
  readonly phv: Phv;
}

/**
 * The pipe of most stages of a program that the compiler placed within the chip's stages; it places programs in more stages than the chip has,
 * too.
 */
export function placedPipe(one: Rival): PlacedPipe | undefined {
  if (one.result !== "placed" || one.exceeds_device_stages === true) return undefined;
  const { pipes = [], stages, phv, per_stage_resources: counts = [] } = one;
  const [first, ...others] = pipes;
  if (first === undefined) return stages && phv && { name: undefined, stages: stages.total, counts, phv };
  const longest = others.reduce((a, b) => (b.stages.total > a.stages.total ? b : a), first);
  const own = counts.filter(({ pipe }) => pipe === longest.name);
  return { name: longest.name, stages: longest.stages.total, counts: own, phv: longest.phv };
}

/** Programs outside the list that were looked at while messages were proven or wrong verdicts mended, so that they judge nothing. */
export const SEEN: readonly string[] = [
  "Princeton-Cabernet/p4-projects/PRECISION-tofino/p4src/PRECISION.p4",
  "Switcharoo-P4/Switcharoo-P4/p4src/switcharoo.p4",
  "nsg-ethz/O4/examples/tna/conquest.p4",
  "p4lang/open-p4studio/pkgsrc/p4-examples/p4_16_programs/tna_action_profile/tna_action_profile.p4",
  "p4lang/open-p4studio/pkgsrc/p4-examples/p4_16_programs/tna_checksum/tna_checksum.p4",
  "slaki/nsdi22/ur.p4",
];

/** Whether the case is one of them, by its name. */
export function isSeen(name: string): boolean {
  return SEEN.includes(name.replace(/@.*/, ""));
}

/** Classes of the list beside `design`, in the order in which they are asked about: repositories without a listed design come first. */
const CLASSES = ["example", "generated", "sde-example"];

/** The seed of all draws. */
const SEED = 31;
/** So many programs are drawn of a repository whose programs another compiler generated. */
const GENERATED = 6;

const lot = (name: string): number => new Random(SEED).fork(name).uint32();

/**
 * Cases for the compiler: all examples, and a draw of the generated programs, each for the chips that it takes, in the order of a draw. A program
 * that is equal to another one after preprocessing is left out.
 */
export function outsideCases(cases: readonly Case[]): Case[] {
  const distinct = cases.filter(
    ({ class: kind, duplicateOf, standalone }) =>
      CLASSES.includes(kind) && duplicateOf === undefined && standalone,
  );
  const drawn = new Set<string>();
  const generated = distinct.filter((one) => one.class === "generated");
  for (const repo of new Set(generated.map((one) => one.repo))) {
    const paths = new Set(generated.filter((one) => one.repo === repo).map(({ path }) => path));
    const names = [...paths].map((path) => `${repo}/${path}`).sort((a, b) => lot(a) - lot(b));
    for (const name of names.slice(0, GENERATED)) drawn.add(name);
  }
  return distinct
    .filter(({ class: kind, repo, path }) => kind !== "generated" || drawn.has(`${repo}/${path}`))
    .sort(
      (a, b) => CLASSES.indexOf(a.class) - CLASSES.indexOf(b.class) || lot(caseName(a)) - lot(caseName(b)),
    );
}
