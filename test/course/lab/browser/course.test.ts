/**
 * Every exercise of the course as a student does it in the page, in a real browser: the tests of the starter fail, the files
 * of the solution are pasted and saved, and the tests pass. Exercises with a controller too.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { tab, write } from "./actions.js";
import { CHROMIUM, openPage, startBrowser, startLab, WITHOUT } from "./browser.js";

const course = resolve(import.meta.dirname, "../../../../examples/course");
const names = readdirSync(course).filter((name) => existsSync(join(course, name, "exercise.yaml")));
/** Timeout of a test in milliseconds: tests with controllers start processes, which take long on a busy machine. */
const MS = 120_000;

/** Runs all tests by the button. Returns the points and the maximum points. */
async function runTests(page: Page): Promise<readonly [points: number, of: number]> {
  await tab(page, "Exercise").click();
  const tests = page.getByRole("region", { name: "Tests" });
  await tests.getByRole("button", { name: "Run the tests" }).click();
  const status = tests.getByRole("status").filter({ hasText: / of / });
  await status.waitFor();
  await tests
    .getByRole("button", { name: "Run the tests" })
    .and(page.locator(":enabled"))
    .waitFor({ timeout: MS });
  expect(await tests.getByText(", running").count()).toBe(0);
  const [points, of] = (await status.textContent())!.match(/\d+/g)!.map(Number);
  return [points!, of!];
}

/** Replaces a file of the folder by a paste, and saves it by the keyboard. */
async function paste(page: Page, path: string, text: string): Promise<void> {
  await tab(page, "Program").click();
  await page.getByRole("combobox", { name: "File" }).selectOption(path);
  await page.getByRole("textbox", { name: `Text of ${path}` }).waitFor();
  await write(page, text);
  await page.getByRole("button", { name: /^Save/ }).and(page.locator(":enabled")).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: /^Save/ }).and(page.locator(":disabled")).waitFor();
}

describe.skipIf(CHROMIUM === undefined)(`the course in the page${WITHOUT}`, () => {
  const work = mkdtempSync(join(tmpdir(), "p4loom-course-"));
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
  });

  it.each(names)("%s: the starter fails, the solution passes", { timeout: 2 * MS }, async (name) => {
    const folder = join(work, name);
    cpSync(join(course, name), folder, { recursive: true });
    const { hands_in: handsIn } = parse(readFileSync(join(folder, "exercise.yaml"), "utf8")) as {
      hands_in: string[];
    };
    const lab = await startLab([folder]);
    const { page, errors } = await openPage(browser);
    try {
      await page.goto(lab.url);
      const [points, of] = await runTests(page);
      expect(points).toBeLessThan(of / 2);
      expect(await page.getByText("what was expected and seen").count()).toBeGreaterThan(0);
      for (const path of handsIn)
        await paste(page, path, readFileSync(join(folder, "solution", path), "utf8"));
      expect(await runTests(page)).toEqual([of, of]);
      for (const path of handsIn)
        expect(readFileSync(join(folder, path), "utf8")).toBe(
          readFileSync(join(folder, "solution", path), "utf8"),
        );
      expect(errors).toEqual([]);
    } finally {
      await page.context().close();
      await lab.stop();
    }
  });
});
