/** The report of multiroute against graphs whose routes can be counted by hand. */
import { describe, expect, it } from "vitest";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { build } from "../../topology/load.js";

const report = schemeNamed("multiroute")!.report!;
const made = (topology: ReturnType<typeof build>, options: object = {}) =>
  report.make(topology, report.options.parse(options));

/** Switches by their links; each named in `hosts` has one host. */
function graph(hosts: readonly string[], links: readonly (readonly [string, string])[]) {
  const names = [...new Set(links.flat())];
  return build({
    kind: "graph",
    name: "made",
    nodes: [
      ...names.map((name) => ({ name, role: "switch" as const })),
      ...hosts.map((name) => ({ name: `h-${name}`, role: "host" as const })),
    ],
    links: [...links.map(([a, b]) => ({ a, b })), ...hosts.map((name) => ({ a: `h-${name}`, b: name }))],
  });
}

describe("the report of multiroute", () => {
  it("counts two routes around a ring, of 2 and 3 or 1 and 4 links", () => {
    const ring = graph(
      ["a", "b", "c", "d", "e"],
      [
        ["a", "b"],
        ["b", "c"],
        ["c", "d"],
        ["d", "e"],
        ["e", "a"],
      ],
    );
    const { rows, text } = made(ring);
    expect(rows).toEqual([
      expect.objectContaining({
        topology: "made",
        pairs: 20,
        fewest_routes: 2,
        mean_routes: 2,
        most_routes: 2,
        mean_links: 2.5,
        most_links: 4,
        unavoidable: [],
      }),
    ]);
    expect(text).toContain(
      "Every single failure of a switch or link between two racks is avoided by another route.",
    );
    const [row] = rows as { selectors: number; bits: number }[];
    // Selector 0 is that of the hash.
    expect(row!.bits).toBe(Math.ceil(Math.log2(row!.selectors + 1)));
  });

  it("names what every route of a pair crosses: two triangles with one link between them", () => {
    const twice = graph(
      ["a", "b", "c", "d"],
      [
        ["a", "b"],
        ["b", "x"],
        ["x", "a"],
        ["x", "y"],
        ["c", "d"],
        ["d", "y"],
        ["y", "c"],
      ],
    );
    // Between the triangles: 2 x 2 pairs in each direction; within one, two routes.
    const { rows, text } = made(twice);
    const [row] = rows as {
      unavoidable: { element: string; pairs: number }[];
      fewest_routes: number;
      most_routes: number;
    }[];
    expect([row!.fewest_routes, row!.most_routes]).toEqual([2, 2]);
    expect(row!.unavoidable).toEqual([
      { element: "x - y", pairs: 8 },
      { element: "x", pairs: 8 },
      { element: "y", pairs: 8 },
    ]);
    expect(text).toContain("No route avoids these elements for this number of pairs of racks:");
    expect(text).not.toContain("more");
    expect(made(twice, { elements: 1 }).text).toMatch(/x - y +8\nand 2 more$/);
    expect(made(twice, { elements: 1 }).rows).toEqual(rows);
    expect(made(twice, { elements: 3 }).text).not.toContain("more");
  });

  it("counts a line's single routes, of which nothing but the ends can be avoided", () => {
    const line = graph(
      ["a", "b", "c"],
      [
        ["a", "b"],
        ["b", "c"],
      ],
    );
    const [row] = made(line).rows as Record<string, unknown>[];
    expect(row).toMatchObject({
      pairs: 6,
      fewest_routes: 1,
      mean_routes: 1,
      most_routes: 1,
      // Four pairs of one link, two of two.
      mean_links: 1.33,
      most_links: 2,
      groups: 0,
      rows: 0,
      unavoidable: [
        { element: "b - c", pairs: 4 },
        { element: "a - b", pairs: 4 },
        { element: "b", pairs: 2 },
      ],
    });
  });

  it("has at most the requested number of routes", () => {
    const full = graph(
      ["a", "b", "c", "d"],
      [
        ["a", "b"],
        ["a", "c"],
        ["a", "d"],
        ["b", "c"],
        ["b", "d"],
        ["c", "d"],
      ],
    );
    const routes = (paths: number) =>
      (made(full, { paths }).rows as { most_routes: number; fewest_routes: number }[])[0]!;
    expect([routes(2).most_routes, routes(3).fewest_routes, routes(8).most_routes]).toEqual([2, 3, 3]);
  });
});
