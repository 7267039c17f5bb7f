/**
 * Two exercises in Firefox by the tab and arrow keys: the network is drawn, the tests of the starter run, the editor has its program.
 * Nothing is pasted or saved there: see `pressButton` for what a Firefox without a screen does not do.
 */
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLab } from "./browser.js";
import { FIREFOX, Firefox } from "./firefox.js";

const course = resolve(import.meta.dirname, "../../../../examples/course");
const WITHOUT = FIREFOX === undefined ? " (skipped: no firefox on PATH)" : "";
const MS = 120_000;

const RUN = "[...document.querySelectorAll('.tests button.primary')]";
const STATUS = "document.querySelector('.tests [role=status]')?.textContent ?? ''";

describe.skipIf(FIREFOX === undefined)(`the course in Firefox${WITHOUT}`, () => {
  let firefox: Firefox;

  beforeAll(async () => {
    firefox = await Firefox.start(FIREFOX!);
  }, MS);
  afterAll(async () => {
    await firefox?.close();
  });

  const until = (expression: string) =>
    expect.poll(() => firefox.value(expression), { timeout: MS, interval: 200 }).toBe(true);

  /** Runs the tests by keys. Returns the text of the points. */
  async function runTests(): Promise<string> {
    await firefox.tabTo(/^Run the tests$/);
    await firefox.pressButton();
    await until(`/ of /.test(${STATUS}) && ${RUN}.every((one) => !one.disabled)`);
    return String(await firefox.value(STATUS));
  }

  it.each([
    ["01-forwarding", "forwarding.p4", 7, 1280],
    ["08-multicast", "flood.p4", 8, 390],
  ] as const)("%s by keys", { timeout: 2 * MS }, async (name, program, of, width) => {
    const lab = await startLab([resolve(course, name)]);
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
    } finally {
      await firefox.open("about:blank", width);
      await lab.stop();
    }
  });
});
