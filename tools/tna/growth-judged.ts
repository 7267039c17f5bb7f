/** What a compiler said of grown designs beside `fit`: which amount it is asked about next, its point of refusal, and the counts. */
import type { Answer } from "./compiler.js";
import type { Grown } from "./growing.js";
import type { Growing } from "./grown-source.js";

/** A line of `asked.jsonl`: one source, both answers. */
export interface AskedLine {
  readonly case: string;
  /** `advised`: the least source that the compiler refuses, changed by `--advise`. */
  readonly kind: Growing["kind"] | `${Growing["kind"]} advised`;
  /** Entries, tables that are added, or fields. */
  readonly amount: number;
  readonly ours: { readonly verdict: string; readonly resource: string; readonly stages: number };
  readonly theirs: Answer;
}

/** Points of refusal that differ by less agree (the share of the amount). */
const TOLERANCE = 0.1;
/** How far from our point of refusal the compiler's is looked for. */
const FARTHEST = 4;

/**
 * The amount to ask about next; undefined when the compiler's point of refusal is known as well as it will be: on both sides of ours and of
 * a tenth beyond it, or beyond four times ours, below a fourth of it, or hidden by a source without an answer. Answers about amounts
 * of an earlier point of ours count.
 */
export function nextAmount(
  { from, fits, refused }: Pick<Grown, "from" | "fits" | "refused">,
  asked: readonly Pick<AskedLine, "amount" | "theirs">[],
): number | undefined {
  if (asked.some(({ theirs: { said } }) => said === "no answer" || said === "failed")) return undefined;
  const { placed = Number.NEGATIVE_INFINITY, least = Number.POSITIVE_INFINITY } = pointOf(asked);
  const isOpen = (amount: number) => amount > placed && amount < least;
  const start = Math.max(1, fits);
  if (isOpen(start)) return start;
  if (placed >= start) {
    if (refused === undefined) return undefined;
    const near = [refused, Math.floor((1 + TOLERANCE) * refused)];
    const far = least === Number.POSITIVE_INFINITY ? [2 * refused, FARTHEST * refused] : [];
    return [...near, ...far].find(isOpen);
  }
  const near = [Math.ceil((1 - TOLERANCE) * start)];
  const far =
    placed === Number.NEGATIVE_INFINITY ? [1 / 2, 1 / FARTHEST].map((share) => Math.ceil(share * start)) : [];
  return [...near, ...far].find((amount) => isOpen(amount) && amount >= Math.max(1, from));
}

/** The most that the compiler placed, and the least that it refused. */
export function pointOf(asked: readonly Pick<AskedLine, "amount" | "theirs">[]): {
  placed: number | undefined;
  least: number | undefined;
} {
  const amounts = (wanted: Answer["said"]) =>
    asked.filter(({ theirs }) => theirs.said === wanted).map(({ amount }) => amount);
  const [placed, refused] = [amounts("placed"), amounts("refused")];
  return {
    placed: placed.length === 0 ? undefined : Math.max(...placed),
    least: refused.length === 0 ? undefined : Math.min(...refused),
  };
}

/** One growth with both points of refusal. */
export interface JudgedGrowth {
  readonly case: string;
  readonly kind: Growing["kind"];
  readonly fits: number;
  readonly refused: number | undefined;
  readonly placed: number | undefined;
  readonly least: number | undefined;
  /** The compiler refuses within a tenth of where `fit` does; undefined where its point is not known. */
  readonly isSamePoint: boolean | undefined;
  /** What `fit` said of the least source that the compiler refuses: refused too, and for the same resource. */
  readonly isRefused: boolean | undefined;
  readonly isSameResource: boolean | undefined;
  readonly resource: string;
  readonly ours: string;
  readonly note: string;
}

/** Growths that the compiler was asked about, without those whose sources it never placed or refused: it does not compile them. */
export function judgedGrowths(grown: readonly Grown[], asked: readonly AskedLine[]): JudgedGrowth[] {
  return grown.flatMap((line) => {
    const own = asked.filter((one) => one.case === line.case && one.kind === line.kind);
    if (own.length === 0) return [];
    const { placed, least } = pointOf(own);
    if (placed === undefined && least === undefined && own.every(({ theirs }) => theirs.said === "failed"))
      return [];
    const hidden = own.find(({ theirs: { said } }) => said === "no answer" || said === "failed");
    const { fits, refused } = line;
    const known = least !== undefined || (placed !== undefined && hidden === undefined);
    const isSamePoint =
      !known || refused === undefined
        ? undefined
        : (placed ?? 0) >= (1 - TOLERANCE) * fits - 1 &&
          least !== undefined &&
          least <= (1 + TOLERANCE) * refused;
    const smallest = own.findLast(({ amount, theirs }) => amount === least && theirs.said === "refused");
    const { verdict, resource: ours } = smallest?.ours ?? { verdict: "", resource: "" };
    const isRefused = smallest === undefined ? undefined : verdict !== "placed";
    return [
      {
        ...{ case: line.case, kind: line.kind, fits, refused, placed, least, isSamePoint, isRefused },
        isSameResource: smallest && isRefused && ours.includes(smallest.theirs.resource),
        ...{ resource: smallest?.theirs.resource ?? "", ours },
        note: hidden === undefined ? "" : hidden.theirs.message || hidden.theirs.said,
      },
    ];
  });
}

/**
 * Growths that the compiler refuses and whose advice was tried, those that the advice changed, and those that the compiler places after it.
 * Where `fit` places the least source that the compiler refuses, there is no advice, and the growth counts as tried.
 */
export function advisedCounts(
  growths: readonly JudgedGrowth[],
  advice: ReadonlyMap<string, { readonly isChanged: boolean }>,
  asked: readonly AskedLine[],
): { tried: number; changed: number; given: number; placed: number } {
  const tried = growths.filter(
    ({ case: name, kind, isRefused }) =>
      isRefused === false || (isRefused === true && advice.has(`${name} grown by ${kind}`)),
  );
  const changed = tried.filter(
    ({ case: name, kind }) => advice.get(`${name} grown by ${kind}`)?.isChanged === true,
  );
  const after = changed.flatMap((one) =>
    asked.filter(({ case: name, kind }) => name === one.case && kind === `${one.kind} advised`).slice(-1),
  );
  const placed = after.filter(({ theirs }) => theirs.said === "placed");
  return { tried: tried.length, changed: changed.length, given: after.length, placed: placed.length };
}
