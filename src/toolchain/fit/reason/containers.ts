/**
 * Fields that the allocation has no container for, with the groups of containers that they need, their stages and lines; with enough
 * allocations a smallest set of fields that it does not place together, found by dropping fields from the program; and changes that were
 * tried so. That the allocator does not place a set is no proof that nothing does, so that no such set is proven minimal.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { FitResult } from "../fit.js";
import { fieldLabel } from "../model/expressions.js";
import { type Access, actionReads, type FitModel, keyReads, type Unit, writesOf } from "../model/model.js";
import { allocatePhv } from "../phv/allocate.js";
import type { PhvAllocation, Unallocated } from "../phv/allocation.js";
import { type PhvRequests, readRequests } from "../phv/requests.js";
import { type Chains, chainsOfFlow } from "../place/chains.js";
import { Work } from "../place/work.js";
import type { Remedy } from "./remedies.js";
import { smallest } from "./smallest.js";

export interface ContainerReason {
  readonly because: string;
  readonly members: readonly { readonly text: string; readonly source: bmv2.SourceInfo | undefined }[];
  /** Fields of the set. */
  readonly size: number;
  readonly remedies: readonly Remedy[];
  /** The bound of the work ended the search: fewer changes were tried, or the set may have fields that are not needed. */
  readonly isAtBound: boolean;
}

/**
 * Allocations that are made to find changes, and those that are made to find a smallest set as well: each takes as long as that of `fit`.
 * The largest public designs reach the bound of the work before.
 */
export const ALLOCATIONS = { quick: 4, thorough: 200 } as const;
const MAX_REMEDIES = 6;
const MAX_SINGLE = 12;

/**
 * The set and its remedies; undefined where each field has a container.
 * @param limit of the work of the allocations for the set, and of those for its remedies: looks at a container and at each value in it, of 2
 * to 7 microseconds
 */
export async function fieldsWithoutContainer(
  result: FitResult,
  effort: keyof typeof ALLOCATIONS,
  limit: number,
): Promise<ContainerReason | undefined> {
  const without = withoutContainer(result.phv.allocation);
  const lost = new Set(without.flatMap(({ fields }) => fields));
  const search = new Search(result, ALLOCATIONS[effort], limit);
  const touched = search.touched();
  const first = without.find(({ fields }) => fields.some((field) => touched.has(field))) ?? without[0];
  if (first === undefined) return undefined;
  const isLost = [...lost].some((field) => touched.has(field));
  const members =
    effort === "quick" || !isLost
      ? [...lost]
      : (
          await smallest(
            [...touched].sort((a, b) => search.width(a) - search.width(b) || (a < b ? -1 : 1)),
            (fields) => search.ask(new Set(fields)),
            (answer) => answer === "unknown",
          )
        ).members;
  const remedies = search.remedies(members);
  return {
    because: becauseOf(result, first, members, search),
    members: membersOf(result, members, search),
    size: members.length,
    ...{ remedies, isAtBound: search.isAtBound },
  };
}

const withoutContainer = (allocation: PhvAllocation | undefined): Unallocated[] =>
  (allocation?.unallocated ?? []).filter(({ rule }) => rule === "container");

const accessesOf = (unit: Unit): Access[] => [...keyReads(unit), ...actionReads(unit), ...writesOf(unit)];

class Search {
  #allocations = 0;
  readonly #forSet: Work;
  readonly #forRemedies: Work;
  readonly #stages = new Map<number, number[]>();
  readonly #chains: Chains;

  constructor(
    readonly result: FitResult,
    readonly most: number,
    limit: number,
  ) {
    this.#forSet = new Work(limit);
    this.#forRemedies = new Work(limit);
    this.#chains = chainsOfFlow(result.problem);
    for (const { unit, stage, spill } of result.placement.parts)
      if (spill === undefined) this.#stages.set(unit.id, [...(this.#stages.get(unit.id) ?? []), stage]);
  }

  get isAtBound(): boolean {
    return this.#forSet.isSpent || this.#forRemedies.isSpent;
  }

  width(field: string): number {
    return this.result.model.fields.get(field)?.width ?? 1;
  }

  /** Fields that tables read or write. */
  touched(): Set<string> {
    const { units, fields } = this.result.model;
    const names = units.flatMap((unit) => accessesOf(unit).map(({ field }) => field));
    return new Set(names.filter((field) => fields.has(field)));
  }

