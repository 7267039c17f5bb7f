/** Points of tests on the page of an exercise. */
import { describe, expect, it } from "vitest";
import { pointsText } from "../../../../pages/lab/parts/points.js";

describe("points", () => {
  it("are one point, or several", () => {
    expect([0, 0.5, 1, 2].map(pointsText)).toEqual(["0 points", "0.5 points", "1 point", "2 points"]);
  });
});
