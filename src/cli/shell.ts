/** `p4loom shell`: statements on any P4Runtime switch, from the terminal, files or the command line. */

import { createInterface } from "node:readline";
import {
  type Diagnostic,
  Diagnostics,
  defined,
  diagnosticToJson,
  fail,
  given,
  printable,
  SourceFile,
} from "../base/index.js";
import { completions, Interpreter, type Output } from "../toolchain/control/index.js";
import { DeviceError } from "../toolchain/device/index.js";
import { readSource } from "../toolchain/loading/index.js";
import { type ClientTls, connect, type Notice, type RemoteDevice } from "../toolchain/p4runtime/index.js";
import { CODES } from "./codes.js";
import { EXIT, printDiagnostics } from "./outcome.js";
import { readProgram } from "./shell/programs.js";
import { checkShell, type ShellArguments, type ShellSetup } from "./shell/shell-options.js";
import { machineSurroundings } from "./shell/surroundings.js";

// Statements from a terminal, with history and completion; or from a pipe, a line at a time.

const PROMPT = "p4loom> ";

/** Runs one line; resolves when its answer is printed. */
type RunLine = (text: string, stop: AbortSignal) => Promise<void>;

/** Reads lines until the end of input or `exit`. Ctrl-C stops what runs, else it clears the line. */
async function dialogue(interpreter: Interpreter, run: RunLine): Promise<void> {
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    ...given({ output: terminal ? process.stdout : undefined }),
    terminal,
    prompt: PROMPT,
    historySize: 1000,
    completer: (line: string): [string[], string] => {
      const { from, candidates } = completions(line, line.length, interpreter.index);
      const [only] = candidates;
      const whole = candidates.length === 1 && !defined(only).endsWith("=") ? [`${only} `] : [...candidates];
      return [whole, line.slice(from)];
    },
  });
  let running: AbortController | undefined;
  lines.on("SIGINT", () => {
    if (running !== undefined) running.abort();
    else {
      process.stdout.write("^C  (`exit` or Ctrl-D leaves)\n");
      // discard the typed text, including the text after the cursor
      for (const name of ["e", "u"]) lines.write(null, { ctrl: true, name });
      lines.prompt();
    }
  });
  if (terminal) lines.prompt();
  // Reading continues while a statement runs only to notice Ctrl-C; the lines wait for their turn.
  try {
    for await (const line of lines) {
      running = new AbortController();
      await run(line, running.signal);
      running = undefined;
      if (interpreter.ended) break;
      if (terminal) lines.prompt();
    }
  } finally {
    lines.close();
  }
}

// The answers of statements, as one JSON document.

interface Answer {
  statement: string;
  lines: string[];
  data: unknown[];
  diagnostics: Diagnostic[];
}

class Transcript implements Output {
  readonly #answers: Answer[] = [];

  begin(statement: string): void {
    this.#answers.push({ statement, lines: [], data: [], diagnostics: [] });
  }

  print(line: string): void {
    this.#answers.at(-1)?.lines.push(line);
  }

  data(value: unknown): void {
    this.#answers.at(-1)?.data.push(value);
  }

  /** The diagnostics of the statement. */
  report(diagnostics: readonly Diagnostic[]): void {
    this.#answers.at(-1)?.diagnostics.push(...diagnostics);
  }

  /** An answer with data has the data instead of its lines. */
  document(address: string): object {
    return {
      switch: address,
      statements: this.#answers.map(({ statement, lines, data, diagnostics }) => ({
        statement,
        ok: !diagnostics.some(({ severity }) => severity === "error"),
        ...(data.length > 0 ? { data } : { lines }),
        ...given({ diagnostics: diagnostics.length > 0 ? diagnostics.map(diagnosticToJson) : undefined }),
      })),
    };
  }
}

/** Exit status 0 when every statement was carried out, else 1; at a terminal always 0. */
export async function shell(address: string, args: ShellArguments): Promise<number> {
  const setup = checkShell(address, args);
  const device = await open(setup);
  try {
    return await new Session(device, setup).run();
  } finally {
    await device.close();
  }
}

/** Fails with P40040. */
async function open({ address, deviceId, electionId, timeoutMs, args }: ShellSetup): Promise<RemoteDevice> {
  const text = (path: string): string => readSource(path).text;
  const tls: ClientTls | undefined =
    args.tlsCa === undefined && args.tlsCert === undefined
      ? undefined
      : {
          ...given({ ca: args.tlsCa === undefined ? undefined : text(args.tlsCa) }),
          ...given({ certificate: args.tlsCert === undefined ? undefined : text(args.tlsCert) }),
          ...given({ privateKey: args.tlsKey === undefined ? undefined : text(args.tlsKey) }),
          ...given({ serverName: args.tlsName }),
        };
  try {
    return await connect(address, {
      deviceId,
      ...given({ electionId, role: args.role, timeoutMs, tls }),
      takeOver: args.takeOver ?? electionId !== undefined,
      readOnly: args.readOnly ?? false,
      onNotice: (notice) => process.stderr.write(`p4loom shell: ${printable(noticeText(notice))}\n`),
    });
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    refuse(address, error, hints(error, deviceId));
  }
}

