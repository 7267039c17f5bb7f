/** Colours of the figures: a family of hues a scheme, a shade and a dash pattern a failure. */
import { FAILURES, type Failure, type SchemeRun } from "./experiment.js";

/** Dark to light; people who confuse red and green can distinguish them too. */
const FAMILIES: readonly (readonly string[])[] = [
  ["#0b5cad", "#2f7fcb", "#5f9fdc", "#1c4f86"],
  ["#a8200d", "#dd6a1f", "#eda23a", "#8a4a6b"],
  ["#5b6570", "#7d8790", "#9aa3ab", "#48525c"],
  ["#0e7a5f", "#2f9e7f", "#64bda3", "#0a5a46"],
];

const DASHES: Readonly<Record<Failure, string | undefined>> = {
  tor: undefined,
  leaf: undefined,
  spine: undefined,
  link: "5,3",
};

export interface LineStyle {
  colour: string;
  dash: string | undefined;
}

export function lineStyle(schemeIndex: number, failure: Failure): LineStyle {
  const family = FAMILIES[schemeIndex % FAMILIES.length]!;
  return { colour: family[FAILURES.indexOf(failure)]!, dash: DASHES[failure] };
}

/** Words for people, as against the keys of files. */
export const FAILURE_NAMES: Readonly<Record<Failure, string>> = {
  tor: "ToR",
  leaf: "leaf",
  spine: "spine",
  link: "ToR-leaf link",
};

/** Title of the scheme that the results call `label`. */
export function schemeTitle(schemes: readonly SchemeRun[], label: string): string {
  return schemes.find((scheme) => scheme.label === label)?.title ?? label;
}
