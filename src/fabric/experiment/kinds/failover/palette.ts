/** Colours of the figures: a family of hues a scheme, a shade and a dash pattern a failure. */
import { FAILURES } from "../../faults/drawn-failures.js";

/** Dark to light; people with red-green colour blindness can distinguish them too. */
const FAMILIES: readonly (readonly string[])[] = [
  ["#0b5cad", "#2f7fcb", "#5f9fdc", "#1c4f86"],
  ["#a8200d", "#dd6a1f", "#eda23a", "#8a4a6b"],
  ["#5b6570", "#7d8790", "#9aa3ab", "#48525c"],
  ["#0e7a5f", "#2f9e7f", "#64bda3", "#0a5a46"],
];

/** One-word failures of links are dashed; each group of four further failures has a pattern of its own. */
const DASHES: readonly (string | undefined)[] = [undefined, "8,4", "2,3", "10,3,2,3"];
const LINK_DASH = "5,3";

export interface LineStyle {
  colour: string;
  dash: string | undefined;
}

/** `place`: index of the failure in the experiment. One-word failures have the same style in every experiment. */
export function lineStyle(schemeIndex: number, failure: string, place: number): LineStyle {
  const family = FAMILIES[schemeIndex % FAMILIES.length]!;
  const word = (FAILURES as readonly string[]).indexOf(failure);
  if (word >= 0) return { colour: family[word]!, dash: failure === "link" ? LINK_DASH : undefined };
  const dash = DASHES[Math.floor(place / family.length) % DASHES.length];
  return { colour: family[place % family.length]!, dash };
}
