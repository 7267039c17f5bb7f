/** The process of one switch: starts it, waits until its P4Runtime server answers, ends it, and starts it again. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fail, systemErrorReason } from "../../../base/index.js";
import { DeviceError } from "../../../toolchain/device/index.js";
import { connect, type RemoteDevice } from "../../../toolchain/p4runtime/index.js";
import { CODES } from "../codes.js";
import { switchNamespace } from "../run/record.js";
import type { SwitchPlan } from "./command-line.js";

/** Longer than any start takes: a switch that has not answered within this time will not answer. */
const START_MS = 60_000;
const LOOK_MS = 10;
const CALL_MS = 30_000;
const LOG_LINES = 10;
const LOG_BYTES = 16_384;

export class SwitchProcess {
  #child: ChildProcess | undefined;
  #argv: readonly string[] = [];
  #ended: Promise<string> = Promise.resolve("not started");
  /** Why the last process ended; undefined: it runs. */
  #over: string | undefined = "not started";
  /** Number of processes that were started, so that the end of an earlier one is recognised. */
  #number = 0;

  /** @param onEnd called with the reason when a started process ends by itself */
  constructor(
    readonly id: string,
    readonly plan: SwitchPlan,
    readonly folder: string,
    readonly onEnd: (reason: string) => void,
  ) {}

  get isRunning(): boolean {
    return this.#over === undefined;
  }

  /** Undefined: it does not run. */
  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined;
  }

  /**
   * Resolves with a connection as primary. Fails with P43104, with the last lines of the log, when the process ends
   * or does not answer. When `stop` is aborted, it ends the process and rejects with the reason.
   */
  async start(argv: readonly string[], stop: AbortSignal): Promise<RemoteDevice> {
    const { plan } = this;
    stop.throwIfAborted();
    this.#argv = argv;
    for (const path of [plan.socket, plan.traceSocket]) if (path !== undefined) rmSync(path, { force: true });
    const log = openSync(plan.logFile, "a");
    try {
      writeSync(log, `$ ${argv.join(" ")}\n`);
      this.#child = spawn("ip", ["netns", "exec", switchNamespace(this.id), ...argv], {
        stdio: ["ignore", log, log],
        cwd: this.folder,
        detached: true,
      });
    } finally {
      closeSync(log);
    }
    const child = this.#child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", (status, signal) => resolve(signal ?? `exit status ${status}`));
      child.once("error", (error) => resolve(systemErrorReason(error)));
    });
    this.#over = undefined;
    void this.#ended.then((reason) => {
      if (child === this.#child) this.#over = reason;
    });
    try {
      return await this.#answer(stop);
    } catch (error) {
      // No other code would end this process.
      child.kill("SIGKILL");
      await this.#ended;
      throw error;
    }
  }

  /** Waits until the process that was just started makes us primary. */
  async #answer(stop: AbortSignal): Promise<RemoteDevice> {
    const { plan } = this;
    const deadline = performance.now() + START_MS;
    while (!existsSync(plan.socket)) {
      if (this.#over !== undefined) this.#refuse(`did not start: ${this.#over}`);
      if (performance.now() > deadline) this.#refuse(`has no P4Runtime server after ${START_MS / 1000} s`);
      stop.throwIfAborted();
      await sleep(LOOK_MS);
    }
    const connected = connect(`unix:${plan.socket}`, {
      name: plan.spec.name,
      deviceId: plan.spec.deviceId,
      timeoutMs: CALL_MS,
      reconnect: false,
    });
    const over = new AbortController();
    try {
      const first = await Promise.race([connected, this.#ended, whenAborted(stop, over.signal)]);
      stop.throwIfAborted();
      if (typeof first === "string") this.#refuse(`did not start: ${first}`);
      const number = ++this.#number;
      void this.#ended.then((reason) => {
        if (number === this.#number) this.onEnd(reason);
      });
      return first;
    } catch (error) {
      void connected.then((device) => device.close()).catch(() => {});
      if (error instanceof DeviceError) this.#refuse(`does not answer: ${error.message}`);
      throw error;
    } finally {
      over.abort();
    }
  }

  /** From now on its end is expected, and not reported. */
  expectEnd(): void {
    this.#number++;
  }

  /** Kills the process, as a crash would; resolves when it has ended. */
  async kill(): Promise<void> {
    this.expectEnd();
    this.#child?.kill("SIGKILL");
    await this.#ended;
  }

  #refuse(why: string): never {
    const { spec, logFile } = this.plan;
    const lines = lastLines(logFile).filter((line) => !line.startsWith("$ "));
    fail(
      CODES.switchStart,
      undefined,
      `switch ${spec.name} ${why}`,
      `command: ${this.#argv.join(" ")}`,
      `log: ${logFile}`,
      ...lines.map((line) => `  ${line}`),
    );
  }
}

/** Rejects with the reason of `stop` when that is aborted; stops listening when `over` is aborted. */
function whenAborted(stop: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    stop.addEventListener("abort", () => reject(stop.reason), { once: true, signal: over });
  });
}

/** The end of a log, at most {@link LOG_LINES} lines of its last {@link LOG_BYTES}. */
function lastLines(path: string): string[] {
  const log = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(LOG_BYTES);
    const length = readSync(log, bytes, 0, LOG_BYTES, Math.max(0, fstatSync(log).size - LOG_BYTES));
    return bytes.toString("utf8", 0, length).trimEnd().split("\n").slice(-LOG_LINES);
  } finally {
    closeSync(log);
  }
}
