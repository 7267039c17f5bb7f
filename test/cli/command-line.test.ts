/** The command line as a user meets it: exit status, what goes to stdout and stderr, what is left on disk. */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { readP4Info } from "../../src/toolchain/program/index.js";
import { sameP4Info } from "../../src/toolchain/program/p4info/same.js";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function p4loom(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const path = (name: string) => join(folder, name);

describe("p4loom compile", () => {
  it("writes BMv2 JSON and every form of P4Info, all the same", () => {
    const forms = ["a.txtpb", "a.json", "a.bin"].map(path);
    const result = p4loom(
      "compile",
      "p4/pecmp/leaf.p4",
      "-o",
      path("leaf.json"),
      "--p4runtime-files",
      forms.join(","),
    );
    expect(result).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(JSON.parse(readFileSync(path("leaf.json"), "utf8")).pipelines).toHaveLength(2);
    const diagnostics = new Diagnostics();
    const [text, json, binary] = [
      readP4Info(new SourceFile("a.txtpb", readFileSync(forms[0]!, "utf8")), undefined, diagnostics),
      readP4Info(new SourceFile("a.json", readFileSync(forms[1]!, "utf8")), undefined, diagnostics),
      readP4Info(readFileSync(forms[2]!), undefined, diagnostics),
    ];
    expect(diagnostics.list).toEqual([]);
    expect(text!.tables.length).toBeGreaterThan(4);
    expect([sameP4Info(text!, json!), sameP4Info(text!, binary!)]).toEqual([[], []]);
  });

  it("says what is wrong where, and writes nothing", () => {
    writeFileSync(path("bad.p4"), "#include <core.p4>\nheader h { bit<8 x; }\n");
    const result = p4loom("compile", path("bad.p4"), "-o", path("bad.json"));
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/bad\.p4:2:\d+: error\[P402\d\d\]: .*\n {4}header h \{ bit<8 x; \}\n +\^/);
    expect(result.stdout).toBe("");
    expect(existsSync(path("bad.json"))).toBe(false);
  });

  it("prints diagnostics as JSON, one a line", () => {
    const { status, stderr } = p4loom("check", path("bad.p4"), "--json-diagnostics");
    expect(status).toBe(1);
    const [first] = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ severity: "error", file: path("bad.p4"), start: { line: 2 } });
  });

  it("finds includes with -I and macros with -D; -E prints the preprocessed text", () => {
    writeFileSync(path("width.p4"), "typedef bit<WIDTH> word;\n");
    writeFileSync(path("uses.p4"), '#include "width.p4"\n');
    const { status, stdout } = p4loom("compile", "-E", path("uses.p4"), "-I", folder, "-D", "WIDTH=12");
    expect(status).toBe(0);
    expect(stdout).toMatch(/typedef\s+bit\s*<\s*12\s*>\s*word/);
  });

  it("dumps the program after every pass", () => {
    const { status } = p4loom("compile", "p4/ecmp/tor.p4", "-o", path("tor.json"), "--dump", path("passes"));
    expect(status).toBe(0);
    const dumps = readdirSync(path("passes")).sort();
    expect(dumps.length).toBeGreaterThan(3);
    expect(readFileSync(join(path("passes"), dumps[0]!), "utf8")).toContain("FabricIngress");
  });

  it("takes p4c's flags; --Werror and --Wdisable decide about warnings", () => {
    const program = [
      "#include <core.p4>",
      "#include <v1model.p4>",
      "const bit<4> c = 300;",
      "struct h {}",
      "struct m {}",
      "parser P(packet_in p, out h x, inout m y, inout standard_metadata_t s) { state start { transition accept; } }",
      "control C(inout h x, inout m y) { apply {} }",
      "control I(inout h x, inout m y, inout standard_metadata_t s) { apply { mark_to_drop(s); } }",
      "control D(packet_out p, in h x) { apply {} }",
      "V1Switch(P(), C(), I(), I(), C(), D()) main;",
    ];
    writeFileSync(path("warns.p4"), program.join("\n"));
    const p4c = ["--std", "p4-16", "--arch", "v1model", "--target", "bmv2"];
    expect(p4loom("check", path("warns.p4"), ...p4c)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("warning[P40601]"),
    });
    expect(p4loom("check", path("warns.p4"), "--Wdisable=P40601")).toMatchObject({ status: 0, stderr: "" });
    expect(p4loom("check", path("warns.p4"), "--Werror")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("error[P40601]"),
    });
    expect(p4loom("check", path("warns.p4"), "--arch", "ebpf").status).toBe(2);
    expect(p4loom("check", "--nothing").stderr).toContain("error[P40006]: unknown option '--nothing'");
  });

  it("writes the program's own entries and its text", () => {
    const outputs = [
      "-o",
      path("l3.json"),
      "--p4runtime-entries-files",
      path("l3.entries.txtpb"),
      "--pp",
      path("l3.p4"),
    ];
    expect(p4loom("compile", "test/golden/l3/l3.p4", ...outputs).status).toBe(0);
    const entries = readFileSync(path("l3.entries.txtpb"), "utf8");
    expect(entries).toMatch(
      /^# proto-file: p4\/v1\/p4runtime\.proto\n# proto-message: p4\.v1\.WriteRequest\n\nupdates \{\n {2}type: INSERT\n/,
    );
    expect(entries.match(/^updates/gm)!.length).toBeGreaterThanOrEqual(6);
    expect(entries).toContain("is_const: true");
    expect(p4loom("check", path("l3.p4")).status).toBe(0);
  });

  it("refuses an output it cannot write and writes none of the others", () => {
    writeFileSync(path("file"), "");
    const result = p4loom(
      "compile",
      "p4/ecmp/tor.p4",
      "-o",
      path("one.json"),
      "--p4runtime-files",
      path("file/x.txtpb"),
    );
    expect(result.status).toBe(1);
    expect(result.stderr).toContain("error[P40003]: cannot write");
    expect(existsSync(path("one.json"))).toBe(false);
  });
});