  /** Units that touch a field, with their stages. */
  usersOf(field: string): { unit: Unit; stage: number }[] {
    return this.result.model.units
      .filter((unit) => accessesOf(unit).some((access) => access.field === field))
      .flatMap((unit) => (this.#stages.get(unit.id) ?? []).slice(0, 1).map((stage) => ({ unit, stage })))
      .sort((a, b) => a.stage - b.stage);
  }

  /** "unknown": the allocator places not all of these fields alone, among the bytes that no table touches. */
  ask(kept: ReadonlySet<string>): "placed" | "unknown" | "not asked" {
    // Some are left for what helps.
    if (this.#allocations >= this.most - MAX_REMEDIES) return "not asked";
    const isKept = (field: string) => kept.has(field);
    const left = this.#bitsWithout(withFields(this.result.model, isKept), this.#forSet, { counts: isKept });
    return left === undefined ? "not asked" : left === 0 ? "placed" : "unknown";
  }

  /** Bits without a container; undefined where no allocation is left to ask. */
  #bitsWithout(
    model: FitModel,
    work: Work,
    { requests, counts = () => true }: { requests?: PhvRequests; counts?: (field: string) => boolean } = {},
  ): number | undefined {
    if (this.#allocations >= this.most || work.isSpent) return undefined;
    this.#allocations++;
    const { target, problem } = this.result;
    const input = {
      ...{ model, target, work },
      requests: requests ?? readRequests(model, target).requests,
      stagesOf: (unit: number) => this.#stages.get(unit) ?? [],
      earliestOf: (unit: number) => this.#chains.earliest[unit] ?? 0,
      belowOf: (unit: number) => this.#chains.below[unit] ?? 0,
    };
    const allocation = allocatePhv(input, problem.phv);
    if (allocation === undefined) return undefined;
    const fields = withoutContainer(allocation).flatMap((one) => one.fields);
    return this.bitsOf(new Set(fields.filter(counts)));
  }

  /** The stage in which most bits are read then or later and were set or parsed before. */
  mostAtOnce(fields: readonly string[]): { stage: number; bits: number } {
    const spans = fields.flatMap((field) => {
      const users = this.usersOf(field);
      return users.length === 0 ? [] : [{ field, from: users[0]!.stage, to: users.at(-1)!.stage }];
    });
    const most = { stage: 0, bits: 0 };
    for (let stage = 0; stage < this.result.stages; stage++) {
      const live = spans.filter(({ from, to }) => from < stage && stage <= to);
      const bits = this.bitsOf(live.map(({ field }) => field));
      if (bits > most.bits) Object.assign(most, { stage, bits });
    }
    return most;
  }

  bitsOf(fields: Iterable<string>): number {
    return [...fields].reduce((sum, field) => sum + this.width(field), 0);
  }

  /** Changes of pragmas and sizes, and fields left out, each tried on the whole program. */
  remedies(members: readonly string[]): Remedy[] {
    const { model, target, phv, stages } = this.result;
    const before = this.bitsOf(new Set(withoutContainer(phv.allocation).flatMap((one) => one.fields)));
    const tried = (text: string, left: number | undefined): Remedy[] =>
      left === undefined || left >= before
        ? []
        : [
            {
              ...{ text, stages, fits: left === 0 },
              outcome:
                left === 0 ? "all fields have containers" : `${left} of ${before} bits without a container`,
            },
          ];
    const change = (changed: FitModel, asked?: PhvRequests) =>
      this.#bitsWithout(changed, this.#forRemedies, asked === undefined ? {} : { requests: asked });
    const names = [...new Set(model.phvPragmas.map(({ name }) => name))];
    const { requests } = readRequests(model, target);
    const lost = [...new Set(withoutContainer(phv.allocation).flatMap((one) => one.fields))];
    const sized = (field: string, size: 8 | 16) =>
      change(model, {
        ...requests,
        of: (gress, name) =>
          name === field ? { ...requests.of(gress, name), sizes: [size] } : requests.of(gress, name),
      });
    const alone = [...members].sort((a, b) => this.width(b) - this.width(a)).slice(0, MAX_SINGLE / 2);
    const [largest, ...others] = alone.map(
      (field) => () =>
        tried(`without ${fieldLabel(field)}`, change(withFields(model, (name) => name !== field))),
    );
    return [
      ...(largest?.() ?? []),
      ...names.flatMap((name) => {
        const phvPragmas = model.phvPragmas.filter((one) => one.name !== name);
        return tried(`without @${name}`, change({ ...model, phvPragmas }));
      }),
      ...lost
        .slice(0, MAX_SINGLE / 4)
        .flatMap((field) =>
          ([16, 8] as const)
            .filter((size) => size < this.width(field))
            .flatMap((size) =>
              tried(`@pa_container_size of ${size} bits for ${fieldLabel(field)}`, sized(field, size)),
            ),
        ),
      ...others.flatMap((one) => one()),
    ]
      .sort((a, b) => Number(b.fits) - Number(a.fits))
      .slice(0, MAX_REMEDIES);
  }
}

/** A model in which tables touch only some of the fields; headers stay, for parser and deparser. */
function withFields(model: FitModel, isKept: (field: string) => boolean): FitModel {
  const some = (list: readonly Access[]) =>
    list.filter(({ field }) => isKept(field) || !model.fields.has(field));
  const units = model.units.map(
    (unit): Unit => ({
      ...unit,
      key: unit.key.filter(({ access }) => some([access]).length > 0),
      condition: unit.condition && { ...unit.condition, reads: some(unit.condition.reads) },
      hashes: unit.hashes.map((hash) => ({ ...hash, inputs: some(hash.inputs) })),
      implementation: unit.implementation && {
        ...unit.implementation,
        selector: unit.implementation.selector && {
          ...unit.implementation.selector,
          inputs: some(unit.implementation.selector.inputs),
        },
      },
      actions: unit.actions.map((action) => ({
        ...action,
        reads: some(action.reads),
        writes: some(action.writes),
        operations: action.operations.flatMap((op) =>
          some([op.write]).length === 0 ? [] : [{ ...op, sources: some(op.sources) }],
        ),
      })),
    }),
  );
  return { ...model, units };
}

/** What the fields need and the groups have: sizes, the room that is left, and the line of the operation that asks for a group. */
function becauseOf(
  { target, phv }: FitResult,
  { detail, source, fields }: Unallocated,
  members: readonly string[],
  search: Search,
): string {
  const bits = search.bitsOf(members);
  const size = Number(/containers? of (\d+) bits/.exec(detail)?.[1] ?? 8) as 8 | 16 | 32;
  const { arrangement } = target.phv;
  const containers = phv.allocation?.containers ?? [];
  const inGroup = arrangement === undefined ? 0 : arrangement.normal[size] + arrangement.mocha[size];
  const left = Array.from(
    { length: arrangement?.groups[size] ?? 0 },
    (_, group) =>
      inGroup -
      containers.filter(
        (one) => one.size === size && one.group === group && one.kind !== "tagalong" && one.kind !== "dark",
      ).length,
  );
  const tied = phv.allocation?.unallocated.find(
    ({ rule, fields: group }) => rule === "sources" && fields.some((field) => group.includes(field)),
  );
  const since = tied?.source === undefined ? "" : ` since line ${tied.source.line} combines them`;
  const together =
    tied === undefined
      ? `${detail}${source === undefined ? "" : ` (line ${source.line})`}`
      : `${tied.fields.map(fieldLabel).slice(0, 5).join(", ")}${tied.fields.length > 5 ? " and others" : ""} must share one group of ${inGroup} containers of ${size} bits${since}, and the group with most room has ${Math.max(...left)} left`;
  const free = left.reduce((sum, one) => sum + one, 0);
  const most = search.mostAtOnce(members);
  const holds = ([8, 16, 32] as const).reduce(
    (sum, one) =>
      sum +
      (arrangement?.groups[one] ?? 0) *
        one *
        ((arrangement?.normal[one] ?? 0) + (arrangement?.mocha[one] ?? 0)),
    0,
  );
  const blocks = free === 0 ? "" : ", which the other gress has or which tables cannot write in part";
  const taken =
    most.bits === 0
      ? `${bits} bits`
      : `${bits} bits, ${most.bits} of them at once in stage ${most.stage}, and the containers hold ${holds}`;
  return `they take ${taken}; of the ${left.length} groups of ${inGroup} containers of ${size} bits ${free} containers are left${blocks}: ${together}`;
}

/** Fields with their stages and lines; of one header as one member where there are many. */
function membersOf(result: FitResult, fields: readonly string[], search: Search): ContainerReason["members"] {
  const shown = (names: readonly string[], what: string) => {
    const bits = search.bitsOf(names);
    const users = names.flatMap((field) => search.usersOf(field)).sort((a, b) => a.stage - b.stage);
    const [begin, end] = [users[0], users.at(-1)];
    const lives =
      begin === undefined
        ? ""
        : `, in stages ${begin.stage} to ${defined(end).stage}: from ${begin.unit.label} to ${defined(end).unit.label}${defined(end).unit.source === undefined ? "" : ` (line ${defined(end).unit.source!.line})`}`;
    return { text: `${what}, ${bits} bits${lives}`, source: begin?.unit.source };
  };
  if (fields.length <= MAX_SINGLE) return fields.map((field) => shown([field], `field ${fieldLabel(field)}`));
  const byHeader = new Map<string, string[]>();
  for (const field of fields) {
    const header = result.model.fields.get(field)?.header ?? "";
    byHeader.set(header, [...(byHeader.get(header) ?? []), field]);
  }
  return [...byHeader]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .map(([header, names]) =>
      names.length === 1
        ? shown(names, `field ${fieldLabel(names[0]!)}`)
        : shown(names, `${names.length} fields of ${header}`),
    );
}
