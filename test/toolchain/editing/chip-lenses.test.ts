/** Lines above tables and `main` of programs for a chip: the numbers are those of `p4loom fit`, pipe by pipe. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics, SourceFile, spanText } from "../../../src/base/index.js";
import { loadDocument } from "../../../src/toolchain/documents/index.js";
import { chipArchitecture, lenses, openDocument } from "../../../src/toolchain/editing/index.js";
import { fitProgram, onePipe, targetSchema, tightest, toJson } from "../../../src/toolchain/fit/index.js";
import { limitsOf, RESOURCES } from "../../../src/toolchain/fit/place/stage.js";
import { compile } from "../../../src/toolchain/p4/index.js";

const root = resolve(import.meta.dirname, "../../..");
const target = (name: string) => {
  const path = join(root, `data/targets/${name}.yaml`);
  return loadDocument(new SourceFile(path, readFileSync(path, "utf8")), targetSchema, new Diagnostics())!
    .value;
};
const [TOFINO, TOFINO2] = [target("tofino"), target("tofino2")];

const ROUTES = readFileSync(join(root, "examples/schemes/tofino/ecmp.p4"), "utf8");
/** The condition of the example's egress is wider than a gateway. */
const FITTING = ROUTES.replace(/ && eg\.deq_qdepth >= \d+/, "");

const textsOf = (text: string, on = TOFINO) => {
  const document = openDocument("ecmp.p4", text);
  expect(document.diagnostics).toEqual([]);
  return lenses(document, on).map(({ span, text: own }) => `${spanText(span)}: ${own}`);
};

it("are those of fit for a program of one pipe", () => {
  const file = new SourceFile("ecmp.p4", FITTING);
  const { program } = compile({ file, form: "hardware" }, new Diagnostics())!;
  const fitted = fitProgram(onePipe(program, "pipe"), TOFINO);
  const { phv, tables, per_stage_resources } = toJson(fitted);
  const routes = tables.find(({ label }) => label.endsWith("routes"))!;
  const texts = textsOf(FITTING);
  expect(texts[0]).toBe(`routes: stage ${routes.stage}, ${routes.srams} SRAM, ${routes.tcams} TCAM`);
  const used = (size: string) => (phv as Record<string, { containers: number }>)[size]!.containers;
  expect(texts.at(-1)).toContain(
    `main: tofino: ${fitted.stages} of 12 stages, placed; PHV ${used("8b")} of 64 x 8 b, ${used("16b")} of 96 x 16 b, ${used("32b")} of 64 x 32 b; tightest: `,
  );
  // No stage has less of anything, relative to what it has in all.
  const most = tightest(fitted)!;
  const limits = limitsOf(TOFINO);
  for (const counts of per_stage_resources as Record<string, number>[])
    for (const name of RESOURCES)
      if (limits[name]) expect(counts[name]! / limits[name]).toBeLessThanOrEqual(most.used / most.limit);
});

it("say first why a program does not fit", () => {
  expect(textsOf(ROUTES).at(-1)).toMatch(
    /^main: tofino: 4 of 12 stages, refused: tofino: the condition .*; PHV /,
  );
});

it("name the pipes where there are two", () => {
  const two = FITTING.replace(/Switch\(pipe\) main;/, "").concat(
    FITTING.match(/Pipeline\([^;]*\) pipe;/)![0].replace(/ pipe;/, " other;"),
    "\nSwitch(pipe, other) main;\n",
  );
  const texts = textsOf(two);
  expect(texts.filter((text) => /^routes: (pipe|other): stage 0, /.test(text))).toHaveLength(2);
  expect(
    texts.filter((text) => /^main: (pipe|other): tofino: 4 of 12 stages, placed; /.test(text)),
  ).toHaveLength(2);
});

it("are none of a chip of another architecture, which is said", () => {
  const second = FITTING.replace("<tna.p4>", "<t2na.p4>");
  expect(chipArchitecture(openDocument("a.p4", second))).toBe("t2na");
  expect(chipArchitecture(openDocument("a.p4", FITTING))).toBe("tna");
  expect(chipArchitecture(openDocument("a.p4", "struct s {"))).toBeUndefined();
  expect(textsOf(FITTING, TOFINO2)).toEqual([expect.stringMatching(/^main: tofino2 does not take tna/)]);
  expect(textsOf(second, TOFINO2).at(-1)).toMatch(/^main: tofino2: \d+ of 20 stages, placed; /);
});
