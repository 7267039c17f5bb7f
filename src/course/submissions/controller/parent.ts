/** Runs the controller of a submission in a process of its own, and carries out its requests on the switches of a test. */
import { type ChildProcess, spawn } from "node:child_process";
import { constants, getPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import { Diagnostics, SourceFile } from "../../../base/index.js";
import { Interpreter } from "../../../toolchain/control/index.js";
import type { ControllerPacket, DeviceEvent, ReadQuery, Update } from "../../../toolchain/device/index.js";
import {
  type RunningController,
  type StartController,
  StepFailure,
  type TestNetwork,
} from "../../grading/index.js";
import { decode, encode, type FromController, lineReader, type ToController } from "./messages.js";

/** Maximum number of requests in one test; a controller that sends more is stopped. */
const MAX_REQUESTS = 20_000;
const MAX_MESSAGE_BYTES = 4 << 20;
const MAX_LOG_LINES = 20;
/** How a process ends that the kernel stops at its time limit: by a signal, or a shell that waits for it ends with a status. */
const OUT_OF_TIME: readonly unknown[] = (["SIGKILL", "SIGXCPU"] as const).flatMap((signal) => [
  signal,
  128 + constants.signals[signal],
]);
const ENDLESS = ["the controller finishes handling an event", "it does not finish"] as const;

interface ControllerCare {
  /**
   * Maximum real time for the answer to one message, in milliseconds; a controller that takes longer is stopped. Absent: the caller stops what
   * hangs.
   */
  readonly answerMs?: number;
  /** Called when a controller had to be stopped, as it would have to be in each further test. */
  stopped?(why: StepFailure): void;
}

/** @param command starts the process of a controller */
export function controllerStarter(command: readonly string[], care: ControllerCare): StartController {
  return async (module, network) => {
    const controller = new ControllerProcess(command, network, care);
    controller.start(module);
    try {
      await controller.idle();
    } catch (error) {
      await controller.close();
      throw error;
    }
    return controller;
  };
}

/** A test on real switches raises the priority of this process. The code of a submission must not inherit that. */
function atUsualPriority(command: readonly string[]): readonly string[] {
  const raised = -getPriority();
  return raised > 0 ? ["nice", "-n", String(raised), ...command] : command;
}

class ControllerProcess implements RunningController {
  readonly #child: ChildProcess;
  readonly #interpreters = new Map<string, Interpreter>();
  readonly #log: string[] = [];
  readonly #exited: Promise<void>;
  #sent = 0;
  #handled = 0;
  #requests = 0;
  /** Number of requests that have not been answered. */
  #open = 0;
  #failure: StepFailure | undefined;
  #closing = false;
  #wake: () => void = () => {};
  #stopWatching: (() => void)[] = [];

  constructor(
    command: readonly string[],
    readonly network: TestNetwork,
    readonly care: ControllerCare,
  ) {
    const [file, ...args] = atUsualPriority(command);
    this.#child = spawn(file!, args, { stdio: ["pipe", "ignore", "ignore", "pipe"] });
    const read = lineReader((line) => this.#take(line));
    let pending = 0;
    (this.#child.stdio[3] as Readable).setEncoding("utf8").on("data", (text: string) => {
      pending = text.includes("\n") ? 0 : pending + text.length;
      if (pending > MAX_MESSAGE_BYTES) this.#stop("messages of at most 4 MB", "a longer one");
      else if (this.#failure === undefined) read(text);
    });
    this.#child.stdin!.on("error", () => {});
    this.#exited = new Promise((resolve) => {
      this.#child.once("error", () => resolve());
      this.#child.once("exit", (code, signal) => {
        this.#ended(code, signal);
        resolve();
      });
    });
  }

  /** The kernel stops a process at its time limit; V8 itself ends a process that has no memory left. */
  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#closing) return;
    if (OUT_OF_TIME.includes(signal ?? code)) this.#stop(...ENDLESS);
    else if (signal !== null || (code !== null && code > 128))
      this.#stop("the controller needs no more memory than the limit", "it needs more");
    else this.#fail("the controller runs until the test ends", `it ends its process (status ${code})`);
  }

  #stop(expected: string, seen: string): void {
    this.#fail(expected, seen);
    this.care.stopped?.(this.#failure!);
  }

  start(module: string): void {
    const switches = this.network.switches();
    this.#send({ kind: "start", module, switches });
    for (const name of switches) {
      this.#stopWatching.push(
        this.network.watch(name, (event: DeviceEvent) => {
          if (event.kind !== "packetIn" && event.kind !== "digest") return;
          this.#send({ kind: "event", switch: name, event });
          if (event.kind === "digest")
            void this.network.device(name).acknowledgeDigest(event.list.digest, event.list.listId);
        }),
      );
    }
  }

  #send(message: ToController): void {
    if (this.#closing || this.#failure !== undefined) return;
    this.#sent++;
    (this.#child.stdin as Writable).write(`${encode(message)}\n`);
  }

  #note(text: string): void {
    for (const line of text.split("\n"))
      if (line.trim() !== "" && this.#log.length < MAX_LOG_LINES) this.#log.push(line.slice(0, 200));
  }

  #fail(expected: string, seen: string): void {
    this.#failure ??= new StepFailure(expected, seen, this.#log);
    this.#wake();
  }

  #take(line: string): void {
    let message: FromController;
    try {
      message = decode(line) as FromController;
    } catch {
      this.#fail(
        "messages in the format of the controller's functions",
        `something else: ${line.slice(0, 80)}`,
      );
      return;
    }
    switch (message?.kind) {
      case "idle":
        this.#handled = Number(message.handled);
        this.#wake();
        return;
      case "failed":
        this.#fail("the controller runs without an error", String(message.message).slice(0, 500));
        return;
      case "log":
        this.#note(`controller: ${String(message.text)}`);
        return;
      case "request":
        if (++this.#requests > MAX_REQUESTS)
          this.#fail(`at most ${MAX_REQUESTS} requests of the controller`, "more");
        else void this.#serve(message);
        return;
      default:
        this.#fail(
          "messages in the format of the controller's functions",
          `something else: ${line.slice(0, 80)}`,
        );
    }
  }

  async #serve({
    id,
    switch: name,
    method,
    argument,
  }: Extract<FromController, { kind: "request" }>): Promise<void> {
    this.#open++;
    let answer: ToController;
    try {
      answer = { kind: "answer", id, value: await this.#do(name, method, argument) };
    } catch (error) {
      answer = { kind: "answer", id, error: (error as Error).message };
    }
    this.#open--;
    this.#send(answer);
  }

  async #do(name: string, method: string, argument: unknown): Promise<unknown> {
    if (!this.network.switches().includes(name)) throw new Error(`there is no switch ${name}`);
    const device = this.network.device(name);
    switch (method) {
      case "write":
        return device.write(argument as Update[]);
      case "read":
        return device.read(argument as ReadQuery[]);
      case "packetOut":
        return device.packetOut(argument as ControllerPacket);
      case "run":
        return this.#run(name, String(argument));
      default:
        throw new Error(`there is no method ${method}`);
    }
  }

  async #run(name: string, line: string): Promise<string[]> {
    let interpreter = this.#interpreters.get(name);
    if (interpreter === undefined) {
      interpreter = new Interpreter(this.network.device(name));
      this.#interpreters.set(name, interpreter);
    }
    const lines: string[] = [];
    const diagnostics = new Diagnostics();
    await interpreter.run(new SourceFile(name, line), diagnostics, { print: (text) => lines.push(text) });
    diagnostics.throwIfErrors();
    return lines;
  }

  async idle(): Promise<void> {
    while (this.#failure === undefined && (this.#open > 0 || this.#handled < this.#sent)) {
      const { answerMs } = this.care;
      const timer = answerMs === undefined ? undefined : setTimeout(() => this.#stop(...ENDLESS), answerMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      clearTimeout(timer);
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const stop of this.#stopWatching) stop();
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}
