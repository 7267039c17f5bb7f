/** The pure parts of the tools that grow designs and count advice: grown texts, and the tables of the page. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { type Answer, judged } from "../../tools/tna/compiler.js";
import { grownText } from "../../tools/tna/grown-source.js";
import { type AskedLine, advisedCounts, judgedGrowths, nextAmount } from "../../tools/tna/growth-judged.js";
import {
  adviceTable,
  advisedSummary,
  growthTable,
  isHelped,
  judgedSummary,
  judgedTable,
  refusedTable,
  summary,
  unhitTable,
  withPart,
} from "../../tools/tna/growth-page.js";
import { tnaSource } from "../toolchain/fit/programs.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-grown-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = (size: string) =>
  tnaSource({
    ingress: `action go(bit<9> port) { tm.ucast_egress_port = port; }
    // table t { is no table
    table t { key = { hdr.d.a : exact; } actions = { go; /* } */ } ${size} }`,
    apply: "t.apply();",
  });

function grown(text: string, growing: Parameters<typeof grownText>[1]) {
  const file = join(folder, "design.p4");
  writeFileSync(file, text);
  const line = text.slice(0, text.indexOf("    table t {")).split("\n").length;
  return grownText({ file, line, name: "t" }, growing);
}

function compiles(text: string): boolean {
  const diagnostics = new Diagnostics();
  compile({ file: new SourceFile("design.p4", text), form: "hardware" }, diagnostics);
  return !diagnostics.hasErrors;
}

it("grows a table by its size, whether the table states one or not", () => {
  for (const size of ["size = 16;", ""]) {
    const text = grown(source(size), { kind: "table", table: "t", size: 4096 })!;
    expect(text.match(/size = \d+;/g)).toEqual(["size = 4096;"]);
    expect(compiles(text)).toBe(true);
  }
});

it("grows a control by fields that live through it: set at its start, matched at its end", () => {
  const text = grown(source("size = 16;"), { kind: "fields", table: "t", fields: 6 })!;
  expect(compiles(text)).toBe(true);
  expect(text).toMatch(
    /apply \{ grow_in_0\.apply\(\); grow_in_1\.apply\(\);\s*t\.apply\(\);\s*grow_out_0\.apply\(\); grow_out_1\.apply\(\);/,
  );
  expect(text.match(/bit<32> grown_\d;/g)).toHaveLength(6);
});

it("grows a control by tables at its end that share four fields and depend on no other of them", () => {
  const text = grown(source("size = 16;"), { kind: "tables", table: "t", tables: 8 })!;
  expect(compiles(text)).toBe(true);
  expect(text.match(/table grow_out_\d \{ key = \{ grown_\d : exact; grown_\d : exact; \}/g)).toHaveLength(8);
  expect(text).toMatch(
    /apply \{ grow_in_0\.apply\(\);\s*t\.apply\(\);\s*grow_out_0\.apply\(\); .*grow_out_7\.apply\(\);/,
  );
});

it("leaves a text alone that does not show where the table is", () => {
  expect(grown("control C() { apply { } }", { kind: "table", table: "t", size: 1 })).toBeUndefined();
  expect(grown("control C() { apply { } }", { kind: "fields", table: "t", fields: 1 })).toBeUndefined();
});

const line = {
  ...{
    name: "o/r/a.p4@tofino grown by fields",
    before: "fits by counts",
    stages: 9,
    after: "placed",
    afterStages: 8,
  },
  ...{
    changes: ["line 4: @ternary(1) for t, u"],
    tests: 3,
    packets: 256,
    tables: 5,
    tablesHit: 4,
    difference: "",
  },
};

it("counts a design as helped only when it is placed and no packet differs", () => {
  const lines = [
    line,
    { ...line, difference: "packet 1" },
    { ...line, after: "fits by counts" },
    { ...line, name: "o/r/b.p4@tofino grown by table", changes: [], after: "cannot fit" },
    { ...line, name: "o/r/c.p4@tofino" },
  ];
  expect(lines.map(isHelped)).toEqual([true, false, false, false, true]);
  expect(summary(lines)).toBe(
    "1 of 3 grown by fields, 0 of 1 grown by the size of a table, 1 of 1 listed as published",
  );
});

it("writes rows with changes in short, the helped ones first", () => {
  const other = {
    ...line,
    name: "other",
    after: "cannot fit",
    changes: ["line 9 and line 12 in the other order"],
  };
  const rows = adviceTable([other, line]).split("\n").slice(3);
  expect(rows).toEqual([
    "| o/r/a.p4@tofino grown by fields | fits by counts, 9 | placed, 8 | @ternary(1) | 3 + 256 | 4 of 5 | none |",
    "| other | fits by counts, 9 | cannot fit, 8 | neighbours in the other order | 3 + 256 | 4 of 5 | none |",
  ]);
  expect(growthTable([{ case: "c", kind: "table", from: 1, fits: 2, resource: "" }])).toContain(
    "| c | table | 1 | 2 | not up to 2^24 |  |",
  );
});

it("replaces one part of a page", () => {
  expect(withPart("a\n<!-- x -->\nold\n<!-- /x -->\nb", "x", "new")).toBe(
    "a\n<!-- x -->\n\nnew\n<!-- /x -->\nb",
  );
  expect(() => withPart("a", "x", "new")).toThrow("no part x");
});

it("lists the tables that no packet hit by their reason, and nothing of a design whose tables are all hit", () => {
  const unhit = {
    "pipe.In.t": "never applied",
    "pipe.In.c.u": "missed",
    "pipe.In.w": "never applied",
  };
  const text = unhitTable([line, { ...line, name: "b", unhit }, { ...line, name: "c", unhit: {} }]);
  expect(text.split("\n").slice(3)).toEqual(["| b | never applied | t, w |", "| b | missed | c.u |"]);
});

it("shows what fit says of refused designs, and what the advice gives", () => {
  const said = { name: "a", compiler: "containers", verdict: "fits by counts", stages: 13, ours: "stages" };
  const text = refusedTable([
    { ...said, verdict: "placed", stages: 9, ours: "" },
    {
      ...said,
      after: "placed",
      afterStages: 12,
      changes: ["line 3: @stage(4) for t, which begins at stage 0 now"],
    },
    { ...said, after: "fits by counts", afterStages: 13, changes: [] },
    { ...said, verdict: "does not compile", stages: 0, ours: "P40418" },
  ]);
  expect(text.split("\n").slice(3)).toEqual([
    "| a | containers | placed, 9 |  |  |",
    "| a | containers | fits by counts, 13 | stages | placed, 12: @stage for a large table |",
    "| a | containers | fits by counts, 13 | stages | no change helps |",
    "| a | containers | does not compile | P40418 |  |",
  ]);
});

const answer = (said: Answer["said"], resource = ""): Answer => ({ said, resource, message: "", seconds: 1 });

/** Asks a compiler that refuses from `limit` on; `fit` refuses from `ours.refused` on. */
function askedOf(ours: { from: number; fits: number; refused: number | undefined }, limit: number) {
  const growth = { ...ours, case: "c", table: "t", kind: "table" as const, resource: "srams" };
  const asked: AskedLine[] = [];
  for (;;) {
    const amount = nextAmount(growth, asked);
    if (amount === undefined) break;
    asked.push({
      ...{ case: "c", kind: "table", amount },
      ours:
        amount < (ours.refused ?? Number.POSITIVE_INFINITY)
          ? { verdict: "placed", resource: "", stages: 12 }
          : { verdict: "fits by counts", resource: "stages, containers", stages: 13 },
      theirs: amount < limit ? answer("placed") : answer("refused", "stages"),
    });
  }
  return { asked, judged: judgedGrowths([growth], asked)[0]! };
}

it("finds a compiler's point of refusal near ours in few questions, and says whether both agree", () => {
  const sizes = fc.record({
    refused: fc.integer({ min: 1000, max: 2 ** 20 }),
    limit: fc.integer({ min: 600, max: 2 ** 22 }),
  });
  fc.assert(
    fc.property(sizes, ({ refused, limit }) => {
      const fits = refused - Math.floor(refused / 16);
      const { asked, judged } = askedOf({ from: 1, fits, refused }, limit);
      expect(asked.length).toBeLessThanOrEqual(5);
      const { placed = 0, least = Number.POSITIVE_INFINITY } = judged;
      expect(placed).toBeLessThan(limit);
      expect(least).toBeGreaterThanOrEqual(limit);
      // A limit well inside the tenth agrees, one well outside does not.
      if (limit > 0.92 * fits && limit < 1.08 * refused) expect(judged.isSamePoint).toBe(true);
      if (limit < 0.85 * fits || limit > 1.15 * refused) expect(judged.isSamePoint).toBe(false);
      if (least === Number.POSITIVE_INFINITY) expect(judged.isRefused).toBeUndefined();
      else expect(judged.isRefused).toBe(least >= refused);
    }),
  );
});

it("uses answers about an earlier point of ours, and asks only between them", () => {
  const asked = [
    { amount: 1000, theirs: answer("placed") },
    { amount: 2000, theirs: answer("refused") },
  ];
  const next = (fits: number, refused: number) => nextAmount({ from: 1, fits, refused }, asked);
  expect(next(1400, 1480)).toBe(1400);
  expect(next(900, 960)).toBe(1056);
  expect(next(800, 850)).toBeUndefined();
  expect(next(2100, 2200)).toBe(1890);
  expect(next(4000, 4200)).toBeUndefined();
});

it("counts the resource only of sources that both refuse", () => {
  const ours = { from: 1, fits: 1000, refused: 1060 };
  expect(askedOf(ours, 1050).judged).toMatchObject({ isRefused: true, isSameResource: true });
  expect(askedOf(ours, 950).judged).toMatchObject({ isRefused: false, isSameResource: false });
  expect(askedOf({ ...ours, refused: undefined }, 2 ** 30).judged).toMatchObject({
    placed: 1000,
    isSamePoint: undefined,
    isRefused: undefined,
  });
});

it("asks no further where the compiler has no answer, and counts no point", () => {
  const growth = {
    case: "c",
    table: "t",
    kind: "fields" as const,
    from: 0,
    fits: 8,
    refused: 12,
    resource: "phv",
  };
  const ours = { verdict: "placed", resource: "", stages: 3 };
  const asked = [{ case: "c", kind: "fields" as const, amount: 8, ours, theirs: answer("no answer") }];
  expect(nextAmount(growth, asked)).toBeUndefined();
  expect(judgedGrowths([growth], asked)[0]).toMatchObject({ isSamePoint: undefined, note: "no answer" });
  // What the compiler does not compile is no judged growth.
  expect(judgedGrowths([growth], [{ ...asked[0]!, theirs: answer("failed") }])).toEqual([]);
});

it("takes more stages than the chip has as a refusal, and an error of another kind as none", () => {
  expect(judged({ status: 0, errors: "" }, 12, 12).said).toBe("placed");
  expect(judged({ status: 0, errors: "" }, 13, 12)).toMatchObject({ said: "refused", resource: "stages" });
  expect(judged({ status: 1, errors: "a\nerror: PHV allocation was not successful" }, undefined, 12)).toEqual(
    {
      said: "refused",
      resource: "containers",
      message: "error: PHV allocation was not successful",
    },
  );
  expect(judged({ status: 1, errors: "a.p4(3): error: syntax error" }, undefined, 12).said).toBe("failed");
  expect(judged({ status: "no answer", errors: "" }, 3, 12).said).toBe("no answer");
});

it("counts as accepted only what the compiler refused as given and places as changed", () => {
  const { judged } = askedOf({ from: 1, fits: 1000, refused: 1060 }, 1050);
  const growth = (name: string, isRefused?: boolean) => ({ ...judged, case: name, isRefused });
  const after = (name: string, said: Answer["said"]): AskedLine => ({
    ...{ case: name, kind: "table advised", amount: 1060 },
    ours: { verdict: "placed", resource: "", stages: 12 },
    theirs: answer(said),
  });
  const advice = new Map(
    ["a", "b", "c", "d"].map((name) => [`${name} grown by table`, { isChanged: name !== "c" }]),
  );
  const growths = [
    growth("a", true),
    growth("b", true),
    growth("c", true),
    growth("d"),
    growth("e", false),
    growth("f", true),
  ];
  const counts = advisedCounts(growths, advice, [
    after("a", "placed"),
    after("b", "refused"),
    after("d", "placed"),
  ]);
  expect(counts).toEqual({ tried: 4, changed: 2, given: 2, placed: 1 });
  expect(advisedSummary(counts)).toContain("Of 4 grown designs that the compiler refuses");
});

it("counts the designs that both refuse, the resource, and the points, by how they were grown", () => {
  const same = askedOf({ from: 1, fits: 1000, refused: 1060 }, 1050).judged;
  const wrong = askedOf({ from: 1, fits: 1000, refused: 1060 }, 950).judged;
  const later = { ...askedOf({ from: 1, fits: 1000, refused: 1060 }, 3000).judged, kind: "fields" as const };
  const open = askedOf({ from: 1, fits: 1000, refused: undefined }, 2 ** 30).judged;
  expect(judgedSummary([same, wrong, later, open])).toBe(
    [
      "Of the grown designs that the compiler refuses, `fit` refuses 2 of 3 (67 %) and names the same resource for 2 of 3 (67 %).",
      "The points of refusal are within 10 % for 2 of 2 (100 %) of those grown by the size of a table, 0 of 1 (0 %) of those grown by fields.",
    ].join("\n"),
  );
  expect(judgedTable([same, open]).split("\n").slice(3)).toEqual([
    "| c | table | 1000 / 1060 | 1000 / 1060 | yes | stages | stages, containers |  |",
    "| c | table | 1000 / - | 1000 / - |  |  |  |  |",
  ]);
});
