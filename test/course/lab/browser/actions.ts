/** Actions of users in the page. Elements are found by the roles and labels that screen readers use. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";

/** The first exercise. */
export const FOLDER = resolve(import.meta.dirname, "../../../../examples/course/01-forwarding");

export const SOLUTION = readFileSync(join(FOLDER, "solution/forwarding.p4"), "utf8");

/** A writable copy of the first exercise, with the starter or another program. */
export function exerciseCopy(program?: string): { folder: string; remove(): void } {
  const above = mkdtempSync(join(tmpdir(), "p4loom-lab-"));
  const folder = join(above, "01-forwarding");
  cpSync(FOLDER, folder, { recursive: true });
  if (program !== undefined) writeFileSync(join(folder, "forwarding.p4"), program);
  return { folder, remove: () => rmSync(above, { recursive: true, force: true }) };
}

export const tab = (page: Page, name: string) => page.getByRole("tab", { name: new RegExp(`^${name}`) });

/** Replaces the editor's text, as a paste does. */
export async function write(page: Page, text: string): Promise<void> {
  const editor = page.getByRole("textbox", { name: /^Text of/ });
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Replaces the program of the exercise, and waits until it runs. */
export async function runProgram(page: Page, text: string): Promise<void> {
  await tab(page, "Program").click();
  await write(page, text);
  await page.getByRole("button", { name: "Save and run" }).click();
  await page
    .getByRole("status")
    .filter({ hasText: /runs at s1/ })
    .waitFor();
}

/** Puts the cursor after a text that occurs once in the program. */
export async function putCursor(page: Page, behind: string): Promise<void> {
  await page.getByRole("textbox", { name: /^Text of/ }).click();
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find" }).fill("");
  await page.keyboard.type(behind);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowRight");
}

/** CodeMirror gives keys to a list of completions 75 ms after it opened (`interactionDelay`), in milliseconds. */
const KEYS_REACH_LIST = 150;

/** Accepts the first completion of the list. A list that waits for a reply ignores keys. */
async function takeSuggestion(page: Page, label: string): Promise<void> {
  const list = page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)");
  await list.locator("[aria-selected=true]").filter({ hasText: label }).waitFor();
  await page.waitForTimeout(KEYS_REACH_LIST);
  await page.keyboard.press("Enter");
}

/** Types a wrong name and applies the fix of its message, completes a member, and shows the description of the member. */
export async function useLanguageService(page: Page): Promise<void> {
  await tab(page, "Program").click();
  await putCursor(page, "standard_metadata.egress_spec = port;");
  await page.keyboard.insertText(" standard_metadata.mcast_grop = 0;");
  await page.getByRole("button", { name: "Change to 'mcast_grp'" }).click();
  await page
    .getByRole("region", { name: /^Messages about/ })
    .getByText("No errors")
    .waitFor();
  await putCursor(page, "mcast_grp = 0;");
  await page.keyboard.type(" standard_metadata.enq_qd");
  await takeSuggestion(page, "enq_qdepth");
  await page.getByText("standard_metadata.enq_qdepth").waitFor();
  await page.keyboard.type(" = 0;");
  await putCursor(page, "enq_qdepth");
  // on a busy machine the browser may notify the editor of the moved cursor late, which closes the list
  const note = page.locator(".cm-note").filter({ hasText: "bit<19>" });
  for (let i = 0; i < 8 && !(await note.isVisible()); i++) {
    await page.keyboard.press("Control+i");
    await note.waitFor({ timeout: 2000 }).catch(() => {});
  }
  await note.waitFor();
  await page.keyboard.press("Escape");
}

/** Sends one echo request by the card of a host. */
export async function ping(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole("button", { name: `Host ${from}, up` }).click();
  const card = page.getByRole("region", { name: "Selection" });
  await card.getByRole("combobox", { name: "Host to ping" }).selectOption(to);
  await card.getByRole("button", { name: "Ping" }).click();
}

/** The rows of the list of packets that contain these texts. */
export const packets = (page: Page, ...texts: RegExp[]) =>
  texts.reduce(
    (rows, hasText) => rows.filter({ hasText }),
    page.getByRole("table", { name: /^Packets/ }).getByRole("row"),
  );

/** Selects a speed by its text. */
export const setSpeed = (page: Page, label: string) =>
  page.getByRole("combobox", { name: "Speed" }).selectOption({ label });
