/**
 * Questions for CodeRunner. What Moodle's importer needs was learnt from its sources and from a run of it (docs/course.md, "Moodle"); this
 * reads the file with a small reader of its own, and runs the program of the question as the sandbox does.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DiagnosticError, Diagnostics } from "../../../src/base/index.js";
import { maximumPoints, readExercise } from "../../../src/course/exercises/index.js";
import { coderunnerXml } from "../../../src/course/submissions/index.js";
import { diskFiles } from "../../../src/toolchain/loading/index.js";
import { COMMAND } from "../../built-command.js";

const root = resolve(import.meta.dirname, "../../..");
const course = join(root, "examples/course");
const names = readdirSync(course).sort();
const work = mkdtempSync(join(tmpdir(), "p4loom-coderunner-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads elements, attributes, text and CDATA; anything else is refused, entities too: Moodle's reader drops white space between them. */
function readXml(xml: string): Element {
  const top: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  const token =
    /<\?xml version="1\.0" encoding="UTF-8"\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([a-z0-9_]+)>|<([a-z0-9_]+)((?: [a-z]+="[^"<&]*")*)>|([^<&]+)/gy;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const found = token.exec(xml);
    if (found === null) throw new Error(`no XML at ${at}: ${xml.slice(at, at + 40)}`);
    const [, data, end, start, attributes = "", text] = found;
    const here = open.at(-1)!;
    if (data !== undefined) here.text += data;
    else if (text !== undefined) here.text += text;
    else if (end !== undefined) expect(open.pop()!.name).toBe(end);
    else if (start !== undefined) {
      const pairs = [...attributes.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]);
      const element = { name: start, attributes: Object.fromEntries(pairs), children: [], text: "" };
      here.children.push(element);
      open.push(element);
    }
  }
  expect(open).toHaveLength(1);
  return top.children[0]!;
}

const all = ({ children }: Element, name: string): Element[] => children.filter((one) => one.name === name);
function one(element: Element, ...path: string[]): Element {
  return path.reduce((at, name) => {
    expect(all(at, name), name).toHaveLength(1);
    return all(at, name)[0]!;
  }, element);
}

const p4loom = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], { cwd: work, encoding: "utf8" });

let questions: Element[] = [];
beforeAll(() => {
  const { status, stderr } = p4loom("new", "course", "autumn", "--for", "moodle");
  expect([status, stderr]).toEqual([
    0,
    `autumn/questions.xml has ${names.length} questions for CodeRunner; autumn/README.md says how to import them\n`,
  ]);
  const quiz = readXml(readFileSync(join(work, "autumn/questions.xml"), "utf8"));
  expect(quiz.name).toBe("quiz");
  questions = all(quiz, "question");
});

const questionOf = (name: string): Element => questions[1 + names.indexOf(name)]!;

