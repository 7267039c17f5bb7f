/**
 * Why a program does not fit, in the words of the program: smallest sets of operations, fields or tables that together cannot be allocated
 * or placed. A set is found by deletion (smallest.ts); each answer on the way is proven or is not (check.ts), and the set says which.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { FitResult } from "../fit.js";
import { fieldLabel } from "../model/expressions.js";
import { lowerBounds, usersOf } from "../place/bounds.js";
import { entriesToPlace, type Problem } from "../place/placement.js";
import type { Resource } from "../place/stage.js";
import { Work } from "../place/work.js";
import { type Answer, Check, type CheckLimits, proofOf } from "./check.js";
import { fieldsWithoutContainer } from "./containers.js";
import { fieldsTooMany } from "./fields.js";
import { type Remedy, remediesFor } from "./remedies.js";
import { type Smallest, smallest } from "./smallest.js";
import { subproblem } from "./subproblem.js";

/** A part of the program in a reason. */
interface Member {
  /** `table Ingress.t, 4096 entries`, `field meta.m, 16 bits`. */
  readonly text: string;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface Reason {
  readonly kind: "operation" | "fields" | "tables";
  readonly members: readonly Member[];
  /** Fields, operations or tables of the set; members that are many fields of one header count as these. */
  readonly size: number;
  /** Why the members cannot be allocated or placed together. */
  readonly because: string;
  /** The members are refused for certain, and without any one of them the others are not. */
  readonly isMinimal: boolean;
  /** The bound of the work ended the search, so that the set may have members that are not needed, and less was tried. */
  readonly isAtBound: boolean;
  /** Changes that were tried on the whole program, the ones that make it fit first. */
  readonly remedies: readonly Remedy[];
}

/** Bounds where nothing else is asked for: quick proofs and placements alone, some seconds at most. */
export const QUICK: CheckLimits = { work: 1_000_000, solver: undefined };

/** Sums over tables whose smallest set is searched for. */
const MAX_BOUNDS = 2;

/** The smallest sets that were found for a program that does not fit, the smallest first; none for one that is placed. */
export async function findReasons(result: FitResult, limits: CheckLimits = QUICK): Promise<Reason[]> {
  const { problem, verdict } = result;
  if (verdict === "placed") return [];
  const found: Omit<Reason, "remedies">[] = operationsOf(result);
  const ids: ReadonlySet<number>[] = [];
  const check = new Check(problem, limits);
  for (const start of startsOf(result)) {
    const tables = await tablesFrom(problem, start, check);
    if (tables === undefined) continue;
    const { units, ...reason } = tables;
    if (ids.some((known) => known.size === units.size && [...units].every((id) => known.has(id)))) continue;
    ids.push(units);
    found.push(reason);
  }
  const without = await fieldsWithoutContainer(
    result,
    limits.solver === undefined ? "quick" : "thorough",
    limits.work,
  );
  // What is allocated has its reason from the allocation; only other programs are counted.
  const fields = result.phv.allocation === undefined ? fieldsTooMany(problem) : undefined;
  if (fields !== undefined) {
    const { groups, because, fields: size } = fields;
    const members = groups.map(({ text }) => ({ text, source: undefined }));
    found.push({ kind: "fields", members, size, because, isMinimal: true, isAtBound: false });
  }
  if (without !== undefined) {
    const { members, size, because, isAtBound } = without;
    found.push({ kind: "fields", members, size, because, isMinimal: false, isAtBound });
  }
  const concerned = new Set(ids.flatMap((set) => [...set]));
  const remedies = remediesFor(result, concerned, new Work(limits.work));
  return found
    .sort((a, b) => a.size - b.size)
    .map((reason) => ({
      ...reason,
      remedies:
        reason.kind === "tables" ? remedies : reason.kind === "fields" ? (without?.remedies ?? []) : [],
    }));
}

/** Each operation that the target lacks is refused alone. */
function operationsOf({ diagnostics }: FitResult): Omit<Reason, "remedies">[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ message, notes, span }) => {
      const at = span?.file.position(span.start);
      const source =
        span === undefined || at === undefined
          ? undefined
          : { filename: span.file.path, line: at.line, column: at.column - 1, source_fragment: "" };
      const [instead] = notes;
      return {
        kind: "operation" as const,
        members: [{ text: message.replace(/^\w+: /, ""), source }],
        size: 1,
        because: `no program with it fits${instead === undefined ? "" : `: ${instead.message}`}`,
        isMinimal: true,
        isAtBound: false,
      };
    });
}

