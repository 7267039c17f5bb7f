import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localise } from "../../../../src/fabric/testbed/index.js";

const works = (...path: string[]) => ({ path, sent: 3, received: 3 });
const dead = (...path: string[]) => ({ path, sent: 3, received: 0 });

describe("localise", () => {
  it("finds what all dead paths share and no live one crosses", () => {
    const found = localise([
      works("t1", "l1", "s1", "t2"),
      dead("t1", "l1", "s2", "t2"),
      dead("t1", "l2", "s2"),
    ]);
    expect(found.suspects).toEqual([["s2"]]);
    expect(found.cleared).toEqual(["l1", "s1", "t1", "t2"]);
    expect(found.unexplained).toEqual([]);
  });

  it("names all suspects where probes do not distinguish them", () => {
    expect(localise([works("t1", "l1"), dead("t1", "l2", "s2")]).suspects).toEqual([["l2"], ["s2"]]);
  });

  it("looks for two failures where one does not explain everything", () => {
    const found = localise([
      works("t1", "l1", "s1"),
      dead("t1", "l1", "s2"),
      dead("t1", "l2", "s1"),
      dead("t1", "l3", "s3"),
      dead("t1", "l3", "s2"),
    ]);
    expect(found.suspects).toEqual([
      ["l2", "l3", "s2"],
      ["l2", "s2", "s3"],
    ]);
  });

  it("says nothing where nothing was probed, nothing is dead, or more than three parts failed", () => {
    expect(localise([]).suspects).toEqual([]);
    expect(localise([works("a"), { path: ["b"], sent: 0, received: 0 }])).toEqual({
      suspects: [],
      cleared: ["a"],
      unexplained: [],
      lossy: [],
    });
    expect(localise([dead("a"), dead("b"), dead("c"), dead("d")]).suspects).toEqual([]);
  });

  it("reports contradictions and partial losses", () => {
    const found = localise([works("a", "b"), dead("a"), { path: ["a", "c"], sent: 3, received: 1 }]);
    expect(found).toEqual({ suspects: [], cleared: ["a", "b"], unexplained: [1], lossy: [2] });
  });

  it("always suspects the one part that failed, and never a part of a live path", () => {
    const part = fc.integer({ min: 0, max: 11 }).map((n) => `s${n}`);
    const paths = fc.array(fc.uniqueArray(part, { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(paths, part, (paths, failed) => {
        const seen = paths.map((path) => (path.includes(failed) ? dead(...path) : works(...path)));
        const { suspects, cleared, unexplained } = localise(seen);
        expect(unexplained).toEqual([]);
        if (paths.some((path) => path.includes(failed))) expect(suspects).toContainEqual([failed]);
        else expect(suspects).toEqual([]);
        for (const set of suspects) for (const name of set) expect(cleared).not.toContain(name);
      }),
    );
  });
});