describe("p4loom generate", () => {
  it("prints table 2 as JSON", () => {
    const { status, stdout } = p4loom("generate", "pecmp", "--topology", "table2", "--report", "--json");
    expect(status).toBe(0);
    const { rows } = JSON.parse(stdout);
    expect(rows).toHaveLength(12);
    expect(rows[11]).toMatchObject({
      topology: "#12",
      paths: 1024,
      groups: { tor: 16, leaf: 128, spine: 16 },
      selector_bits: { offset: 6, both: 15 },
      version_bit: "none",
    });
  });

  it("writes programs that compile, and the state of every switch", () => {
    const { status } = p4loom("generate", "pecmp", "--set", "field=flow_label", "-o", path("pecmp"));
    expect(status).toBe(0);
    expect(readdirSync(path("pecmp")).sort()).toEqual(["leaf.p4", "spine.p4", "state", "tor.p4"]);
    const state = JSON.parse(readFileSync(join(path("pecmp"), "state", "tor0-0.json"), "utf8"));
    expect(state.program).toBe("tor.p4");
    expect(state.updates.length).toBeGreaterThan(5);
    expect(p4loom("check", join(path("pecmp"), "tor.p4")).status).toBe(0);
  });

  it("names the command that runs a user's own scheme", () => {
    for (const path of ["./scheme.mjs", "scheme.mjs"]) {
      const { status, stderr } = p4loom("generate", path);
      expect(status).toBe(2);
      expect(stderr).toContain(`error[P40006]: \`${path}\` is the path of a module`);
      expect(stderr).toContain("p4loom run FILE`, with schemes: [{ scheme: ./scheme.mjs }]");
    }
  });

  it("suggests the scheme that a misspelt name is near to", () => {
    const { status, stderr } = p4loom("generate", "pecpm");
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^error\[P40006\]: no scheme `pecpm`; did you mean `pecmp`\?\nnote: there are clove, /,
    );
    expect(p4loom("generate", "zzzzzz").stderr).toMatch(
      /^error\[P40006\]: no scheme `zzzzzz`; there are clove, /,
    );
  });

  it("shows in --help what --set changes", () => {
    const { stdout } = p4loom("generate", "--help");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "--set <name=value> set a parameter of the scheme (default: as the scheme says)",
    );
  });

  it("places a wrong --set and a wrong topology", () => {
    const set = p4loom("generate", "pecmp", "--set", "control=offsets");
    expect(set.status).toBe(1);
    expect(set.stderr).toMatch(/--set:1:\d+: error\[P43004\]: .*offsets/);
    const topology = p4loom("generate", "pecmp", "--topology", "test/bad/topology/P42101-zero-pods.yaml");
    expect(topology.status).toBe(1);
    expect(topology.stderr).toMatch(/P42101-zero-pods\.yaml:\d+:\d+: error\[P42101\]/);
  });
});

