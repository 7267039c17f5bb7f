/** How P4TE's programs of four leaves and four spines fit, by role, variant and target, as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { buildTopology, topologySchema } from "../../../src/fabric/topology/index.js";
import { fitProgram, targetSchema, toJson } from "../../../src/toolchain/fit/index.js";
import { loadTemplates, renderProgram } from "../../../src/toolchain/generate/index.js";
import { packageFile, textFolder } from "../../../src/toolchain/loading/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";

const VARIANTS = {
  defaults: {},
  "for chips": { truncate: false, feedback: "controller", hold_window: false },
  "for chips, the paper's rule": {
    truncate: false,
    feedback: "controller",
    hold_window: false,
    colour_age: "never",
  },
};

const templates = loadTemplates(textFolder(packageFile("templates")));
const topology = buildTopology(
  topologySchema.parse({ kind: "leaf_spine", tors: 4, leaves: 4, homing: "single", hosts_per_rack: 4 }),
);
const scheme = schemeNamed("p4te")!;
const target = (name: string) =>
  targetSchema.parse(
    parse(readFileSync(join(import.meta.dirname, "../../../data/targets", `${name}.yaml`), "utf8")),
  );

const rows = Object.entries(VARIANTS).flatMap(([variant, parameters]) => {
  const plan = scheme.plan(topology, scheme.parameters.parse(parameters));
  return plan.programs.flatMap((made) => {
    const diagnostics = new Diagnostics();
    const text = renderProgram(templates, made);
    const { program } = compile({ file: new SourceFile(`${made.name}.p4`, text) }, diagnostics)!;
    diagnostics.throwIfErrors();
    return ["rmt", "tofino"].map((name) => {
      const result = fitProgram(program, target(name));
      return {
        role: made.name,
        variant,
        target: name,
        verdict: result.verdict,
        stages: result.stages,
        of: result.target.stages,
        codes: [...new Set(result.diagnostics.map(({ code }) => code))],
        phv: (toJson(result) as { phv?: unknown }).phv,
      };
    });
  });
});
console.log(JSON.stringify(rows));
