/**
 * Keeps topologies and plans that several files share, such as the points of a sweep, which differ in other keys. A plan with controllers
 * is made again for each file, because a controller may keep state in it.
 */
import type { Program } from "../../toolchain/program/index.js";
import type { FabricPlan } from "../schemes/index.js";
import type { Topology } from "../topology/index.js";

/** Maximum number of topologies, and of plans, that are kept. */
const MAX_KEPT = 64;

export class FabricCache {
  readonly #topologies = new Map<string, Topology>();
  readonly #plans = new Map<string, FabricPlan>();
  readonly #numbers = new WeakMap<Topology, number>();
  #made = 0;

  /** `settings`: all that the topology depends on. */
  topology(settings: unknown, make: () => Topology): Topology {
    return kept(this.#topologies, JSON.stringify(settings), () => {
      const topology = make();
      this.#numbers.set(topology, this.#made++);
      return topology;
    });
  }

  /** `needs`: all that the plan depends on, except the topology, which is of this cache. */
  plan(topology: Topology, needs: unknown, make: () => FabricPlan): FabricPlan {
    const key = JSON.stringify([this.#numbers.get(topology), needs], bigintAsText);
    const keeps = (plan: FabricPlan) => (plan.controllers ?? []).length === 0;
    return kept(this.#plans, key, make, keeps);
  }
}

/** The value of the key; a new value replaces the oldest one when the cache is full. */
function kept<T>(
  map: Map<string, T>,
  key: string,
  make: () => T,
  keeps: (value: T) => boolean = () => true,
): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (!keeps(value)) return value;
  const oldest = map.keys().next();
  if (map.size >= MAX_KEPT && !oldest.done) map.delete(oldest.value);
  map.set(key, value);
  return value;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

/** Compiled programs by their texts. A sweep may have many: the oldest are dropped. */
export class CompiledPrograms {
  readonly #programs = new Map<string, Program>();

  get(text: string): Program | undefined {
    return this.#programs.get(text);
  }

  add(text: string, program: Program): void {
    const oldest = this.#programs.keys().next();
    if (this.#programs.size >= MAX_PROGRAMS && !oldest.done) this.#programs.delete(oldest.value);
    this.#programs.set(text, program);
  }
}

const MAX_PROGRAMS = 256;
