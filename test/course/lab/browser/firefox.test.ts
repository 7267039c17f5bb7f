/**
 * Two exercises in Firefox by keys alone: the network is drawn, the tests of the starter run, the solution is pasted and saved, and the tests
 * pass.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLab } from "./browser.js";
import { FIREFOX, Firefox } from "./firefox.js";

const course = resolve(import.meta.dirname, "../../../../examples/course");
const WITHOUT = FIREFOX === undefined ? " (skipped: no firefox on PATH)" : "";
const MS = 120_000;

const RUN = "[...document.querySelectorAll('.tests button.primary')]";
const STATUS = "document.querySelector('.tests [role=status]')?.textContent ?? ''";

describe.skipIf(FIREFOX === undefined)(`the course in Firefox${WITHOUT}`, () => {
  const work = mkdtempSync(join(tmpdir(), "p4loom-firefox-course-"));
  let firefox: Firefox;

  beforeAll(async () => {
    firefox = await Firefox.start(FIREFOX!);
  }, MS);
  afterAll(async () => {
    await firefox?.close();
    rmSync(work, { recursive: true, force: true });
  });

  const until = (expression: string) =>
    expect.poll(() => firefox.value(expression), { timeout: MS, interval: 200 }).toBe(true);

  /** Runs the tests by keys. Returns the text of the points. */
  async function runTests(): Promise<string> {
    await firefox.tabTo(/^Run the tests$/);
    await firefox.press("Enter");
    await until(`/ of /.test(${STATUS}) && ${RUN}.every((one) => !one.disabled)`);
    return String(await firefox.value(STATUS));
  }

  it.each([
    ["01-forwarding", "forwarding.p4", 7, 1280],
    ["08-multicast", "flood.p4", 8, 390],
  ] as const)("%s by keys", { timeout: 2 * MS }, async (name, program, of, width) => {
    const folder = join(work, name);
    cpSync(resolve(course, name), folder, { recursive: true });
    const solution = readFileSync(join(folder, "solution", program), "utf8");
    const lab = await startLab([folder]);
    try {
      await firefox.open(lab.url, width);
      await until(`${RUN}.length === 1`);
      expect(await runTests()).toBe(`0 of ${of} points`);
      expect(await firefox.value("document.querySelector('.network canvas').height > 120")).toBe(true);
      expect(await firefox.value("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await firefox.tabTo(/^Exercise/, "Shift+Tab");
      await firefox.press("ArrowRight");
      await firefox.tabTo(new RegExp(`^Text of ${program}`));
      expect(await firefox.value("document.querySelector('.cm-content').textContent.includes('TODO')")).toBe(
        true,
      );
      await firefox.press("Control+a");
      await firefox.insertText(solution);
      await firefox.press("Control+s");
      await expect.poll(() => readFileSync(join(folder, program), "utf8"), { timeout: MS }).toBe(solution);
      await firefox.press("Control+m");
      await firefox.tabTo(/^(Exercise|Program)[!*]?$/, "Shift+Tab");
      await firefox.press("Home");
      expect(await runTests()).toBe(`${of} of ${of} points`);
    } finally {
      await firefox.open("about:blank", width);
      await lab.stop();
    }
  });
});
