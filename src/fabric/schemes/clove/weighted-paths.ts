/**
 * The paths of a host to another one under Clove-ECN (Katta et al., CoNEXT 2017): a weight for each path, which congestion feedback of that path
 * lowers, and a weighted round robin over them. All flows between the two hosts share them, as they share the hypervisors' tunnel.
 */
import type { Random } from "../../../base/index.js";

export interface WeightRules {
  /** `none`: paths are drawn at random, and nothing is learned (the paper's Edge-Flowlet). */
  readonly feedback: "ecn" | "none";
  /** The least time between two reductions of a path's weight, in nanoseconds: the receiver relays a path's marks this often. */
  readonly relayNs: number;
  /** Share of its weight that a path loses. */
  readonly reduction: number;
  /** Nanoseconds for which a path counts as congested after feedback. */
  readonly memoryNs: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

export class WeightedPaths {
  /** By position in {@link selectors}; the sum is 1. */
  readonly weights: Float64Array;
  readonly #credits: Float64Array;
  readonly #reportedAt: Float64Array;

  constructor(
    /** One for each path, at least one. */
    readonly selectors: readonly number[],
    readonly rules: WeightRules,
  ) {
    const { length } = selectors;
    this.weights = new Float64Array(length).fill(1 / length);
    this.#credits = new Float64Array(length);
    this.#reportedAt = new Float64Array(length).fill(NEVER);
  }

  /**
   * The selector of the next flowlet. Smooth weighted round robin: each path earns its weight, the richest is taken and pays for all, so that
   * a path of weight w gets a share w of the flowlets without bursts.
   */
  next(random: Random): number {
    const { selectors, weights } = this;
    if (this.rules.feedback === "none") return selectors[random.int(selectors.length)]!;
    const credits = this.#credits;
    let best = 0;
    for (let path = 0; path < credits.length; path++) {
      credits[path]! += weights[path]!;
      if (credits[path]! > credits[best]!) best = path;
    }
    credits[best]! -= 1;
    return selectors[best]!;
  }

  /** A packet on this selector met congestion. What the path loses is shared by those that do not count as congested; without any, it loses nothing. */
  report(selector: number, nowNs: number): void {
    const path = this.selectors.indexOf(selector);
    const { relayNs, reduction } = this.rules;
    if (path < 0 || nowNs - this.#reportedAt[path]! < relayNs) return;
    this.#reportedAt[path] = nowNs;
    const takes = (other: number) => other !== path && !this.#isCongested(other, nowNs);
    let others = 0;
    for (let other = 0; other < this.weights.length; other++) if (takes(other)) others++;
    if (others === 0) return;
    const lost = this.weights[path]! * reduction;
    this.weights[path]! -= lost;
    for (let other = 0; other < this.weights.length; other++)
      if (takes(other)) this.weights[other]! += lost / others;
  }

  #isCongested(path: number, nowNs: number): boolean {
    return nowNs - this.#reportedAt[path]! < this.rules.memoryNs;
  }

  /** Whether no path is left that does not count as congested: only then the sender's transport hears of marks. */
  isCongested(nowNs: number): boolean {
    for (let path = 0; path < this.weights.length; path++) if (!this.#isCongested(path, nowNs)) return false;
    return true;
  }
}
