/** The intended entities of switches while two versions of their routes may differ. */
import type { Entity, Update } from "../../../../toolchain/device/index.js";
import { entityKey } from "../../../../toolchain/device/index.js";
import type { SelectorLayout } from "../layout.js";
import { MatrixIds } from "../matrix-ids.js";
import { SharedUpdates, switchUpdates, type Version, versionsOf } from "../updates.js";
import type { Target } from "./target.js";

/** The target of each version; without versions both are the same. */
type Pair = readonly [Target, Target];

export class SwitchStates {
  readonly #pair: Pair;
  readonly #shared: readonly [SharedUpdates, SharedUpdates];
  readonly #both: SharedUpdates;
  readonly #indexes: readonly [ReadonlyMap<number, number>, ReadonlyMap<number, number>];

  constructor(
    pair: Pair,
    readonly layout: SelectorLayout,
    readonly seedOf: (node: number) => Update,
  ) {
    this.#pair = pair;
    const shared = (version: Version) => new SharedUpdates(layout, [version]);
    this.#shared = [shared(0), shared(1)];
    this.#both = new SharedUpdates(layout);
    const indexes = (target: Target) => new Map(target.switches.map(({ node }, i) => [node, i]));
    this.#indexes = [indexes(pair[0]), indexes(pair[1])];
  }

  /** The intended entities of a switch; `known`: entities that it has, whose ids are kept. */
  of(node: number, known: readonly Entity[]): Entity[] {
    const ids = new MatrixIds(known);
    const make = (version: Version, shared: SharedUpdates) => {
      const target = this.#pair[version];
      const compiled = target.switches[this.#indexes[version].get(node)!]!;
      return inserted(switchUpdates(target.topology, compiled, shared, this.seedOf(node), ids));
    };
    if (this.#pair[0] === this.#pair[1] || versionsOf(this.layout).length === 0) return make(0, this.#both);
    const first = make(0, this.#shared[0]);
    const keys = new Set(first.map(entityKey));
    return [...first, ...make(1, this.#shared[1]).filter((entity) => !keys.has(entityKey(entity)))];
  }
}

function inserted(updates: readonly Update[]): Entity[] {
  return updates.flatMap(({ type, entity }) => (type === "insert" ? [entity] : []));
}
