/**
 * A room in a real browser, behind nginx with the block of docs/lab.md: a student works by keys, the teacher sees it, and axe finds nothing
 * serious on either page, at the widths of phones, tablets and screens, light and dark, in both languages.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NGINX, type ProxiedRoom, startRoomBehindNginx } from "../../lab-server/nginx.js";
import { FOLDER, packets, ping, runProgram, SOLUTION, setSpeed, tab } from "./actions.js";
import { seriousFindings } from "./axe.js";
import { CHROMIUM, openPage, startBrowser, WITHOUT } from "./browser.js";
import { expectFits, TABS, workTab } from "./devices.js";
import { tabTo } from "./keys.js";

const WIDTHS = [360, 390, 768, 1024, 1280, 1920, 2560];
const SKIPPED = CHROMIUM === undefined ? WITHOUT : NGINX === undefined ? " (skipped: no nginx)" : "";

const rowOf = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) });

describe.skipIf(SKIPPED !== "")(`a room in the browser, behind nginx${SKIPPED}`, () => {
  let browser: Browser;
  let proxied: ProxiedRoom;
  let student: Page;
  let teacher: Page;
  const requests: URL[][] = [];
  const errors: string[][] = [];

  beforeAll(async () => {
    browser = await startBrowser();
    proxied = await startRoomBehindNginx(FOLDER, ["anna", "ben"]);
    const opened = [await openPage(browser), await openPage(browser)];
    [student, teacher] = opened.map(({ page }) => page) as [Page, Page];
    for (const one of opened) {
      requests.push(one.requests);
      errors.push(one.errors);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await proxied?.stop();
  });

  it("lets a student run the tests by keys, and shows the teacher who passes what", async () => {
    await teacher.goto(proxied.room.teacher);
    await rowOf(teacher, "anna")
      .getByRole("cell", { name: /^(?:not )?(?:here|away|open)/i })
      .first()
      .waitFor();
    await student.goto(proxied.room.addresses.get("anna")!);
    await student.getByRole("button", { name: "Run the tests" }).waitFor();
    await runProgram(student, SOLUTION);
    await tab(student, "Exercise").click();
    await tabTo(student, /^Run the tests$/);
    await student.keyboard.press("Enter");
    await student
      .getByRole("region", { name: "Tests" })
      .getByRole("status")
      .filter({ hasText: "7 of 7 points" })
      .waitFor();
    const work = join(proxied.room.folder, "work/anna/forwarding.p4");
    expect(readFileSync(work, "utf8")).toBe(SOLUTION);
    await rowOf(teacher, "anna").getByRole("cell", { name: "7", exact: true }).waitFor();
    expect(await rowOf(teacher, "anna").getByText("✓").count()).toBeGreaterThan(3);
    expect(await rowOf(teacher, "ben").getByText("✓").count()).toBe(0);
  });

  it("shows a student the packets of an own network", async () => {
    await setSpeed(student, "real time");
    await ping(student, "h1", "h3");
    await packets(student, /echo reply/, /delivered to h1/)
      .first()
      .waitFor();
  });

  it.each(["light", "dark"] as const)(
    "has a teacher's page that fits every width, %s",
    async (colorScheme) => {
      await teacher.emulateMedia({ colorScheme });
      for (const lang of ["en", "de"]) {
        await teacher.goto(`${proxied.room.teacher}&lang=${lang}`);
        await rowOf(teacher, "anna").waitFor();
        expect(await teacher.evaluate(() => document.documentElement.lang)).toBe(lang);
        for (const width of WIDTHS) {
          await teacher.setViewportSize({ width, height: 640 });
          expect(
            await teacher.evaluate(() => document.documentElement.scrollWidth),
            `${lang} ${width}`,
          ).toBeLessThanOrEqual(width);
          expect(await seriousFindings(teacher), `${lang} ${width}`).toEqual([]);
        }
      }
    },
  );

  it("has a student's page that fits every width, in all tabs", async () => {
    for (const width of WIDTHS) {
      await student.setViewportSize({ width, height: width < 700 ? 640 : 900 });
      for (const name of TABS) {
        await workTab(student, name).click();
        await expectFits(student, width);
        expect(await seriousFindings(student), `${name} ${width}`).toEqual([]);
      }
    }
  });

  it("lets the teacher reach all parts of the page by the tab key", async () => {
    await teacher.goto(`${proxied.room.teacher}&lang=en`);
    await rowOf(teacher, "anna").waitFor();
    await teacher.setViewportSize({ width: 390, height: 640 });
    for (const name of [/^Language|English/, /^Dark theme$/, /anna/]) await tabTo(teacher, name);
  });

  it("asks nothing outside of its path, and has no error", () => {
    const asked = requests.flat().filter(({ protocol }) => !["data:", "blob:"].includes(protocol));
    expect(asked.length).toBeGreaterThan(10);
    const { host, pathname } = new URL(proxied.base);
    for (const one of asked)
      expect([one.host, one.pathname.startsWith(pathname)], one.href).toEqual([host, true]);
    expect(errors.flat()).toEqual([]);
  });
});
