/** A P4 program in place of an experiment file: the message says which commands run programs. */
import { expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { openExperiment } from "../../../src/fabric/experiment/read.js";

const messagesOf = (path: string, text: string) => {
  const diagnostics = new Diagnostics();
  openExperiment(new SourceFile(path, text), diagnostics);
  return diagnostics.list.map(({ code, notes }) => [code, ...notes.map(({ message }) => message)]);
};

it("names the commands for a program, and not for a broken experiment", () => {
  const program =
    "#include <core.p4>\ntypedef bit<48> mac_t;\nheader h_t { mac_t dst; }\ncontrol C(inout h_t h) {\n    table t { key = { h.dst : exact; } }\n}\n";
  expect(messagesOf("l3.p4", program)).toEqual([
    ["P43001", "an experiment file is YAML; `p4loom switch`, `trace` and `stf` run a P4 program"],
  ]);
  expect(messagesOf("l3.yaml", program).map(([code, ...notes]) => [code, notes.length])).toEqual([
    ["P43001", 0],
  ]);
});
