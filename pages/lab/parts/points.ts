/** Points of a test or an exercise as text. */
export function pointsText(points: number): string {
  return `${points} point${points === 1 ? "" : "s"}`;
}
