/** The page in another language: by the browser, by the address, by the switch in the page; served, static, and without a network. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../../built-command.js";
import { exerciseCopy } from "./actions.js";
import { seriousFindings } from "./axe.js";
import { CHROMIUM, openPage, type StartedLab, startBrowser, startLab, WITHOUT } from "./browser.js";

const FRENCH = `---
title: Commutation
about: Deux commutateurs.
---
# Exercice 1 : commutation
`;

const TABS = {
  en: ["Exercise", "Program", "Packet", "Tables", "Hosts", "Send", "Plots"],
  de: ["Übung", "Programm", "Paket", "Tabellen", "Hosts", "Senden", "Diagramme"],
};

/** Waits until the page has the tabs of a language. */
async function hasTabs(page: Page, code: keyof typeof TABS): Promise<void> {
  const work = page.getByRole("tablist").last();
  await expect
    .poll(
      async () => (await work.getByRole("tab").allTextContents()).map((text) => text.replace(/[*!]$/, "")),
      {
        timeout: 20_000,
      },
    )
    .toEqual(TABS[code]);
  expect(await page.evaluate(() => document.documentElement.lang)).toBe(code);
}

const choice = (page: Page) => page.getByRole("combobox", { name: /^(Language|Sprache)$/ });

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

describe.skipIf(CHROMIUM === undefined)(`the language of the page${WITHOUT}`, () => {
  const exercise = exerciseCopy();
  let browser: Browser;
  let lab: StartedLab;

  beforeAll(async () => {
    writeFileSync(join(exercise.folder, "README.fr.md"), FRENCH);
    writeFileSync(
      join(exercise.folder, "../fr.json"),
      '{ "language": "Français", "texts": { "tab.exercise": "Exercice" } }',
    );
    browser = await startBrowser();
    lab = await startLab([exercise.folder, "--language", join(exercise.folder, "../fr.json")]);
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    exercise.remove();
  });

  it("is that of the browser, and everything in the page has it", async () => {
    const { page, errors } = await openPage(browser, { locale: "de-AT" });
    await page.goto(lab.url);
    await hasTabs(page, "de");
    await page.getByRole("button", { name: "Tests ausführen" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /von \d+ Tests bestanden/ })
      .waitFor();
    await page.getByRole("button", { name: "Host h1, in Betrieb" }).click();
    const card = page.getByRole("region", { name: "Auswahl" });
    await card.getByRole("combobox", { name: "Ziel des Pings" }).selectOption("h2");
    await card.getByRole("button", { name: "Ping" }).click();
    await page.getByRole("combobox", { name: "Geschwindigkeit" }).selectOption({ label: "Echtzeit" });
    await page
      .getByRole("table", { name: "Pakete, die neuesten zuerst" })
      .getByText(/^verworfen in s1: /)
      .waitFor();
    await page.getByRole("tab", { name: "Programm" }).click();
    const editor = page.getByRole("textbox", { name: "Text von forwarding.p4" });
    await editor.click();
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Suchen" }).waitFor();
    for (const name of ["Tabellen", "Senden", "Hosts", "Diagramme", "Paket"])
      await page.getByRole("tab", { name, exact: true }).click();
    expect(await seriousFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it("can be switched without losing the work, is remembered, and gives way to ?lang=", async () => {
    const { page, errors } = await openPage(browser);
    await page.goto(lab.url);
    await hasTabs(page, "en");
    await page.getByRole("tab", { name: "Program" }).click();
    await page.getByRole("textbox", { name: /^Text of/ }).click();
    await page.keyboard.type("x");
    await choice(page).selectOption({ label: "Deutsch" });
    await hasTabs(page, "de");
    await page.getByRole("textbox", { name: /^Text von/ }).waitFor();
    await page.getByRole("button", { name: "Verwerfen" }).waitFor();
    await page.reload();
    await hasTabs(page, "de");
    await page.goto(`${lab.url}&lang=en`);
    await hasTabs(page, "en");
    await choice(page).selectOption({ label: "Deutsch" });
    await hasTabs(page, "de");
    expect(new URL(page.url()).searchParams.has("lang")).toBe(false);
    expect(new URL(page.url()).searchParams.has("token")).toBe(true);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it("may be one that the teacher adds, in English where it has no words", async () => {
    const { page } = await openPage(browser, { locale: "fr-CA" });
    await page.goto(lab.url);
    await page.getByRole("tab", { name: "Exercice" }).waitFor();
    await page.getByRole("tab", { name: "Tables" }).waitFor();
    await page.getByRole("heading", { name: "Exercice 1 : commutation" }).waitFor();
    await page.context().close();
  });

  it("is in the static page too, also without its server", async () => {
    const folder = join(exercise.folder, "../page");
    execFileSync(process.execPath, [COMMAND, "lab", "--static", folder, exercise.folder]);
    const server: Server = createServer((request, response) => {
      const { pathname } = new URL(request.url!, "http://host");
      const name = pathname === "/" ? "index.html" : pathname.slice(1);
      if (!readdirSync(folder).includes(name)) return void response.writeHead(404).end();
      response
        .writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" })
        .end(readFileSync(join(folder, name)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { page, errors } = await openPage(browser);
    await page.goto(`${url}?lang=de`);
    await hasTabs(page, "de");
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await page.goto(url);
    await hasTabs(page, "en");
    await choice(page).selectOption({ label: "Deutsch" });
    await hasTabs(page, "de");
    expect(errors).toEqual([]);
    await page.context().close();
    rmSync(folder, { recursive: true });
  });
});
