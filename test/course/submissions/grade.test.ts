import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../built-command.js";

const root = resolve(import.meta.dirname, "../../..");
const exercise = "examples/course/01-forwarding";
const work = mkdtempSync(join(tmpdir(), "p4loom-submissions-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const grade = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, "grade", ...args], { cwd: root, encoding: "utf8" });

describe("p4loom grade", () => {
  it("shows points, and the path of the packets for failed tests", () => {
    const { status, stdout } = grade(exercise);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^FAILED {2}0\/2 {2}the switch alone forwards/);
    expect(stdout).toMatch(/hint: {5}Do TODO 1 to 3/);
    expect(stdout).toMatch(/dropped in ingress: mark_to_drop/);
    expect(stdout).toMatch(/\n0 of 7 points\n$/);
  });

  it("writes a single point in the singular", () => {
    const folder = join(work, "one-point");
    cpSync(join(root, exercise), folder, { recursive: true });
    const file = join(folder, "exercise.yaml");
    const [head, first] = readFileSync(file, "utf8").split(/^ {2}- name: /m);
    writeFileSync(file, `${head}  - name: ${first!.replace(/points: \d+/, "points: 1")}`);
    expect(grade(folder).stdout).toMatch(/\n0 of 1 point\n$/);
  });

  it("runs the commands of the page", () => {
    const page = readFileSync(join(root, "docs/course.md"), "utf8");
    const [, command, answer] = /\$ p4loom (.*)\n([\s\S]*?)\n\n/.exec(page)!;
    const { status, stdout } = spawnSync(process.execPath, [COMMAND, ...command!.split(" ")], {
      cwd: root,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout.trimEnd()).toBe(answer!.replace(/^ {4}/gm, ""));
  });

  it("grades folders and files, and writes the same bytes twice", () => {
    const submissions = join(work, "in");
    mkdirSync(join(submissions, "ann"), { recursive: true });
    mkdirSync(join(submissions, "empty"));
    cpSync(join(root, exercise, "solution/forwarding.p4"), join(submissions, "ann/forwarding.p4"));
    cpSync(join(root, exercise, "forwarding.p4"), join(submissions, "bob.p4"));
    writeFileSync(join(submissions, "notes.txt"), "");
    const outs = ["one", "two"].map((name) => join(work, name));
    for (const out of outs) {
      const { status, stderr, stdout } = grade(
        exercise,
        "--submissions",
        submissions,
        "--out",
        out,
        "--workers",
        "2",
      );
      expect([status, stdout.split("\n").slice(2)]).toEqual([
        0,
        [
          "ann              7   7",
          "bob              0   7     1 2 3 4 5",
          "empty            0   7     1 2 3 4 5",
          "",
        ].map((line) =>
          expect.stringMatching(new RegExp(`^\\s*${line.trim().replace(/\s+/g, "\\s+")}\\s*$`)),
        ),
      ]);
      expect(stderr).toMatch(
        /warning\[P46311\]: .*notes\.txt: neither a folder nor an archive with forwarding\.p4/,
      );
    }
    const [one, two] = outs.map((out) =>
      readdirSync(out, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(json|csv|txt)$/.test(name))
        .sort()
        .map((name) => [name, readFileSync(join(out, name), "utf8")]),
    );
    expect(one).toHaveLength(8);
    expect(two).toEqual(one);
    const csv = readFileSync(join(outs[0]!, "results.csv"), "utf8").split("\r\n");
    expect(csv[0]).toBe(
      'submission,points,of,"the switch alone forwards, and drops what it must",a frame of h1 arrives at h2 as it was sent,' +
        '"h1, h2 and h3 reach each other",a frame for an unknown station arrives nowhere,a frame does not go back to the port that it came from',
    );
    expect(csv.slice(1)).toEqual(["ann,7,7,2,1,2,1,1", "bob,0,7,0,0,0,0,0", "empty,0,7,0,0,0,0,0", ""]);
    const scope = JSON.parse(readFileSync(join(outs[0]!, "gradescope/bob/results.json"), "utf8"));
    expect(scope.score).toBe(0);
    expect(scope.tests[1]).toMatchObject({
      number: "2",
      score: 0,
      max_score: 1,
      status: "failed",
      visibility: "visible",
    });
    expect(scope.tests[1].output).toMatch(/^expected: at h2: ethernet/);
  });

  it("prints a gradebook, and asks whose a submission is before it grades", () => {
    const submissions = join(work, "gradebook-in");
    cpSync(join(root, exercise, "solution"), join(submissions, "Ann Lee_7_assignsubmission_file_"), {
      recursive: true,
    });
    const roster = join(work, "roster.csv");
    writeFileSync(roster, "First name,Last name,Email address\nAnn,Lee,ann@x\nBob,Ray,bob@x\n");
    const words = [exercise, "--submissions", submissions, "--format", "moodle", "--roster", roster];
    const { status, stdout, stderr } = grade(...words, "--column", "Week 1");
    expect(status).toBe(0);
    expect(stdout).toBe(
      "First name,Last name,Email address,Week 1 (Real),Week 1 (Feedback)\r\nAnn,Lee,ann@x,7,7 of 7 points.\r\n",
    );
    expect(stderr).toMatch(/roster\.csv:3:1: warning\[P46333\]: Bob Ray has no submission/);
    cpSync(join(root, exercise, "solution"), join(submissions, "ann@x"), { recursive: true });
    const twice = grade(...words);
    expect([twice.status, twice.stdout]).toEqual([1, ""]);
    expect(twice.stderr).toMatch(/roster\.csv:2:1: error\[P46334\]: Ann Lee has two submissions/);
  });

  it.each([
    [["--roster", "x.csv"], /P40005.*--roster has no meaning without --format/],
    [["--format", "canvas"], /P40005.*--format canvas needs --submissions DIR and --roster FILE/],
    [["--format", "canvas", "--json"], /P40005.*--json has no meaning with --format canvas/],
    [["--format", "classroom", "--out", "x"], /P40005.*--out has no meaning with --format classroom/],
    [["--format", "blackboard"], /P40005.*blackboard/],
  ])("refuses %j", (words, message) => {
    const { status, stderr } = grade(exercise, ...words);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(message);
  });

  it("says what changed since an earlier grading: points, files, the exercise", () => {
    const [folder, submissions, first, second] = ["since", "since-in", "since-1", "since-2"].map((name) =>
      join(work, name),
    ) as [string, string, string, string];
    cpSync(join(root, exercise), folder, { recursive: true });
    for (const name of ["ann", "bob"])
      cpSync(join(root, exercise, "solution"), join(submissions, name), { recursive: true });
    expect(grade(folder, "--submissions", submissions, "--out", first).status).toBe(0);
    const earlier = join(first, "results.json");
    // The last test asks for more than the solution does: both lose its point.
    const file = join(folder, "exercise.yaml");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(
        /text: myself\]\n$/,
        "text: myself]\n          expect: [{ at: h1, packet: [ethernet: {}] }]\n",
      ),
    );
    // Bob's program changes, without an effect.
    const program = join(submissions, "bob/forwarding.p4");
    writeFileSync(program, `${readFileSync(program, "utf8")}\n`);
    const again = grade(folder, "--submissions", submissions, "--out", second, "--since", earlier);
    const [, text] = again.stdout.split("\n\n");
    const test = "a frame does not go back to the port that it came from: 1 -> 0";
    expect(text?.split("\n")).toEqual([
      expect.stringMatching(/^versions: exercise [0-9a-f]{16} -> [0-9a-f]{16}$/),
      expect.stringMatching(/^submission +before +now +files +tests with other points$/),
      expect.stringMatching(/^[- ]+$/),
      expect.stringMatching(new RegExp(`^ann +7 +6 +same +${test}$`)),
      expect.stringMatching(new RegExp(`^bob +7 +6 +changed +${test}$`)),
      "2 changed, 0 as before",
      "",
    ]);
    expect(readFileSync(join(second, "changes.csv"), "utf8")).toBe(
      `submission,before,now,files,tests\r\nann,7,6,same,${test}\r\nbob,7,6,changed,${test}\r\n`,
    );
    const json = JSON.parse(
      grade(folder, "--submissions", submissions, "--since", join(second, "results.json"), "--json").stdout,
    );
    expect(json.changes).toEqual({ versions: [], submissions: [], same: 2 });
    expect(Object.keys(json.versions)).toEqual(["p4loom", "exercise", "engine"]);
  });

  it.each([
    [
      "a folder without an exercise",
      ["examples/exercise"],
      /error\[P46301\]: there is no file examples\/exercise\/exercise\.yaml/,
    ],
    [
      "no earlier results",
      [exercise, "--since", "nowhere.json"],
      /error\[P4\d+\]: cannot read nowhere\.json/,
    ],
    [
      "a file that is no results.json",
      [exercise, "--since", `${exercise}/topology.json`],
      /topology\.json:1:1: error\[P43003\]/,
    ],
    [
      "no such submissions",
      [exercise, "--submissions", "nowhere"],
      /error\[P46310\]: --submissions nowhere: there is no such folder/,
    ],
    [
      "nothing handed in",
      [exercise, "--submissions", "data/targets"],
      /error\[P46310\]: .*there is no submission/,
    ],
    ["a wrong number of workers", [exercise, "--workers", "0"], /expected a whole number from 1 to 999/],
  ])("says that there is %s", (_, args, message) => {
    const { status, stderr } = grade(...args);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(message);
  });
});
