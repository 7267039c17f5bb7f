/**
 * Runs statements on a device, a line at a time. Every mistake is a diagnostic at its word; a statement that fails
 * changes nothing, and the ones behind it still run.
 */
import { DiagnosticError, type Diagnostics, type SourceFile, type Span } from "../base/index.js";
import { createP4Info, type Device, DeviceError, P4InfoIndex } from "../program/index.js";
import { CODES } from "./codes.js";
import type { Command } from "./command.js";
import { Context, indexOf, type Output, ProgramState, type Surroundings } from "./context.js";
import { closest } from "./names.js";
import { textCommands } from "./text/index.js";
import { type Word, wordsOf } from "./words.js";

const COMMANDS: ReadonlyMap<string, Command> = new Map(Object.entries(textCommands));

/** Usage of all commands, sorted. */
export function commandHelp(): string[] {
  return [...COMMANDS.values()].map(({ usage }) => usage).sort();
}

/** A switch that no program was told of shows nothing. */
const NOTHING = new P4InfoIndex(createP4Info());

/** Files that run others no deeper than this. */
const MAX_DEPTH = 16;

export class Interpreter {
  #state: ProgramState | undefined;
  /** What the state belongs to. */
  #shown: object | undefined;
  #depth = 0;

  constructor(
    readonly device: Device,
    readonly surroundings: Surroundings = {},
  ) {}

  /** What the device's program shows now; undefined when it runs none. */
  get index(): P4InfoIndex | undefined {
    return this.#current()?.index;
  }

  /** Handles and nodes last as long as the program. */
  #current(): ProgramState | undefined {
    const { program, index } = this.device;
    const shown = program ?? index;
    if (shown === this.#shown && this.#state !== undefined) return this.#state;
    this.#shown = shown;
    const found = program !== undefined ? indexOf(program, this.device.names) : index;
    this.#state = found === undefined ? undefined : new ProgramState(this.device, found);
    return this.#state;
  }

  /** Runs all lines in order. Resolves early when `stop` aborts. */
  async run(
    file: SourceFile,
    diagnostics: Diagnostics,
    output: Output,
    stop: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    let offset = 0;
    for (const line of file.text.split("\n")) {
      if (stop.aborted) return;
      await this.#runLine(wordsOf(file, line, offset), diagnostics, output, stop);
      offset += line.length + 1;
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
    const whole: Span = { ...name.span, end: words.at(-1)!.span.end };
    const command = COMMANDS.get(name.text);
    if (command === undefined) {
      const near = closest(name.text, [...COMMANDS.keys()]);
      const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
      diagnostics.error(CODES.command, name.span, `there is no command \`${name.text}\`${hint}`);
      return;
    }
    if (rest.length < command.least || rest.length > command.most) {
      diagnostics.error(CODES.form, whole, `wrong number of words; usage: ${command.usage}`);
      return;
    }
    const state = this.#current() ?? (command.bare ? new ProgramState(this.device, NOTHING) : undefined);
    if (state === undefined) {
      diagnostics.error(CODES.missing, name.span, `${this.device.name} runs no program yet`);
      return;
    }
    const runFile = async (file: SourceFile): Promise<void> => {
      if (this.#depth >= MAX_DEPTH) {
        diagnostics.error(CODES.form, name.span, `files run each other more than ${MAX_DEPTH} deep`);
        return;
      }
      this.#depth++;
      await this.run(file, diagnostics, output, stop).finally(() => this.#depth--);
    };
    try {
      const context = new Context(state, this.surroundings, output, diagnostics, stop, runFile);
      await command.run(context, rest, name);
    } catch (error) {
      if (error instanceof DiagnosticError)
        for (const diagnostic of error.diagnostics) diagnostics.add(diagnostic);
      else if (error instanceof DeviceError) {
        const code = error.code === "UNIMPLEMENTED" ? CODES.unable : CODES.refused;
        diagnostics.error(code, whole, `the switch refuses: ${error.message} (${error.code})`);
      } else throw error;
    } finally {
      // A program that was loaded anew starts without the state of before.
      if (command.reloads) this.#state = undefined;
    }
  }
}

/**
 * Runs text for simple_switch_CLI on any device; answers go to `print`, a line each. For several texts that
 * share handles, make an {@link Interpreter}.
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
