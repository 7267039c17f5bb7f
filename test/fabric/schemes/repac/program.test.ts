/** The values of RePaC's template: what each direction hashes, and which of them a role has. */
import { describe, expect, it } from "vitest";
import { type RepacProgram, repacProgram } from "../../../../src/fabric/schemes/repac/program.js";

const way = { hash: { algorithm: "crc16" as const, order: "forward" as const }, groups: 8, members: 64 };
const values = (own: Partial<RepacProgram>) =>
  repacProgram("tor", { role: "tor", bucketBits: 3, routes: 16, ...own }).values as {
    readonly directions: readonly Record<string, unknown>[];
    readonly bothDirections: boolean;
    readonly routeActions: readonly string[];
    readonly selector: { readonly hashed: boolean };
  };

describe("the program of a role", () => {
  it("has the directions that it chooses in, each with its tables", () => {
    const both = values({ up: way, down: { ...way, groups: 2, members: 4 } });
    expect(both.bothDirections).toBe(true);
    expect(
      both.directions.map(({ goesUp, topBit, groups, members }) => [goesUp, topBit, groups, members]),
    ).toEqual([
      [true, 2, 8, 64],
      [false, 2, 2, 4],
    ]);
    expect(both.routeActions).toEqual(["to_port", "to_uplinks", "to_downlinks"]);
    const down = values({ down: way });
    expect([down.bothDirections, down.directions.map(({ goesUp }) => goesUp)]).toEqual([false, [false]]);
  });

  it("hashes the selector where a field carries it, and in both hashes of a bucket", () => {
    const plain = JSON.stringify(values({ up: way }).directions);
    const marked = values({ up: way, hashedField: "dscp" });
    expect(values({ up: way }).selector.hashed).toBe(false);
    expect(marked.selector.hashed).toBe(true);
    expect(plain).not.toContain("selector");
    for (const key of ["hash", "spare"])
      expect(JSON.stringify(marked.directions[0]![key])).toContain("selector");
  });
});
