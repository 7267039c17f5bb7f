/** The priority of a controller's process, which runs the code of a submission. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { getPriority, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { TestNetwork } from "../../../src/course/grading/index.js";
import { controllerStarter } from "../../../src/course/submissions/controller/parent.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-controller-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const network = { switches: () => [], idle: async () => {} } as unknown as TestNetwork;

describe.skipIf(process.getuid?.() !== 0)("the priority of a controller (skipped without root)", () => {
  it("is the usual one while a test on real switches raises the priority of the grading process", async () => {
    const usual = getPriority();
    const path = join(folder, "priority");
    setPriority(-7);
    try {
      const start = controllerStarter(["sh", "-c", 'nice > "$0"', path], {});
      await expect(start("", network)).rejects.toThrow();
    } finally {
      setPriority(usual);
    }
    expect(Number(readFileSync(path, "utf8"))).toBe(0);
  });
});
