/**
 * The search for what loses packets: which result the probes so far allow. One element; a set of elements that no probe can tell
 * apart; or that no single element explains the losses.
 */
import { LossSolver, type NetworkElement, type Pair, type Suspect } from "./loss-solver.js";
import type { Twins } from "./twins.js";

/** Two elements that lose packets together, and the probability of it, if there are two. */
export interface FaultSet {
  readonly elements: readonly [NetworkElement, NetworkElement];
  readonly confidence: number;
}

/**
 * `open`: more probes are needed. `named`: one element loses packets, or one of several that are always crossed together.
 * `several`: not one fault; `sets`: the pairs that together have the confidence, the likeliest first.
 */
export type Finding =
  | { readonly kind: "open" }
  | { readonly kind: "several"; readonly sets: readonly FaultSet[] }
  | {
      readonly kind: "named";
      readonly elements: readonly NetworkElement[];
      /** Pairs of elements whose common failure no probe can tell from that of the element. */
      readonly pairs: readonly (readonly [NetworkElement, NetworkElement])[];
    };

const OPEN: Finding = { kind: "open" };

interface LocaliserOptions {
  /** Least probability of a result. */
  readonly confidence: number;
  /** Share of the packets that a path without failure loses. */
  readonly noise?: number;
}

/** More sets than these are not examined for whether a probe can tell them apart. */
const MOST_SETS = 16;
/** Number of suspects that are examined for elements which are always crossed together. */
const MOST_TWINS = 64;
/** The odds of two faults are computed again when there are this many times as many probes, or losses. */
const FURTHER = 1.1;
/**
 * Before a result, the odds of pairs that a probe can tell from it are taken this many times. The odds bound how often two faults end with
 * a healthy element (Ville's inequality), but on the average over all pairs of a network, those with links of hosts among them; this
 * factor makes the bound hold where both faults are between switches, too.
 */
const CAUTION = 10;
/** Pairs below this share of the doubt that a result allows are not compared with it. */
const SMALL = 0.01;

export class Localiser {
  readonly solver: LossSolver;
  readonly #confidence: number;
  #sent = 0;
  /** When the pairs were computed, and the pairs. */
  #pairsAt = { sent: 0, lost: 0 };
  #pairs: readonly Pair[] = [];
  #suspects: readonly Suspect[] = [];
  #several: Extract<Finding, { kind: "several" }> | undefined;

  /** @param twins searches of one network share it, since it computes the ways of a network once */
  constructor(
    private readonly twins: Twins,
    { confidence, noise }: LocaliserOptions,
  ) {
    this.solver = new LossSolver(twins.topology, noise);
    this.#confidence = confidence;
  }

  /** Elements that may have failed, alone or with a second one, by the last {@link judge}; the likeliest first. */
  get suspects(): readonly Suspect[] {
    return this.#suspects;
  }

  /** Adds a probe that crossed these directed links, and arrived or not. */
  add(links: ArrayLike<number>, arrived: boolean): void {
    this.solver.add(links, arrived);
    this.#sent++;
  }

  /** That this is not one fault, by the last {@link judge}, where more probes would say which elements it is. */
  get several(): Finding | undefined {
    return this.#several;
  }

  /** `several` only where no further probe can make the sets fewer; before that, `open`, and {@link several} has them. */
  judge(): Finding {
    this.#several = undefined;
    const { element, suspects } = this.solver.judge();
    this.#suspects = suspects;
    if (element === undefined) return OPEN;
    const elements = [element];
    let confidence = suspects[0]!.confidence;
    for (const suspect of suspects.slice(1, MOST_TWINS))
      if (
        this.solver.countsAlike(element, suspect.element) &&
        this.twins.areTwins([element], [suspect.element])
      ) {
        elements.push(suspect.element);
        confidence += suspect.confidence;
      }
    const alike: Pair[] = [];
    const rivals: Pair[] = [];
    for (const pair of this.#pairsSoFar()) (this.#isAlike(element, pair) ? alike : rivals).push(pair);
    const odds = rivals.reduce((sum, pair) => sum + pair.odds, 0);
    if (odds / (1 + odds) >= this.#confidence) {
      this.#several = { kind: "several", sets: this.#setsOf(rivals) };
      if (this.#areAlike(this.#several.sets)) return this.#several;
      this.#suspects = withPairs(suspects, rivals);
      return OPEN;
    }
    if (confidence / (1 + CAUTION * odds) >= this.#confidence)
      return { kind: "named", elements, pairs: alike.map(({ a, b }) => [a, b]) };
    this.#suspects = withPairs(suspects, rivals);
    return OPEN;
  }

  /** Whether no probe can tell the failure of both elements of a pair from that of the element. */
  #isAlike(element: NetworkElement, pair: Pair): boolean {
    const isSmall = CAUTION * pair.odds < SMALL * (1 - this.#confidence);
    return (
      !isSmall && this.solver.countsAsPair(element, pair) && this.twins.areTwins([element], [pair.a, pair.b])
    );
  }

  /** The likeliest pairs that together have the confidence. A pair is counted once, in whichever order its elements come. */
  #setsOf(pairs: readonly Pair[]): FaultSet[] {
    const known = new Map<string, Pair>();
    for (const pair of pairs) {
      const key = [pair.a, pair.b]
        .map(({ kind, number }) => `${kind} ${number}`)
        .sort()
        .join();
      if ((known.get(key)?.odds ?? -1) < pair.odds) known.set(key, pair);
    }
    const likely = [...known.values()].sort((one, other) => other.odds - one.odds);
    const sum = likely.reduce((total, { odds }) => total + odds, 0);
    const sets: FaultSet[] = [];
    let share = 0;
    for (const { a, b, odds } of likely) {
      if (share >= this.#confidence) break;
      share += odds / sum;
      sets.push({ elements: [a, b], confidence: odds / sum });
    }
    return sets;
  }

  /** Whether no probe can tell the sets apart. */
  #areAlike([first, ...others]: readonly FaultSet[]): boolean {
    return (
      first !== undefined &&
      others.length < MOST_SETS &&
      others.every(({ elements }) => this.twins.areTwins(first.elements, elements))
    );
  }

  #pairsSoFar(): readonly Pair[] {
    const { lost } = this.solver;
    const { sent, lost: before } = this.#pairsAt;
    if (lost >= FURTHER * before || this.#sent >= FURTHER * sent) {
      this.#pairs = this.solver.pairs();
      this.#pairsAt = { sent: this.#sent, lost };
    }
    return this.#pairs;
  }
}

/** The suspects, with what the pairs add to their confidence: probes through the elements of a pair decide about it. */
function withPairs(suspects: readonly Suspect[], pairs: readonly Pair[]): readonly Suspect[] {
  const confidences = new Map(suspects.map(({ element, confidence }) => [element, confidence]));
  let sum = 1;
  for (const { a, b, odds } of pairs) {
    sum += CAUTION * odds;
    for (const element of [a, b]) confidences.set(element, (confidences.get(element) ?? 0) + CAUTION * odds);
  }
  return [...confidences]
    .map(([element, confidence]) => ({ element, confidence: confidence / sum }))
    .sort((a, b) => b.confidence - a.confidence);
}
