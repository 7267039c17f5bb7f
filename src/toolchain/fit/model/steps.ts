/** What the steps of a level of an action are for the unit that has them: its memories, its hashes and its action. */
import type { bmv2 } from "../../program/index.js";
import type { ActionReader, Step } from "./actions.js";
import type { ActionModel, Attached, HashUse, Operation } from "./model.js";

/** Memories of several steps, each once with all that these take of it. */
export function uniqueByName(list: readonly Attached[]): Attached[] {
  const byName = new Map<string, Attached>();
  for (const entry of list) {
    const known = byName.get(entry.name);
    byName.set(
      entry.name,
      known === undefined
        ? entry
        : {
            ...known,
            operands: [...known.operands, ...entry.operands],
            resultBytes: Math.max(known.resultBytes, entry.resultBytes),
            results: [...known.results, ...entry.results],
            updatesAndReturns: known.updatesAndReturns || entry.updatesAndReturns,
          },
    );
  }
  return [...byName.values()];
}

/** Hashes of the steps; what an instruction takes of a hash that a variable of the action holds is given once. */
export function hashesOf(steps: readonly Step[]): HashUse[] {
  const known = new Map<string, HashUse>();
  for (const hash of steps.flatMap((step) => step.hashes)) {
    const inputs = hash.inputs.map(({ field, lo, width }) => `${field}[${lo}+${width}]`);
    const key = `${hash.algorithm} ${inputs.join()}`;
    const before = known.get(key);
    if (before === undefined || before.bits < hash.bits) known.set(key, hash);
  }
  return [...known.values()];
}

/** An action of a unit, from the steps of its level. */
export function toAction(
  reader: ActionReader,
  steps: readonly Step[],
  scope: Pick<ActionModel, "hit" | "isDefault">,
): ActionModel {
  return {
    name: reader.action.name,
    ...scope,
    memories: [...new Set(steps.flatMap((step) => step.attached.map(({ name }) => name)))],
    ...(leavesAll(reader.action.primitives) ? { leavesAll: true } : {}),
    data: steps.flatMap((step) => step.data),
    reads: steps.flatMap((step) => step.reads),
    writes: steps.flatMap((step) => step.writes),
    fromBus: steps
      .filter(
        ({ attached, hashes, random }) =>
          attached.every(({ resultBytes }) => resultBytes === 0) &&
          (hashes.length > 0 || random || attached.some(({ kind }) => kind === "meter")),
      )
      .flatMap((step) => step.writes),
    arithmetic: steps.flatMap((step) => step.arithmetic),
    operations: steps.flatMap((step, at) =>
      step.copiesHeader === true ? notSetIn(steps.slice(at + 1), step.operations) : operationsOf(step),
    ),
    source: steps[0]?.source,
  };
}

/** Copies of a header's fields without those that a later step of the action sets whole. */
function notSetIn(steps: readonly Step[], copies: readonly Operation[]): Operation[] {
  const isSet = ({ write: { field, width } }: Operation) =>
    steps.some(({ writes }) =>
      writes.some((one) => one.field === field && one.lo === 0 && one.width === width),
    );
  return copies.filter((copy) => !isSet(copy));
}

/** Those of a step; what a memory, a hash or a random number gives comes from the action data bus. */
function operationsOf({ operations, writes, source, attached, hashes, random }: Step): Operation[] {
  const given = hashes.length > 0 || random || attached.length > 0 ? ({ given: true } as const) : {};
  const others = writes.filter((write) => !operations.some((one) => one.write === write));
  return [
    ...operations,
    ...others.map((write) => ({ kind: "set" as const, write, sources: [], data: true, ...given, source })),
  ];
}

/** Whoever runs the action runs nothing after it. */
export function leavesAll(primitives: readonly bmv2.Primitive[]): boolean {
  const exit = primitives.findIndex(({ op }) => op === "exit");
  return exit >= 0 && !primitives.slice(0, exit).some(({ op }) => op.startsWith("_jump"));
}
