/** Whether two schemes differ: paired tests over the seeds; both schemes have the same flows under a seed. */
import { defined, Random } from "../../../../base/index.js";
import { pairedTTest, signFlipTest, wilcoxonTest } from "../../../statistics/index.js";
import { classFigures, merged } from "./rows.js";
import { type LoadPoint, type LoadSweep, pointName, type ShownScheme, schemesOf, unitOf } from "./shown.js";
import { SIZE_CLASSES } from "./size-classes.js";

/** Compared figures. Slowdowns weigh small and large flows equally. */
export const COMPARED = ["slowdown_mean", "slowdown_p99"] as const;

/** One figure of one size class at one point: a scheme compared with the first one of the file. */
export interface Comparison {
  readonly point: string;
  readonly scheme: ShownScheme;
  readonly against: ShownScheme;
  readonly size: string;
  readonly figure: (typeof COMPARED)[number];
  /** Seeds that both have. */
  readonly pairs: number;
  /** Means over these seeds: of the first scheme, and of this one. */
  readonly baseline: number;
  readonly value: number;
  /** Two-sided p-values: paired t test, sign-flip permutation of the mean, Wilcoxon's signed ranks. */
  readonly pT: number;
  readonly pSigns: number;
  readonly pRanks: number;
}

/** Comparisons of all points; empty with fewer than two seeds or schemes. */
export function comparisons(sweep: LoadSweep): Comparison[] {
  const [against, ...others] = schemesOf(sweep);
  if (against === undefined) return [];
  return sweep.points.flatMap((point) =>
    others.flatMap((scheme) =>
      ["all", ...SIZE_CLASSES].flatMap((size) =>
        COMPARED.flatMap((figure) => compare(point, against, scheme, size, figure)),
      ),
    ),
  );
}

function compare(
  point: LoadPoint,
  against: ShownScheme,
  scheme: ShownScheme,
  size: string,
  figure: (typeof COMPARED)[number],
): Comparison[] {
  const [base, own] = [valuesOf(point, against, size, figure), valuesOf(point, scheme, size, figure)];
  const seeds = [...base.keys()].filter((seed) => own.has(seed));
  if (seeds.length < 2) return [];
  const [first, second] = [base, own].map((values) => seeds.map((seed) => defined(values.get(seed)))) as [
    number[],
    number[],
  ];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    {
      point: pointName(point),
      scheme,
      against,
      size,
      figure,
      pairs: seeds.length,
      baseline: mean(first),
      value: mean(second),
      pT: pairedTTest(first, second).p,
      pSigns: signFlipTest(first, second, new Random("sign flips")).p,
      pRanks: wilcoxonTest(first, second).p,
    },
  ];
}

/** Values by seed. */
function valuesOf(point: LoadPoint, scheme: ShownScheme, size: string, figure: string): Map<number, number> {
  const unit = unitOf(point, scheme);
  return new Map(
    (unit?.outcomes ?? []).flatMap((outcome): [number, number][] => {
      const { flows } = outcome;
      const one = size === "all" ? merged(SIZE_CLASSES.map((name) => flows[name])) : flows[size as "small"];
      const value = classFigures(one, outcome)[figure];
      return value === undefined ? [] : [[outcome.seed, value]];
    }),
  );
}
