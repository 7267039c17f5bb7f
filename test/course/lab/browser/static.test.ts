/** The page as files for any web server: compiler, switch and simulator run in the browser, without further requests. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../../built-command.js";
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

const TYPES: Record<string, string> = {
  ...{ ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" },
};

/** A minimal web server for the files of a folder, at a path that ends with "/". */
function serve(folder: string, at = "/"): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://host");
    const name = pathname === at ? "index.html" : pathname.startsWith(at) ? pathname.slice(at.length) : "";
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

  it("writes nothing of a solution of any of the exercises, by its path or by its lines", () => {
    const course = join(FOLDER, "..");
    const exercises = readdirSync(course).sort();
    expect(exercises).toHaveLength(21);
    const out = join(above, "course");
    const words = exercises.map((name) => join(course, name));
    execFileSync(process.execPath, [COMMAND, "lab", "--static", out, ...words]);
    const all = readdirSync(out)
      .map((name) => readFileSync(join(out, name), "utf8"))
      .join("\n");
    const lines = (text: string) => text.split("\n").map((line) => line.trim());
    for (const folder of words) {
      const project = readFileSync(join(out, `project-${basename(folder)}.json`), "utf8");
      const { files } = JSON.parse(project) as { files: Record<string, string> };
      expect(Object.keys(files).filter((path) => /solution/i.test(path))).toEqual([]);
      expect(Object.keys(files)).toContain("README.md");
      const shown = new Set(Object.values(files).flatMap(lines));
      const given = new Set(
        readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .flatMap(({ name }) => lines(readFileSync(join(folder, name), "utf8"))),
      );
      for (const name of readdirSync(join(folder, "solution"))) {
        const own = lines(readFileSync(join(folder, "solution", name), "utf8")).filter(
          (line) => line.length > 8 && !given.has(line),
        );
        expect(own.length, `${folder} ${name}`).toBeGreaterThan(0);
        expect(own.filter((line) => shown.has(line))).toEqual([]);
        // The comment at the top says of which exercise it is the solution: it is in no file, of the page neither.
        expect(all).not.toContain(own[0]);
      }
    }
  });

  it("deletes the files of projects that a page written before had, and this one has not", () => {
    const out = join(above, "again");
    const write = (...paths: string[]) =>
      execFileSync(process.execPath, [COMMAND, "lab", "--static", out, ...paths]);
    write(FOLDER, join(FOLDER, "../02-lpm-ttl"));
    expect(readdirSync(out)).toContain("project-02-lpm-ttl.json");
    write(FOLDER);
    expect(readdirSync(out)).not.toContain("project-02-lpm-ttl.json");
    expect(readdirSync(out)).toContain("project-01-forwarding.json");
  });

  it("lists all of its files for browsers, with a version that follows their bytes", () => {
    const out = join(above, "versions");
    const listOf = (...paths: string[]) => {
      execFileSync(process.execPath, [COMMAND, "lab", "--static", out, ...paths]);
      const [line = ""] = readFileSync(join(out, "offline.js"), "utf8").split("\n");
      return JSON.parse(/^globalThis\.OFFLINE = (.*);$/.exec(line)![1]!) as {
        version: string;
        files: string[];
      };
    };
    const first = listOf(exercise.folder);
    expect(first.files.filter((name) => name !== ".").sort()).toEqual(
      readdirSync(out)
        .filter((name) => name !== "offline.js")
        .sort(),
    );
    expect(listOf(exercise.folder)).toEqual(first);
    expect(listOf(exercise.folder, FOLDER).version).not.toBe(first.version);
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

  it("opens without its server after one visit, behind any path, and can be installed", async () => {
    const at = "/courses/2026/p4/";
    const away = await serve(folder, at);
    const { page, errors } = await openPage(browser);
    const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}${at}`;
    await page.goto(url);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    const devtools = await page.context().newCDPSession(page);
    const manifest = await devtools.send("Page.getAppManifest");
    expect(manifest.errors).toEqual([]);
    expect(manifest.url).toBe(`${url}manifest.webmanifest`);
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
    // The profile of a test is private, and Chromium installs nothing there.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual(
      [],
    );
    away.closeAllConnections();
    await new Promise((closed) => away.close(closed));
    await page.goto(`${url}?project=01-forwarding-2`);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    await runProgram(page, SOLUTION);
    await page.getByRole("combobox", { name: "Exercise" }).selectOption({ index: 0 });
    await page.waitForURL(/project=01-forwarding$/);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it("says what to do where it was opened as a file", async () => {
    const { page } = await openPage(browser);
    await page.goto(pathToFileURL(join(folder, "index.html")).href);
    await page.getByText(/opened as a file: serve its folder with a web server/).waitFor();
    await page.goto(address);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    expect(await page.getByText(/opened as a file/).count()).toBe(0);
  });
});
