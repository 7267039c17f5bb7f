/**
 * The process of a controller. It runs only the submission's module, and reaches switches by messages. It reports that it is
 * idle when no request is open and every promise continuation has run; the test's time does not advance until then.
 */
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { decode, encode, type FromController, type ToController } from "./messages.js";

/** File descriptor of the messages; stdout belongs to the module. */
const MESSAGES = 3;
/** Number of turns of the event loop after which all promise continuations have run, including one that imports a module. */
const TURNS = 3;

type Listener = (message: unknown) => unknown;

/** One switch, as a module uses it. */
class RemoteSwitch {
  readonly packets: Listener[] = [];
  readonly digests: Listener[] = [];

  constructor(
    readonly name: string,
    readonly ask: (name: string, method: RequestMethod, argument: unknown) => Promise<unknown>,
  ) {}

  /** Runs a statement of the shell. Returns its output as lines. */
  run(line: string): Promise<unknown> {
    return this.ask(this.name, "run", String(line));
  }

  write(updates: unknown): Promise<unknown> {
    return this.ask(this.name, "write", updates);
  }

  read(queries: unknown): Promise<unknown> {
    return this.ask(this.name, "read", queries);
  }

  packetOut(packet: unknown): Promise<unknown> {
    return this.ask(this.name, "packetOut", packet);
  }

  onPacketIn(listener: Listener): void {
    this.packets.push(listener);
  }

  onDigest(listener: Listener): void {
    this.digests.push(listener);
  }
}

type RequestMethod = Extract<FromController, { kind: "request" }>["method"];

/** Serves until stdin ends. */
export function serveController(): Promise<void> {
  const output = createWriteStream("", { fd: MESSAGES });
  const { take, failed } = controllerSide((message) => void output.write(`${encode(message)}\n`));
  process.on("unhandledRejection", failed);
  process.on("uncaughtException", failed);
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => take(decode(line) as ToController));
  return new Promise((resolve) => lines.once("close", resolve));
}

/** The controller without its process. `take` is called with each message, `failed` with an error that nothing handles. */
export function controllerSide(send: (message: FromController) => void): {
  take(message: ToController): void;
  failed(error: unknown): void;
} {
  const open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const switches = new Map<string, RemoteSwitch>();
  let handled = 0;
  let next = 0;
  let checking = false;
  /** Whether the module is still being imported, which takes an unknown number of turns. */
  let importing = true;
  const failed = (error: unknown): void =>
    send({
      kind: "failed",
      message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    });
  const ask: RemoteSwitch["ask"] = (name, method, argument) =>
    new Promise((resolve, reject) => {
      const id = next++;
      open.set(id, { resolve, reject });
      send({ kind: "request", id, switch: name, method, argument });
    });
  const rest = async (): Promise<void> => {
    if (checking) return;
    checking = true;
    for (let turn = 0; turn < TURNS; turn++) await setImmediate();
    checking = false;
    if (open.size === 0 && !importing) send({ kind: "idle", handled });
  };
  const start = async (source: string, names: readonly string[]): Promise<void> => {
    for (const name of names) switches.set(name, new RemoteSwitch(name, ask));
    const importModule = (globalThis as { [key: symbol]: unknown })[Symbol.for("p4loom.import")] as
      | ((url: string) => Promise<unknown>)
      | undefined;
    const url = `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`;
    const module = (await (importModule?.(url) ?? import(url))) as { start?: unknown };
    importing = false;
    void rest();
    if (typeof module.start !== "function") throw new Error("the module exports no function `start`");
    await module.start({ switches, log: (text: unknown) => send({ kind: "log", text: String(text) }) });
  };
  const handle = (message: ToController): void => {
    if (message.kind === "answer") {
      const waiting = open.get(message.id);
      open.delete(message.id);
      if (message.error === undefined) waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.error));
    } else if (message.kind === "start") {
      void start(message.module, message.switches).catch(failed);
    } else {
      const { packets, digests } = switches.get(message.switch)!;
      const event = message.event as { kind: string; packet?: unknown; list?: unknown };
      const [listeners, what] = event.kind === "packetIn" ? [packets, event.packet] : [digests, event.list];
      for (const listener of listeners)
        void Promise.resolve()
          .then(() => listener(what))
          .catch(failed);
    }
  };
  const take = (message: ToController): void => {
    handle(message);
    handled++;
    void rest();
  };
  return { take, failed };
}
