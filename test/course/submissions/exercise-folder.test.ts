/** The texts of an exercise that a grading process gets, and what an exercise may ask for. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics } from "../../../src/base/index.js";
import {
  exerciseTexts,
  openExerciseFolder,
  targetTexts,
} from "../../../src/course/submissions/exercise-folder.js";
import { testsOnThisMachine } from "../../../src/course/submissions/tests-on-this-machine.js";

const work = mkdtempSync(join(tmpdir(), "p4loom-texts-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const root = resolve(import.meta.dirname, "../../..");

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(work, "e"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

describe("the texts of an exercise", () => {
  it("are the files that tests read, of all folders but the solution and what tools make", () => {
    const read = [
      "a.p4",
      "b.json",
      "c.yaml",
      "d.yml",
      "e.stf",
      "f.txt",
      "g.js",
      "h.mjs",
      "i.py",
      "sub/deep/a.p4",
    ];
    const others = ["solution/a.p4", "sub/solution/a.p4", "build/a.p4", "logs/a.txt", "pcaps/a.txt"];
    const more = ["node_modules/a.js", ".git/a.txt", "a.pcap", "README.md", "p4", "a.p4.orig"];
    const folder = folderOf(
      Object.fromEntries([...read, ...others, ...more].map((path) => [path, `of ${path}`])),
    );
    expect(exerciseTexts(folder)).toEqual(Object.fromEntries(read.map((path) => [path, `of ${path}`])));
    expect(Object.keys(exerciseTexts(folder))).toEqual(read);
  });

  it("have at most 4 MiB each, and do not follow links", () => {
    const [at, over] = [4 << 20, (4 << 20) + 1].map((size) => "x".repeat(size));
    const folder = folderOf({ "at.txt": at!, "over.txt": over!, "in/a.txt": "a" });
    symlinkSync("/etc/hostname", join(folder, "link.txt"));
    symlinkSync(join(folder, "in"), join(folder, "folder"));
    expect(Object.keys(exerciseTexts(folder))).toEqual(["at.txt", "in/a.txt"]);
  });
});

describe("an exercise", () => {
  const source = join(root, "examples/course/01-forwarding");
  const fitting = (target: string) => {
    const files = { ...exerciseTexts(source) };
    const [head] = files["exercise.yaml"]!.split(/^tests:/m);
    const test = `tests:\n  - name: fits\n    points: 1\n    fit: { target: ${target} }\n`;
    return folderOf({ ...files, "exercise.yaml": head + test });
  };

  it("names a target of the fit checker that there is, and otherwise is told which there are", () => {
    expect(openExerciseFolder(fitting("tofino2"), new Diagnostics()).tests).toHaveLength(1);
    let error: unknown;
    try {
      openExerciseFolder(fitting("tofino9"), new Diagnostics());
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(DiagnosticError);
    const [{ message, notes }] = (error as DiagnosticError).diagnostics as [
      DiagnosticError["diagnostics"][0],
    ];
    expect(message).toMatch(/: there is no fit target tofino9$/);
    expect(notes![0]!.message).toMatch(/^targets: .*\btofino2\b/);
  });

  it("of a lab has the same targets, each as the text of its file", () => {
    const { target } = testsOnThisMachine(openExerciseFolder(source, new Diagnostics()));
    for (const [name, text] of Object.entries(targetTexts())) {
      expect(target(name)).toMatchObject({ path: `${name}.yaml`, text });
      expect(text).toBe(readFileSync(join(root, "data/targets", `${name}.yaml`), "utf8"));
    }
    expect(target("tofino9")).toBeUndefined();
  });
});
