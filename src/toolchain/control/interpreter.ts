/**
 * Runs statements on a device, line by line. Every mistake is a diagnostic at its word. A statement that fails changes
 * nothing, and the statements after it still run.
 */
import {
  type Diagnostics,
  defined,
  didYouMean,
  fail,
  printable,
  type SourceFile,
  type Span,
  spanText,
} from "../../base/index.js";
import { type Device, DeviceError, type Update } from "../device/index.js";
import { createP4Info, P4InfoIndex } from "../program/index.js";
import { CODES } from "./codes.js";
import { usageText } from "./command.js";
import { COMMANDS } from "./commands.js";
import {
  type CheckedWords,
  Context,
  count,
  indexOf,
  type Output,
  ProgramState,
  type Surroundings,
} from "./context.js";
import { placeOf, readRuntimeFile } from "./runtime-file.js";
import { report, type Word, wordsOf } from "./words.js";

/** The names of a switch whose program is not known: none. */
const NOTHING = new P4InfoIndex(createP4Info());

/** Maximum nesting of files that run other files. */
const MAX_DEPTH = 16;

export class Interpreter {
  #state: ProgramState | undefined;
  /** The program to which the state belongs. */
  #shown: object | undefined;
  #depth = 0;
  #ended = false;

  constructor(
    readonly device: Device,
    readonly surroundings: Surroundings = {},
  ) {}

  /** Whether `exit` was run: no statement after it runs. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The names of the device's present program; undefined when it runs none. */
  get index(): P4InfoIndex | undefined {
    return this.#current()?.index;
  }

  /** Handles and nodes are valid as long as the program runs. */
  #current(): ProgramState | undefined {
    const { program, index } = this.device;
    const shown = program ?? index;
    if (shown === this.#shown && this.#state !== undefined) return this.#state;
    this.#shown = shown;
    const found = program !== undefined ? indexOf(program, this.device.names) : index;
    this.#state = found === undefined ? undefined : new ProgramState(this.device, found);
    return this.#state;
  }

  /**
   * Runs all lines in order. Resolves early when `stop` aborts. Printed lines show control characters in a visible form,
   * since a hostile switch could put commands for the terminal into names and messages.
   */
  async run(
    file: SourceFile,
    diagnostics: Diagnostics,
    output: Output,
    stop: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const shown: Output = {
      print: (line) => output.print(printable(line)),
      data: (value) => output.data?.(value),
      begin: (statement) => output.begin?.(statement),
    };
    await this.#run(file, diagnostics, shown, stop);
  }

  async #run(file: SourceFile, diagnostics: Diagnostics, output: Output, stop: AbortSignal): Promise<void> {
    if (/^\s*\{/.test(file.text)) {
      await this.#applyRuntimeFile(file, diagnostics, output);
      return;
    }
    let offset = 0;
    for (const line of file.text.split("\n")) {
      if (stop.aborted || this.#ended) return;
      await this.#runLine(wordsOf(file, line, offset), diagnostics, output, stop);
      offset += line.length + 1;
    }
  }

  /**
   * Loads the program that an `sN-runtime.json` names, then writes its entries. Writes nothing when the file has a
   * mistake.
   */
  async #applyRuntimeFile(file: SourceFile, diagnostics: Diagnostics, output: Output): Promise<void> {
    const before = diagnostics.errorCount;
    const whole: Span = { file, start: 0, end: 1 };
    output.begin?.(file.path);
    let updates: Update[] = [];
    try {
      const runtime = readRuntimeFile(file, diagnostics);
      if (runtime === undefined) return;
      const { bmv2Json, p4info } = runtime;
      const { loadProgram } = this.surroundings;
      if (bmv2Json !== undefined) {
        if (loadProgram === undefined) fail(CODES.unable, whole, "a program cannot be read here");
        await this.device.load(await loadProgram(bmv2Json, whole, p4info));
        this.#state = undefined;
        output.print(`# ${bmv2Json} is loaded`);
      }
      const index = this.index;
      if (index === undefined)
        fail(CODES.missing, whole, `${this.device.name} runs no program, and the file names none`);
      updates = runtime.updates(index, diagnostics, this.device.names);
      if (diagnostics.errorCount > before) return;
      await this.device.write(updates);
      output.print(`# ${count(updates.length, "update")} of ${file.path} written`);
    } catch (error) {
      if (!(error instanceof DeviceError)) report(error, diagnostics);
      else if (error.updates === undefined) reportRefusal(error, whole, diagnostics);
      else {
        for (const [i, status] of error.updates.entries()) {
          if (status.code === "OK") continue;
          const span = placeOf(defined(updates[i])) ?? whole;
          reportRefusal(new DeviceError(status.code, status.message), span, diagnostics);
        }
      }
    }
  }

  async #runLine(
    words: readonly Word[],
    diagnostics: Diagnostics,
    output: Output,
    stop: AbortSignal,
  ): Promise<void> {
    const [name, ...rest] = words;
    if (name === undefined) return;
    const whole: Span = { ...name.span, end: defined(words.at(-1)).span.end };
    output.begin?.(spanText(whole));
    const command = COMMANDS.get(name.text);
    if (command === undefined) {
      const hint = didYouMean(name.text, [...COMMANDS.keys()], "`");
      diagnostics.error(CODES.command, name.span, `there is no command \`${name.text}\`${hint}`);
      return;
    }
    if (rest.length < command.least || rest.length > command.most) {
      diagnostics.error(
        CODES.form,
        whole,
        `wrong number of words; usage: ${usageText(command).split("\n")[0]}`,
      );
      return;
    }
    const state = this.#current() ?? (command.bare ? new ProgramState(this.device, NOTHING) : undefined);
    if (state === undefined) {
      diagnostics.error(CODES.missing, name.span, `${this.device.name} runs no program yet`);
      return;
    }
    const runFile = async (file: SourceFile): Promise<void> => {
      if (this.#depth >= MAX_DEPTH) {
        diagnostics.error(CODES.form, name.span, `more than ${MAX_DEPTH} files run each other`);
        return;
      }
      this.#depth++;
      await this.#run(file, diagnostics, output, stop).finally(() => this.#depth--);
    };
    try {
      const context = new Context(state, this.surroundings, output, diagnostics, {
        commands: COMMANDS,
        stop,
        runFile,
        end: () => {
          this.#ended = true;
        },
      });
      await command.run(context, rest as readonly Word[] as CheckedWords, name);
    } catch (error) {
      if (error instanceof DeviceError) reportRefusal(error, whole, diagnostics);
      else report(error, diagnostics);
    } finally {
      // A program that was loaded again starts without the earlier state.
      if (command.reloads) this.#state = undefined;
    }
  }
}

function reportRefusal(error: DeviceError, span: Span, diagnostics: Diagnostics): void {
  const failed = error.updates?.filter(({ code }) => code !== "OK") ?? [error];
  const code = failed.every((one) => one.code === "UNIMPLEMENTED") ? CODES.unable : CODES.refused;
  diagnostics.error(code, span, `the switch refuses: ${error.message} (${error.code})`);
}

/**
 * Runs text for simple_switch_CLI on any device; each line of the answers goes to `print`. Several texts that share
 * handles need an {@link Interpreter}.
 */
export async function runCommands(
  device: Device,
  file: SourceFile,
  diagnostics: Diagnostics,
  print: (line: string) => void = () => {},
  surroundings: Surroundings = {},
): Promise<void> {
  await new Interpreter(device, surroundings).run(file, diagnostics, { print });
}