describe("the file for Moodle", () => {
  it("has a category, then a question for each exercise, with a page for the teacher", () => {
    expect(questions.map(({ attributes }) => attributes["type"])).toEqual([
      "category",
      ...names.map(() => "coderunner"),
    ]);
    expect(one(questions[0]!, "category", "text").text).toBe("$course$/top/autumn");
    const page = readFileSync(join(work, "autumn/README.md"), "utf8");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(page).toContain(`npm install -g p4loom@${version}`);
    for (const name of names) expect(page).toContain(`- \`${name}\`: from `);
  });

  it.each(names)(
    "has the text, the starter, the points and the files of %s, and nothing of its solution",
    (name) => {
      const exercise = readExercise(diskFiles, join(course, name), new Diagnostics())!;
      const [answer, ...attachments] = exercise.handsIn;
      const read = (path: string): string => readFileSync(join(course, name, path), "utf8");
      const question = questionOf(name);
      const field = (field: string): string => one(question, field).text;
      expect(one(question, "name", "text").text).toBe(exercise.title);
      expect(one(question, "questiontext").attributes).toEqual({ format: "markdown" });
      expect(one(question, "questiontext", "text").text).toBe(read("README.md"));
      expect(field("defaultgrade")).toBe(String(maximumPoints(exercise)));
      expect(field("answerpreload")).toBe(read(answer!));
      expect(field("answer")).toBe("");
      expect([field("attachments"), field("attachmentsrequired")]).toEqual(
        Array(2).fill(String(attachments.length)),
      );
      for (const file of attachments) expect(file).toMatch(new RegExp(`^(?:${field("filenamesregex")})$`));
      const { attributes, text } = one(question, "testcases", "file");
      expect(attributes).toEqual({ name: "exercise.json", path: "/", encoding: "base64" });
      const support = JSON.parse(Buffer.from(text, "base64").toString());
      expect([support.answer, support.attachments]).toEqual([answer, attachments]);
      expect(support.files["exercise.yaml"]).toBe(read("exercise.yaml"));
      for (const [path, content] of Object.entries(support.files)) expect(content).toBe(read(path));
      expect(Object.keys(support.files).filter((path) => path.startsWith("solution"))).toEqual([]);
    },
  );

  it("asks for a template that grades by itself, with a test case as the importer reads it", () => {
    const question = questionOf("01-forwarding");
    const of = (field: string): string => one(question, field).text;
    expect([of("coderunnertype"), of("grader"), of("iscombinatortemplate"), of("language")]).toEqual([
      "python3",
      "TemplateGrader",
      "1",
      "python3",
    ]);
    expect([of("prototypetype"), of("twigall"), of("allornothing"), of("penaltyregime")]).toEqual(
      Array(4).fill("0"),
    );
    expect(JSON.parse(of("sandboxparams"))).toEqual({ numprocs: 200, disklimit: 100 });
    const test = one(question, "testcases", "testcase");
    expect(test.attributes).toEqual({
      testtype: "0",
      useasexample: "0",
      hiderestiffail: "0",
      mark: "1.0000000",
    });
    for (const part of ["testcode", "stdin", "expected", "extra"])
      expect(one(test, part, "text").text).toBe("");
    expect(one(test, "display", "text").text).toBe("SHOW");
    // Twig replaces the answer alone.
    expect([...of("template").matchAll(/\{\{|\{%|\{#/g)]).toHaveLength(1);
  });
});

describe("a text", () => {
  const exercise = readExercise(diskFiles, join(course, "01-forwarding"), new Diagnostics())!;

  it("may have what XML has a meaning for, and what it has not", () => {
    const text = "a ]]> b <c> & \u0001 ]]]]>> d\n\n  e ";
    const xml = coderunnerXml([{ exercise, text, files: {} }], "c & d", "print()");
    const [category, question] = all(readXml(xml), "question");
    expect(one(category!, "category", "text").text).toBe("$course$/top/c & d");
    expect(one(question!, "questiontext", "text").text).toBe(text.replace("\u0001", "\ufffd"));
  });

  it("is none for a controller in Python", () => {
    const python = { ...exercise, controller: "controller.py" };
    let error: unknown;
    try {
      coderunnerXml([{ exercise: python, text: "", files: {} }], "c", "");
    } catch (thrown) {
      error = thrown;
    }
    expect((error as DiagnosticError).diagnostics[0]).toMatchObject({ code: "P46318" });
  });
});

it("is for a course and for Moodle alone", () => {
  expect(p4loom("new", "course", "winter", "--for", "canvas").stderr).toContain(
    "--for canvas: expected moodle",
  );
  expect(p4loom("new", "exercise", "winter", "--for", "moodle").stderr).toContain(
    "new exercise winter: only a course is for a platform",
  );
});

const python = spawnSync("python3", ["--version"]).status === 0;

describe.skipIf(!python)("the program of a question", () => {
  const bin = join(work, "bin");
  beforeAll(() => {
    mkdirSync(bin);
    writeFileSync(join(bin, "p4loom"), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`);
    chmodSync(join(bin, "p4loom"), 0o755);
  });
  let count = 0;

  /** Runs it as the sandbox does, in a folder with the support file and the attachments. */
  function run(name: string, answer: string, attached: Readonly<Record<string, string>> = {}, path = bin) {
    const folder = join(work, `run-${count++}`);
    mkdirSync(folder);
    const question = questionOf(name);
    writeFileSync(
      join(folder, "exercise.json"),
      Buffer.from(one(question, "testcases", "file").text, "base64"),
    );
    for (const [file, text] of Object.entries(attached)) writeFileSync(join(folder, file), text);
    // Twig with CodeRunner's escape of Python strings.
    const escaped = answer.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
    const program = one(question, "template").text.replace("{{ STUDENT_ANSWER | e('py') }}", () => escaped);
    writeFileSync(join(folder, "__tester__.python3"), program);
    const env = { PATH: [path, process.env["PATH"]].join(delimiter) };
    const { status, stdout, stderr } = spawnSync("python3", ["__tester__.python3"], {
      ...{ cwd: folder, encoding: "utf8", env },
    });
    return { status, stderr, result: status === 0 ? JSON.parse(stdout) : undefined };
  }
  const read = (...path: string[]): string => readFileSync(join(course, ...path), "utf8");

  it("gives a solution all of the mark, and prints nothing else", () => {
    const { status, stderr, result } = run("18-ecn", read("18-ecn/solution/ecn.p4"));
    expect([status, stderr]).toEqual([0, ""]);
    expect(result.fraction).toBe(1);
    expect(Object.keys(result)).toEqual(["fraction", "testresults"]);
    expect(result.testresults[0]).toEqual(["iscorrect", "Test", "Points", "Expected", "Got"]);
    expect(result.testresults.at(-1)).toEqual([1, "2 hidden tests, 0 failed", "2/2", "", ""]);
    for (const row of result.testresults) expect(row).toHaveLength(5);
  });

  it("gives a part of the mark for a part of the points, with hints, and with nothing of hidden tests", () => {
    const solution = read("18-ecn/solution/ecn.p4");
    const { result } = run(
      "18-ecn",
      solution.replace(
        "hdr.ipv4.isValid() && standard_metadata.enq",
        "standard_metadata.egress_port == 3 && standard_metadata.enq",
      ),
    );
    expect(result.fraction).toBeCloseTo(0.9);
    expect(result.testresults.at(-1)).toEqual([0, "2 hidden tests, 1 failed", "1/2", "", ""]);
    expect(JSON.stringify(result)).not.toContain("another port");
    const starter = run("01-forwarding", read("01-forwarding/forwarding.p4")).result;
    expect(starter.fraction).toBe(0);
    expect(starter.epiloguehtml).toMatch(/^<pre>[^<>]*\n {2}hint: [^<>]*<\/pre>$/);
  });

  it("takes an answer with any characters as it is", () => {
    const answer = `// """ \\" \\\\ {{ 1 }} é\n${read("01-forwarding/solution/forwarding.p4")}`;
    expect(run("01-forwarding", answer).result.fraction).toBe(1);
  });

  it("takes further files as attachments, and misses those that are not there", () => {
    const answer = read("04-ecmp/solution/ecmp.p4");
    const file = "s1-commands.txt";
    expect(run("04-ecmp", answer, { [file]: read("04-ecmp/solution", file) }).result.fraction).toBe(1);
    expect(run("04-ecmp", answer).result).toEqual({
      fraction: 0,
      prologuehtml: "<p>Missing, attach it to the answer: s1-commands.txt</p>",
    });
  });

  it("fails, so that CodeRunner takes no points, where p4loom does not run", () => {
    const empty = mkdtempSync(join(work, "none-"));
    cpSync("/bin/false", join(empty, "p4loom"));
    const { status, stderr } = run("01-forwarding", "", {}, empty);
    expect(status).not.toBe(0);
    expect(stderr).toContain("p4loom has not graded (status 1)");
  });
});
