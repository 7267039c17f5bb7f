/** Project files: where they are found, what they mean, what is wrong in them. */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DiagnosticError, Diagnostics, formatDiagnostic } from "../../../src/base/index.js";
import { loadProgram, projectReader, withProject } from "../../../src/toolchain/loading/index.js";
import { findProject } from "../../../src/toolchain/loading/project.js";
import { readProject } from "../../../src/toolchain/loading/project-file.js";

const V1MODEL = readFileSync(join(import.meta.dirname, "../stf/programs/small.p4"), "utf8");
const root = resolve(import.meta.dirname, "../../..");
let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "p4loom-project-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text = ""): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("the search for a project file", () => {
  it("takes the nearest one, up to the root of the repository", () => {
    put("p4loom.yaml");
    mkdirSync(join(folder, "repository/.git"), { recursive: true });
    const program = put("repository/a/b/main.p4");
    expect(findProject(program)).toBeUndefined();
    const top = put("repository/p4loom.yaml");
    expect(findProject(program)).toBe(top);
    const near = put("repository/a/p4loom.yaml");
    expect(findProject(program)).toBe(near);
    rmSync(near);
    expect(findProject(program)).toBe(top);
  });

  it("goes up to the home folder, and elsewhere not above the program's own folder", () => {
    const above = put("home/p4loom.yaml");
    const program = put("home/a/main.p4");
    expect(findProject(program, join(folder, "home"))).toBe(above);
    expect(findProject(program, join(folder, "home/elsewhere"))).toBeUndefined();
    const own = put("home/a/p4loom.yaml");
    expect(findProject(program, join(folder, "home/elsewhere"))).toBe(own);
  });

  it("says of a folder, a named pipe or a broken link of this name that it is no file", async () => {
    const program = put("main.p4");
    const path = join(folder, "p4loom.yaml");
    const makers = [
      () => mkdirSync(path),
      () => spawnSync("mkfifo", [path]),
      () => symlinkSync(join(folder, "nowhere"), path),
      () => symlinkSync(path, path),
    ];
    for (const make of makers) {
      make();
      await expect(withProject({ path: program, include: [], define: [] })).rejects.toThrow(
        /P40001.*it is no file/,
      );
      rmSync(path, { recursive: true });
    }
  });

  it("answers with a path like the program's", () => {
    const own = put("p4loom.yaml");
    const program = put("main.p4");
    expect(findProject(relative(process.cwd(), program))).toBe(relative(process.cwd(), own));
  });
});

describe("the settings of a program", () => {
  const none = { include: [], define: [] };

  it("are those of its project file, overridden by those of the command line", async () => {
    put("p4loom.yaml", "include: [lib]\ndefines: { A: 1, B: 8w5, C: , D: true }\nundefines: [E, F]\n");
    mkdirSync(join(folder, "lib"));
    const path = put("main.p4");
    expect(await withProject({ path, ...none })).toEqual({
      path,
      include: [join(folder, "lib")],
      define: ["A=1", "B=8w5", "C=1", "D=true"],
      undefine: ["E", "F"],
    });
    const given = { path, include: ["mine"], define: ["A=2", "F"], undefine: ["B"] };
    expect(await withProject(given)).toEqual({
      path,
      include: ["mine", join(folder, "lib")],
      define: ["A=1", "B=8w5", "C=1", "D=true", "A=2", "F"],
      undefine: ["E", "B"],
    });
  });

  it("have the architecture and how strict the compiler is", async () => {
    put("p4loom.yaml", "architecture: t2na\nstrict: true\n");
    const path = put("main.p4");
    expect(await withProject({ path, ...none })).toMatchObject({ arch: "t2na", strict: true });
    expect(await withProject({ path, ...none, arch: "v1model" })).toMatchObject({
      arch: "v1model",
      strict: true,
    });
    put("p4loom.yaml", "strict: false\n");
    expect(await withProject({ path, ...none, strict: true })).toEqual({
      path,
      ...none,
      undefine: [],
      strict: true,
    });
  });

  it("reach the compiler", async () => {
    put("p4loom.yaml", "architecture: tna\n");
    const path = put("main.p4", V1MODEL);
    const diagnostics = new Diagnostics();
    const loaded = loadProgram(await withProject({ path, ...none }), diagnostics, "error");
    await expect(loaded).rejects.toThrow("P404");
    put("p4loom.yaml", "architecture: v1model\n");
    const { hasP4Info } = await loadProgram(await withProject({ path, ...none }), new Diagnostics(), "error");
    expect(hasP4Info).toBe(true);
  });

  it("stay as they are without a project file, and for a compiled program", async () => {
    const path = put("main.p4");
    const files = { path, ...none };
    expect(await withProject(files)).toBe(files);
    put("p4loom.yaml", "nonsense");
    const compiled = { path: put("main.json"), ...none };
    expect(await withProject(compiled)).toBe(compiled);
  });

  it("may be none: a file of comments", () => {
    expect(readProject(put("p4loom.yaml", "# nothing yet\n\n   # more\n"))).toEqual({
      include: [],
      define: [],
      undefine: [],
    });
  });

  it("are read again for an editor when the file changes, and not before", async () => {
    const read = await projectReader();
    const path = put("main.p4");
    const file = put("p4loom.yaml", "defines: { A: 1 }\n");
    const first = read(path, none);
    expect(first).toMatchObject({ path: file, settings: { define: ["A=1"] }, diagnostics: [] });
    expect(read(path, none)).toBe(first);
    put("p4loom.yaml", "defines: [A]\n");
    utimesSync(file, 1, 1);
    const wrong = read(path, none);
    expect(wrong.settings).toBe(none);
    expect(wrong.diagnostics.map(({ code }) => code)).toEqual(["P43004"]);
    rmSync(file);
    expect(read(path, none)).toEqual({ settings: none, diagnostics: [] });
  });
});

it("no path of an include folder is more than a wrong path", () => {
  put("file");
  symlinkSync("loop", join(folder, "loop"));
  for (const path of ["file/below", "loop/below", "a".repeat(4000), '"zero\\0byte"']) {
    const error = caught(() => readProject(put("p4loom.yaml", `include: [${path}]\n`)));
    expect(error.diagnostics.map(({ code }) => code)).toEqual(["P40051"]);
  }
});

it("no length of a file of blank lines is more than a wrong length", () => {
  const lines = (count: number) => put("p4loom.yaml", "\r\n".repeat(count));
  expect(readProject(lines(500_000)).include).toEqual([]);
  const error = caught(() => readProject(lines(6_000_000)));
  expect(error.diagnostics.map(({ code }) => code)).toEqual(["P40002"]);
});

const BAD = "test/bad/project";
it.each(readdirSync(join(root, BAD)))("%s is refused where it is wrong", (name) => {
  const error = caught(() => readProject(relative(process.cwd(), join(root, BAD, name))));
  expect(error.diagnostics.map(({ code }) => code)).toEqual([name.slice(0, 6)]);
  expect(error.diagnostics.map(formatDiagnostic).join("\n")).toMatchSnapshot();
});

function caught(body: () => unknown): DiagnosticError {
  try {
    body();
  } catch (error) {
    return error as DiagnosticError;
  }
  throw new Error("nothing was wrong");
}
