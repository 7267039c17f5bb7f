/** The part of a program that is for a Tofino, as P4Runtime carries it: what the compiler makes is taken, each wrong part is refused. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { readBmv2 } from "../../../../src/toolchain/program/index.js";

const path = resolve(import.meta.dirname, "../../../../examples/course/21-memory/solution/memory.p4");
const { bmv2 } = compile(
  { file: new SourceFile(path, readFileSync(path, "utf8")) },
  new Diagnostics(),
)!.program;

/** The program as JSON, after a change of its architecture. */
function read(change: (architecture: never) => void = () => {}) {
  const json = JSON.parse(JSON.stringify(bmv2));
  change(json.architecture as never);
  const diagnostics = new Diagnostics();
  const program = readBmv2(new SourceFile("program.json", JSON.stringify(json)), diagnostics);
  return { program, messages: diagnostics.list.map(({ code, message }) => `${code} ${message}`) };
}

type Architecture = {
  name: unknown;
  pipes: {
    name: unknown;
    ghost?: unknown;
    ingress: Record<string, unknown>;
    egress: Record<string, unknown>;
  }[];
};
const changed = (change: (architecture: Architecture) => void): string[] => read(change as never).messages;
const ofPipe = (change: (pipe: Architecture["pipes"][0]) => void): string[] =>
  changed(({ pipes }) => change(pipes[0]!));

describe("the architecture of a program", () => {
  it("is taken as the compiler makes it", () => {
    const { program, messages } = read();
    expect(messages).toEqual([]);
    expect(JSON.stringify(program!.architecture)).toBe(JSON.stringify(bmv2.architecture));
    expect(program!.pipelines.map(({ name }) => name)).toEqual(["pipe.ingress", "pipe.egress"]);
  });

  it("is not that of PSA or PNA, which the switch adds itself", () => {
    for (const portable of [{}, { name: "psa", stages: [] }]) {
      const { architecture, ...rest } = JSON.parse(JSON.stringify(bmv2));
      const diagnostics = new Diagnostics();
      const text = JSON.stringify({ ...rest, portable });
      expect(readBmv2(new SourceFile("program.json", text), diagnostics)).toBeUndefined();
      expect(diagnostics.list.map(({ message }) => message)).toContain(
        "the switch itself adds the part `portable`; leave it out",
      );
      expect(architecture).toBeDefined();
    }
  });

  it("has pipes of a Tofino", () => {
    expect(changed((one) => (one.name = "v1model"))).toEqual([
      'P41012 `architecture.name` is "v1model"; it should be one of tna, t2na',
    ]);
    expect(changed((one) => (one.pipes = []))).toEqual(["P41012 the architecture needs at least one pipe"]);
    expect(ofPipe((pipe) => (pipe.name = 1))).toHaveLength(1);
  });

  it("names positions in the lists of the program, and fields that it has", () => {
    const at = "`architecture.pipes[0].ingress";
    expect(ofPipe(({ ingress }) => (ingress["pipeline"] = 2))).toEqual([
      `P41012 ${at}.pipeline\` is 2; it should be a whole number from 0 to 1`,
    ]);
    expect(ofPipe(({ ingress }) => (ingress["parsers"] = [0, -1]))).toEqual([
      `P41012 ${at}.parsers[1]\` is -1; it should be a whole number from 0 to 1`,
    ]);
    expect(ofPipe(({ ingress }) => (ingress["parsers"] = []))).toEqual([
      "P41012 a gress needs at least one parser",
    ]);
    expect(ofPipe(({ egress }) => (egress["deparser"] = 9))).toHaveLength(1);
    expect(ofPipe(({ egress }) => (egress["seesErrors"] = 1))).toHaveLength(1);
    const [unknown] = ofPipe(({ ingress }) => (ingress["fields"] = { "tm.qid": ["none", "qid"] }));
    expect(unknown).toMatch(/^P41013 /);
    expect(ofPipe((pipe) => (pipe.ghost = { pipeline: 7, fields: {} }))).toHaveLength(1);
  });

  it("has a register, or nothing, for each parser's metadata of ports", () => {
    const register = "pipe.CourseIngress.windows";
    const { program, messages } = read(((one: Architecture) => {
      one.pipes[0]!.ingress["portMetadata"] = [null, register];
    }) as never);
    expect(messages).toEqual([]);
    expect(program!.architecture!.pipes[0]!.ingress.portMetadata).toEqual([undefined, register]);
    expect(ofPipe(({ ingress }) => (ingress["portMetadata"] = ["none"]))).toEqual([
      'P41013 "none" names no register of this program',
    ]);
  });
});
