/** Which test files run again after the whole suite, and how the suite's last line counts them. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endGroup } from "../../tools/suite/end-group.js";
import {
  endedWith,
  type FileOutcome,
  filesToRunAgain,
  joined,
  lastLine,
  withSecondRun,
} from "../../tools/suite/outcome.js";

const outcome = (file: string, project: string, failed: number): FileOutcome => ({
  file,
  project,
  passed: 2,
  failed,
  skipped: 0,
  ms: 1,
});

const failing = (count: number) =>
  Array.from({ length: count }, (_, index) => outcome(`lab-${index}`, "labs", 1));

describe("files that run again", () => {
  it("are the failed ones of labs and processes, in their order", () => {
    const files = [
      outcome("a", "rooms", 0),
      outcome("b", "processes", 1),
      outcome("c", "labs", 0),
      outcome("d", "labs", 3),
    ];
    expect(filesToRunAgain({ files, errors: 0 })).toEqual(["b", "d"]);
  });

  it("are none if a test of code without processes failed", () => {
    const files = [outcome("a", "rooms", 1), outcome("b", "labs", 1)];
    expect(filesToRunAgain({ files, errors: 0 })).toEqual([]);
  });

  it("are none if an error belongs to no file", () => {
    expect(filesToRunAgain({ files: failing(1), errors: 1 })).toEqual([]);
  });

  it("are at most six", () => {
    expect(filesToRunAgain({ files: failing(6), errors: 0 })).toHaveLength(6);
    expect(filesToRunAgain({ files: failing(7), errors: 0 })).toEqual([]);
  });
});

describe("a run that vitest ended with a failure", () => {
  it("has an error if no test failed, and its outcome otherwise", () => {
    const [good, bad] = [0, 1].map((failed) => ({ files: [outcome("a", "labs", failed)], errors: 0 }));
    expect(endedWith(good!, 0)).toEqual(good);
    expect(endedWith(bad!, 1)).toEqual(bad);
    expect(lastLine(endedWith(good!, 1))).toBe("2 passed, 1 failed");
    expect(lastLine(endedWith(good!, null))).toBe("2 passed, 1 failed");
  });
});

describe("the last line", () => {
  it("counts the second outcome of a file that ran again", () => {
    const first = joined([
      { files: [outcome("a", "rooms", 0)], errors: 0 },
      { files: [outcome("b", "labs", 1), outcome("c", "labs", 2)], errors: 0 },
    ]);
    expect(lastLine(first)).toBe("6 passed, 3 failed");
    const second = { files: [{ ...outcome("c", "labs", 0), passed: 4 }], errors: 0 };
    expect(lastLine(withSecondRun(first, second))).toBe("8 passed, 1 failed");
  });

  it("counts errors that belong to no file, and skipped tests", () => {
    const files = [{ ...outcome("a", "rooms", 0), skipped: 3 }];
    expect(lastLine({ files, errors: 2 })).toBe("2 passed, 2 failed, 3 skipped");
  });
});

describe("tools/suite.ts", () => {
  const tool = resolve(import.meta.dirname, "../../tools/suite.ts");
  const tsx = resolve(import.meta.dirname, "../../node_modules/tsx/dist/cli.mjs");

  /** Runs the tool in a folder with a suite of its own, one test a file. */
  function suite(files: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), "p4loom-suite-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const projects = ["rooms", "processes", "labs"].map((name, index) => ({
      test: {
        name,
        include: [`${name}-*.test.mjs`],
        globals: true,
        maxWorkers: 1,
        sequence: { groupOrder: index + 1 },
      },
    }));
    writeFileSync(
      join(folder, "vitest.config.mjs"),
      `export default ${JSON.stringify({ test: { projects } })};\n`,
    );
    for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
    const { status, stdout } = spawnSync(
      process.execPath,
      [tsx, tool, "--again", "--report", "report/tests.json"],
      { cwd: folder, encoding: "utf8" },
    );
    const lines = stdout.trimEnd().split("\n");
    return {
      status,
      again: lines.filter((line) => line.startsWith("ran again alone: ")),
      last: lines.at(-1),
      report: JSON.parse(readFileSync(join(folder, "report/tests.json"), "utf8")),
    };
  }

  const PASSES = 'it("passes", () => {});\n';
  const FAILS = 'it("fails", () => expect(1).toBe(2));\n';

  it("runs failed labs and processes once more, and counts that outcome", () => {
    const once = `import { existsSync, writeFileSync } from "node:fs";
      it("passes the second time", () => {
        const ran = existsSync("ran");
        writeFileSync("ran", "");
        expect(ran).toBe(true);
      });\n`;
    const files = { "rooms-a.test.mjs": PASSES, "processes-b.test.mjs": FAILS, "labs-c.test.mjs": once };
    const { status, again, last, report } = suite(files);
    expect(again).toEqual([
      "ran again alone: processes-b.test.mjs: failed",
      "ran again alone: labs-c.test.mjs: passed",
    ]);
    expect(last).toBe("2 passed, 1 failed");
    expect(status).toBe(1);
    expect(report).toMatchObject({ passed: 2, failed: 1, skipped: 0, errors: 0 });
    expect(report.files).toContainEqual(
      expect.objectContaining({ file: "labs-c.test.mjs", project: "labs", passed: 1, failed: 0 }),
    );
  });

  it("counts a file that cannot be loaded, a failed hook and an error outside of tests, and does not run rooms again", () => {
    const { status, again, last } = suite({
      "rooms-a.test.mjs": 'import "./none.mjs";\n',
      "rooms-b.test.mjs": `afterAll(() => { throw new Error("hook"); });\n${PASSES}`,
      "processes-c.test.mjs": `it("passes", async () => {
        setTimeout(() => { throw new Error("outside"); });
        await new Promise((resolve) => setTimeout(resolve, 50));
      });\n`,
      "labs-d.test.mjs": PASSES,
    });
    expect(again).toEqual([]);
    expect(last).toBe("3 passed, 3 failed");
    expect(status).toBe(1);
  });
});

describe("an interrupted suite", () => {
  it("leaves no process: neither one that ends by the signal, nor one that ignores it", async () => {
    const script = `
const { spawn } = require("node:child_process");
const start = (code) => spawn(process.execPath, ["-e", code], { stdio: "ignore" }).pid;
const stays = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
console.log(JSON.stringify([start("setInterval(() => {}, 1000)"), start(stays)]));
setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["-e", script], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const text = await new Promise<string>((resolve) =>
      child.stdout.once("data", (data) => resolve(String(data))),
    );
    const pids = [child.pid!, ...(JSON.parse(text) as number[])];
    const isAlive = (pid: number): boolean => {
      try {
        process.kill(pid, 0);
        // A process that has ended and was not waited for is a zombie.
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
      } catch {
        return false;
      }
    };
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    endGroup(child, "SIGTERM", 1500);
    await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([]);
  });
});
