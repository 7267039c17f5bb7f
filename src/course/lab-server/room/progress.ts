/** The last result of each test of each student, kept in `progress.json` of the room's folder. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeInFolder } from "../folder.js";

const FILE = "progress.json";
/** Changes within this time are written together, in milliseconds. */
const WRITE_MS = 500;

const resultSchema = z.object({ points: z.number(), passed: z.boolean(), at: z.string() });
const progressSchema = z.record(z.string(), z.record(z.string(), resultSchema));

export type LastResult = z.output<typeof resultSchema>;

export class Progress {
  readonly #results: Map<string, Map<string, LastResult>>;
  #timer: NodeJS.Timeout | undefined;
  #isTold = false;

  constructor(
    readonly folder: string,
    readonly now: () => Date,
    /** Hears why the results could not be written. */
    readonly failed: (reason: string) => void,
  ) {
    this.#results = read(join(folder, FILE));
  }

  of(student: string): ReadonlyMap<string, LastResult> {
    return this.#results.get(student) ?? new Map();
  }

  add(student: string, test: string, result: { points: number; passed: boolean }): void {
    const results = this.#results.get(student) ?? new Map<string, LastResult>();
    results.set(test, { ...result, at: this.now().toISOString() });
    this.#results.set(student, results);
    this.#timer ??= setTimeout(() => this.write(), WRITE_MS);
  }

  /** A disk that is full, or a folder that has gone, ends no room: `failed` is told once, and the next result is another try. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const all = Object.fromEntries(
      [...this.#results].map(([student, results]) => [student, Object.fromEntries(results)]),
    );
    try {
      writeInFolder(this.folder, FILE, `${JSON.stringify(all, undefined, 1)}\n`);
      this.#isTold = false;
    } catch (error) {
      if (!this.#isTold) this.failed(error instanceof Error ? error.message : String(error));
      this.#isTold = true;
    }
  }
}

/** A file that is not there, or that something else wrote, counts as empty: the next run of the tests fills it. */
function read(path: string): Map<string, Map<string, LastResult>> {
  try {
    const all = progressSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return new Map(Object.entries(all).map(([name, results]) => [name, new Map(Object.entries(results))]));
  } catch {
    return new Map();
  }
}