function refuse(address: string, { message, code }: DeviceError, notes: readonly string[] = []): never {
  const where = message.includes(address) ? "" : `${address}: `;
  fail(CODES.noSwitch, undefined, `${where}${message} (${code})`, ...notes);
}

function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case "primary":
      return `primary again, with election id ${notice.electionId}`;
    case "backup":
      return notice.primary === undefined
        ? "there is no primary any more"
        : `another controller is primary now, with election id ${notice.primary}`;
    case "disconnected":
      return `the connection is lost: ${notice.reason}`;
    case "streamError":
      return `the switch could not do what a packet asked: ${notice.error.message}`;
  }
}

function hints({ code }: DeviceError, deviceId: bigint): string[] {
  switch (code) {
    case "UNAVAILABLE":
      return ["is the switch running, and its P4Runtime server at this address?"];
    case "NOT_FOUND":
      return [`the device id is ${deviceId}; give the switch's with --device-id`];
    case "PERMISSION_DENIED":
    case "ALREADY_EXISTS":
      return [
        "`--read-only` looks without a claim, `--take-over` takes the switch from the other controller",
      ];
    default:
      return [];
  }
}

class Session {
  readonly #interpreter: Interpreter;
  readonly #transcript: Transcript | undefined;
  readonly #output: Output;
  #failed = false;

  constructor(
    readonly device: RemoteDevice,
    readonly setup: ShellSetup,
  ) {
    this.#interpreter = new Interpreter(
      device,
      machineSurroundings((warnings) => this.#report(warnings)),
    );
    this.#transcript = setup.args.json ? new Transcript() : undefined;
    this.#output = this.#transcript ?? { print: (line) => process.stdout.write(`${line}\n`) };
  }

  async run(): Promise<number> {
    const { args, address } = this.setup;
    const stop = new AbortController();
    const scripted = args.script.length > 0 || args.command.length > 0;
    // At a terminal readline handles Ctrl-C; statements from files and pipes end with it.
    const onSignal = (): void => stop.abort();
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
    try {
      if (args.config !== undefined)
        await this.device.load(await readProgram(args.config, undefined, args.p4info, printDiagnostics));
      for (const path of args.script) await this.#run(readSource(path), stop.signal);
      for (const [i, text] of args.command.entries())
        await this.#run(new SourceFile(`command ${i + 1}`, text), stop.signal);
      if (!scripted || args.interactive) await this.#talk(stop.signal);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      refuse(address, error);
    } finally {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    }
    if (this.#transcript !== undefined)
      process.stdout.write(`${JSON.stringify(this.#transcript.document(address), null, 2)}\n`);
    return this.#failed ? EXIT.wrongInput : EXIT.success;
  }

  async #talk(stopped: AbortSignal): Promise<void> {
    const atTerminal = process.stdin.isTTY === true;
    if (atTerminal) {
      const program = this.device.program?.bmv2.program ?? "no program that is known here";
      process.stdout.write(
        `${this.setup.address} runs ${printable(program)}. \`help\` lists the statements.\n`,
      );
    }
    let number = 0;
    await dialogue(this.#interpreter, async (text, signal) => {
      // Line numbers count from the first line of the input.
      const file = new SourceFile(
        atTerminal ? "shell" : "stdin",
        atTerminal ? text : "\n".repeat(number) + text,
      );
      number++;
      await this.#run(file, AbortSignal.any([signal, stopped]));
    });
    if (atTerminal) this.#failed = false;
  }

  #report(list: readonly Diagnostic[]): void {
    if (this.#transcript === undefined) printDiagnostics(list);
    else this.#transcript.report(list);
  }

  async #run(file: SourceFile, stop: AbortSignal): Promise<void> {
    const diagnostics = new Diagnostics();
    let told = 0;
    const tell = (): void => {
      this.#report(diagnostics.list.slice(told));
      told = diagnostics.list.length;
    };
    // Each diagnostic is printed after its own statement, not at the end of the file.
    const output: Output = {
      print: (line) => this.#output.print(line),
      data: (value) => this.#output.data?.(value),
      begin: (statement) => {
        tell();
        this.#output.begin?.(statement);
      },
    };
    await this.#interpreter.run(file, diagnostics, output, stop);
    tell();
    if (diagnostics.hasErrors) this.#failed = true;
  }
}
