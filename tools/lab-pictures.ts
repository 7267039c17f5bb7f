/**
 * Takes the screenshots of docs/lab.md again, of the built page in the Chromium of this machine:
 *
 *     npx tsx tools/lab-pictures.ts
 */
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import {
  exerciseCopy,
  FOLDER,
  packets,
  ping,
  SOLUTION,
  setSpeed,
  tab,
} from "../test/course/lab/browser/actions.js";
import { CHROMIUM, openPage, startBrowser, startLab } from "../test/course/lab/browser/browser.js";

import { StudentPage, startRoom } from "../test/course/lab-server/room-client.js";

const IMAGES = resolve(import.meta.dirname, "../docs/images");
const SIZE = { width: 1280, height: 780 };

const save = (page: Page, name: string) => page.screenshot({ path: resolve(IMAGES, `${name}.png`) });

async function main(): Promise<void> {
  if (CHROMIUM === undefined) throw new Error("there is no chromium on PATH");
  const exercise = exerciseCopy(SOLUTION);
  const browser = await startBrowser();
  const lab = await startLab([exercise.folder]);
  try {
    const { page } = await openPage(browser, { viewport: SIZE });
    await page.goto(lab.url);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    await page.getByRole("button", { name: "Run the tests" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /tests pass/ })
      .waitFor();
    await page.getByRole("button", { name: "Close this message" }).click();
    await ping(page, "h1", "h3");
    await ping(page, "h3", "h2");
    await page.waitForTimeout(1500);
    await save(page, "lab-network");
    await setSpeed(page, "real time");
    await packets(page, /echo reply/, /delivered to h1/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Dark theme" }).click();
    await packets(page, /echo request/, /delivered to h3/)
      .last()
      .getByRole("button")
      .click();
    const way = page.getByRole("list", { name: "Path of the packet" });
    await way.getByRole("button", { name: /^s1/ }).click();
    await way.getByRole("button", { name: /egress_spec: .* -> 3/ }).click();
    await page.waitForTimeout(500);
    await save(page, "lab-story");
    await page.getByRole("button", { name: "Dark theme" }).click();
    await tab(page, "Hosts").click();
    await page.getByRole("combobox", { name: "Traffic" }).selectOption("TCP");
    await page.getByRole("spinbutton", { name: /^Size/ }).fill("60");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("combobox", { name: "From", exact: true }).selectOption("h3");
    await page.getByRole("combobox", { name: "To", exact: true }).selectOption("h2");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await tab(page, "Plots").click();
    await page.waitForTimeout(9000);
    await save(page, "lab-plots");
    await page.goto(`${lab.url}&lang=de`);
    await page.getByRole("button", { name: "Tests ausführen" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /Tests bestanden/ })
      .waitFor();
    await page.getByRole("button", { name: "Diese Meldung schließen" }).click();
    await save(page, "lab-german");
    await room(page);
  } finally {
    await browser.close();
    await lab.stop();
    exercise.remove();
  }
}

/** The teacher's page of a room, where some students have run the tests. */
async function room(page: Page): Promise<void> {
  const students = ["anna", "ben", "carla", "dilek", "emil"];
  const started = await startRoom(FOLDER, { students });
  try {
    for (const [index, name] of students.slice(0, 3).entries()) {
      const student = await StudentPage.open(started.addresses.get(name) ?? "");
      if (index === 0) await student.ask({ op: "files.save", path: "forwarding.p4", text: SOLUTION });
      await student.ask({ op: "exercise.test" });
      if (index === 2) student.close();
    }
    await page.setViewportSize({ width: 1000, height: 400 });
    await page.goto(`${started.teacher}&lang=en`);
    await page.getByRole("row", { name: /carla/ }).waitFor();
    await page.waitForTimeout(1000);
    await save(page, "lab-room");
  } finally {
    await started.stop();
  }
}

await main();
