/** Chromium without a window, spoken to over a pipe (the DevTools protocol), for tests of pages. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const found = NAMES.find((name) => spawnSync(name, ["--version"]).status === 0);

/** Why tests with a browser cannot run here; undefined: they can. */
export const noChromium = found === undefined ? `none of ${NAMES.join(", ")} is on PATH` : undefined;

interface Answer {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

export class Page {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  #next = 1;
  #rest = "";
  #session: string | undefined;

  private constructor() {
    this.#profile = mkdtempSync(join(tmpdir(), "p4loom-chromium-"));
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--mute-audio"];
    const profile = `--user-data-dir=${this.#profile}`;
    this.#process = spawn(found!, [...flags, profile, "--remote-debugging-pipe", "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    const output = this.#process.stdio[4] as Readable;
    output.setEncoding("utf8").on("data", (text: string) => this.#take(text));
  }

  /** Opens a file in a window of 1280 by 900. */
  static async open(path: string, hash = ""): Promise<Page> {
    const page = new Page();
    const { targetId } = await page.#send("Target.createTarget", { url: "about:blank" });
    const attached = await page.#send("Target.attachToTarget", { targetId, flatten: true });
    page.#session = attached["sessionId"] as string;
    const size = { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false };
    await page.#send("Emulation.setDeviceMetricsOverride", size);
    await page.#send("Page.navigate", { url: `${pathToFileURL(path)}${hash}` });
    await page.until("document.readyState === 'complete'");
    return page;
  }

  /** The value of an expression in the page. */
  async value(expression: string): Promise<unknown> {
    const options = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", options);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value?: unknown }).value;
  }

  /** Waits until an expression is true. */
  async until(expression: string): Promise<void> {
    while ((await this.value(expression)) !== true) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Waits until what has changed is on the screen. */
  async painted(): Promise<void> {
    const twoFrames = "requestAnimationFrame(() => requestAnimationFrame(() => done(true)))";
    await this.value(`new Promise((done) => ${twoFrames})`);
  }

  async key(key: string, shift = false): Promise<void> {
    const event = { key, modifiers: shift ? 8 : 0, ...(key.length === 1 ? { text: key } : {}) };
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    await this.painted();
  }

  async mouse(type: "mouseMoved" | "mousePressed" | "mouseReleased", x: number, y: number): Promise<void> {
    const button = type === "mouseMoved" ? {} : { button: "left", clickCount: 1 };
    await this.#send("Input.dispatchMouseEvent", { type, x, y, ...button });
    await this.painted();
  }

  async dark(): Promise<void> {
    const features = [{ name: "prefers-color-scheme", value: "dark" }];
    await this.#send("Emulation.setEmulatedMedia", { features });
    await this.painted();
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.on("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
    // Chromium's own processes write for a moment after their parent has ended.
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  #send(method: string, params: object): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    (this.#process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #take(text: string): void {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop()!;
    for (const message of messages) {
      const { id, result, error } = JSON.parse(message) as Answer;
      const waiting = this.#waiting.get(id ?? 0);
      if (waiting === undefined) continue;
      this.#waiting.delete(id!);
      if (error === undefined) waiting.resolve(result as never);
      else waiting.reject(new Error(error.message));
    }
  }
}
