/** `p4loom testgen` as a user meets it: files, exit status, what it refuses. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-testgen-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = "test/toolchain/coverage/programs/choices.p4";

function p4loom(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it("writes tests that cover the program and pass, and JUnit's cases", () => {
  const junit = join(folder, "junit.xml");
  const made = p4loom("testgen", PROGRAM, "--out", folder, "--junit", junit);
  expect([made.status, made.stderr]).toEqual([0, ""]);
  const tests = readdirSync(folder).filter((name) => name.endsWith(".stf"));
  expect(made.stdout).toMatch(new RegExp(`^${PROGRAM}: ${tests.length} tests of \\d+ paths\n`));
  const covered = p4loom("coverage", PROGRAM, ...tests.map((name) => join(folder, name)), "--json");
  expect(covered.status).toBe(0);
  const { totals } = JSON.parse(covered.stdout);
  for (const { reached, of } of Object.values(totals) as { reached: number; of: number }[])
    expect(reached).toBe(of);
  expect(readFileSync(junit, "utf8")).toContain(
    `tests="${tests.length}" failures="0" errors="0" skipped="0"`,
  );
});

it("ends with 3 where a limit left something, and says which", () => {
  const { status, stdout } = p4loom("testgen", PROGRAM, "--max-tests", "1");
  expect(status).toBe(3);
  expect(stdout).toMatch(/not reached\n/);
  expect(stdout).toMatch(/the number of tests ended before all paths were followed \(--max-tests\)/);
});

it("refuses programs for PSA and wrong limits", () => {
  const portable = p4loom("testgen", "test/golden/psa/paths.p4");
  expect(portable).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(/error\[P40042\]: .* is for psa/),
  });
  expect(p4loom("testgen", PROGRAM, "--seed", "x")).toMatchObject({ status: 2, stdout: "" });
});

it("writes PTF's Python and P4Runtime's entries for the same tests, and refuses other formats", () => {
  const other = join(folder, "formats");
  const made = p4loom("testgen", PROGRAM, "--out", other, "--format", "ptf,entries,stf");
  expect([made.status, made.stderr]).toEqual([0, ""]);
  const names = readdirSync(other);
  const stf = names.filter((name) => name.endsWith(".stf"));
  expect(names.filter((name) => name.endsWith(".entries.txtpb"))).toHaveLength(stf.length);
  const python = readFileSync(join(other, "test_choices.py"), "utf8");
  expect(python.match(/^class Test\d+\(P4RuntimeTest\):$/gm)).toHaveLength(stf.length);
  for (const [i, name] of stf.map((_, i) => [i + 1, `choices-${i + 1}.stf`] as const)) {
    const text = readFileSync(join(other, name), "utf8");
    const part = python.slice(python.indexOf(`class Test${i}(`), python.indexOf(`class Test${i + 1}(`) >>> 0);
    const [, port, bytes] = /^packet (\d+) ([0-9a-f]*)$/m.exec(text)!;
    expect(part).toContain(`self.send(${port}, "${bytes}")`);
    for (const [, to, pattern] of text.matchAll(/^expect (\d+) (\S*) \$$/gm))
      expect(part).toContain(`(${to}, "${pattern}"),`);
    // A default action that the test sets is an entry, too.
    expect(part.includes('entries = r"""')).toBe(/^table_/m.test(text));
  }
  const compiled = spawnSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], {
    input: python,
  });
  if (compiled.error === undefined) expect(String(compiled.stderr)).toBe("");
  const wrong = p4loom("testgen", PROGRAM, "--format", "stf,xml");
  expect(wrong).toMatchObject({ status: 2, stdout: "" });
  expect(wrong.stderr).toContain("--format stf,xml: xml is none of stf, ptf, entries, exercise");
});

it("writes the hidden tests of an exercise, which its solution passes and a program without a statement does not", () => {
  const exercise = join(folder, "forwarding");
  cpSync(join(root, "examples/course/01-forwarding"), exercise, { recursive: true });
  const solution = join(exercise, "solution/forwarding.p4");
  const program = join(exercise, "forwarding.p4");
  const made = p4loom("testgen", solution, "--out", join(exercise, "hidden"), "--format", "exercise");
  expect([made.status, made.stderr]).toEqual([0, ""]);
  const list = readFileSync(join(exercise, "hidden/tests.yaml"), "utf8");
  const tests = readdirSync(join(exercise, "hidden")).filter((name) => name.endsWith(".stf")).length;
  expect(list.match(/^ {4}stf: "hidden\/forwarding-\d+\.stf"$/gm)).toHaveLength(tests);
  expect(list).toMatch(/name: "\d+: a packet of \d+ bytes? on port \d+ (does not leave|leaves by port \d+)"/);
  const yaml = join(exercise, "exercise.yaml");
  writeFileSync(
    yaml,
    readFileSync(yaml, "utf8").replace("\ntests:", `\nhidden: { tests: ${tests}, points: ${tests} }\ntests:`),
  );
  const text = readFileSync(solution, "utf8");
  writeFileSync(program, text);
  const right = p4loom("grade", exercise);
  expect([right.status, right.stderr]).toEqual([0, ""]);
  expect(right.stdout.match(/^.*\(hidden\)/gm)).toHaveLength(tests);
  writeFileSync(program, text.replace("standard_metadata.egress_spec = port;", ""));
  const wrong = p4loom("grade", exercise);
  expect(wrong.status).toBe(1);
  expect(wrong.stdout).toMatch(/^.*0\/1.*\(hidden\)/m);
});
