/** Every combination of P4TE's switches of the program compiles, for fabrics of one rack as well. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { buildTopology, type TopologyInput, topologySchema } from "../../../../src/fabric/topology/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { templates } from "../../../toolchain/generate/load.js";

const scheme = schemeNamed("p4te")!;
const FABRICS: Readonly<Record<string, TopologyInput>> = {
  "one rack below two switches": {
    kind: "leaf_spine",
    tors: 1,
    leaves: 2,
    homing: "single",
    hosts_per_rack: 2,
  },
  "one rack of two switches": { kind: "leaf_spine", tors: 2, leaves: 2, homing: "dual", hosts_per_rack: 2 },
  "two racks": { kind: "leaf_spine", tors: 2, leaves: 2, homing: "single", hosts_per_rack: 2 },
};
const variants = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bits) => {
  const common = {
    truncate: (bits & 1) === 0,
    feedback: (bits & 2) === 0 ? "recirculation" : "controller",
    ...((bits & 4) === 0 ? {} : { colour_age: "never" }),
  };
  return [
    { ...common, rate_control: false },
    { ...common, hold_window: true },
    { ...common, hold_window: false },
  ];
});

describe.each(Object.entries(FABRICS))("P4TE with %s", (_name, input) => {
  const topology = buildTopology(topologySchema.parse(input));
  it.each(variants)("%j", (parameters) => {
    const plan = scheme.plan(topology, scheme.parameters.parse(parameters));
    expect(plan.programs.length).toBeGreaterThan(0);
    for (const program of plan.programs) {
      const diagnostics = new Diagnostics();
      const text = renderProgram(templates, program);
      compile({ file: new SourceFile(`${program.name}.p4`, text) }, diagnostics);
      diagnostics.throwIfErrors();
    }
  });
});
