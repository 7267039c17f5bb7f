import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DiagnosticError, Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadProgram, makeFolders, readSource, writeFiles } from "../../../src/toolchain/loading/index.js";
import type { MissingP4Info } from "../../../src/toolchain/loading/load-program.js";

const golden = resolve(import.meta.dirname, "../../golden/l3");
const SMALL = resolve(import.meta.dirname, "../stf/programs/small.p4");
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-loading-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function load(path: string, missing: MissingP4Info, more: object = {}) {
  const diagnostics = new Diagnostics();
  const loaded = await loadProgram({ path, include: [], define: [], ...more }, diagnostics, missing);
  return { ...loaded, codes: diagnostics.list.map(({ code, severity }) => `${severity} ${code}`) };
}

async function codesOf(loading: Promise<unknown>): Promise<string[]> {
  const error = (await loading.catch((thrown: unknown) => thrown)) as DiagnosticError;
  return error.diagnostics.map(({ code }) => code);
}

describe("loadProgram of P4 source", () => {
  it("finds includes beside the including file, and those in angle brackets in the folders of -I only", async () => {
    const text = readFileSync(SMALL, "utf8");
    mkdirSync(join(folder, "lib"));
    put("lib/body.p4", `${text}\n#include "size.p4"\n`);
    put("lib/size.p4", "const bit<8> SIZE = 1;\n");
    const path = put("main.p4", "#include <body.p4>\n");
    const { sources, hasP4Info } = await load(path, "error", { include: [join(folder, "lib")] });
    expect([...sources.keys()].map((name) => name.slice(folder.length + 1)).sort()).toEqual([
      "lib/body.p4",
      "lib/size.p4",
      "main.p4",
    ]);
    expect(hasP4Info).toBe(true);
    expect(await codesOf(load(path, "error"))).not.toEqual([]);
  });

  it("includes a file by its absolute path", async () => {
    mkdirSync(join(folder, "lib"));
    const body = put("lib/body.p4", readFileSync(SMALL, "utf8"));
    for (const name of [`"${body}"`, `<${body}>`]) {
      const { sources } = await load(put("main.p4", `#include ${name}\n`), "error");
      expect([...sources.keys()]).toContain(body);
    }
  });

  it("defines and undefines macros", async () => {
    const path = put(
      "main.p4",
      `#if defined(A) && A == 1 && B == 7 && !defined(C)\n${readFileSync(SMALL, "utf8")}\n#else\n#error macros\n#endif\n`,
    );
    const { program } = await load(path, "error", { define: ["A", "B=7", "C"], undefine: ["C"] });
    expect(program.p4info.tables.length).toBeGreaterThan(0);
  });
});

describe("loadProgram of BMv2 JSON", () => {
  const json = readFileSync(join(golden, "l3.json"), "utf8");
  const p4info = readFileSync(join(golden, "l3.p4info.txtpb"), "utf8");

  it.each(["p.p4info.txtpb", "p.p4info.txt", "p.txtpb"])("finds its P4Info beside it as %s", async (name) => {
    put(name, p4info);
    const { program, hasP4Info, codes } = await load(put("p.json", json), "error");
    expect(hasP4Info).toBe(true);
    expect(program.p4info.tables.length).toBeGreaterThan(0);
    expect(codes).toEqual([]);
  });

  it("prefers the P4Info that is named", async () => {
    put("p.p4info.txtpb", "not a P4Info");
    const named = put("other.txtpb", p4info);
    const { hasP4Info } = await load(put("p.json", json), "error", { p4info: named });
    expect(hasP4Info).toBe(true);
  });

  it("reports one code for a missing P4Info, in the severity that the caller asks for", async () => {
    const path = put("p.json", json);
    expect((await load(path, "warning")).codes).toEqual(["warning P40018"]);
    const ignored = await load(path, "ignore");
    expect(ignored.codes).toEqual([]);
    expect(ignored.hasP4Info).toBe(false);
    expect(await codesOf(load(path, "error"))).toEqual(["P40018"]);
  });

  it("puts the error at the place that asks for the program", async () => {
    const path = put("p.json", json);
    const file = new SourceFile("s1-runtime.json", "{}");
    const from = { file, start: 0, end: 1 };
    const loading = loadProgram({ path, include: [], define: [] }, new Diagnostics(), "error", from);
    const error = (await loading.catch((thrown: unknown) => thrown)) as DiagnosticError;
    expect(error.diagnostics[0]!.span).toEqual(from);
  });

  it("refuses a P4Info whose suffix names no format", async () => {
    const path = put("p.json", json);
    expect(await codesOf(load(path, "error", { p4info: put("p.xml", p4info) }))).toEqual(["P40004"]);
    // A file of another kind is not read as P4.
    expect(await codesOf(load(put("x.yaml", "topology: x\n"), "error"))).toEqual(["P40007"]);
  });
});

describe("files", () => {
  it("says why a file cannot be read", async () => {
    expect(await codesOf(load(join(folder, "none.p4"), "error"))).toEqual(["P40001"]);
    expect(() => readSource(folder)).toThrow(/it is a directory/);
  });

  it("says so where no folder can be made", () => {
    expect(() => writeFiles([{ path: "/proc/p4loom/folder/file", content: "" }])).toThrow(/cannot write/);
  });

  it("makes a folder with those above it, and again", () => {
    makeFolders(join(folder, "one/two/three"));
    makeFolders(join(folder, "one/two/three"));
    writeFiles([{ path: join(folder, "one/two/three/a"), content: "a" }]);
    expect(readSource(join(folder, "one/two/three/a")).text).toBe("a");
  });

  it("writes all files or none", () => {
    const blocked = join(put("file", ""), "below");
    expect(() =>
      writeFiles([
        { path: join(folder, "a"), content: "a" },
        { path: blocked, content: "b" },
      ]),
    ).toThrow(/cannot write .*: a part of the path is not a directory|cannot write/);
    expect(() => readSource(join(folder, "a"))).toThrow(/no such file/);
    writeFiles([{ path: join(folder, "new/a"), content: "a" }]);
    expect(readSource(join(folder, "new/a")).text).toBe("a");
  });
});
