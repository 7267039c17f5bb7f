/**
 * A student's place in a room: a process with the student's lab, started when a page opens, ended when no page is open for a while. A process
 * that takes too much memory, or that does not answer any more, is ended; its pages are told, and the files are on disk.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { ownCommand } from "../../../toolchain/loading/index.js";
import type { PageSink, PageSource } from "../connection.js";
import type { FromSeat, ToSeat } from "./seat-messages.js";

/**
 * A process hangs that has sent nothing while it took this much processor time, or for the longer time; it sends a sign of life every two
 * seconds. On a busy machine a process that works takes long, but not much processor time.
 */
const HANG_CPU_MS = 60_000;
const HANG_MS = 600_000;
/** Ticks of processor time in /proc (`USER_HZ` of Linux), in milliseconds. */
const TICK_MS = 10;
const CHECK_MS = 1000;
/** Share of a process's memory that its heap may take; the rest is for code and buffers. */
const HEAP_SHARE = 0.6;
const PAGE_BYTES = 4096;
/** Bytes of calls that wait for a process which has not taken them; above, the session is ended. The server keeps them, not the process. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;
/** So that the server, which all students share, goes first. */
const NICENESS = 5;

export interface SeatLimits {
  readonly memoryMb: number;
  /** Time without a page after which a session is put away. */
  readonly idleMs: number;
  /** Default: {@link HANG_MS}. */
  readonly hangMs?: number;
}

export interface SeatOptions extends SeatLimits {
  readonly exercise: string;
  readonly folder: string;
  readonly seed: number;
  tested(result: Extract<FromSeat, { kind: "test" }>["result"]): void;
}

/** What the teacher's page shows of a process. */
export interface SeatState {
  readonly state: "away" | "starting" | "here";
  readonly pages: number;
  /** Bytes of memory, and the largest number so far. */
  readonly bytes: number;
  readonly peak: number;
  /** Why the process was ended last, if it was. */
  readonly ended?: string;
}

export class Seat {
  #child: ChildProcess | undefined;
  #ready = false;
  #pages = new Map<number, PageSink>();
  /** Calls that came before the process was ready. */
  #waiting: ToSeat[] = [];
  #waitingBytes = 0;
  #numbers = 0;
  #heard = 0;
  /** Processor time of the process when it was heard last, in milliseconds. */
  #heardCpu = 0;
  #checked = 0;
  #bytes = 0;
  #peak = 0;
  #ended: string | undefined;
  #idle: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;

  constructor(readonly options: SeatOptions) {}

