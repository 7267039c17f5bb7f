/** The page without a mouse, and with the preferences of the user. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exerciseCopy, packets, SOLUTION, tab } from "./actions.js";
import { CHROMIUM, openPage, type StartedLab, startBrowser, startLab, WITHOUT } from "./browser.js";
import { tabTo } from "./keys.js";

describe.skipIf(CHROMIUM === undefined)(`the page without a mouse${WITHOUT}`, () => {
  const exercise = exerciseCopy(SOLUTION);
  let browser: Browser;
  let lab: StartedLab;
  let page: Page;

  beforeAll(async () => {
    browser = await startBrowser();
    lab = await startLab([exercise.folder]);
    ({ page } = await openPage(browser, { colorScheme: "dark" }));
    await page.goto(lab.url);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    exercise.remove();
  });

  it("is dark if the system prefers dark; its button makes it light at once, and the next visit too", async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await tabTo(page, /^Dark theme$/);
    await page.keyboard.press("Enter");
    const light = await background();
    const brightness = (colour: string) => Number(/\d+/.exec(colour)![0]);
    expect(brightness(dark)).toBeLessThan(60);
    expect(brightness(light)).toBeGreaterThan(200);
    await page.reload();
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    expect(await background()).toBe(light);
  });

  it("sends a ping and opens the packet's story by keys alone", async () => {
    await tabTo(page, /^(Host|Switch) /);
    await page.getByRole("button", { name: "Host h1, up" }).focus();
    await page.keyboard.press("Enter");
    await tabTo(page, /^Ping$/);
    await page.keyboard.press("Enter");
    await packets(page, /ICMP echo request/, /delivered/)
      .first()
      .waitFor();
    await tabTo(page, /^ICMP echo (request|reply)/);
    await page.keyboard.press("Enter");
    const way = page.getByRole("list", { name: "Path of the packet" });
    await way.waitFor();
    await way.getByRole("button").first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator("[aria-current=step]").count()).toBe(1);
    await page.locator(".cm-lit-now").waitFor();
  });

  it("moves between nodes and links by arrow keys, and breaks and repairs by B", async () => {
    await page.getByRole("button", { name: /^Switch s1/ }).focus();
    const link = page.getByRole("button", { name: /^Link s1 port 3 to s2 port 3/ });
    const [s1, middle] = [
      await page.getByRole("button", { name: /^Switch s1/ }).boundingBox(),
      await link.boundingBox(),
    ];
    const [dx, dy] = [middle!.x - s1!.x, middle!.y - s1!.y];
    const key =
      Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "ArrowRight" : "ArrowLeft") : dy > 0 ? "ArrowDown" : "ArrowUp";
    await page.keyboard.press(key);
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("b");
    await page.getByRole("button", { name: "Link s1 port 3 to s2 port 3, broken" }).waitFor();
    await page.keyboard.press("b");
    await page.getByRole("button", { name: "Link s1 port 3 to s2 port 3, up" }).waitFor();
  });

  it("chooses tabs by arrow keys, and leaves the editor by the tab key after Ctrl+M", async () => {
    await page.getByRole("tab", { selected: true }).last().focus();
    await page.keyboard.press("Home");
    expect(await tab(page, "Exercise").getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowRight");
    expect(await tab(page, "Program").getAttribute("aria-selected")).toBe("true");
    await page.getByRole("textbox", { name: /^Text of/ }).focus();
    await page.keyboard.press("Control+m");
    await page.keyboard.press("Tab");
    const left = await page.evaluate(() => document.activeElement?.closest(".cm-editor") === null);
    expect(left).toBe(true);
  });

  it("shows the network as a table too, with all its actions", async () => {
    await page.getByRole("button", { name: "As a list" }).click();
    const links = page.getByRole("table", { name: "Links" });
    expect(await links.getByRole("row").count()).toBe(5);
    await links.getByRole("button", { name: "Break link s1 – s2" }).click();
    await links.getByRole("row", { name: /s1 port 3 – s2 port 3 broken/ }).waitFor();
    await links.getByRole("button", { name: "Repair link s1 – s2" }).click();
    await page.getByRole("button", { name: "As a list" }).click();
  });

  it("names every button and field", async () => {
    for (const name of ["Exercise", "Program", "Tables", "Hosts", "Send", "Plots"]) {
      await tab(page, name).click();
      const nameless = await page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLElement>(
            "button, input, select, textarea, [role=img], [role=tabpanel]",
          ),
        ]
          .filter((element) => {
            const label = element.getAttribute("aria-label") ?? element.getAttribute("aria-labelledby");
            const text = element.textContent?.trim() ?? "";
            const wrapped = (element as HTMLInputElement).labels?.length ?? 0;
            return (label ?? "") === "" && wrapped === 0 && (element.tagName !== "BUTTON" || text === "");
          })
          .map((element) => element.outerHTML.slice(0, 120)),
      );
      expect(nameless, name).toEqual([]);
    }
  });
});
