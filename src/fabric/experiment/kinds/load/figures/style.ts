/** Colours and sizes of the figures. They must be legible on light and dark pages: lines have colours of a middle lightness, all else has the colour of the text. */

/** Contrast of at least 3:1 with white and with the dark page; people with colour blindness can distinguish neighbours. */
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

/** Colour by the position of the scheme in the file; from the ninth scheme on lines are also dashed. */
export function lineOf(place: number): { readonly colour: string; readonly dash: string | undefined } {
  const round = Math.floor(place / COLOURS.length);
  return { colour: COLOURS[place % COLOURS.length]!, dash: ["6,3", "2,3", "9,3,2,3"][round - 1] };
}

export const WIDTH = 900;

/** Style of all figures: text has the colour of the page's text. */
export const PLOT_STYLE = {
  fontSize: "12px",
  background: "none",
  color: "currentColor",
  overflow: "visible",
};
export const GRID = { stroke: "currentColor", strokeOpacity: 0.13 };
