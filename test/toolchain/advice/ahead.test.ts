/** Assignments of a branch ahead of its condition. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { advise, compareByPackets } from "../../../src/toolchain/advice/index.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { tnaSource } from "../fit/programs.js";
import { runs } from "./compared.js";

const tofino = loadTarget("tofino");
const pipeOf = (program: Program) => onePipe(program, pipesOf(program)[0]!);

interface Parts {
  readonly locals?: string;
  readonly before?: string;
  readonly branch?: string;
  readonly after?: string;
  readonly deparser?: string;
}

/** A table of two stages decides the condition; a table of the branch waits for what the branch makes. */
const source = ({
  locals = "",
  before = "",
  branch = "md.m = hdr.d.b + 1;",
  after = "",
  deparser = "",
}: Parts = {}) =>
  tnaSource({
    ingress: `Random<bit<2>>() rng; ${locals}
      action go(bit<32> v) { md.n = v; }
      table large { key = { hdr.d.a : exact; } actions = { go; NoAction; } size = 500000; }
      action use(bit<32> v) { hdr.d.c = v; }
      table small { key = { md.m : exact; } actions = { use; NoAction; } size = 64; }`,
    apply: `tm.ucast_egress_port = 1;
      ${before}
      large.apply();
      if (md.n == 1) { ${branch} small.apply(); } ${after}`,
    deparser,
  });

/** On a chip with one stage less than the program takes. */
function advised(text: string, included?: SourceFile) {
  const file = new SourceFile("program.p4", text);
  const options = { resolveInclude: (name: string) => (name === included?.path ? included : undefined) };
  const { program } = compile({ ...options, file, form: "hardware" }, new Diagnostics())!;
  const stages = fitProgram(pipeOf(program), tofino).stages - 1;
  return advise({ file, options, target: { ...tofino, stages }, pipeOf, mayShrink: false });
}

describe("an assignment of a branch", () => {
  it.each<[string, Parts, string]>([
    ["of a place", {}, "md.m = hdr.d.b + 1; tm.ucast_egress_port = 1;"],
    [
      "past what may end the control",
      { before: "if (hdr.d.t == 7) { exit; }" },
      "md.m = hdr.d.b + 1; tm.ucast_egress_port = 1;",
    ],
    [
      "that an action of the branch reads, too",
      { locals: "action copy() { hdr.d.c = md.m; }", branch: "md.m = hdr.d.b + 1; copy();" },
      "md.m = hdr.d.b + 1; tm.ucast_egress_port = 1;",
    ],
  ])("%s comes ahead of the condition, with the meaning kept", (_, parts, expected) => {
    const text = source(parts);
    const { before, after, changes, file } = advised(text);
    expect(before.verdict).not.toBe("placed");
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringContaining("md.m gets its value ahead of the conditions")]);
    expect(file.text.replace(/\s+/g, " ")).toContain(expected);
    const meaning = compareByPackets(runs(new SourceFile("program.p4", text)), runs(file), {
      packets: 256,
      seed: 3,
    });
    expect(meaning.difference).toBeUndefined();
    expect(meaning.tablesHit).toBe(meaning.tables);
  });

  // How many numbers were drawn before shows in the next one, on the embedded switch alone.
  it("of a random number comes ahead of the condition, too", () => {
    const { after, file } = advised(source({ branch: "md.m = (bit<32>) rng.get();" }));
    expect(after.verdict).toBe("placed");
    expect(file.text).toMatch(/apply \{ md\.m = \(bit<32>\) rng\.get\(\);/);
  });

  it("is found behind an included file, whose lines stand in place of one", () => {
    const more = new SourceFile("more.p4", "const bit<8> ONE = 1;\nconst bit<8> TWO = 2;\n");
    const { after } = advised(source().replace("control In(", '\n#include "more.p4"\ncontrol In('), more);
    expect(after.verdict).toBe("placed");
  });

  it("that reads what a table before sets stands behind that table", () => {
    const { tried, ...rest } = advised(source({ branch: "md.m = md.n + 1;" }));
    expect(rest.after.verdict).not.toBe("placed");
    expect(tried.get("ahead")).toBe(1);
  });

  it.each<[string, Parts]>([
    ["is read elsewhere", { after: "hdr.d.a = md.m;" }],
    ["is read before", { before: "hdr.d.t = (bit<16>) md.m;" }],
    ["is written elsewhere", { before: "md.m = 7;" }],
    [
      "is read by an action that others call, too",
      {
        locals: "action copy() { hdr.d.c = md.m; }",
        branch: "md.m = hdr.d.b + 1; copy();",
        after: "copy();",
      },
    ],
    [
      "is read by the deparser",
      { deparser: "if (dprsr.mirror_type == 1) { mirror.emit<y_h>(md.session, { md.m }); }" },
    ],
    [
      "has a state",
      {
        locals: `Register<bit<32>, bit<1>>(1) all; RegisterAction<bit<32>, bit<1>, bit<32>>(all) seen = {
          void apply(inout bit<32> value, out bit<32> old) { old = value; value = value + 1; } };`,
        branch: "md.m = seen.execute(0);",
      },
    ],
    ["reads its own place", { branch: "md.m = md.m + hdr.d.b;" }],
    ["has text of a macro, with more than it", { branch: "WORK" }],
    [
      "has a name that a constant hides",
      { locals: "const bit<32> K = 1;", branch: "const bit<32> K = 5; md.m = hdr.d.b + K;" },
    ],
    ["stands behind a statement that it needs", { branch: "hdr.d.b = md.n + 1; md.m = hdr.d.b + 1;" }],
  ])("that %s stays", (_, parts) => {
    const work = "#define WORK md.m = hdr.d.b + 1; use(3);\n";
    const text =
      work + source(parts).replace("struct headers_t", "header y_h { bit<32> v; }\nstruct headers_t");
    const { before, tried } = advised(text);
    expect(before.verdict).not.toBe("placed");
    expect(tried.get("ahead")).toBeUndefined();
  });

  it("to a header stays: it would be seen where the condition does not hold", () => {
    const text = source({ branch: "hdr.d.t = hdr.d.i + 1;" }).replace("md.m : exact;", "hdr.d.t : exact;");
    const { before, after, tried } = advised(text);
    expect(before.verdict).not.toBe("placed");
    expect(after.verdict).not.toBe("placed");
    expect(tried.get("ahead")).toBeUndefined();
  });

  it.each([
    ["a list of the deparser", "", "if (dprsr.digest_type == 1) { dig.pack({ md.inner }); }"],
    ["a hash", "md.n = h.get({ md.inner });", ""],
    ["a comparison", "if (md.inner == md.other) { hdr.d.t = 7; }", ""],
  ])("whose place %s takes with its struct stays", (_, after, deparser) => {
    const text = source({
      locals: "Hash<bit<32>>(HashAlgorithm_t.CRC32) h;",
      before: "dprsr.digest_type = 1;",
      branch: "md.inner.m = hdr.d.b + 1;",
      ...{ after, deparser },
    })
      .replace("md.m : exact;", "md.inner.m : exact;")
      .replace("Mirror() mirror;", "Digest<w_t>() dig; Mirror() mirror;")
      .replace(
        "struct meta_t {",
        "struct inner_t { bit<32> m; }\nstruct w_t { inner_t i; }\nstruct meta_t { inner_t inner; inner_t other;",
      );
    const { before, tried } = advised(text);
    expect(before.verdict).not.toBe("placed");
    expect(tried.get("ahead")).toBeUndefined();
  });
});
