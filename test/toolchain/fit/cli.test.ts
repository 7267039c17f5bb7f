import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import { type FitCommandOptions, fit as fitFile } from "../../../src/cli/fit.js";
import { writeP4InfoText } from "../../../src/toolchain/program/index.js";
import { loadProgram } from "./golden.js";
import { tnaSource } from "./programs.js";

const golden = (name: string) => join(import.meta.dirname, "../../golden/fit/programs", `${name}.p4`);
const bad = (name: string) => join(import.meta.dirname, "../../bad/fit", name);
const base: FitCommandOptions = { I: [], D: [], U: [], target: "tofino" };

let folder: string;
let out = "";
let err = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fit-"));
  out = "";
  err = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function codeOf(path: string, options: Partial<FitCommandOptions> = {}): Promise<string> {
  try {
    await fitFile(path, { ...base, ...options });
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics[0]!.code;
    throw error;
  }
  return "none";
}

describe("p4loom fit", () => {
  it("ends with 0 for what is placed, 1 for what is not", async () => {
    expect(await fitFile(golden("real_l2l3"), base)).toBe(0);
    expect(out).toMatch(/^placed on Tofino/);
    expect(await fitFile(golden("chain_match_13"), base)).toBe(1);
    expect(await fitFile(golden("chain_match_13"), { ...base, target: "tofino2" })).toBe(0);
    expect(await fitFile(golden("op_mul"), base)).toBe(1);
    expect(err).toMatch(/op_mul\.p4:31:\d+: error\[P44018\]/);
  });

  it("says why a program does not fit, as text and in the document", async () => {
    await fitFile(golden("chain_match_13"), base);
    expect(out).toMatch(/^why not: 13 tables, actions and conditions together \(minimal\): each waits/m);
    expect(out).toMatch(/^ {2}.*chain_match_13\.p4:\d+: table .* with \d+ entries, .*waits for /m);
    out = "";
    await fitFile(golden("chain_match_13"), { ...base, json: true, exact: "5" });
    expect(JSON.parse(out).reasons).toMatchObject([{ kind: "tables", size: 13, isMinimal: true }]);
    out = "";
    await fitFile(golden("real_l2l3"), { ...base, json: true });
    expect(JSON.parse(out).reasons).toBeUndefined();
  });

  it("writes a program with changes that make it fit, or says what was tried", async () => {
    const path = join(folder, "sum.p4");
    const to = join(folder, "fitted.p4");
    writeFileSync(
      path,
      tnaSource({ apply: "tm.ucast_egress_port = 1; hdr.d.a = hdr.d.a + hdr.d.b + hdr.d.c;" }),
    );
    expect(await fitFile(path, { ...base, advise: to })).toBe(0);
    expect(out).toMatch(/^before: refused by Tofino/);
    expect(out).toMatch(/^after: placed on Tofino/m);
    expect(out).toMatch(/^same behaviour: \d{3,4} packets, of which \d+ were sent on, \d+ entries/m);
    expect(out).not.toContain("tried without effect");
    expect(readFileSync(to, "utf8")).toContain("hdr.d.a = part_1 + hdr.d.c;");
    expect(await fitFile(to, base)).toBe(0);
    out = "";
    expect(await fitFile(bad("P44018-multiply.p4"), { ...base, advise: to })).toBe(1);
    expect(out.trimEnd().split("\n").slice(1)).toEqual(["none of the changes that --advise makes applies"]);
    expect(await codeOf(join(folder, "program.json"), { advise: to })).not.toBe("none");
  });

  it("compares with a git revision of the program, what it includes too, and leaves the repository as it is", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        encoding: "utf8",
      });
    const path = join(folder, "prog.p4");
    const text = tnaSource({ apply: '\n#include "steps.p4"\n' });
    writeFileSync(path, text);
    writeFileSync(join(folder, "steps.p4"), "hdr.d.a = hdr.d.b + 1;\n");
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    writeFileSync(join(folder, "steps.p4"), "hdr.d.a = hdr.d.b + 1; hdr.d.b = hdr.d.a + 1;\n");
    expect(await fitFile(path, { ...base, json: true, diff: "HEAD" })).toBe(0);
    expect(JSON.parse(out).measures).toContainEqual({ name: "stages", before: 1, after: 2 });
    expect(git("status", "--porcelain")).toBe(" M steps.p4\n");
    for (const diff of ["HEAD~5", "--output=x", "no such"])
      expect(await codeOf(path, { diff })).toBe("P40005");
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("p4loom-diff-"))).toEqual([]);
  });

  it("compares with a revision through a symbolic link to the repository's folder", async () => {
    const real = join(folder, "a/deep/repository");
    mkdirSync(real, { recursive: true });
    const source = readFileSync(golden("real_l2l3"), "utf8");
    writeFileSync(join(real, "p.p4"), source);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: real,
        encoding: "utf8",
      });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    writeFileSync(
      join(real, "p.p4"),
      readFileSync(golden("real_l2l3"), "utf8").replaceAll("size = 4096", "size = 8192"),
    );
    symlinkSync(real, join(folder, "link"));
    await fitFile(join(real, "p.p4"), { ...base, diff: "HEAD" });
    const direct = out;
    out = "";
    await fitFile(join(folder, "link/p.p4"), { ...base, diff: "HEAD" });
    expect(out).toBe(direct);
  });

  it.each<[Partial<FitCommandOptions>, RegExp]>([
    [{ advise: "-", json: true }, /--json does nothing with --advise/],
    [{ shrink: true }, /--shrink belongs to --advise/],
    [{ diff: "HEAD", growth: true }, /--growth does nothing with --diff/],
    [{ diff: "HEAD", compareLogs: "logs" }, /--compare-logs does nothing with --diff/],
  ])("refuses options of which one would do nothing: %j", async (options, message) => {
    expect(await fitFile(golden("real_l2l3"), { ...base, ...options })).toBe(2);
    expect(err).toMatch(message);
    expect(out).toBe("");
  });

  it("changes no program for PSA", async () => {
    const psa = join(import.meta.dirname, "../../golden/psa/paths.p4");
    expect(await codeOf(psa, { advise: "-" })).toBe("P40042");
  });

  it("compares with the compiler's logs of one pipe", async () => {
    const path = join(folder, "prog.p4");
    writeFileSync(path, tnaSource({ apply: "hdr.d.a = hdr.d.b + 1;" }));
    expect(await codeOf(path, { compareLogs: folder })).toBe("P40005");
    const log = "| Stage Number | SRAM | Logical TableID |\n|---|\n| 0 | 3 | 1 |\n";
    const wrong = join(import.meta.dirname, "../../bad/fit-logs/P44047-no-stages");
    expect(await codeOf(path, { compareLogs: wrong })).toBe("P44047");
    for (const pipe of ["a", "b"]) {
      mkdirSync(join(folder, pipe, "logs"), { recursive: true });
      writeFileSync(join(folder, pipe, "logs/mau.resources.log"), log);
    }
    expect(await codeOf(path, { compareLogs: folder })).toBe("P40005");
    expect(await fitFile(path, { ...base, compareLogs: join(folder, "a") })).toBe(0);
    expect(out).toMatch(/^stages: 1 by fit, 1 by the compiler$/m);
    expect(out).toMatch(/^ *0 +SRAM blocks +0 +3 +77$/m);
  });

  it("prints one JSON document, with the explanation when asked for", async () => {
    await fitFile(golden("chain_egspec_4"), { ...base, json: true, explain: true });
    const report = JSON.parse(out);
    expect(report).toMatchObject({
      verdict: "placed",
      stages: { total: 4 },
      explanation: { advice: [{ stages: 1 }] },
    });
  });

  it("ends with 1 beyond a budget", async () => {
    expect(await fitFile(golden("real_l2l3"), { ...base, budget: "stages=3" })).toBe(0);
    expect(await fitFile(golden("real_l2l3"), { ...base, budget: "stages=2" })).toBe(1);
    expect(err).toContain("over budget: stages: 3 used, budget 2");
    out = "";
    expect(await fitFile(golden("real_l2l3"), { ...base, json: true, budget: "sram=4.2%" })).toBe(0);
    expect(JSON.parse(out).budget).toEqual([
      { name: "sram", limit: 4.2, percent: true, used: 4.2, within: true },
    ]);
  });

  it("writes page and SARIF", async () => {
    const [html, sarif] = [join(folder, "a/report.html"), join(folder, "report.sarif")];
    await fitFile(golden("real_l2l3"), { ...base, html, sarif });
    expect(readFileSync(html, "utf8")).toContain("<svg");
    expect(JSON.parse(readFileSync(sarif, "utf8")).version).toBe("2.1.0");
  });

  it("sweeps and compares", async () => {
    await fitFile(golden("ex_k32_n4096"), { ...base, sweep: "Ing.t.size=4k,8k" });
    expect(out.trim().split("\n")).toHaveLength(4);
    out = "";
    await fitFile(golden("chain_match_12"), { ...base, diff: golden("chain_match_2") });
    expect(out).toMatch(/stages +2 +12 +\+10/);
  });

  it("improves on the heuristic when asked to", async () => {
    await fitFile(golden("many_ex_40"), { ...base, exact: "20" });
    expect(out).toMatch(/^placed on Tofino \(1\): 5 of 12 stages \(exact; assignment verified\)/);
    expect(err).toContain("exact: 5 stages, at least 5, gap 0 %");
  });

  it("reads a BMv2 JSON with its P4Info, with the same result as the source", async () => {
    const { program } = loadProgram("real_ecmp");
    const path = join(folder, "p.json");
    writeFileSync(path, JSON.stringify(program!.bmv2));
    expect(await codeOf(path)).toBe("P40018");
    writeFileSync(join(folder, "p.p4info.txtpb"), writeP4InfoText(program!.p4info));
    await fitFile(path, { ...base, json: true });
    const fromJson = JSON.parse(out);
    out = "";
    await fitFile(golden("real_ecmp"), { ...base, json: true });
    expect(fromJson.per_stage_resources).toEqual(JSON.parse(out).per_stage_resources);
  });

  it("takes a target file of the user's", async () => {
    const own = join(folder, "mine.yaml");
    const text = readFileSync(join(import.meta.dirname, "../../../data/targets/tofino.yaml"), "utf8");
    writeFileSync(own, text.replace("stages: { value: 12", "stages: { value: 2"));
    expect(await fitFile(golden("real_l2l3"), { ...base, target: own })).toBe(1);
    expect(out).toMatch(/^cannot fit/);
  });

  it("lists the targets for a wrong one, and the name that was meant", async () => {
    const failure = await fitFile(golden("real_l2l3"), { ...base, target: "tofino9" }).catch((e) => e);
    const [diagnostic] = (failure as DiagnosticError).diagnostics;
    expect(diagnostic).toMatchObject({
      code: "P44005",
      message: '--target tofino9: no such target or file; did you mean "tofino"?',
      notes: [{ message: "targets: rmt, tofino, tofino2, tofino2h, tofino2m; or the path of a target file" }],
    });
  });

  it("reports mistakes in files with their codes", async () => {
    expect(await codeOf(golden("real_l2l3"), { target: bad("P43003-not-a-target.yaml") })).toBe("P43003");
    expect(await codeOf(join(import.meta.dirname, "../../bad/program/P41012-width-is-text.json"))).toBe(
      "P41012",
    );
    const broken = join(folder, "broken.p4");
    writeFileSync(broken, "control {");
    expect(await codeOf(broken)).toMatch(/^P40[12]/);
    expect(await codeOf(golden("real_l2l3"), { exact: "soon" })).toBe("P40005");
  });
});