  get state(): SeatState {
    const state = this.#child === undefined ? "away" : this.#ready ? "here" : "starting";
    const ended = this.#ended === undefined ? {} : { ended: this.#ended };
    return { state, pages: this.#pages.size, bytes: this.#bytes, peak: this.#peak, ...ended };
  }

  /** A page of the student. */
  join(page: PageSink): PageSource {
    const number = ++this.#numbers;
    this.#pages.set(number, page);
    clearTimeout(this.#idle);
    if (this.#child === undefined) this.#start();
    return {
      receive: (text) => this.#tell({ kind: "call", page: number, text }),
      leave: () => {
        this.#pages.delete(number);
        // A closed room has no process: nothing is left to put away.
        if (this.#pages.size > 0 || this.#child === undefined) return;
        clearTimeout(this.#idle);
        this.#idle = setTimeout(() => this.#end(undefined), this.options.idleMs);
      },
    };
  }

  #start(): void {
    const { exercise, folder, seed, memoryMb } = this.options;
    const [node = process.execPath, ...script] = ownCommand();
    const heap = `--max-old-space-size=${Math.round(memoryMb * HEAP_SHARE)}`;
    const child = spawn(node, [heap, ...script, "seat"], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // A group of its own, so that the processes of its controllers end with it.
      detached: true,
    });
    this.#child = child;
    this.#ready = false;
    this.#ended = undefined;
    this.#heard = performance.now();
    this.#heardCpu = 0;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (child.pid !== undefined) lowered(child.pid);
    child.on("error", (error) => this.#gone(child, `the session did not start: ${error.message}`));
    child.on("exit", (code, signal) => this.#gone(child, endOf(code, signal)));
    child.on("message", (message) => {
      if (this.#child === child) this.#hear(message as FromSeat);
    });
    child.send({ kind: "open", exercise, folder, seed } satisfies ToSeat, () => {});
    this.#check = setInterval(() => this.#watch(child), CHECK_MS);
  }

  #tell(message: ToSeat): void {
    const child = this.#child;
    // A page that has not heard yet that its session was put away.
    if (child === undefined) return;
    if (message.kind === "call") {
      const bytes = Buffer.byteLength(message.text);
      this.#waitingBytes += bytes;
      if (this.#waitingBytes > MOST_WAITING_BYTES) {
        this.#end(
          "the page sent more than the session takes, and the session was ended; open the page again",
        );
        return;
      }
      if (this.#ready) child.send(message, () => this.#taken(child, bytes));
      else this.#waiting.push(message);
      return;
    }
    child.send(message, () => {});
  }

  /** The process has taken so many bytes of calls. */
  #taken(child: ChildProcess, bytes: number): void {
    if (this.#child === child) this.#waitingBytes -= bytes;
  }

  #hear(message: FromSeat): void {
    this.#heard = performance.now();
    switch (message.kind) {
      case "ready": {
        this.#ready = true;
        const waiting = this.#waiting.splice(0);
        this.#waitingBytes = 0;
        for (const one of waiting) this.#tell(one);
        break;
      }
      case "failed":
        this.#end(message.reason);
        break;
      case "reply":
        this.#pages.get(message.page)?.send(message.text, { reply: true, frame: false });
        break;
      case "event":
        for (const page of this.#pages.values())
          page.send(message.text, { reply: false, frame: message.frame });
        break;
      case "test":
        this.options.tested(message.result);
        break;
      case "alive":
        this.#measured(message.bytes);
        break;
    }
  }

  #watch(child: ChildProcess): void {
    const bytes = child.pid === undefined ? undefined : residentBytes(child.pid);
    if (bytes !== undefined) this.#measured(bytes);
    const cpu = child.pid === undefined ? 0 : processorMs(child.pid);
    if (this.#heard > this.#checked) this.#heardCpu = cpu;
    this.#checked = performance.now();
    const { hangMs = HANG_MS } = this.options;
    if (this.#checked - this.#heard > hangMs || cpu - this.#heardCpu > HANG_CPU_MS)
      this.#end("the session did not answer any more, and was ended; open the page again");
  }

  #measured(bytes: number): void {
    this.#bytes = bytes;
    this.#peak = Math.max(this.#peak, bytes);
    const { memoryMb } = this.options;
    if (bytes > memoryMb * 2 ** 20)
      this.#end(`the session took more than ${memoryMb} MiB of memory, and was ended; open the page again`);
  }

  /** Ends the process; `reason` is told to the pages. */
  #end(reason: string | undefined): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#gone(child, reason);
    kill(child);
  }

  #gone(child: ChildProcess, reason: string | undefined): void {
    if (this.#child !== child) return;
    kill(child);
    clearInterval(this.#check);
    clearTimeout(this.#idle);
    this.#child = undefined;
    this.#ready = false;
    this.#bytes = 0;
    this.#ended = reason;
    for (const page of this.#pages.values()) page.close(1011, reason ?? "the session was put away");
    this.#pages.clear();
  }

  close(): void {
    this.#end(undefined);
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  // V8 aborts the process when the heap is full
  return signal === "SIGABRT" || code === 134
    ? "the session took too much memory, and was ended; open the page again"
    : `the session has ended (${signal ?? code}); open the page again`;
}

/** Ends a process and those that it has started. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function lowered(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The system does not allow it: the session has the priority of the server.
  }
}

/** Linux tells the memory of a process that does not answer; undefined elsewhere, where the process tells it. */
function residentBytes(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined;
  } catch {
    return undefined;
  }
}

/** Processor time that a process has taken, in milliseconds; 0 where the system does not tell it. */
function processorMs(pid: number): number {
  try {
    // After the name of the program, which may contain anything, in parentheses: fields 14 and 15 (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}
