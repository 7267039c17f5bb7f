/** A real Chromium for tests of the lab's page, and labs as users start them. Without Chromium, the tests are skipped. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { COMMAND } from "../../../built-command.js";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Path of the Chromium of this machine; P4LOOM_CHROMIUM names another one. */
export const CHROMIUM: string | undefined = [
  process.env["P4LOOM_CHROMIUM"] ?? "",
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name))),
].find((path) => path !== "" && existsSync(path));

/** Suffix of the titles of skipped tests. */
export const WITHOUT = CHROMIUM === undefined ? " (skipped: no chromium on PATH)" : "";

const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--disable-extensions"],
];

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM!, args: ARGUMENTS });
}

/** A page with a clean profile, all its requests, and all its errors. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; requests: URL[]; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const requests: URL[] = [];
  const errors: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url())));
  page.on("websocket", (socket) => requests.push(new URL(socket.url())));
  page.on("pageerror", (error) => errors.push(error.stack ?? error.message));
  return { page, requests, errors };
}

export interface StartedLab {
  readonly url: string;
  /** The value of `performance.now()` at the start of the command. */
  readonly startedAt: number;
  stop(): Promise<void>;
}

/** Starts `p4loom lab` with these words, and waits for the address that it prints. */
export async function startLab(words: readonly string[]): Promise<StartedLab> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [COMMAND, "lab", "--no-open", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await addressOf(child);
  return {
    url,
    startedAt,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const hear = (chunk: Buffer) => {
      text += chunk.toString();
      const found = /http:\/\/\S+/.exec(text);
      if (found !== null) resolve(found[0]);
    };
    child.stdout!.on("data", hear);
    child.stderr!.on("data", hear);
    child.once("exit", (code) => reject(new Error(`p4loom lab has ended with ${code}: ${text}`)));
  });
}