/** Sets of units that are refused, each for another cause; all units where only the placement failed. */
function startsOf({ problem, placement, stages, target }: FitResult): ReadonlySet<number>[] {
  const { companions, graph, model } = problem;
  const starts: ReadonlySet<number>[] = [];
  const every = model.units.map(({ id }) => id);
  const isRefused = (units: ReadonlySet<number>) =>
    proofOf(subproblem(problem, units), [...units]) !== undefined;
  for (const { unit } of placement.unplaced.slice(0, MAX_BOUNDS)) {
    const group = new Set(companions[unit.id]);
    const proof = isRefused(group) ? undefined : proofOf(problem, every);
    starts.push(proof?.kind === "apart" ? new Set([...proof.group, ...proof.path]) : group);
  }
  if (graph.criticalPath > target.stages) starts.push(new Set(graph.criticalUnits));
  const sums = lowerBounds(problem).filter((b) => b.name !== "critical path" && b.stages > target.stages);
  for (const { name } of sums.slice(0, MAX_BOUNDS)) {
    const users = new Set(usersOf(problem, name as Resource));
    if (isRefused(users)) starts.push(users);
  }
  const proven = starts.filter(isRefused);
  if (proven.length > 0) return proven;
  return stages > target.stages || placement.unplaced.length > 0 ? [new Set(every)] : [];
}

/** A smallest set of units from a refused one, in the order of the program; none where the solver places them all. */
async function tablesFrom(
  problem: Problem,
  start: ReadonlySet<number>,
  check: Check,
): Promise<(Omit<Reason, "remedies"> & { units: ReadonlySet<number> }) | undefined> {
  const inOrder = [...start].sort((a, b) => weightOf(problem, a) - weightOf(problem, b) || a - b);
  const found = await smallestRefused(inOrder, (ids, how) => check.ask(ids, how));
  if (found === undefined) return undefined;
  const { members, isMinimal } = found;
  const units = new Set([...members].sort((a, b) => a - b));
  const only = subproblem(problem, units);
  return {
    kind: "tables",
    members: [...units].map((id) => memberOf(only, id)),
    size: units.size,
    because: becauseOf(only, [...units], isMinimal),
    isMinimal,
    isAtBound: !isMinimal && check.isAtBound,
    units,
  };
}

/**
 * A smallest set that is refused for certain; where nothing proves that they all are, one that neither the heuristic nor the solver places. None
 * where the solver places all.
 */
async function smallestRefused(
  units: readonly number[],
  ask: (ids: readonly number[], how: "quick" | "exact") => Promise<Answer>,
): Promise<Smallest<number> | undefined> {
  const exactly = (ids: readonly number[]) => ask(ids, "exact");
  const isNotPlaced = (answer: Answer) => answer === "refused" || answer === "unknown";
  const all = await exactly(units);
  if (all === "placed") return undefined;
  if (all === "refused") return smallest(units, exactly);
  const found = await smallest(units, (ids) => ask(ids, "quick"), isNotPlaced);
  const answer = await exactly(found.members);
  if (answer === "refused") return found;
  const { members } = answer === "placed" ? await smallest(units, exactly, isNotPlaced) : found;
  return { members, isMinimal: false };
}

