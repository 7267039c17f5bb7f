/** Two exercises at the widths of phones, tablets and screens: the network is drawn, nothing leads out, axe finds nothing serious. */
import { resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "./axe.js";
import { CHROMIUM, openPage, type StartedLab, startBrowser, startLab, WITHOUT } from "./browser.js";
import { expectFits, TABS, workTab } from "./devices.js";

/** Below, at and above the widths at which the page changes its columns. */
const WIDTHS = [320, 390, 480, 600, 820, 899, 900, 901, 1180, 1400, 1600];
/** Those at which axe looks at each tab. */
const DEVICES = [360, 768, 1024, 1920, 2560];

const folder = (name: string) => resolve(import.meta.dirname, "../../../../examples/course", name);

describe.skipIf(CHROMIUM === undefined)(`the page of a lab at every width${WITHOUT}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  describe.each([
    ["01-forwarding", "light"],
    ["09-controller", "dark"],
  ] as const)("%s, %s", (name, colorScheme) => {
    let lab: StartedLab;
    let page: Page;

    beforeAll(async () => {
      lab = await startLab([folder(name)]);
      ({ page } = await openPage(browser, { colorScheme }));
      await page.goto(lab.url);
      await page.getByRole("button", { name: "Run the tests" }).waitFor();
    });
    afterAll(async () => {
      await page?.context().close();
      await lab?.stop();
    });

    it.each(DEVICES)("fits in %i pixels, and axe finds nothing serious in any tab", async (width) => {
      await page.setViewportSize({ width, height: width < 700 ? 640 : 900 });
      for (const tab of TABS) {
        await workTab(page, tab).click();
        await expectFits(page, width);
        expect(await seriousFindings(page), tab).toEqual([]);
      }
    });
  });

  describe("and between them", () => {
    let lab: StartedLab;
    let page: Page;

    beforeAll(async () => {
      lab = await startLab([folder("01-forwarding")]);
      ({ page } = await openPage(browser));
      await page.goto(lab.url);
      await page.getByRole("button", { name: "Run the tests" }).waitFor();
    });
    afterAll(async () => {
      await lab?.stop();
    });

    it.each(WIDTHS)("fits in %i pixels", async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await expectFits(page, width);
      await page.setViewportSize({ width, height: 640 });
      for (const tab of TABS) {
        await workTab(page, tab).click();
        await expectFits(page, width);
      }
    });
  });
});
