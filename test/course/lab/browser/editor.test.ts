/** The editor of the page with the language service, in a served lab. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exerciseCopy, putCursor, SOLUTION, tab, useLanguageService } from "./actions.js";
import { HeldAnswers } from "./answers.js";
import { CHROMIUM, openPage, type StartedLab, startBrowser, startLab, WITHOUT } from "./browser.js";

describe.skipIf(CHROMIUM === undefined)(`the editor of a lab${WITHOUT}`, () => {
  const exercise = exerciseCopy(SOLUTION.replaceAll("\n", "\r\n"));
  let browser: Browser;
  let lab: StartedLab;
  let page: Page;
  let errors: string[];
  let answers: HeldAnswers;

  beforeAll(async () => {
    browser = await startBrowser();
    ({ page, errors } = await openPage(browser));
    answers = await HeldAnswers.of(page);
    lab = await startLab([exercise.folder]);
    await page.goto(lab.url);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    await tab(page, "Program").click();
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    exercise.remove();
  });

  it("shows a file whose lines end with CR and LF as unchanged", async () => {
    await page.getByRole("textbox", { name: /^Text of/ }).waitFor();
    expect(await page.getByRole("button", { name: "Save and run" }).isDisabled()).toBe(true);
  });

  it("fixes a name, completes a member, and describes it", async () => {
    await useLanguageService(page);
  });

  it("shows the parameters of a call while it is written", async () => {
    await putCursor(page, "standard_metadata.enq_qdepth");
    await page.keyboard.type("; mark_to_drop(");
    const help = page.locator(".cm-signature");
    await help.waitFor();
    expect(await help.locator("strong").textContent()).toContain("standard_metadata_t");
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Revert" }).click();
  });

  it("keeps the help closed if its reply comes after Escape, until the next comma", async () => {
    await putCursor(page, "standard_metadata.egress_spec = port;");
    answers.hold("edit.signature");
    await page.keyboard.type(" mark_to_drop(");
    await answers.isHeld();
    await page.keyboard.press("Escape");
    answers.release();
    // the compiler's reply about this text comes after the held reply
    await page.keyboard.insertText("$");
    await page
      .getByRole("region", { name: /^Messages about/ })
      .getByText("'$'")
      .first()
      .waitFor();
    await page.keyboard.press("Backspace");
    const help = page.locator(".cm-signature");
    expect(await help.count()).toBe(0);
    await page.keyboard.type(",");
    await help.waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Revert" }).click();
  });

  it("goes to a declaration in v1model.p4, which is read-only", async () => {
    await putCursor(page, "standard_metadata.egress_spec");
    await page.keyboard.press("F12");
    await page.getByRole("textbox", { name: "Text of p4include/v1model.p4" }).waitFor();
    await page.getByText("read only").waitFor();
    await expect.poll(() => page.locator(".cm-activeLine").first().textContent()).toContain("egress_spec");
    await page.getByRole("combobox", { name: "File" }).selectOption("forwarding.p4");
  });

  it("renames everywhere, and gives the reason if it cannot", async () => {
    await putCursor(page, "action send_to");
    const rename = async (name: string) => {
      await page.keyboard.press("F2");
      await page.getByRole("textbox", { name: "New name" }).fill(name);
      await page.keyboard.press("Enter");
    };
    await rename("table");
    await page.getByRole("alert").filter({ hasText: "'table' is a keyword of P4" }).waitFor();
    await page.getByRole("button", { name: "Close this message" }).click();
    await putCursor(page, "action send_to");
    await rename("send_out");
    await page.getByRole("status").filter({ hasText: "Renamed to send_out at" }).waitFor();
    await page.getByText("action send_out").waitFor();
  });

  it("formats by a key", async () => {
    await putCursor(page, "action send_out");
    await page.keyboard.type("   ");
    await page.keyboard.press("Shift+Alt+F");
    await page.getByRole("status").filter({ hasText: "forwarding.p4 is formatted" }).waitFor();
    expect(errors).toEqual([]);
  });
});