/** Blocks of a stage that a unit takes, the larger share of SRAM and TCAM; units without memory come first. */
function weightOf({ plans, demands, model, target }: Problem, id: number): number {
  const unit = defined(model.units[id]);
  const { srams, tcams } = defined(plans[id]).layout(entriesToPlace(unit));
  const shared = defined(demands[id]).shared.reduce((sum, memory) => sum + memory.srams, 0);
  return Math.max((srams + shared) / target.sram.blocks, tcams / target.tcam.blocks);
}

/** @param isMinimal the solver has proven the refusal, where no count does */
function becauseOf(problem: Problem, ids: readonly number[], isMinimal: boolean): string {
  const { target } = problem;
  const proof = proofOf(problem, ids);
  if (proof === undefined)
    return `no placement within the ${target.stages} stages ${isMinimal ? "exists" : "was found"}: dependencies and resources of the stages together`;
  if (proof.kind !== "bound") return proof.detail;
  const { name, stages, detail } = proof.bound;
  return name === "critical path"
    ? `each waits for another, so that they take ${stages} stages, and the device has ${target.stages}`
    : `they take ${detail}, and the device has ${target.stages} stages`;
}

/** A unit with what it needs, and the field for which it waits. */
function memberOf({ model, plans, graph }: Problem, id: number): Member {
  const unit = defined(model.units[id]);
  const { srams, tcams } = defined(plans[id]).layout(entriesToPlace(unit));
  const blocks = [
    ...(srams > 0 ? [`${srams} SRAM blocks`] : []),
    ...(tcams > 0 ? [`${tcams} TCAM blocks`] : []),
    ...unit.attached
      .filter(({ size }) => size > 0)
      .map(({ kind, name, size }) => `${kind} ${name} of ${size}`),
  ];
  const { earliest } = graph;
  const [waits] = defined(graph.incoming[id])
    .filter(({ distance }) => distance > 0)
    .sort((a, b) => defined(earliest[b.from]) - defined(earliest[a.from]) || b.from - a.from);
  const from = waits === undefined ? undefined : defined(model.units[waits.from]).label;
  const text = [
    unit.kind === "match" ? `table ${unit.label} with ${unit.size} entries` : unit.label,
    ...blocks,
    ...(waits?.field === undefined ? [] : [`waits for ${fieldLabel(waits.field)} of ${from}`]),
  ];
  return { text: text.join(", "), source: unit.source };
}

/** Members that a terminal shows of one reason, and reasons. */
const SHOWN_MEMBERS = 20;
const SHOWN_REASONS = 4;

/** The reasons for a terminal. */
export function reasonsText(reasons: readonly Reason[]): string {
  const lines: string[] = [];
  for (const { kind, members, size, because, isMinimal, isAtBound, remedies } of reasons.slice(
    0,
    SHOWN_REASONS,
  )) {
    const proof = `${isMinimal ? "minimal" : "not proven minimal"}${isAtBound ? ", the search reached its bound" : ""}`;
    const what =
      kind === "operation"
        ? "an operation"
        : kind === "fields"
          ? size === 1
            ? "one field"
            : `${size} fields together`
          : size === 1
            ? "one table"
            : `${size} tables, actions and conditions together`;
    lines.push(`why not: ${what} (${proof}): ${because}`);
    for (const { text, source } of members.slice(0, SHOWN_MEMBERS))
      lines.push(`  ${source === undefined ? "" : `${source.filename}:${source.line}: `}${text}`);
    if (members.length > SHOWN_MEMBERS) lines.push(`  and ${members.length - SHOWN_MEMBERS} more`);
    for (const { text, outcome } of remedies) lines.push(`  tried: ${text}: ${outcome}`);
  }
  const more = reasons.length - SHOWN_REASONS;
  if (more > 0) lines.push(`and ${more} more ${more === 1 ? "reason" : "reasons"}`);
  return lines.join("\n");
}
