/** The page at the widths of phones, tablets and screens: the network is drawn, and nothing leads out of the page. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exerciseCopy, SOLUTION } from "./actions.js";
import { CHROMIUM, openPage, type StartedLab, startBrowser, startLab, WITHOUT } from "./browser.js";

const WIDTHS = [320, 360, 390, 480, 600, 768, 820, 899, 900, 901, 1024, 1180, 1280, 1400, 1600];
const TABS = ["Exercise", "Program", "Packet", "Tables", "Hosts", "Send", "Plots"];

describe.skipIf(CHROMIUM === undefined)(`the page of a lab at every width${WITHOUT}`, () => {
  const exercise = exerciseCopy(SOLUTION);
  let browser: Browser;
  let lab: StartedLab;
  let page: Page;

  beforeAll(async () => {
    browser = await startBrowser();
    ({ page } = await openPage(browser));
    lab = await startLab([exercise.folder]);
    await page.goto(lab.url);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    exercise.remove();
  });

  it.each(WIDTHS)("draws the network and fits in %i pixels", async (width) => {
    for (const height of [640, 900]) {
      await page.setViewportSize({ width, height });
      const canvas = page.locator(".network canvas");
      await expect.poll(async () => (await canvas.boundingBox())!.height).toBeGreaterThan(120);
      const box = (await canvas.boundingBox())!;
      expect(box.width).toBeGreaterThan(250);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      const node = (await page.getByRole("button", { name: /^Switch s1/ }).boundingBox())!;
      expect(node.y).toBeGreaterThanOrEqual(box.y - 1);
      expect(node.y + node.height).toBeLessThanOrEqual(box.y + box.height + 1);
      for (const name of TABS) {
        await page
          .getByRole("tablist", { name: "Work" })
          .getByRole("tab", { name: new RegExp(`^${name}`) })
          .click();
        const whole = await page.evaluate(() => ({
          width: document.documentElement.scrollWidth,
          wide: [...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .filter((one) => !one.closest(".panel, [role=tablist], .network, pre"))
            .map((one) => `${one.tagName} ${one.className}`),
        }));
        expect(whole.width, `${name}: ${whole.wide.join(", ")}`).toBeLessThanOrEqual(width);
      }
    }
  });
});
