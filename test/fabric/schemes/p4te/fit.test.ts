/** P4TE's programs within Tofino's stages: without recirculation, without cut packets, and with the paper's FACK alone. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { fitProgram } from "../../../../src/toolchain/fit/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { loadTarget } from "../../../toolchain/fit/golden.js";
import { templates } from "../../../toolchain/generate/load.js";
import { FOR_TOFINO, planWith } from "./scenarios.js";

function verdictOf(role: string, parameters: object, target = "tofino") {
  const plan = planWith(parameters);
  const text = renderProgram(templates, plan.programs.find(({ name }) => name === role)!);
  const diagnostics = new Diagnostics();
  const { program } = compile({ file: new SourceFile(`${role}.p4`, text) }, diagnostics)!;
  diagnostics.throwIfErrors();
  const { verdict, stages } = fitProgram(program, loadTarget(target));
  return { verdict, stages };
}

describe("P4TE on Tofino", () => {
  it.each([
    ["tor", 11],
    ["leaf", 7],
  ])("places the program of a %s in %i of 12 stages", (role, stages) => {
    expect(verdictOf(role, FOR_TOFINO)).toEqual({ verdict: "placed", stages });
    // Colours that age cost a register beside the colours of egress, and no stage.
    expect(verdictOf(role, { ...FOR_TOFINO, colour_age: undefined })).toEqual({ verdict: "placed", stages });
  });

  it.each([
    ["feedback", { ...FOR_TOFINO, feedback: "recirculation" }],
    ["truncate", { ...FOR_TOFINO, truncate: true }],
    ["hold_window", { ...FOR_TOFINO, hold_window: true }],
  ])("refuses it with the default of %s", (_key, parameters) => {
    expect(verdictOf("tor", parameters).verdict).toBe("refused");
  });
});
