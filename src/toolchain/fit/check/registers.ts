/** Rules of registers: cells that the stateful ALU has, what one update computes, one visit a packet. */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { attachedMemory } from "../memory/attached.js";
import { quoteExpr } from "../model/expressions.js";
import type { Feature } from "../model/features.js";
import { type Attached, threadOf } from "../model/model.js";
import { isSecond } from "../model/ping-pong.js";
import { stageFor } from "../model/pragmas.js";
import type { CheckContext } from "./check-context.js";
import { unavailableOperation } from "./operations.js";

/** Indexes that a message lists, and characters of each. */
const MAX_LISTED = 3;
const MAX_INDEX = 80;

type RegisterFeature = Extract<Feature, { kind: "register" }>;

/** One use of a register by one action: cell width, size, and what its ALU must compute. */
export function checkRegister(context: CheckContext, feature: RegisterFeature): void {
  const attached = context.model.units
    .flatMap((unit) => unit.attached)
    .find((memory) => memory.kind === "register" && memory.name === feature.register);
  // What concerns the second register of two that ping_pong chooses from concerns the first.
  if (attached === undefined || isSecond(feature.register)) return;
  if (refusesCells(context, feature, attached)) return;
  checkUpdate(context, feature);
}

/** The width and the number of a register's cells; true when they are refused. */
function refusesCells(
  { target, refuse }: CheckContext,
  feature: RegisterFeature,
  attached: Attached,
): boolean {
  const { stateful, sram } = target;
  const { register, source } = feature;
  const { width, size } = attached;
  if (!stateful.widths.includes(width)) {
    refuse(
      CODES.registerWidth,
      source,
      `register ${register} has cells of ${width} bits`,
      `cells are ${stateful.widths.join(", ")} bits wide: use the next wider one`,
    );
    return true;
  }
  const widest = stateful.max_update_bits;
  // A method has two halves of a cell.
  const most = widest !== null && feature.isWhole ? 2 * widest : widest;
  if (most !== null && width > most && (feature.reads || !stateful.spans_stages)) {
    refuse(
      CODES.registerWiderThanAlu,
      source,
      feature.reads
        ? `register ${register} of ${width} bits is read or updated`
        : `register ${register} has cells of ${width} bits`,
      `the stateful ALU works on ${widest} bits: split the cell into two registers with the same index`,
    );
    return true;
  }
  if (width === 1 && feature.writes && feature.variable && !feature.isWhole) {
    refuse(
      CODES.computedOneBit,
      source,
      `a computed value is written to the one-bit register ${register}`,
      "one-bit cells are set or cleared by constants: use one action for each, or 8-bit cells",
    );
    return true;
  }
  const { blocks } = attachedMemory(attached, size, target);
  if (stateful.max_blocks === null || blocks <= stateful.max_blocks || stateful.spans_stages) return false;
  const cells = (stateful.max_blocks - 1) * Math.floor(sram.width / width) * sram.depth;
  refuse(
    CODES.registerTooLarge,
    source,
    `register ${register} of ${size} cells needs ${blocks} SRAM blocks with its spare`,
    `one register has at most ${stateful.max_blocks} blocks: ${cells} cells of ${width} bits`,
  );
  return true;
}

/** A conditional update has limits; an unconditional one is at most one operation, which other rules check. */
function checkUpdate({ target, refuse }: CheckContext, feature: RegisterFeature): void {
  const { register, update, source } = feature;
  for (const value of update.values) {
    const bad = unavailableOperation(value, { compares: true, chooses: true });
    if (bad === undefined) continue;
    refuse(
      bad.code,
      source,
      `the ALU of register ${register} does not compute ${quoteExpr(bad.expr)}: ${bad.what}`,
      bad.instead,
    );
    return;
  }
  if (update.comparisons.length === 0 && !feature.isWhole) return;
  const { comparators, max_results: maxResults, max_operands: maxOperands } = target.stateful;
  const excess = [
    [update.comparisons, comparators, "comparisons"],
    [update.results, maxResults, "values for the cell"],
    [update.operands, maxOperands, "packet fields"],
  ] as const;
  for (const [list, limit, what] of excess) {
    if (limit === null || list.length <= limit) continue;
    refuse(
      CODES.registerUpdate,
      source,
      `the update of register ${register} has ${list.length} ${what}: ${list.join(", ")}`,
      `its ALU has ${limit}: compute some of them into fields in an earlier table`,
    );
    return;
  }
}

/** Rules about several uses of registers: one address an action, one visit a packet. */
export function checkRegisterUses(context: CheckContext, features: readonly Feature[]): void {
  const uses = features.filter((feature) => feature.kind === "register");
  if (context.target.stateful.spans_stages)
    for (const list of groupBy(uses, (use) => use.unit)) checkOneStage(context, list);
  const reported = new Set<string>();
  for (const list of groupBy(uses, (use) => `${use.unit} ${use.action}`)) {
    checkIndexes(context, list, reported);
  }
  for (const list of groupBy(uses, (use) => use.register)) {
    if (!reported.has(defined(list[0]).register)) checkVisits(context, list);
  }
}

/**
 * Where registers continue in the next stages, some do not: the compiler shrinks no table without key, and of a table of which several actions
 * call registers it carries no index to the next stages (p4c, mau/table_placement.cpp, shrink_estimate and disable_split_layout).
 * @param uses of one table
 */
