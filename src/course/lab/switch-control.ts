/** The control of a switch from a page, for any device: statements with undo, its state, its events as text. */
import { Diagnostics, fail, SourceFile } from "../../base/index.js";
import {
  completions,
  digestLines,
  Interpreter,
  packetText,
  placeOf,
  readRuntimeFile,
  statementOf,
} from "../../toolchain/control/index.js";
import { type Device, DeviceError, type DeviceEvent } from "../../toolchain/device/index.js";
import { CODES } from "./codes.js";
import { diagnosticViews } from "./diagnostics.js";
import type { ProjectFiles } from "./files.js";
import type { PlannedSwitch } from "./project.js";
import type { CompletionView, ControlAnswer, LabDiagnostic, StateView } from "./protocol.js";
import { stateView } from "./state/state-view.js";
import { printerOf } from "./state/swap.js";
import { UndoableDevice } from "./state/undo.js";

/** Maximum real time of a statement that waits (`watch`), in milliseconds. */
const MAX_WAIT_MS = 5000;
const MAX_LINES = 2000;

export interface SwitchControlOptions {
  readonly planned: PlannedSwitch;
  readonly device: Device;
  /** See `LabTimers.later`. */
  later(milliseconds: number, fn: () => void): () => void;
}

export class SwitchControl {
  readonly planned: PlannedSwitch;
  readonly device: Device;
  readonly #undoable: UndoableDevice;
  readonly #interpreter: Interpreter;
  readonly #later: SwitchControlOptions["later"];
  #work: Promise<unknown> = Promise.resolve();
  #lacksPlanned = false;

  constructor({ planned, device, later }: SwitchControlOptions) {
    this.planned = planned;
    this.device = device;
    this.#later = later;
    this.#undoable = new UndoableDevice(device);
    this.#interpreter = new Interpreter(this.#undoable.device, {
      wait: (milliseconds, signal) => this.#wait(milliseconds, signal),
    });
  }

  get name(): string {
    return this.planned.name;
  }

  #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#later(Math.min(milliseconds, MAX_WAIT_MS), done);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  /** Runs `work` after all earlier calls have ended, so that statements, undo and changes of program do not overlap. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#work;
    const result = before.then(work, work);
    this.#work = result.catch(() => undefined);
    return result;
  }

  /** Whether some entries of the planned files could not be written; a new version of the program may accept them. */
  get lacksPlanned(): boolean {
    return this.#lacksPlanned;
  }

  /**
   * Writes the entries of the planned files that the switch accepts; the others are errors of `found`, each at its place.
   * Entries that exist already are not changed.
   */
  async writePlanned(files: ProjectFiles, found: Diagnostics): Promise<void> {
    const { runtime, commands } = this.planned;
    const before = found.errorCount;
    if (runtime !== undefined && files.text(runtime) !== undefined)
      await this.#writeRuntime(files.source(runtime), found);
    if (commands !== undefined && files.text(commands) !== undefined)
      await this.#runFile(files.source(commands), found);
    this.#lacksPlanned = found.errorCount > before;
    this.#undoable.forget();
  }

  async #writeRuntime(file: SourceFile, found: Diagnostics): Promise<void> {
    const { program } = this.device;
    if (program === undefined) return;
    const updates =
      readRuntimeFile(file, found)?.updates(
        printerOf(this.device, program).index,
        found,
        this.device.names,
      ) ?? [];
    for (const update of updates) {
      try {
        await this.device.write([update]);
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        const [reason = error] = error.updates ?? [];
        if (reason.code === "ALREADY_EXISTS") continue;
        found.error(CODES.refused, placeOf(update), `the switch refuses: ${reason.message} (${reason.code})`);
      }
    }
  }

  #runFile(file: SourceFile, found: Diagnostics): Promise<void> {
    return this.#interpreter.run(file, found, { print: () => {} });
  }

  async run(text: string): Promise<{ answer: ControlAnswer; diagnostics: LabDiagnostic[] }> {
    const diagnostics = new Diagnostics();
    const lines: string[] = [];
    const data: unknown[] = [];
    const stop = new AbortController();
    const cancel = this.#later(MAX_WAIT_MS, () => stop.abort());
    const output = {
      print: (line: string): void => {
        if (lines.length < MAX_LINES) lines.push(line);
        else if (lines.length === MAX_LINES) lines.push("# further lines are omitted");
      },
      data: (value: unknown): void => {
        if (data.length < MAX_LINES) data.push(plain(value));
      },
    };
    await this.#undoable.step(() =>
      this.#interpreter.run(new SourceFile(`${this.name}:`, `${text}\n`), diagnostics, output, stop.signal),
    );
    cancel();
    return {
      answer: { lines, data, undo: this.#undoable.depth },
      diagnostics: diagnosticViews(diagnostics.list),
    };
  }

  complete(line: string, cursor: number): CompletionView {
    const { from, candidates } = completions(line, cursor, this.#interpreter.index);
    return { from, words: candidates.map((text) => ({ text })) };
  }

  /** Fails with P46009 if there is nothing to undo. */
  async undo(): Promise<{ statements: string[]; undo: number }> {
    const updates = await this.#undoable.undo();
    const { program } = this.device;
    if (updates === undefined || program === undefined)
      return fail(CODES.noUndo, undefined, `${this.name} has no change that can be undone`);
    const printer = printerOf(this.device, program);
    return {
      statements: updates.map(({ type, entity }) => `${type}: ${statementOf(printer, entity)}`),
      undo: this.#undoable.depth,
    };
  }

  /** Deletes the undo steps: they belong to the former program. */
  forgetUndo(): void {
    this.#undoable.forget();
  }

  state(program: string, cells?: { array: string; from: number }): Promise<StateView> {
    const running = this.device.program;
    if (running === undefined)
      return fail(CODES.noProgram, undefined, `${this.name} runs no program: it has no tables yet`);
    const what = { program, undo: this.#undoable.depth, cells };
    return stateView(this.device, printerOf(this.device, running), what);
  }

  /** The lines that describe an event of the switch. */
  eventLines(event: DeviceEvent): readonly string[] {
    const { program } = this.device;
    if (program === undefined) return [];
    const printer = printerOf(this.device, program);
    switch (event.kind) {
      case "packetIn":
        return [packetText(printer, event.packet)];
      case "digest":
        return digestLines(printer, event.list);
      case "idleTimeout":
        return event.entries.map((entry) => `idle ${statementOf(printer, entry)}`);
      case "portState":
        return [`port ${event.port} is ${event.up ? "up" : "down"}`];
    }
  }
}

/** Data of statements as JSON, with large numbers as texts. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part)) ??
      "null",
  );
}