describe("p4loom generate --report", () => {
  it("takes the policy from --set and refuses what is none", () => {
    const { stdout } = p4loom("generate", "pecmp", "--report", "--json", "--set", "control=offset");
    expect(JSON.parse(stdout).rows[0].groups).toMatchObject({ tor: 4, leaf: 4 });
    const wrong = p4loom("generate", "pecmp", "--report", "--set", "bogus=1");
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toMatch(/--set:1:1: error\[P43002\]/);
  });

  it("names an option that the report lacks as it was typed, and lists those that it has", () => {
    for (const [typed, more] of [
      [["--foo"], ""],
      [["--foo=1"], ""],
      [["--leg"], "; did you mean `--legs`?"],
      [["--topolgy", "table2"], "; did you mean `--topology`?"],
    ] as const) {
      const { status, stderr } = p4loom("generate", "pecmp", "--report", ...typed);
      expect(status).toBe(2);
      const [first, second] = stderr.split("\n");
      expect(first).toBe(
        `error[P40005]: ${typed[0].split("=")[0]} is no option of the report of pecmp${more}`,
      );
      expect(second).toMatch(/^note: options of the report: --control, .*--version-bit, .*--legs$/);
    }
    const value = p4loom("generate", "pecmp", "--report", "--version-bit", "some");
    expect(value.status).toBe(1);
    expect(value.stderr).toMatch(/^--version-bit:1:\d+: error\[P43004\]: version_bit: .*"some"/);
    expect(p4loom("generate", "pecmp", "--report", "--version-bit=none", "--legs").status).toBe(0);
  });

  it("names the topologies that the report knows for one that is none, and no file", () => {
    const { status, stderr } = p4loom("generate", "pecmp", "--report", "--topology", "tabel2");
    expect(status).toBe(2);
    expect(stderr).toBe(
      'error[P40005]: --topology tabel2: the report knows no topology of this name, and there is no such file; did you mean "table2"?\n' +
        "note: write --topology table2, or name a topology file (YAML)\n",
    );
  });

  it.each([["--json"], ["--topology", "table2"], ["--legs"], ["--report", "-o", "out/never"]])(
    "ends with 2 where options mean nothing together: %s",
    (...args) => {
      const { status, stderr } = p4loom("generate", "pecmp", ...args);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^error\[P40006\]: --/);
    },
  );
});

describe("p4loom run", () => {
  it.each([
    ["P43002-unknown-key.yaml", /:7:3: error\[P43002\]: unknown key "spines_per_plain".*spines_per_plane/],
    [
      "P43004-wrong-type.yaml",
      /:2:31: error\[P43004\]: topology\.pods: expected a number of pods, got "two"/,
    ],
    ["P42102-impossible-topology.yaml", /:\d+:\d+: error\[P42102\]/],
    ["P42201-groups-exceed-sram.yaml", /:\d+:\d+: error\[P42201\]/],
    ["P42202-selector-too-wide.yaml", /:\d+:\d+: error\[P42202\]/],
  ])("refuses %s with one located error and leaves nothing behind", (name, message) => {
    const out = path(`out-${name}`);
    const { status, stdout, stderr } = p4loom("run", `test/bad/experiment/${name}`, "--out", out);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.match(/error\[/g)).toHaveLength(1);
    expect(stdout).toBe("");
    expect(existsSync(out)).toBe(false);
  });

  it("writes results and prints them as JSON", () => {
    const args = [
      "run",
      "examples/pecmp-failover-small.yaml",
      "--runs",
      "3",
      "--seed",
      "9",
      "--json",
      "--out",
      path("run"),
    ];
    const { status, stdout } = p4loom(...args);
    expect(status).toBe(0);
    expect(readFileSync(join(path("run"), "results.json"), "utf8")).toBe(stdout);
    expect(JSON.parse(stdout)).toMatchObject({ experiment: "pecmp-failover-small", seed: 9, engine: "sim" });
    expect(readdirSync(path("run"))).toContain("report.html");
  });
});

describe("p4loom", () => {
  it("ends with 2 on wrong usage", () => {
    for (const args of [
      ["compile"],
      ["no-such-command"],
      ["run", "x.yaml", "--engine", "quantum"],
      ["run", "x.yaml", "--network", "token-ring"],
      ["run", "x.yaml", "--allow-missing", "delay,hope"],
      ["run", "examples/faults.yaml", "--runs", "3"],
      ["generate", "nobody"],
    ]) {
      const { status, stderr } = p4loom(...args);
      expect(status, args.join(" ")).toBe(2);
      expect(stderr).not.toBe("");
    }
  });

  it("ends with 1 on a file that is not there", () => {
    const { status, stderr } = p4loom("check", path("nowhere.p4"));
    expect(status).toBe(1);
    expect(stderr).toBe(`error[P40001]: cannot read ${path("nowhere.p4")}: no such file\n`);
  });

  it("knows its version", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(
      execFileSync(process.execPath, [COMMAND, "--version"], {
        cwd: root,
        encoding: "utf8",
      }),
    ).toBe(`${version}\n`);
  });
});
