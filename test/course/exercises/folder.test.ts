/** The files of an exercise's folder: its topology, its programs, and the program of each switch. */
import { describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import type { FolderOptions } from "../../../src/course/exercises/folder.js";
import {
  filesOf,
  openExercise,
  readTopologyFile,
  topologyPathIn,
} from "../../../src/course/exercises/index.js";

const RUNTIME =
  '{ "target": "bmv2", "p4info": "build/a.p4info", "bmv2_json": "build/a.json", "table_entries": [] }';

interface Folder {
  /** By the name of the switch. */
  readonly switches: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly texts: Readonly<Record<string, string>>;
  /** Path of the topology file. */
  readonly at?: string;
}

function open({ switches, texts, at = "ex/topology.json" }: Folder, options: FolderOptions = {}) {
  const diagnostics = new Diagnostics();
  const hosts = { h1: { ip: "10.0.0.1/24", mac: "08:00:00:00:00:01" } };
  const links = [["h1", `${Object.keys(switches)[0]}-p1`]];
  const text = JSON.stringify({ hosts, switches, links });
  const topology = readTopologyFile(new SourceFile(at, text), diagnostics)!;
  const files = filesOf(new Map(Object.entries({ [at]: text, ...texts })));
  try {
    const setup = openExercise(topology, files, options, diagnostics);
    return { setup, errors: diagnostics.list.map(formatDiagnostic).join("\n") };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { errors: error.diagnostics.map(formatDiagnostic).join("\n") };
  }
}

const sourceOf = (folder: Folder, options: FolderOptions = {}) => {
  const { setup, errors } = open(folder, options);
  expect(errors).toBe("");
  return setup!.switches[0]!.runs?.source;
};
const two = { "ex/a.p4": "", "ex/b.p4": "" };

describe("the program of a switch", () => {
  it("is the only source of the folder", () => {
    expect(sourceOf({ switches: { s1: {} }, texts: { "ex/a.p4": "", "ex/notes.txt": "" } })).toBe("ex/a.p4");
  });

  it.each(["DEFAULT_PROG = b.p4", "  DEFAULT_PROG := b.p4  ", "DEFAULT_PROG?=b.p4", "DEFAULT_PROG  =  b.p4"])(
    "is that of the Makefile's line %j",
    (line) => {
      const texts = { ...two, "ex/Makefile": `BMV2_SWITCH_EXE = x\n${line}\ninclude ../Makefile\n` };
      expect(sourceOf({ switches: { s1: {} }, texts })).toBe("ex/b.p4");
    },
  );

  it.each([
    ["there are two sources", two],
    ["the Makefile names one that does not exist", { ...two, "ex/Makefile": "DEFAULT_PROG = c.p4\n" }],
    ["there is none", {}],
  ])("is asked for where %s", (_, texts) => {
    expect(open({ switches: { s1: {} }, texts }).errors).toMatch(
      /topology\.json:1:\d+: error\[P43156\]: which program does s1 run\?[\s\S]*use --program FILE\.p4, or --no-p4/,
    );
  });

  it("is the only source where the Makefile names one that does not exist", () => {
    const texts = { "ex/a.p4": "", "ex/Makefile": "DEFAULT_PROG = c.p4\n" };
    expect(sourceOf({ switches: { s1: {} }, texts })).toBe("ex/a.p4");
  });

  it("is the one that the user gives, where switches name none or one of this name", () => {
    const texts = { ...two, "mine/a.p4": "" };
    expect(sourceOf({ switches: { s1: {} }, texts }, { program: "mine/a.p4" })).toBe("mine/a.p4");
    const named = { switches: { s1: { program: "build/a.json" } }, texts };
    expect(sourceOf(named, { program: "mine/a.p4" })).toBe("mine/a.p4");
    expect(sourceOf(named)).toBe("ex/a.p4");
  });

  it("is refused where no switch runs a program of the given name, or there is no such file", () => {
    const folder = { switches: { s1: { program: "build/a.json" } }, texts: { ...two, "mine/c.p4": "" } };
    expect(open(folder, { program: "mine/c.p4" }).errors).toMatch(
      /error\[P43156\]: --program mine\/c\.p4: no switch runs a program of that name[\s\S]*programs: a\.p4/,
    );
    expect(open(folder, { program: "mine/d.p4" }).errors).toMatch(
      /error\[P43155\]: --program mine\/d\.p4: no such file/,
    );
  });

  it("is none for --no-p4, except where the topology names one", () => {
    const switches = { s1: {}, s2: { program: "build/a.json" } };
    const { setup } = open({ switches, texts: two }, { noProgram: true });
    expect(setup!.switches.map(({ runs }) => runs?.source)).toEqual([undefined, "ex/a.p4"]);
  });

  it("is one object for switches with the same JSON, whose files stand next to each other", () => {
    const switches = { s1: { program: "build/a.json" }, s2: { program: "build/a.json" }, s3: {} };
    const { setup } = open({ switches, texts: { "ex/a.p4": "" } });
    const program = { source: "ex/a.p4", json: "ex/build/a.json", p4info: "ex/build/a.p4.p4info.txtpb" };
    expect([...setup!.programs]).toEqual([["ex/build/a.json", program]]);
    const [first, second, third] = setup!.switches.map(({ runs }) => runs);
    expect(second).toBe(first);
    expect(third).toBe(first);
  });

  it("may be a JSON without a source, but not a name without a file", () => {
    const json = { switches: { s1: { program: "build/x.json" } }, texts: { "ex/build/x.json": "{}" } };
    expect(open(json).setup!.switches[0]!.runs).toEqual({
      json: "ex/build/x.json",
      p4info: "ex/build/x.p4.p4info.txtpb",
    });
    expect(open({ ...json, texts: {} }).errors).toMatch(
      /topology\.json:1:\d+: error\[P43155\]: s1 runs build\/x\.json, but neither this file nor ex\/x\.p4 exists/,
    );
  });

  it("is not outside of the folder, where its compiled files would be written", () => {
    expect(open({ switches: { s1: { program: "../x.json" } }, texts: two }).errors).toMatch(
      /\.\.\/x\.json is outside the exercise's folder ex[\s\S]*write build\/NAME\.json/,
    );
  });
});

describe("the runtime file of a switch", () => {
  const switches = { s1: { runtime_json: "s1.json" } };

  it("names the program, its P4Info, and comes with the switch", () => {
    const { setup, errors } = open({ switches, texts: { "ex/s1.json": RUNTIME, ...two } });
    expect(errors).toBe("");
    const { runs, runtime } = setup!.switches[0]!;
    expect(runs).toEqual({ source: "ex/a.p4", json: "ex/build/a.json", p4info: "ex/build/a.p4info" });
    expect(runtime!.bmv2Json).toBe("build/a.json");
  });

  it("is missed at its place, and nothing else is reported of its switch", () => {
    const { errors } = open({ switches, texts: two });
    expect(errors).toMatch(/topology\.json:1:\d+: error\[P43155\]: no such file: ex\/s1\.json/);
    expect(errors).not.toContain("P43156");
  });
});

describe("the folder of an exercise", () => {
  const named = { s1: { runtime_json: "pod/s1.json" }, s2: { runtime_json: "pod/s2.json" } };
  const files = (folder: string) => ({
    [`${folder}pod/s1.json`]: RUNTIME,
    [`${folder}pod/s2.json`]: RUNTIME,
    [`${folder}a.p4`]: "",
  });

  it.each([
    ["that of the topology file", "ex/", "ex/topology.json", "ex"],
    ["the one above", "ex/", "ex/pod/topology.json", "ex"],
    ["two above", "ex/", "ex/pod/deep/topology.json", "ex"],
  ])("is %s", (_, at, topologyAt, expected) => {
    const { setup, errors } = open({ switches: named, texts: files(at), at: topologyAt });
    expect(errors).toBe("");
    expect(setup!.folder).toBe(expected);
  });

  it("is the nearest of those with as many of the named files", () => {
    const switches = { s1: { runtime_json: "s1.json" } };
    const texts = { "ex/pod/s1.json": RUNTIME, "ex/s1.json": RUNTIME, "ex/pod/a.p4": "", "ex/a.p4": "" };
    expect(open({ switches, texts, at: "ex/pod/topology.json" }).setup!.folder).toBe("ex/pod");
  });

  it("is the nearest with a source where the topology names no files", () => {
    const texts = { "ex/a.p4": "" };
    expect(open({ switches: { s1: {} }, texts, at: "ex/pod/topology.json" }).setup!.folder).toBe("ex");
    const both = { ...texts, "ex/pod/a.p4": "" };
    expect(open({ switches: { s1: {} }, texts: both, at: "ex/pod/topology.json" }).setup!.folder).toBe(
      "ex/pod",
    );
  });

  it("counts files of commands as named", () => {
    const switches = { s1: { cli_input: "pod/s1-commands.txt" } };
    const texts = { "ex/pod/s1-commands.txt": "", "ex/a.p4": "", "ex/pod/b.p4": "" };
    expect(open({ switches, texts, at: "ex/pod/topology.json" }).setup!.folder).toBe("ex");
  });
});

describe("the topology of a folder", () => {
  const at = (texts: Record<string, string>) => topologyPathIn(filesOf(new Map(Object.entries(texts))), "ex");

  it.each(["TOPO = pod-topo/t.json", "TOPO:=pod-topo/t.json ", "  TOPO ?=  pod-topo/t.json"])(
    "is that of the Makefile's line %j",
    (line) => {
      expect(at({ "ex/Makefile": `X = 1\n${line}\nY = 2\n`, "ex/topology.json": "" })).toBe(
        "ex/pod-topo/t.json",
      );
    },
  );

  it("is its own, else that of the only subfolder that has one", () => {
    expect(at({ "ex/topology.json": "", "ex/pod/topology.json": "" })).toBe("ex/topology.json");
    expect(at({ "ex/pod/topology.json": "", "ex/src/a.p4": "" })).toBe("ex/pod/topology.json");
    expect(at({ "ex/pod/topology.json": "", "ex/b/topology.json": "" })).toBe("ex/topology.json");
    expect(at({ "ex/Makefile": "X = 1\nTOPO\n" })).toBe("ex/topology.json");
  });
});

describe("files in memory", () => {
  const files = filesOf(
    new Map(Object.entries({ "a/b/c.txt": "1", "a/d.txt": "2", "ab/e.txt": "3", f: "4" })),
  );

  it("are listed by folder, each name once, in order", () => {
    expect(files.list("")).toEqual(["a", "ab", "f"]);
    expect(files.list(".")).toEqual(["a", "ab", "f"]);
    expect(files.list("a")).toEqual(["b", "d.txt"]);
    expect(files.list("a/b")).toEqual(["c.txt"]);
    expect(files.list("f")).toEqual([]);
    expect(files.list("none")).toEqual([]);
  });

  it("exist as files and as folders", () => {
    expect(["a", "a/b", "a/b/c.txt", "f"].map(files.exists)).toEqual([true, true, true, true]);
    expect(["b", "a/c.txt", "a/b/c", "none"].map(files.exists)).toEqual([false, false, false, false]);
    expect(files.read("a/d.txt")).toBe("2");
    expect(() => files.read("a")).toThrow("there is no file a");
  });
});