function checkOneStage({ model, target, refuse }: CheckContext, uses: readonly RegisterFeature[]): void {
  const { max_blocks: most } = target.stateful;
  const first = defined(uses[0]);
  const actions = new Set(uses.map(({ action }) => action));
  const isKeyless = model.units.every(({ table, key }) => table !== first.unit || key.length === 0);
  if (most === null || (!isKeyless && actions.size < 2)) return;
  const owner = first.statement
    ? "a statement of the control"
    : isKeyless
      ? `table ${first.unit}, which has no key`
      : `table ${first.unit}, of which ${actions.size} actions call registers`;
  for (const name of new Set(uses.map(({ register }) => register))) {
    if (isSecond(name)) continue;
    const attached = model.units
      .flatMap((unit) => unit.attached)
      .find((memory) => memory.kind === "register" && memory.name === name);
    if (attached === undefined) continue;
    const { size, width } = attached;
    const { blocks } = attachedMemory(attached, size, target);
    if (blocks <= most) continue;
    const cells = (most - 1) * Math.floor(target.sram.width / width) * target.sram.depth;
    refuse(
      CODES.registerTooLarge,
      uses.find(({ register }) => register === name)?.source,
      `register ${name} of ${size} cells needs ${blocks} SRAM blocks with its spare in the stage of ${owner}`,
      `one register has at most ${most} blocks in a stage: ${cells} cells of ${width} bits; it continues in the next stages where its table has a key and one action that calls registers`,
    );
  }
}

function groupBy(
  uses: readonly RegisterFeature[],
  keyOf: (use: RegisterFeature) => string,
): RegisterFeature[][] {
  const groups = new Map<string, RegisterFeature[]>();
  for (const use of uses) {
    const key = keyOf(use);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [use]);
    else group.push(use);
  }
  return [...groups.values()];
}

/** @param uses registers of one action */
function checkIndexes(
  { refuse }: CheckContext,
  uses: readonly RegisterFeature[],
  reported: Set<string>,
): void {
  const first = defined(uses[0]);
  for (const use of uses) {
    const several = use.indexes.length > 1;
    if (use.statement) {
      const visitsTwice = !use.isWhole && use.reads && use.writes;
      if ((!several && !visitsTwice) || reported.has(use.register)) continue;
      reported.add(use.register);
      refuse(
        CODES.registerInStatements,
        use.source,
        several
          ? `statements use register ${use.register} at ${use.indexes.length} different indexes: ${listed(use.indexes)}`
          : `register ${use.register} is read and written by two statements`,
        "a packet visits a register once, in one stage: put read, change and write into one action",
      );
      continue;
    }
    if ((use.indexes[0] === first.indexes[0] && !several) || reported.has(use.action)) continue;
    reported.add(use.action);
    const indexes = [...new Set([...first.indexes, ...use.indexes])];
    refuse(
      CODES.registerIndexes,
      use.source,
      `action ${use.action} uses registers at ${indexes.length} different indexes: ${listed(indexes)}`,
      "an action has one address for all its registers: use the same index, or two tables",
    );
  }
}

/** The first few, each cut where it is long. */
function listed(texts: readonly string[]): string {
  const shown = texts
    .slice(0, MAX_LISTED)
    .map((text) => (text.length > MAX_INDEX ? `${text.slice(0, MAX_INDEX - 1)}…` : text));
  return texts.length > MAX_LISTED
    ? `${shown.join(", ")} and ${texts.length - MAX_LISTED} more`
    : shown.join(" and ");
}

/**
 * The compiler does not compare the entries of two tables that use one register, and accepts both (p4c, mau/table_mutex.cpp,
 * SharedIndirectAttachedAnalysis); of v1model's registers it makes actions of one ALU, and refuses that.
 * @param uses of one register
 */
function checkVisits({ model, refuse, warn }: CheckContext, uses: readonly RegisterFeature[]): void {
  const last = defined(uses[uses.length - 1]);
  const users = model.units.filter((unit) => unit.attached.some((a) => a.name === last.register));
  const clash = users.some((a) =>
    users.some((b) => b.id > a.id && threadOf(a) === threadOf(b) && !model.flow.exclusive(a.id, b.id)),
  );
  if (!clash) return;
  const report = uses.every(({ isWhole }) => isWhole) ? warn : refuse;
  report(
    CODES.registerInTables,
    last.source,
    `register ${last.register} is used in several places that can run for one packet: ${users.map((u) => u.label).join(", ")}`,
    "a packet visits a register once, in one stage: join the uses in one action, put them in exclusive branches, or recirculate",
  );
}

/**
 * Where a register does not continue in the next stages, the compiler places a table in the stage that `@stage` asks for although another table
 * of its register waits for a later one; then it names an error, or the register is in both stages (p4c, mau/table_placement.cpp,
 * is_unstable_placement).
 */
export function checkRegisterStages({ model, target, refuse, earliestOf }: CheckContext): void {
  if (target.stateful.spans_stages) return;
  const asking = model.units.flatMap(({ id, label, source, pragmas, attached }) => {
    const stage = stageFor(pragmas, earliestOf(id));
    if (!pragmas.stages.includes(stage)) return [];
    const registers = attached.filter(({ kind }) => kind === "register").map(({ name }) => name);
    return registers.map((register) => ({ label, source, stage, register }));
  });
  for (const register of new Set(asking.map((one) => one.register))) {
    const [first, ...others] = asking.filter((one) => one.register === register);
    const other = others.find(({ stage }) => stage !== first?.stage);
    if (first === undefined || other === undefined) continue;
    refuse(
      CODES.registerStages,
      other.source,
      `tables ${first.label} and ${other.label} share register ${register}, and ask for the stages ${first.stage} and ${other.stage}`,
      "a register is in one stage: ask for one stage, or leave @stage out",
    );
  }
}
