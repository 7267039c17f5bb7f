/**
 * How many tries a flow needs to leave one failed element (P-ECMP, section 2.1; RePaC, 4.2.1; PRR as both describe it).
 * The element is one of N equal sites of a tier. A flow crosses one site on its way there and one on its way back, and the
 * element is site 0. A try is a timeout of the sender.
 */
import { type Fraction, fraction, minus, ONE, over, plus, times, ZERO } from "./fraction.js";

/** How a direction's path changes when its sender changes the label. */
type Move =
  /** A new hash: any site, the old one too. */
  | "random"
  /** An offset that is not 0 modulo N: any other site, each equally likely (P-ECMP's rows; a new XOR offset of RePaC). */
  | "other"
  /** The next site: a fixed offset of 1. */
  | "next";

/** What the far end does with its way back. */
type Receiver =
  /** It keeps its label. */
  | "keeps"
  /** It uses the label of the sender: both directions move with each try, also if only the acknowledgement was lost. */
  | "mirrors"
  /** It moves when a retransmission reaches it that it has seen before (PRR's acknowledgement path). */
  | "duplicates";

export interface Repath {
  readonly sites: number;
  readonly move: Move;
  readonly receiver: Receiver;
  /** The retransmission leaves on the old path too, and an acknowledgement answers each copy that arrives. */
  readonly copies: 1 | 2;
  /** Tries that a receiver which moves on duplicates must see before it moves: 1 is the first retransmission. */
  readonly patience?: number;
}

type State = string;
type Distribution = Map<State, Fraction>;

const add = (all: Distribution, state: State, chance: Fraction): void => {
  all.set(state, plus(all.get(state) ?? ZERO, chance));
};

function moved(site: number, { move, sites }: Repath): { site: number; chance: Fraction }[] {
  if (move === "next") return [{ site: (site + 1) % sites, chance: ONE }];
  const options = Array.from({ length: sites }, (_, to) => to).filter(
    (to) => move === "random" || to !== site,
  );
  return options.map((to) => ({ site: to, chance: fraction(1, options.length) }));
}

/**
 * Probability that try k is the one that succeeds, for k = 1 to `tries`, of the flows that the failure stops. A try succeeds
 * when a copy reaches the far end and an acknowledgement comes back.
 */
export function successAt(repath: Repath, tries: number): Fraction[] {
  const { sites, receiver, copies } = repath;
  let states: Distribution = new Map();
  const stopped = fraction(2 * sites - 1, sites * sites);
  for (let there = 0; there < sites; there++)
    for (let back = 0; back < sites; back++)
      if (there === 0 || back === 0)
        add(states, `${there},${back},0`, over(fraction(1, sites * sites), stopped));
  const found: Fraction[] = [];
  for (let attempt = 1; attempt <= tries; attempt++) {
    let success = ZERO;
    const next: Distribution = new Map();
    for (const [state, chance] of states) {
      const [there, back, seen] = state.split(",").map(Number) as [number, number, number];
      for (const forward of moved(there, repath)) {
        const arrives = forward.site !== 0 || (copies === 2 && there !== 0);
        // Data was lost if its first path failed; then the first copy that arrives is no duplicate.
        const before = there !== 0 || seen > 0 ? 1 : 0;
        const count = arrives ? seen + 1 : seen;
        const turns =
          receiver === "mirrors" ||
          (receiver === "duplicates" && arrives && count - 1 + before >= (repath.patience ?? 1));
        const ways = turns ? moved(back, repath) : [{ site: back, chance: ONE }];
        for (const way of ways) {
          const part = times(times(chance, forward.chance), way.chance);
          const returns = way.site !== 0 || (copies === 2 && turns && back !== 0);
          if (arrives && returns) success = plus(success, part);
          else add(next, `${forward.site},${way.site},${count}`, part);
        }
      }
    }
    found.push(success);
    states = next;
  }
  return found;
}

/** Equation of section 2.1: both directions are drawn anew with each try, P(T = k) = p (1 - p)^(k - 1), p = (N - 1)^2 / N^2. */
export function geometric(sites: number, tries: number, directions: 1 | 2 = 2): Fraction[] {
  const one = fraction(sites - 1, sites);
  const p = directions === 1 ? one : times(one, one);
  const found: Fraction[] = [];
  let left = ONE;
  for (let attempt = 0; attempt < tries; attempt++) {
    found.push(times(p, left));
    left = times(left, minus(ONE, p));
  }
  return found;
}

/** E[T] = 1 / p = N^2 / (N - 1)^2 (equation 1). */
export const meanTries = (sites: number): Fraction => fraction(sites * sites, (sites - 1) * (sites - 1));

/**
 * Share of connections with k subflows of which at least one crosses a failed site in neither direction (5.2). Random:
 * subflows are independent. Distinct: the k ways there use k different sites, and so do the k ways back.
 */
export function survival(sites: number, subflows: number, distinct: boolean): Fraction {
  if (!distinct) {
    const fails = fraction(2 * sites - 1, sites * sites);
    let all = ONE;
    for (let flow = 0; flow < subflows; flow++) all = times(all, fails);
    return minus(ONE, all);
  }
  if (subflows > sites) throw new Error("more subflows than sites");
  // One subflow at most fails there and one at most back: only one or two subflows can all fail.
  const hit = fraction(subflows, sites);
  if (subflows === 1) return minus(ONE, fraction(2 * sites - 1, sites * sites));
  if (subflows === 2) return minus(ONE, times(times(hit, hit), fraction(1, 2)));
  return ONE;
}
