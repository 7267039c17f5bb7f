/** The points of a sweep: their numbers and values, what each sets in the file, and keys that have no place. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import {
  counted,
  edited,
  fileWord,
  pointName,
  type SweepSpace,
  spaceOf,
  sweepSchema,
} from "../../../../src/fabric/experiment/sweep/space.js";
import { openDocument } from "../../../../src/toolchain/documents/index.js";

const FILE = `name: x
load: 0.5
transport: { rto_cap: 1s }
flows: [{ from: a }, { from: b }]
schemes: [ecmp, { scheme: prr, label: prr.fast, copies: 1 }, { scheme: prr }]
empty:
sweep:
`;

const nameOf = (scheme: string) => scheme.replace(/\.mjs$/, "");

function read(sweep: string, file = FILE): { space: SweepSpace | undefined; messages: string[] } {
  const diagnostics = new Diagnostics();
  const text = `${file}${sweep.replace(/^/gm, "  ")}\n`;
  const document = openDocument(new SourceFile("s.yaml", text), diagnostics)!;
  const settings = sweepSchema.parse((document.contents as { sweep: unknown }).sweep);
  const space = spaceOf(document, settings, nameOf, diagnostics);
  const messages = diagnostics.list.map(({ message, span }) => {
    const at = span!.file.position(span!.start);
    return `${at.line}: ${span!.file.text.slice(span!.start, span!.end).split("\n")[0]}: ${message}`;
  });
  expect(space === undefined).toBe(messages.length > 0);
  return { space, messages };
}

const spaceFrom = (sweep: string): SweepSpace => read(sweep).space!;

describe("a grid", () => {
  it("has all combinations, the last key fastest, in the order of the file", () => {
    const space = spaceFrom("load: [1, 2]\ntransport.rto_cap: [a, b, c]\nseeds: 3");
    expect([space.points, space.keys, space.seedCount]).toEqual([6, ["load", "transport.rto_cap"], 3]);
    const points = Array.from({ length: 6 }, (_, i) => Object.values(space.values(i)));
    expect(points.map((values) => values.join(""))).toEqual(["1a", "1b", "1c", "2a", "2b", "2c"]);
  });

  it("numbers points so that each number gives back its values, whatever the sizes are", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }), (sizes) => {
        const keys = ["load", "transport.rto_cap", "flows.0.from", "empty"];
        const line = (size: number, i: number) =>
          `${keys[i]}: [${Array.from({ length: size }, (_, n) => n).join(", ")}]`;
        const space = spaceFrom(sizes.map(line).join("\n"));
        const product = sizes.reduce((all, size) => all * size, 1);
        expect(space.points).toBe(product);
        const number = (values: unknown[]) =>
          values.reduce<number>((sum, value, i) => sum * sizes[i]! + Number(value), 0);
        for (let point = 0; point < product; point++)
          expect(number(Object.values(space.values(point)))).toBe(point);
        // The star: the first point, and one for each further value.
        const star = [...space.star()];
        expect(star).toHaveLength(1 + sizes.reduce((sum, size) => sum + size - 1, 0));
        const changed = (point: number) => Object.values(space.values(point)).filter((one) => one !== 0);
        expect(star.map((point) => changed(point).length)).toEqual([0, ...star.slice(1).map(() => 1)]);
        expect(new Set(star).size).toBe(star.length);
        // All combinations of chosen keys, the first values of others.
        const chosen = [...space.combinations(({ key }) => key !== "load")];
        expect(chosen).toEqual(Array.from({ length: product / sizes[0]! }, (_, i) => i));
      }),
    );
  });

  it("has seeds from the file's on, modulo 2^32, or those that are listed", () => {
    expect(spaceFrom("load: [1]").seeds(7)).toEqual([7]);
    expect(spaceFrom("load: [1]\nseeds: 3").seeds(2 ** 32 - 2)).toEqual([2 ** 32 - 2, 2 ** 32 - 1, 0]);
    const listed = spaceFrom("load: [1]\nseeds: [5, 3]");
    expect([listed.seeds(7), listed.seedCount]).toEqual([[5, 3], 2]);
  });

  it("combines each of `points` with the other keys; a key that a point does not set has no value", () => {
    const space = spaceFrom("points: [{ load: 1, empty: 2 }, { load: 3 }]\ntransport.rto_cap: [a, b]");
    expect([space.points, space.keys]).toEqual([4, ["load", "empty", "transport.rto_cap"]]);
    expect([space.values(1), space.values(2)]).toEqual([
      { load: 1, empty: 2, "transport.rto_cap": "b" },
      { load: 3, "transport.rto_cap": "a" },
    ]);
    expect([...space.combinations(({ key }) => key === "empty")]).toEqual([0, 2]);
  });
});

describe("what a point sets", () => {
  const contents = { a: { b: 1 }, list: [1, { c: 2 }], schemes: ["ecmp"], sweep: { a: [1] } };
  const set = (path: PropertyKey[], value: unknown, at: PropertyKey[] = ["sweep", "k", 0]) =>
    edited(contents, [{ key: path.join("."), path, value, at }]);

  it("is in a copy of the file, without the sweep", () => {
    expect(set(["a", "b"], 7).contents).toEqual({ a: { b: 7 }, list: contents.list, schemes: ["ecmp"] });
    expect(set(["list", 1, "c"], 7).contents).toMatchObject({ list: [1, { c: 7 }] });
    expect(set(["new", "inner"], 7).contents).toMatchObject({ new: { inner: 7 } });
    expect(set(["schemes", 0, "copies"], 2).contents).toMatchObject({
      schemes: [{ scheme: "ecmp", copies: 2 }],
    });
    expect(contents).toMatchObject({ a: { b: 1 }, schemes: ["ecmp"], sweep: {} });
    expect(edited("text", []).contents).toBe("text");
  });

  it("is not shared by the points", () => {
    const value = { x: 1 };
    const copy = set(["a"], value).contents as { a: { x: number } };
    copy.a.x = 2;
    expect(value.x).toBe(1);
  });

  it("has its place in the list of the swept key", () => {
    const { placeOf } = set(["a", "b"], { x: 1 }, ["sweep", "a.b", 2]);
    expect(placeOf(["a", "c"], false)).toEqual(["a", "c"]);
    expect(placeOf(["a", "b", "x"], false)).toEqual(["sweep", "a.b", 2, "x"]);
    expect(placeOf(["a", "b"], false)).toEqual(["sweep", "a.b", 2]);
    expect(placeOf(["a", "b"], true)).toEqual(["sweep", "a.b"]);
    expect(placeOf(["a", "b", "x"], true)).toEqual(["sweep", "a.b", 2, "x"]);
    const inPoints = set(["a", "b"], 1, ["sweep", "points", 0, "a.b"]);
    expect(inPoints.placeOf(["a", "b"], true)).toEqual(["sweep", "points", 0, "a.b"]);
    // Elements of lists are numbers in a path and texts in another.
    expect(set(["list", 1, "c"], 1).placeOf(["list", "1", "c"], false)).toEqual(["sweep", "k", 0]);
  });

  it("is a parameter of a scheme by label or name, of which the longest that fits is taken", () => {
    const pathOf = (key: string) => spaceFrom(`${key}: [1]`).assignments(0)[0]!.path;
    expect(pathOf("schemes.ecmp.copies")).toEqual(["schemes", 0, "copies"]);
    expect(pathOf("schemes.prr.fast.copies")).toEqual(["schemes", 1, "copies"]);
    expect(pathOf("schemes.prr.copies.0")).toEqual(["schemes", 2, "copies", 0]);
    expect(pathOf("flows.1.from")).toEqual(["flows", 1, "from"]);
    expect(pathOf("transport.01")).toEqual(["transport", "01"]);
    expect(pathOf("schemes")).toEqual(["schemes"]);
  });
});

describe("what cannot be swept", () => {
  it.each<[string, string[]]>([
    ["seed: [1]", ['8: seed: "seed" cannot be swept: write seeds: a number of seeds, or a list of them']],
    ["name.x: [1, 2]", ['8: name.x: "name.x" cannot be swept: all points are one experiment']],
    [
      "points: [{ engine: sim, load: 1 }]",
      ['8: sim: "engine" cannot be swept: write a file for each engine'],
    ],
    ["seedz: [3]", ['8: seedz: sweep: the file has no key "seedz"; did you mean "seeds"?']],
    ["load.x: [1]", ['8: load.x: sweep: "load.x" has no place in the file: load has no keys: 0.5']],
    [
      "flows.2.from: [1]",
      [
        '8: flows.2.from: sweep: "flows.2.from" has no place in the file: flows is a list of 2: "2" is no number from 0 to 1',
      ],
    ],
    [
      "flows.x: [1]",
      [
        '8: flows.x: sweep: "flows.x" has no place in the file: flows is a list of 2: "x" is no number from 0 to 1',
      ],
    ],
    [
      "schemes.hula.x: [1]",
      [
        '8: schemes.hula.x: sweep: "schemes.hula.x" has no place in the file: no scheme of the file is called "hula"; the key is schemes.LABEL.PARAMETER, with one of ecmp, prr.fast, prr',
      ],
    ],
    ["load: [1]\npoints: [{ load: 2 }]", ['8: 1: "load" is swept twice']],
    [
      "transport.rto_cap: [1]\ntransport: [{}]",
      ['8: 1: "transport.rto_cap" is part of "transport", which is swept too'],
    ],
    [
      "points: [{ transport: {}, transport.rto_cap: 1 }, { transport: {}, transport.rto_cap: 2 }]",
      ['8: 1: "transport.rto_cap" is part of "transport", which is swept too'],
    ],
    ["load: [1]\nseeds: [4, 5, 4, 4]", ["9: 4: seed 4 is listed twice", "9: 4: seed 4 is listed twice"]],
  ])("%s", (sweep, expected) => {
    expect(read(sweep).messages).toEqual(expected);
  });

  it("is a label in a file without schemes, and the prototype of objects", () => {
    const file = "name: x\nload: 0.5\nschemes: 3\nsweep:\n";
    expect(read("schemes.a.b: [1]", file).messages[0]).toContain("with one of no labels");
    expect(read("schemes.a.b: [1]", "schemes: [{ x: 1 }, 4]\nsweep:\n").messages[0]).toContain("no labels");
    expect(read("load.__proto__: [1]", "load: {}\nsweep:\n").messages[0]).toContain(
      'load has no key "__proto__"',
    );
  });
});

describe("names", () => {
  it("of points, files and numbers", () => {
    expect(pointName({ load: 0.5, "transport.rto_cap": "1s", none: undefined, list: [1] })).toBe(
      "load: 0.5, transport.rto_cap: 1s, list: [1]",
    );
    expect([pointName({}), fileWord("a: b, ü/c-d_e.f"), counted(1, "job"), counted(12345, "job")]).toEqual([
      "",
      "a-b-c-d_e.f",
      "1 job",
      "12,345 jobs",
    ]);
  });
});
