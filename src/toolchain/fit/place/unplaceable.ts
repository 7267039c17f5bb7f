/** Why a unit cannot be placed, in words: what it needs, how much a stage or the device has, what takes the most. */
import { defined } from "../../../base/index.js";
import { NO_MEMORY } from "../memory/layout.js";
import type { Unit } from "../model/model.js";
import type { Target } from "../target.js";
import { isCopied } from "./demand.js";
import { entriesToPlace, type Problem, type Unplaced } from "./placement.js";
import { limitsOf, RESOURCE_NAMES, type Resource, Stage } from "./stage.js";

/** What one table or memory takes of a resource. */
interface Share {
  readonly name: string;
  readonly amount: number;
}

const SHOWN_SHARES = 4;

/** The reason when the match memory of a unit exceeds `stages` stages, without trying to place it. */
export function whyNoDevice(problem: Problem, id: number, stages: number): Unplaced | undefined {
  const { target } = problem;
  const unit = defined(problem.model.units[id]);
  const layout = defined(problem.plans[id]).layout(entriesToPlace(unit));
  const blocksOf = { srams: target.sram.blocks, tcams: target.tcam.blocks };
  const stagesFor = (resource: "srams" | "tcams") => layout[resource] / blocksOf[resource];
  const resource = stagesFor("tcams") > stagesFor("srams") ? "tcams" : "srams";
  if (stagesFor(resource) <= stages) return undefined;
  const detail = `${unit.label} with ${grouped(unit.size)} entries needs ${grouped(layout[resource])} ${RESOURCE_NAMES[resource]}; all ${target.stages} stages together have ${grouped(blocksOf[resource] * target.stages)}`;
  return { unit, resource, detail };
}

/** The reason why no stage holds a unit, together with the units that share a memory with it. */
export function whyNoStage(problem: Problem, id: number): Unplaced {
  const unit = defined(problem.model.units[id]);
  const group = defined(problem.companions[id]);
  const resource = exceededBy(problem, group);
  const names = group.map((member) => defined(problem.model.units[member]).label).join(", ");
  if (resource === undefined) {
    const conflict = group.some((a) => group.some((b) => defined(problem.conflicts[a]).has(b)));
    const detail = conflict
      ? `${names} share a memory, so they need one stage, but they write fields of one container, so they need different stages`
      : `no stage was found for ${names}`;
    return { unit, resource: "dependency", detail };
  }
  const shares = sharesOf(problem, group, resource);
  const total = shares.reduce((sum, share) => sum + share.amount, 0);
  const limit = limitsOf(problem.target)[resource];
  const what = RESOURCE_NAMES[resource];
  const parts = shares.slice(0, SHOWN_SHARES).map((share) => `${share.name}: ${grouped(share.amount)}`);
  const more = shares.length > SHOWN_SHARES ? ` and ${shares.length - SHOWN_SHARES} more` : "";
  const amounts =
    limit !== null && total > limit
      ? `${grouped(total)} ${what} in one stage, which has ${limit}`
      : `${grouped(total)} ${what} in one stage, where they do not fit together${whyNotTogether(problem, group)}`;
  const detail = `${names} need${group.length > 1 ? "" : "s"} ${amounts} (${parts.join("; ")}${more})${whyWhole(problem, unit, resource)}`;
  return { unit, resource, detail };
}

/** A memory has more blocks than its ALU reaches. */
function whyNotTogether({ demands, target }: Problem, group: readonly number[]): string {
  const { max_blocks: reached } = target.stateful;
  const memories = group.flatMap((id) => defined(demands[id]).shared);
  const far = memories.find(({ mapRams }) => target.sram.tofino_array && mapRams > (reached ?? mapRams));
  return far === undefined
    ? ""
    : `: an ALU reaches ${reached} blocks, ${far.kind} ${far.name} has ${far.mapRams}`;
}

/** Why a table that is larger than a stage is not split, where it could be. */
function whyWhole(problem: Problem, unit: Unit, resource: Resource): string {
  const shared = defined(problem.demands[unit.id]).shared.filter(
    (memory) => !isCopied(memory, problem.target),
  );
  if (unit.kind !== "match" || shared.length === 0) return "";
  if (resource !== "srams" && resource !== "tcams") return "";
  return `; a table that uses ${shared.map((memory) => memory.name).join(", ")} is not split over stages`;
}

/** The first resource that the group exceeds in an empty stage: by its amount, else by the places that the stage has for it. */
function exceededBy(problem: Problem, group: readonly number[]): Resource | undefined {
  const { target } = problem;
  const byAmount = { ...target, sram: { ...target.sram, tofino_array: false } };
  return exceededIn(problem, group, byAmount) ?? exceededIn(problem, group, target);
}

function exceededIn(problem: Problem, group: readonly number[], target: Target): Resource | undefined {
  const stage = new Stage(target, problem.known);
  for (const id of group) {
    const demand = defined(problem.demands[id]);
    const layout = layoutOf(problem, id);
    const resource = stage.exceeded(demand, layout);
    if (resource !== undefined) return resource;
    stage.add(demand, layout);
  }
  return undefined;
}

function layoutOf(problem: Problem, id: number) {
  const unit = defined(problem.model.units[id]);
  return unit.kind === "match" ? defined(problem.plans[id]).layout(entriesToPlace(unit)) : NO_MEMORY;
}

/** What the tables and memories of a group take of a resource, the largest first. */
function sharesOf(problem: Problem, group: readonly number[], resource: Resource): Share[] {
  const shares = new Map<string, number>();
  const counted = new Set<string>();
  const add = (name: string, amount: number) => {
    if (amount > 0) shares.set(name, (shares.get(name) ?? 0) + amount);
  };
  for (const id of group) {
    const unit = defined(problem.model.units[id]);
    const alone = new Stage(problem.target, problem.known);
    alone.add({ ...defined(problem.demands[id]), shared: [] }, layoutOf(problem, id));
    add(
      unit.kind === "match" ? `${unit.label} with ${grouped(unit.size)} entries` : unit.label,
      alone.counts[resource],
    );
    for (const memory of defined(problem.demands[id]).shared) {
      if (counted.has(memory.name)) continue;
      counted.add(memory.name);
      const only = new Stage(problem.target, problem.known);
      only.addShared(memory);
      const cells = unit.attached.find((attached) => attached.name === memory.name)?.size;
      const size = cells === undefined ? "" : ` with ${grouped(cells)} cells`;
      add(`${memory.kind} ${memory.name}${size}`, only.counts[resource]);
    }
  }
  return [...shares]
    .map(([name, amount]) => ({ name, amount }))
    .sort((a, b) => b.amount - a.amount || (a.name < b.name ? -1 : 1));
}

/** A number with commas between groups of three digits. */
function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
