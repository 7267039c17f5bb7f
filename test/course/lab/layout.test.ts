/** Where the nodes of a network are drawn. */
import { describe, expect, it } from "vitest";
import { layOut } from "../../../src/course/lab/layout.js";

type Plan = Parameters<typeof layOut>[0];

/** Switches as `name` or `name:tier`, links as `a-b`. */
function placesOf(switches: string[], hosts: string[], links: string[]) {
  const plan = {
    switches: switches.map((text) => {
      const [name, tier] = text.split(":");
      return tier === undefined ? { name } : { name, tier: Number(tier) };
    }),
    hosts: hosts.map((name) => ({ name })),
    links: links.map((text) => {
      const [a, b] = text.split("-");
      return { a: { node: a }, b: { node: b } };
    }),
  };
  return Object.fromEntries(layOut(plan as unknown as Plan));
}

describe("a network with tiers", () => {
  it("is drawn in rows, the highest tier on top and hosts at the bottom", () => {
    const places = placesOf(["t1:0", "l1:1", "t2:0"], ["h1", "h2", "h3", "h4"], []);
    expect(places["l1"]).toEqual({ x: 0.5, y: 0.5 / 3 });
    expect(places["t1"]).toEqual({ x: 0.25, y: 1.5 / 3 });
    expect(places["t2"]).toEqual({ x: 0.75, y: 1.5 / 3 });
    expect(["h1", "h2", "h3", "h4"].map((name) => places[name])).toEqual(
      [0.125, 0.375, 0.625, 0.875].map((x) => ({ x, y: 2.5 / 3 })),
    );
  });

  it("has no row for hosts that are not there", () => {
    expect(placesOf(["t1:0", "l1:1"], [], [])).toEqual({ l1: { x: 0.5, y: 0.25 }, t1: { x: 0.5, y: 0.75 } });
  });
});

describe("a network without tiers", () => {
  const apart = (places: ReturnType<typeof placesOf>, a: string, b: string) =>
    Math.hypot(places[a]!.x - places[b]!.x, places[a]!.y - places[b]!.y);

  it("is within the margins, and fills the page", () => {
    const names = ["a", "b", "c", "d"];
    const places = placesOf(names, [], ["a-b", "b-c", "c-d", "d-a"]);
    for (const key of ["x", "y"] as const) {
      const values = names.map((name) => places[name]![key]);
      expect(Math.min(...values)).toBeCloseTo(0.06, 4);
      expect(Math.max(...values)).toBeCloseTo(0.94, 4);
    }
    // A square: neighbours are nearer than corners that lie opposite.
    for (const near of ["a-b", "b-c", "c-d", "d-a"])
      for (const far of ["a-c", "b-d"]) {
        const [[p, q], [r, s]] = [near.split("-"), far.split("-")] as [[string, string], [string, string]];
        expect(apart(places, p, q)).toBeLessThan(apart(places, r, s));
      }
  });

  it("has the nodes of a line in their order, by the numbers of links between them", () => {
    const places = placesOf(["a", "b", "c", "d"], ["h"], ["a-b", "b-c", "c-d", "h-a"]);
    const order = ["h", "a", "b", "c", "d"];
    for (let i = 1; i + 1 < order.length; i++)
      expect(apart(places, order[0]!, order[i]!)).toBeLessThan(apart(places, order[0]!, order[i + 1]!));
  });

  it("has one switch with tiers and its hosts around it", () => {
    const places = placesOf(["s:0"], ["h1", "h2", "h3"], ["s-h1", "s-h2", "s-h3"]);
    const distances = ["h1", "h2", "h3"].map((name) => apart(places, "s", name));
    expect(Math.max(...distances)).toBeLessThan(apart(places, "h1", "h2"));
  });

  it("with a part that is not linked has it further away than any path is long", () => {
    const places = placesOf(["a", "b", "x"], [], ["a-b"]);
    expect(apart(places, "a", "b")).toBeLessThan(apart(places, "a", "x"));
    expect(apart(places, "a", "b")).toBeLessThan(apart(places, "b", "x"));
  });

  it("of one node is in the middle", () => {
    expect(placesOf(["a"], [], [])).toEqual({ a: { x: 0.5, y: 0.5 } });
  });

  it("is the same each time", () => {
    const draw = () => placesOf(["a", "b", "c"], ["h1", "h2"], ["a-b", "b-c", "h1-a", "h2-c"]);
    expect(draw()).toEqual(draw());
  });
});
