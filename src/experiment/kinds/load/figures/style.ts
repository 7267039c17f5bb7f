/** Colours and sizes of the figures: they stand on light and on dark pages, so that lines have colours of a middle lightness and all else that of the text. */

/** At least 3:1 against white and against the dark page; people who confuse red and green can tell neighbours apart. */
const COLOURS = [
  "#2f7fcb",
  "#d9641e",
  "#1f9579",
  "#a45bc0",
  "#a8841a",
  "#d1476a",
  "#76818b",
  "#4b8f29",
] as const;

/** By the place of the scheme in the file; schemes beyond the eighth have dashes too. */
export function lineOf(place: number): { readonly colour: string; readonly dash: string | undefined } {
  const round = Math.floor(place / COLOURS.length);
  return { colour: COLOURS[place % COLOURS.length]!, dash: ["6,3", "2,3", "9,3,2,3"][round - 1] };
}

export const WIDTH = 900;

/** What all figures have: text in the colour of the page. */
export const PLOT_STYLE = {
  fontSize: "12px",
  background: "none",
  color: "currentColor",
  overflow: "visible",
};
export const GRID = { stroke: "currentColor", strokeOpacity: 0.13 };
