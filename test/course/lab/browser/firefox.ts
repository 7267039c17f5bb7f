/** A real Firefox over WebDriver BiDi (W3C Working Draft): one window, keys, and scripts in the page. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { WebSocket } from "ws";

/** Path of the Firefox of this machine; P4LOOM_FIREFOX names another one. */
export const FIREFOX: string | undefined = [
  process.env["P4LOOM_FIREFOX"] ?? "",
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => ["firefox-esr", "firefox"].map((name) => join(folder, name))),
].find((path) => path !== "" && existsSync(path));

/** Keys that are no characters, as WebDriver numbers them (WebDriver, "Keyboard actions"). */
const KEYS: Record<string, string> = {
  ...{ Tab: "\uE004", Enter: "\uE007", Shift: "\uE008", Control: "\uE009" },
  ...{ Home: "\uE011", ArrowLeft: "\uE012", ArrowRight: "\uE014" },
};

type Value = Record<string, unknown>;

export class Firefox {
  #next = 0;
  readonly #waiting = new Map<number, { resolve: (value: Value) => void; reject: (error: Error) => void }>();
  #context = "";

  private constructor(
    readonly socket: WebSocket,
    readonly close: () => Promise<void>,
  ) {
    socket.on("message", (data) => {
      const { id, result, error, message } = JSON.parse(String(data)) as Value & { id: number };
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (result === undefined) call?.reject(new Error(`${String(error)}: ${String(message)}`));
      else call?.resolve(result as Value);
    });
  }

  /** Starts a Firefox without a screen and with a new profile. */
  static async start(path: string): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), "p4loom-firefox-"));
    const child = spawn(
      path,
      ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const address = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stderr.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        const found = /WebDriver BiDi listening on (ws:\S+)/.exec(text);
        if (found !== null) resolve(found[1]!);
      });
      child.once("exit", (code) => reject(new Error(`Firefox has ended with ${code}: ${text}`)));
    });
    const socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const firefox = new Firefox(socket, async () => {
      await firefox.#call("browser.close", {}).catch(() => child.kill());
      await ended;
      rmSync(profile, { recursive: true, force: true });
    });
    await firefox.#call("session.new", { capabilities: {} });
    // The page that Firefox opens at its start never has the focus without a screen: Enter would press no button in it. A new tab has it.
    const { context } = await firefox.#call("browsingContext.create", { type: "tab" });
    firefox.#context = String(context);
    return firefox;
  }

  #call(method: string, params: Value): Promise<Value> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  async open(url: string, width: number): Promise<void> {
    const context = this.#context;
    await this.#call("browsingContext.setViewport", { context, viewport: { width, height: 800 } });
    await this.#call("browsingContext.navigate", { context, url, wait: "complete" });
  }

  /** The value of an expression in the page: a text, a number, or a truth value. */
  async value(expression: string): Promise<unknown> {
    const answer = (await this.#call("script.evaluate", {
      ...{ expression, target: { context: this.#context }, awaitPromise: true },
    })) as { result?: { value?: unknown }; exceptionDetails?: { text: string } };
    if (answer.exceptionDetails !== undefined) throw new Error(answer.exceptionDetails.text);
    return answer.result?.value;
  }

  /** Presses keys at the same time, such as "Shift+Tab". */
  async press(keys: string): Promise<void> {
    const values = keys.split("+").map((name) => KEYS[name] ?? name);
    await this.#call("input.performActions", {
      context: this.#context,
      actions: [
        {
          ...{ type: "key", id: "keys" },
          actions: [
            ...values.map((value) => ({ type: "keyDown", value })),
            ...values.reverse().map((value) => ({ type: "keyUp", value })),
          ],
        },
      ],
    });
  }

  /** Puts a text where the cursor is, as a paste does. */
  async insertText(text: string): Promise<void> {
    await this.value(`document.execCommand("insertText", false, ${JSON.stringify(text)})`);
  }

  /** Presses a key until the element with this name has the focus. */
  async tabTo(name: RegExp, key = "Tab"): Promise<void> {
    const label =
      "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''";
    for (let presses = 0; presses < 60; presses++) {
      await this.press(key);
      if (name.test(String(await this.value(label)))) return;
    }
    throw new Error(`${key} does not reach ${name}`);
  }
}
