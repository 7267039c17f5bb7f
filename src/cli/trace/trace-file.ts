/** Traces as a file of JSON lines: written with a bound on its size, read line by line. */
import { closeSync, createReadStream, openSync, renameSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { DiagnosticError, Diagnostics, fail, SourceFile, type Span } from "../../base/index.js";
import { loadDocument } from "../../documents/index.js";
import type { PacketTrace } from "../../switch/index.js";
import { traceSchema } from "./schema.js";

/** Bytes of a trace file before it starts anew, unless the user says otherwise. */
export const TRACE_FILE_BYTES = 100 * 1024 * 1024;

/** Lines that wait are written at once beyond this. */
const BUFFER_BYTES = 256 * 1024;

export interface TraceFileSetup {
  /** `-` stands for the output stream, which is not bounded. */
  path: string;
  /** When the file would grow beyond, it becomes PATH.1, in place of an older one, and PATH starts anew. */
  maxBytes: number;
}

export class TraceFile {
  #file: number | undefined;
  #bytes = 0;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #flush: NodeJS.Immediate | undefined;

  /**
   * Starts the file anew. Fails with P40003 when that cannot be done.
   * @param print takes the lines of `-`
   * @param onError told once when the file cannot be written any more; later packets are not written
   */
  constructor(
    readonly setup: TraceFileSetup,
    readonly print: (text: string) => void,
    readonly onError: (error: unknown) => void,
  ) {
    if (setup.path !== "-") this.#try(() => this.#open());
  }

  #open(): void {
    this.#file = openSync(this.setup.path, "w");
    this.#bytes = 0;
  }

  add(packet: PacketTrace): void {
    const line = `${JSON.stringify(packet)}\n`;
    if (this.setup.path === "-") {
      this.print(line);
      return;
    }
    if (this.#file === undefined) return;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes > BUFFER_BYTES) this.#guard(() => this.#write());
    else this.#flush ??= setImmediate(() => this.#guard(() => this.#write()));
  }

  #write(): void {
    if (this.#flush !== undefined) clearImmediate(this.#flush);
    this.#flush = undefined;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    let text = "";
    let size = 0;
    const put = (): void => {
      if (this.#file !== undefined && text !== "") writeSync(this.#file, text);
      this.#bytes += size;
      text = "";
      size = 0;
    };
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (this.#bytes + size > 0 && this.#bytes + size + length > this.setup.maxBytes) {
        put();
        this.#rotate();
      }
      text += line;
      size += length;
    }
    put();
  }

  #rotate(): void {
    const { path } = this.setup;
    this.#closeFile();
    renameSync(path, `${path}.1`);
    this.#open();
  }

  /** Writes what waits. */
  close(): void {
    if (this.#file === undefined) return;
    this.#guard(() => {
      this.#write();
      this.#closeFile();
    });
  }

  /** However closing ends, the descriptor is not one any more. */
  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #guard(task: () => void): void {
    try {
      this.#try(task);
    } catch (error) {
      try {
        this.#closeFile();
      } catch {
        // The first error is the one to tell.
      }
      this.onError(error);
    }
  }

  #try(task: () => void): void {
    try {
      task();
    } catch (error) {
      fail("P40003", undefined, `cannot write the trace ${this.setup.path}: ${(error as Error).message}`);
    }
  }
}

/**
 * The documents of a file, in order, each with its line as it stands there. Fails with P43001 to P43004 at the first
 * line that is no trace, with P40001 when the file cannot be read.
 * @param path `-`: the input stream
 */
export async function* readTraces(path: string): AsyncGenerator<{ packet: PacketTrace; line: string }> {
  const input = path === "-" ? process.stdin : createReadStream(path, "utf8");
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (line.trim() !== "") yield { packet: readLine(path, number, line), line };
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    fail("P40001", undefined, `cannot read ${path}: ${code === "ENOENT" ? "no such file" : message}`);
  }
}

function readLine(path: string, number: number, line: string): PacketTrace {
  try {
    const result = traceSchema.safeParse(JSON.parse(line));
    if (result.success) return result.data as PacketTrace;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // The reader of documents says what is wrong, and where.
  const diagnostics = new Diagnostics();
  const file = new SourceFile(path === "-" ? "stdin" : path, "\n".repeat(number - 1) + line);
  loadDocument(file, traceSchema, diagnostics);
  const whole: Span = { file, start: number - 1, end: number };
  // What is missing is missing in this line, not at the start of the file.
  const placed = diagnostics.list.map((diagnostic) =>
    (diagnostic.span?.start ?? 0) < whole.start ? { ...diagnostic, span: whole } : diagnostic,
  );
  if (placed.length > 0) throw new DiagnosticError(placed);
  return fail("P43001", whole, "not JSON: a trace has one document a line");
}
