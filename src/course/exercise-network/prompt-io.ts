/** What the words of the prompt share: the terminal of the caller, and how lines end. */
import type { RunningExercise } from "./exercise.js";

/** The functions of the caller, which owns the terminal, for the prompt. */
export interface PromptIo {
  write(text: string): void;
  /** Milliseconds of any clock. */
  now(): number;
  /** Input for a program that starts; absent: its input is empty. */
  input?(): TypedInput;
  /** Text of a file, for `source`; undefined: it cannot be read. */
  read(path: string): string | undefined;
  /** Runs a line in a shell on this machine, until `stop` at the latest; its exit status. */
  shell(line: string, stop: AbortSignal): Promise<number>;
}

/** The text that is typed while a program runs. */
export interface TypedInput {
  /** A file that the program reads. */
  readonly path: string;
  write(line: string): void;
  end(): void;
  /** Once the program has ended. */
  close(): void;
}

/** What a word sees of the prompt. */
export interface WordContext {
  readonly exercise: RunningExercise;
  readonly io: PromptIo;
  print(line: string): void;
}

/** Hosts or switches that exist, for messages about one that does not. */
export function knownNodes(names: Iterable<string>): string {
  return `there are ${[...names].join(", ")}`;
}

/** Status of a line that Ctrl-C ended. */
export const INTERRUPTED = 130;
