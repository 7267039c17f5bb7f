/**
 * The search for what loses packets: which result the probes so far allow. One element; a set of elements that no probe can tell
 * apart; or that no single element explains the losses.
 */
import type { Topology } from "../topology/index.js";
import { LossSolver, type NetworkElement, type Suspect } from "./loss-solver.js";
import type { PathModel } from "./model.js";
import { Twins } from "./twins.js";

/**
 * `open`: more probes are needed. `named`: one element loses packets, or one of several that are always crossed together.
 * `several`: not one fault.
 */
export type Finding =
  | { readonly kind: "open" | "several" }
  | { readonly kind: "named"; readonly elements: readonly NetworkElement[] };

const OPEN: Finding = { kind: "open" };
const SEVERAL: Finding = { kind: "several" };

export interface LocaliserOptions {
  /** Least probability of a result. */
  readonly confidence: number;
  /** Share of the packets that a path without failure loses. */
  readonly noise?: number;
  /** The links of a probe are those of its answer, too. */
  readonly isAnswered: boolean;
}

/** Number of suspects that are examined for elements which are always crossed together. */
const MOST_TWINS = 64;
/** The odds of two faults are computed again when there are this many times as many probes, or losses. */
const FURTHER = 1.1;

export class Localiser {
  readonly solver: LossSolver;
  readonly #twins: Twins;
  readonly #confidence: number;
  #sent = 0;
  /** When the odds of two faults were computed, and their value. */
  #oddsAt = { sent: 0, lost: 0 };
  #odds = 0;
  #suspects: readonly Suspect[] = [];

  constructor(topology: Topology, model: PathModel, { confidence, noise, isAnswered }: LocaliserOptions) {
    this.solver = new LossSolver(topology, noise);
    this.#twins = new Twins(topology, model, isAnswered);
    this.#confidence = confidence;
  }

  /** Elements that may have failed, by the last {@link judge}; the likeliest first. */
  get suspects(): readonly Suspect[] {
    return this.#suspects;
  }

  /** Adds a probe that crossed these directed links, and arrived or not. */
  add(links: ArrayLike<number>, arrived: boolean): void {
    this.solver.add(links, arrived);
    this.#sent++;
  }

  judge(): Finding {
    const { element, suspects } = this.solver.judge();
    this.#suspects = suspects;
    if (element === undefined) return OPEN;
    const elements = [element];
    let confidence = suspects[0]!.confidence;
    for (const suspect of suspects.slice(1, MOST_TWINS))
      if (
        this.solver.countsAlike(element, suspect.element) &&
        this.#twins.areTwins(element, suspect.element)
      ) {
        elements.push(suspect.element);
        confidence += suspect.confidence;
      }
    const odds = this.#oddsOfTwo();
    if (odds / (1 + odds) >= this.#confidence) return SEVERAL;
    return confidence / (1 + odds) >= this.#confidence ? { kind: "named", elements } : OPEN;
  }

  #oddsOfTwo(): number {
    const { lost } = this.solver;
    const { sent, lost: before } = this.#oddsAt;
    if (lost >= FURTHER * before || this.#sent >= FURTHER * sent) {
      this.#odds = this.solver.oddsOfTwo();
      this.#oddsAt = { sent: this.#sent, lost };
    }
    return this.#odds;
  }
}
