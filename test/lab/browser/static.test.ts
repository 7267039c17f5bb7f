/** The page as files for any web server: compiler, switch and simulator run in the browser, without further requests. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../built-command.js";
import {
  exerciseCopy,
  FOLDER,
  packets,
  ping,
  runProgram,
  SOLUTION,
  setSpeed,
  tab,
  useLanguageService,
} from "./actions.js";
import { CHROMIUM, openPage, startBrowser, WITHOUT } from "./browser.js";

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** A minimal web server for files. */
function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://host");
    const name = pathname === "/" ? "index.html" : pathname.slice(1);
    if (!readdirSync(folder).includes(name)) return void response.writeHead(404).end();
    const type = TYPES[extname(name)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(readFileSync(join(folder, name)));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const above = mkdtempSync(join(tmpdir(), "p4loom-static-"));
const folder = join(above, "page");
const exercise = exerciseCopy();

beforeAll(() => {
  execFileSync(process.execPath, [COMMAND, "lab", "--static", folder, exercise.folder, FOLDER]);
});
afterAll(() => {
  exercise.remove();
  rmSync(above, { recursive: true, force: true });
});

describe("p4loom lab --static", () => {
  it("writes the page and its projects, below 3 MB after gzip, without the address of any other host to load from", () => {
    const names = readdirSync(folder);
    expect(names).toEqual(
      expect.arrayContaining(["index.html", "main.js", "main.css", "worker.js", "projects.json"]),
    );
    let bytes = 0;
    for (const name of names) {
      const content = readFileSync(join(folder, name));
      bytes += gzipSync(content).length;
      if (/\.(html|css)$/.test(name))
        expect(content.toString(), name).not.toMatch(/(src|href|url\()=?["']?(https?:)?\/\//);
    }
    expect(bytes).toBeLessThan(3_000_000);
    const { projects } = JSON.parse(readFileSync(join(folder, "projects.json"), "utf8")) as {
      projects: { name: string; file: string }[];
    };
    expect(projects.map(({ name }) => name)).toEqual(["01-forwarding", "01-forwarding-2"]);
    for (const { file } of projects) expect(names).toContain(file);
  });

  it("rejects a folder with other files, a file, and a path that is not a project, and writes nothing", () => {
    const other = join(above, "other");
    mkdirSync(other);
    writeFileSync(join(other, "thesis.tex"), "");
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [COMMAND, "lab", "--static", ...words], { encoding: "utf8" });
    for (const [words, code] of [
      [[other, FOLDER], "P46100"],
      [[join(other, "thesis.tex"), FOLDER], "P46100"],
      [[join(above, "new"), join(above, "nowhere")], "P46051"],
    ] as const) {
      const { status, stderr } = run(...words);
      expect(status, stderr).toBe(1);
      expect(stderr).toContain(`error[${code}`);
    }
    expect(readdirSync(other)).toEqual(["thesis.tex"]);
    expect(readdirSync(above)).not.toContain("new");
    expect(run(folder, FOLDER).status).toBe(0);
    execFileSync(process.execPath, [COMMAND, "lab", "--static", folder, exercise.folder, FOLDER]);
  });
});

describe.skipIf(CHROMIUM === undefined)(`the static page${WITHOUT}`, () => {
  let browser: Browser;
  let server: Server;
  let address: string;

  beforeAll(async () => {
    browser = await startBrowser();
    server = await serve(folder);
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("compiles and forwards in the browser, keeps saved files, and starts over", async () => {
    const { page, requests, errors } = await openPage(browser);
    await page.goto(address);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    await runProgram(page, SOLUTION);
    await setSpeed(page, "real time");
    await ping(page, "h1", "h3");
    await packets(page, /echo reply/, /delivered to h1/)
      .first()
      .waitFor();
    await useLanguageService(page);
    await page.getByRole("button", { name: "Revert" }).click();
    await page.reload();
    await tab(page, "Program").click();
    await page.getByText("Solution of exercise 1").waitFor();
    const reloaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Start over" }).click();
    await reloaded;
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    await tab(page, "Program").click();
    await page.getByText("The comments with TODO").waitFor();
    await page.getByRole("combobox", { name: "Exercise" }).selectOption({ index: 1 });
    await page.waitForURL(/project=01-forwarding-2/);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    const asked = requests.filter(({ protocol }) => protocol !== "data:" && protocol !== "blob:");
    expect(new Set(asked.map(({ origin }) => origin))).toEqual(new Set([new URL(address).origin]));
    expect(errors).toEqual([]);
  });
});
