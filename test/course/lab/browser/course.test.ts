/**
 * Every exercise of the course as students do it in the page, in a real browser, exercises with a controller too.
 * At 1,280 pixels and by keys alone: the tests of the starter fail, the files of the solution are pasted and saved, and the
 * tests pass. Then at 390 pixels and by touch: all tabs, the network, and the tests again. axe finds nothing serious.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { seriousFindings } from "./axe.js";
import { CHROMIUM, openPage, startBrowser, startLab, WITHOUT } from "./browser.js";
import { expectFits, TABS, workTab } from "./devices.js";
import { tabTo } from "./keys.js";

const course = resolve(import.meta.dirname, "../../../../examples/course");
const names = readdirSync(course).filter((name) => existsSync(join(course, name, "exercise.yaml")));
/** Timeout of a test in milliseconds: tests with controllers start processes, which take long on a busy machine. */
const MS = 120_000;

const RUN = "Run the tests";

/** Runs all tests by an action on their button. Returns the points and the maximum points. */
async function runTests(page: Page, start: () => Promise<void>): Promise<readonly [number, number]> {
  const tests = page.getByRole("region", { name: "Tests" });
  await start();
  const status = tests.getByRole("status").filter({ hasText: / of / });
  await status.waitFor();
  await tests.getByRole("button", { name: RUN }).and(page.locator(":enabled")).waitFor({ timeout: MS });
  expect(await tests.getByText(", running").count()).toBe(0);
  const [points, of] = (await status.textContent())!.match(/\d+/g)!.map(Number);
  return [points!, of!];
}

/** Goes back to the tabs and to one of them, by keys. */
async function keysToTab(page: Page, name: string): Promise<void> {
  await tabTo(page, /^(Exercise|Program)[!*]?$/, "Shift+Tab");
  await page.keyboard.press("Home");
  for (let presses = TABS.indexOf(name); presses > 0; presses--) await page.keyboard.press("ArrowRight");
  expect(await workTab(page, name).getAttribute("aria-selected")).toBe("true");
}

/** Replaces a file of the folder by a paste, and saves it, by keys. */
async function paste(page: Page, path: string, text: string): Promise<void> {
  await tabTo(page, /^(File|Choose a file)/);
  await page.keyboard.type(path);
  await page.getByRole("textbox", { name: `Text of ${path}` }).waitFor();
  await tabTo(page, new RegExp(`^Text of ${path.replaceAll(".", "\\.")}`));
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
  await page.getByRole("button", { name: /^Save/ }).and(page.locator(":enabled")).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: /^Save/ }).and(page.locator(":disabled")).waitFor();
}

const runByKeys = (page: Page) =>
  runTests(page, async () => {
    await tabTo(page, new RegExp(`^${RUN}$`));
    await page.keyboard.press("Enter");
  });

describe.skipIf(CHROMIUM === undefined)(`the course in the page${WITHOUT}`, () => {
  const work = mkdtempSync(join(tmpdir(), "p4loom-course-"));
  let browser: Browser;
  let desk: Page;
  let phone: Page;
  const errors: string[][] = [];

  beforeAll(async () => {
    browser = await startBrowser();
    const onDesk = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    const touch = { hasTouch: true, isMobile: true };
    const onPhone = await openPage(browser, { viewport: { width: 390, height: 844 }, ...touch });
    [desk, phone] = [onDesk.page, onPhone.page];
    errors.push(onDesk.errors, onPhone.errors);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
  });

  it.each(names)("%s: by keys at 1,280 pixels, by touch at 390", { timeout: 3 * MS }, async (name) => {
    const folder = join(work, name);
    cpSync(join(course, name), folder, { recursive: true });
    const { hands_in: handsIn } = parse(readFileSync(join(folder, "exercise.yaml"), "utf8")) as {
      hands_in: string[];
    };
    const lab = await startLab([folder]);
    try {
      await desk.goto(lab.url);
      await desk.getByRole("button", { name: RUN }).waitFor();
      const [points, of] = await runByKeys(desk);
      expect(points).toBeLessThan(of / 2);
      expect(await desk.getByText("what was expected and seen").count()).toBeGreaterThan(0);
      expect(await seriousFindings(desk)).toEqual([]);
      for (const path of handsIn) {
        await keysToTab(desk, "Program");
        await paste(desk, path, readFileSync(join(folder, "solution", path), "utf8"));
        await desk.keyboard.press("Control+m");
      }
      await keysToTab(desk, "Exercise");
      expect(await runByKeys(desk)).toEqual([of, of]);
      for (const path of handsIn)
        expect(readFileSync(join(folder, path), "utf8")).toBe(
          readFileSync(join(folder, "solution", path), "utf8"),
        );

      // A page that is open draws, also where nobody looks at it.
      await desk.goto("about:blank");
      await phone.goto(lab.url);
      for (const tab of TABS) {
        await workTab(phone, tab).tap();
        await expectFits(phone, 390);
      }
      await workTab(phone, "Exercise").tap();
      expect(await runTests(phone, () => phone.getByRole("button", { name: RUN }).tap())).toEqual([of, of]);
      expect(await seriousFindings(phone)).toEqual([]);
      expect(errors.flat()).toEqual([]);
    } finally {
      // Before the lab ends, so that its pages lose nothing.
      for (const page of [desk, phone]) await page.goto("about:blank");
      await lab.stop();
    }
  });
});