describe("a program for TNA", () => {
  const write = (parts: Parameters<typeof tnaSource>[0] = {}, first = "") => {
    const path = join(folder, "design.p4");
    writeFileSync(path, first + tnaSource({ apply: "hdr.d.a = hdr.d.b + 1;", ...parts }));
    return path;
  };

  it("gets the macros of the target's chip, and the first chip's are not taken for the second's", async () => {
    const asks = "#ifndef __TARGET_TOFINO__\n#error which chip\n#endif\n";
    for (const target of ["tofino", "tofino2", "tofino2m", "tofino2h"])
      expect(await fitFile(write({}, asks), { ...base, target }), target).toBe(0);
    expect(out).toMatch(/^placed on Tofino \(1\)/);
    expect(await codeOf(write(), { D: ["__TARGET_TOFINO__=2"] })).toBe("P40005");
    expect(await codeOf(write(), { D: ["__TARGET_TOFINO__=1"], target: "tofino2" })).toBe("P40005");
    expect(await fitFile(write(), { ...base, D: ["__TARGET_TOFINO__=2"], target: "tofino2" })).toBe(0);
  });

  it("of several pipes is fitted by the name of one", async () => {
    const path = write({ pipes: ["left", "right"] });
    expect(await codeOf(path)).toBe("P40005");
    expect(await codeOf(path, { pipe: "middle" })).toBe("P40005");
    expect(await fitFile(path, { ...base, pipe: "right" })).toBe(0);
    expect(await codeOf(golden("real_l2l3"), { pipe: "right" })).toBe("P40005");
  });

  it("with a ghost thread has its tables in the stages of the others", async () => {
    const run = join(import.meta.dirname, "../../golden/tna/run");
    const given = readFileSync(join(run, "t2_stages.p4"), "utf8");
    const path = join(folder, "ghost.p4");
    const fitted = async (text: string) => {
      writeFileSync(path, text);
      out = "";
      err = "";
      await fitFile(path, { ...base, I: [run], target: "tofino2" });
      return /^stages: .*/m.exec(out)?.[0];
    };
    const both = await fitted(given);
    expect(both).toMatch(/, ghost 1\)$/);
    expect(err).not.toContain("ghost thread");
    expect(await fitted(given.replace(", Ghost()) pipe", ") pipe"))).toBe(both?.replace(", ghost 1", ""));
  });
});
