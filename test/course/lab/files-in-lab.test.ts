/** The files of a lab: what network they describe, which programs they are parts of, and what a change of them does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type LabPlan, type LabProject, ProjectFiles, planOf } from "../../../src/course/lab/index.js";
import { ProgramBook } from "../../../src/course/lab/program-book.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { folderProject, ROOT, TestLab } from "./wall.js";

const RING = folderProject("examples/exercise");
const TEXT = RING.files["ring.p4"]!;
const EXTERNS = readFileSync(join(ROOT, "test/golden/constructs/externs.p4"), "utf8");

function jsonOf(text: string): string {
  const found = compile(
    { file: new SourceFile("x.p4", text), resolveInclude: () => undefined },
    new Diagnostics(),
  );
  return JSON.stringify(found!.program.bmv2);
}
const projectOf = (files: Record<string, string>, open: LabProject["open"]): LabProject => ({
  title: "t",
  files,
  open,
});
function planned(project: LabProject): LabPlan {
  const diagnostics = new Diagnostics();
  const plan = planOf(project.open, new ProjectFiles(project), diagnostics);
  expect(diagnostics.list).toEqual([]);
  return plan!;
}

describe("the network of a program alone", () => {
  it("is one switch with four hosts, each with a router of its own", () => {
    const plan = planned(projectOf({ "a.p4": "" }, { kind: "program", path: "a.p4" }));
    expect(plan.switches).toEqual([{ name: "s1", program: "a.p4" }]);
    expect(plan.hosts.map(({ name }) => name)).toEqual(["h1", "h2", "h3", "h4"]);
    expect(plan.hosts[2]).toEqual({
      ...{ name: "h3", mac: "08:00:00:00:03:33", ipv4: "10.0.3.3", prefixLength: 24 },
      commands: ["route add default gw 10.0.3.254 dev eth0", "arp -i eth0 -s 10.0.3.254 08:00:00:00:03:00"],
    });
    expect(plan.links[3]).toEqual({ a: { node: "h4", port: 0 }, b: { node: "s1", port: 4 } });
  });

  it("has the entries that stand beside the program, and no others", () => {
    const files = {
      "b/a.p4": "",
      "b/s1-runtime.json": "{}",
      "b/s1-commands.txt": "",
      "s1-runtime.json": "{}",
      "c.p4": "",
    };
    const switchOf = (path: string) => planned(projectOf(files, { kind: "program", path })).switches[0];
    expect(switchOf("b/a.p4")).toEqual({
      ...{ name: "s1", program: "b/a.p4", runtime: "b/s1-runtime.json", commands: "b/s1-commands.txt" },
    });
    expect(switchOf("c.p4")).toEqual({ name: "s1", program: "c.p4", runtime: "s1-runtime.json" });
  });

  it("has the P4Info of BMv2 JSON, where there is one", () => {
    const info = { "b/a.p4.p4info.txtpb": "" };
    const switchOf = (path: string, files: Record<string, string>) =>
      planned(projectOf(files, { kind: "program", path })).switches[0];
    expect(switchOf("b/a.json", { "b/a.json": "", ...info })).toEqual({
      ...{ name: "s1", program: "b/a.json", p4info: "b/a.p4.p4info.txtpb" },
    });
    expect(switchOf("b/a.json", { "b/a.json": "" })).toEqual({ name: "s1", program: "b/a.json" });
    expect(switchOf("b/a.p4", { "b/a.p4": "", ...info })).toEqual({ name: "s1", program: "b/a.p4" });
  });

  it("is none for a program that is not there", () => {
    expect(() => planned(projectOf({}, { kind: "program", path: "a.p4" }))).toThrow(
      "the project has no file a.p4",
    );
  });
});

describe("the network of an exercise", () => {
  const topology = (program: string) => ({
    "topology.json": JSON.stringify({
      hosts: { h1: { ip: "10.0.1.1/24", mac: "08:00:00:00:01:11", commands: ["route add x"] } },
      switches: { s1: { program, cpu_port: 255 } },
      links: [["h1", "s1-p3", "2ms", 5]],
    }),
  });

  it("runs sources without a P4Info, and compiled programs with one", () => {
    for (const { p4info, program } of planned(RING).switches)
      expect([program, p4info]).toEqual(["ring.p4", undefined]);
    const files = { ...topology("a.json"), "a.json": "", "a.p4.p4info.txtpb": "" };
    const [found] = planned(projectOf(files, { kind: "exercise" })).switches;
    expect(found).toMatchObject({ program: "a.json", p4info: expect.stringContaining("p4info") });
  });

  it("has the addresses, commands and links of its topology", () => {
    const { hosts, links } = planned(projectOf({ ...topology("a.p4"), "a.p4": "" }, { kind: "exercise" }));
    expect(hosts).toEqual([
      {
        ...{ name: "h1", mac: "08:00:00:00:01:11", ipv4: "10.0.1.1", prefixLength: 24 },
        commands: ["route add x"],
      },
    ]);
    expect(links).toMatchObject([{ b: { node: "s1", port: 3 }, delayNs: 2e6, rateBps: 5e6 }]);
  });

  it("is that of a plan as it stands", () => {
    const plan: LabPlan = { hosts: [], switches: [{ name: "s1" }], links: [] };
    expect(planned(projectOf({}, { kind: "plan", plan }))).toBe(plan);
  });
});

describe("the programs of a lab", () => {
  const SPLIT = TEXT.replace("header ethernet_t {", '#include "types.h"\nheader ethernet_t {').replace(
    "bit<9> port)",
    "place_t port)",
  );
  const FILES = {
    ...{ "a.p4": TEXT, "b.p4": SPLIT, "types.h": "typedef bit<9> place_t;\n", "broken.p4": "header x {" },
    ...{ "notes.txt": "no program" },
  };
  const bookOf = (...switches: LabPlan["switches"]) => {
    const files = new ProjectFiles(projectOf(FILES, { kind: "exercise" }));
    return new ProgramBook({ hosts: [], switches, links: [] }, files);
  };
  const codes = (found: Diagnostics) => found.list.map(({ severity }) => severity);

  it("are told with their switches, whether they are current, and their headers", () => {
    const book = bookOf(
      { name: "s1", program: "a.p4" },
      { name: "s2", program: "broken.p4" },
      { name: "s3", program: "a.p4" },
      { name: "s4" },
    );
    expect(book.views).toMatchObject([
      { path: "a.p4", switches: ["s1", "s3"], current: true },
      { path: "broken.p4", switches: ["s2"], current: false, headers: [] },
    ]);
    expect(book.view("a.p4").headers.find(({ name }) => name === "ethernet_t")!.fields).toMatchObject([
      { bits: 48 },
      { bits: 48 },
      { bits: 16 },
    ]);
    expect(book.programOf("a.p4")).toBeDefined();
    expect([book.programOf("broken.p4"), book.programOf("none.p4"), book.programOf(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(book.switchesOf("none.p4")).toEqual([]);
    expect(codes(book.diagnosticsOf("none.p4"))).toEqual([]);
    expect(book.diagnostics.length).toBeGreaterThan(0);
    expect(book.diagnostics).toEqual(book.diagnosticsOf("broken.p4").list);
  });

  it("keep their last version without errors", () => {
    const book = bookOf({ name: "s1", program: "a.p4" });
    const before = book.programOf("a.p4");
    book.files.write("a.p4", "header x {");
    expect(book.compile("a.p4")).toBeUndefined();
    expect(book.programOf("a.p4")).toBe(before);
    expect(book.view("a.p4").current).toBe(false);
    expect(book.view("a.p4").headers.length).toBeGreaterThan(0);
  });

  it("are checked with all files that they include; a program of no switch by itself, another file not at all", () => {
    const book = bookOf({ name: "s1", program: "a.p4" }, { name: "s2", program: "b.p4" });
    expect([book.usersOf("types.h"), book.usersOf("a.p4"), book.usersOf("notes.txt")]).toEqual([
      ["b.p4"],
      ["a.p4"],
      [],
    ]);
    expect(codes(book.check("types.h", FILES["types.h"]))).not.toContain("error");
    expect(codes(book.check("types.h", "typedef bit<9> other_t;\n"))).toContain("error");
    expect(codes(book.check("new.p4", "header x {"))).toContain("error");
    expect(codes(book.check("new.p4", TEXT))).not.toContain("error");
    expect(codes(book.check("notes.txt", "header x {"))).toEqual([]);
  });

  it("of BMv2 JSON need no P4Info, and are affected by a change of the one that they have", () => {
    const files = new ProjectFiles(
      projectOf({ "x.json": jsonOf(TEXT), "wrong.json": "{", "x.txtpb": "tables { }" }, { kind: "exercise" }),
    );
    const book = new ProgramBook(
      {
        hosts: [],
        switches: [
          { name: "s1", program: "x.json" },
          { name: "s2", program: "wrong.json", p4info: "x.txtpb" },
        ],
        links: [],
      },
      files,
    );
    expect(book.views.map(({ path, current }) => [path, current])).toEqual([
      ["x.json", true],
      ["wrong.json", false],
    ]);
    expect(book.usersOf("x.txtpb")).toEqual(["wrong.json"]);
    expect(book.diagnosticsOf("wrong.json").hasErrors).toBe(true);
  });
});

it("the files of a project are listed with their kinds and sizes", () => {
  const paths = [
    "a.p4",
    "pod/topology.json",
    "s1-runtime.json",
    "s1-commands.txt",
    "command.txt",
    "Makefile",
    "README.md",
    "x.bin",
  ];
  const files = Object.fromEntries(
    [...paths, "runtime.json", "lib/parts.h", "s1-runtime.json5"].map((path) => [path, "ä"]),
  );
  const project = { ...projectOf(files, { kind: "exercise" }), readOnly: ["a.p4"] };
  const views = new ProjectFiles(project).views();
  expect(Object.fromEntries(views.map(({ path, kind }) => [path, kind]))).toEqual({
    ...{
      "a.p4": "program",
      "pod/topology.json": "topology",
      "s1-runtime.json": "runtime",
      "s1-commands.txt": "commands",
    },
    ...{
      "command.txt": "commands",
      Makefile: "text",
      "README.md": "text",
      "x.bin": "other",
      "runtime.json": "text",
    },
    ...{ "lib/parts.h": "text", "s1-runtime.json5": "other" },
  });
  expect(views.map(({ path }) => path)).toEqual(Object.keys(files).sort());
  for (const { path, bytes, readOnly } of views)
    expect([bytes, readOnly]).toEqual([2, path === "a.p4" ? true : undefined]);
});

describe("a change of a file in a running lab", () => {
  const s1 = (path: string, more: object = {}) => ({
    "topology.json": JSON.stringify({
      hosts: { h1: { ip: "10.0.1.1/24", mac: "08:00:00:00:01:11" } },
      switches: { s1: { program: path, ...more } },
      links: [["h1", "s1-p1"]],
    }),
  });

  it("that no page made is told to the pages, with its errors; one without a difference is not", async () => {
    const lab = await TestLab.open(RING);
    await lab.session.fileChanged("ring.p4", TEXT);
    expect(lab.events).toEqual([]);
    await lab.session.fileChanged("ring.p4", "header x {");
    expect(lab.of("file")).toEqual([{ kind: "file", path: "ring.p4" }]);
    expect(lab.of("program")).toMatchObject([{ program: { path: "ring.p4", current: false }, swaps: [] }]);
    const notices = lab.of("notice");
    expect(notices.length).toBeGreaterThan(0);
    for (const { severity, text } of notices)
      expect([severity, text.split(":")[0]]).toEqual(["error", "ring.p4"]);
    expect((await lab.ask({ op: "files.read", path: "ring.p4" })).text).toBe("header x {");
  });

  it.each([
    ["topology.json", true],
    ["pod/topology.json", true],
    ["Makefile", true],
    ["mytopology.json", false],
    ["topology.json.txt", false],
  ])("of %s asks for a restart: %s", async (path, asks) => {
    const lab = await TestLab.open(projectOf({ ...s1("a.p4"), "a.p4": TEXT }, { kind: "exercise" }));
    await lab.ask({ op: "files.save", path, text: "{}" });
    expect(lab.of("notice")).toEqual(
      asks
        ? [{ kind: "notice", severity: "info", text: `${path} has changed: restart the network to use it` }]
        : [],
    );
  });

  it("writes entries that the former version of a program could not take", async () => {
    const files = { ...s1("a.p4", { cli_input: "s1-commands.txt" }), "a.p4": "header x {" };
    const commands = { "s1-commands.txt": "insert routes 10.7.7.7/32 => forward 08:00:00:00:07:77 2\n" };
    const lab = await TestLab.open(projectOf({ ...files, ...commands }, { kind: "exercise" }));
    const refused = await lab.reply({ op: "state.read", switch: "s1" });
    expect(refused.diagnostics[0]).toMatchObject({ code: "P46011" });
    await lab.ask({ op: "files.save", path: "a.p4", text: TEXT });
    const entries = async () => (await lab.ask({ op: "state.read", switch: "s1" })).tables[0]!.entries.length;
    expect(await entries()).toBe(1);
    // A user has deleted it: another version of the program does not bring it back.
    await lab.ask({ op: "control.run", switch: "s1", text: "delete routes 10.7.7.7/32" });
    await lab.ask({ op: "files.save", path: "a.p4", text: `${TEXT}\n` });
    expect(await entries()).toBe(0);
    // A change of the file of entries writes them again.
    await lab.ask({ op: "files.save", path: "s1-commands.txt", text: commands["s1-commands.txt"] });
    expect(await entries()).toBe(1);
  });

  it("does not load a program into a switch that is down", async () => {
    const lab = await TestLab.open(RING);
    await lab.ask({ op: "switch.set", switch: "s2", up: false });
    const { swaps } = await lab.ask({ op: "files.save", path: "ring.p4", text: `${TEXT}\n` });
    expect(swaps.map((one) => one.switch)).toEqual(["s1", "s3"]);
  });

  it("keeps counters of a large array out of the first look, unless they count", async () => {
    const lab = await TestLab.open(projectOf({ ...s1("a.p4"), "a.p4": EXTERNS }, { kind: "exercise" }));
    const cells = async () => {
      const { arrays } = await lab.ask({ op: "state.read", switch: "s1" });
      return arrays
        .find(({ name }) => name === "I.ports")!
        .cells.map(({ index }) => index)
        .slice(8);
    };
    expect(await cells()).toEqual([]);
    await lab.ask({ op: "control.run", switch: "s1", text: "write counter I.ports[90] => bytes=1" });
    await lab.ask({ op: "control.run", switch: "s1", text: "write counter I.ports[91] => packets=1" });
    expect(await cells()).toEqual([90, 91]);
  });
});
