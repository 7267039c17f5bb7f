/** A P4Info and a BMv2 JSON of one program, or of two. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { firstMismatch, type Program, readBmv2, readP4Info } from "../../../src/toolchain/program/index.js";

const golden = resolve(import.meta.dirname, "../../golden");
const names = readdirSync(golden, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".p4info.txtpb"))
  .map((name) => name.slice(0, -".p4info.txtpb".length))
  .sort();

function load(name: string): Program {
  const diagnostics = new Diagnostics();
  const source = (path: string) => new SourceFile(path, readFileSync(resolve(golden, path), "utf8"));
  const bmv2 = readBmv2(source(`${name}.json`), diagnostics);
  const p4info = readP4Info(source(`${name}.p4info.txtpb`), "text", diagnostics);
  diagnostics.throwIfErrors();
  return { bmv2: bmv2!, p4info: p4info! };
}

describe("firstMismatch", () => {
  it.each(names)("finds nothing in %s, as p4c wrote both files", (name) => {
    expect(firstMismatch(load(name))).toBeUndefined();
  });

  it("names the first object that another program has not", () => {
    const mixed = { bmv2: load("l3/l3").bmv2, p4info: load("cpu/cpu").p4info };
    expect(firstMismatch(mixed)).toBe(
      'table "TheIngress.destinations" of the P4Info is not in the BMv2 JSON',
    );
  });

  const table = (program: Program) =>
    program.bmv2.pipelines
      .flatMap(({ tables }) => tables)
      .find(({ name }) => name === "TheIngress.destinations")!;

  it.each<[what: string, change: (program: Program) => void, message: string]>([
    [
      "a field more",
      (p) => table(p).key.push(table(p).key[0]!),
      "has 1 match fields in the P4Info and 2 in the BMv2 JSON",
    ],
    [
      "another match kind",
      (p) => (table(p).key[0]!.match_type = "lpm"),
      "of kind exact in the P4Info and lpm in the BMv2 JSON",
    ],
    ["an action less", (p) => (table(p).actions = []), "in the P4Info only"],
    [
      "an action profile",
      (p) => (table(p).action_profile = "ap"),
      'has no action profile in the P4Info and the action profile "ap" in the BMv2 JSON',
    ],
    [
      "another parameter",
      (p) => (p.bmv2.actions.find(({ name }) => name === "TheIngress.forward")!.runtime_data[0]!.name = "x"),
      'action "TheIngress.forward" has the parameters (port) in the P4Info and (x) in the BMv2 JSON',
    ],
    ["a digest less", (p) => (p.bmv2.learn_lists.length = 0), "is not in the BMv2 JSON"],
    ["a counter less", (p) => (p.bmv2.counter_arrays.length = 0), "is not in the BMv2 JSON"],
  ])("sees %s", (_, change, message) => {
    const program = load("cpu/cpu");
    change(program);
    expect(firstMismatch(program)).toContain(message);
  });
});
