import { type Diagnostics, defined, fail, type SourceFile, type Span } from "../../base/index.js";
import { type ActionCall, type Device, deviceView, type Naming } from "../device/index.js";
import {
  type ActionInfo,
  describeBmv2,
  P4InfoIndex,
  type ProfileInfo,
  type Program,
  type Slot,
  type TableInfo,
} from "../program/index.js";
import { CODES } from "./codes.js";
import { EntryHandles } from "./entry-handles.js";
import { findNamed } from "./names.js";
import { ReplicationNodes } from "./replication-nodes.js";
import { readInteger, readSlot } from "./values.js";
import type { Word } from "./words.js";

/** What statements may need from the process that runs them. A statement is refused when the part it needs is missing. */
export interface Surroundings {
  /**
   * Reads a program and its P4Info (at the given path, otherwise beside the program). The span is where the paths are
   * named.
   */
  loadProgram?(path: string, span: Span, p4info?: string): Promise<Program>;
  /** Reads a text file, for `source`. */
  readFile?(path: string, span: Span): SourceFile;
  /** Writes a text file, for `save` and `write_config_to_file`. */
  writeFile?(path: string, text: string): void;
  /** Resolves after a number of milliseconds, or when the signal aborts: for `watch`. */
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Receives answers: as lines for people, and as data for programs. */
export interface Output {
  print(line: string): void;
  /** A statement starts: all that follows is its answer. */
  begin?(statement: string): void;
  /** The same answer as plain JSON data. */
  data?(value: unknown): void;
}

/** State that is kept while a program runs on the device. */
export class ProgramState {
  readonly entries: EntryHandles;
  /** The actions among which a shortened action name is searched. */
  readonly index: P4InfoIndex;
  #nodes: Promise<ReplicationNodes> | undefined;

  constructor(
    readonly device: Device,
    index: P4InfoIndex,
  ) {
    this.index = index;
    this.entries = new EntryHandles(device);
  }

  nodes(): Promise<ReplicationNodes> {
    this.#nodes ??= ReplicationNodes.of(this.device);
    return this.#nodes;
  }

  /** Groups were written without these commands: read them again. */
  forgetNodes(): void {
    this.#nodes = undefined;
  }
}

const LISTS = ["tables", "actions", "counters", "registers", "meters", "digests", "valueSets"] as const;

/**
 * The names and types of a program. When the names of values are known, the types are those of P4Info; otherwise they
 * are those of the device, which are numbers. An empty P4Info is replaced by one made from the BMv2 program.
 */
export function indexOf(program: Program, naming: Naming | undefined): P4InfoIndex {
  const { p4info } = program;
  // the P4Info of a compiler names the program, even when it contains nothing else
  const empty = p4info.pkgInfo === undefined && LISTS.every((list) => p4info[list].length === 0);
  if (empty) return new P4InfoIndex(describeBmv2(program.bmv2));
  return new P4InfoIndex((naming === undefined ? deviceView(program) : program).p4info);
}

/** What a statement may do to the session that runs it. */
export interface SessionHooks {
  readonly commands: ReadonlyMap<string, Command>;
  /** Aborts statements that run until they are stopped. */
  readonly stop: AbortSignal;
  /** Runs other text. */
  runFile(file: SourceFile): Promise<void>;
  /** No further statement runs. */
  end(): void;
}

/** What one statement can use. */
export class Context {
  constructor(
    readonly state: ProgramState,
    readonly surroundings: Surroundings,
    readonly output: Output,
    readonly diagnostics: Diagnostics,
    readonly session: SessionHooks,
  ) {}

  /** The same context with another receiver of answers. */
  to(output: Output): Context {
    return new Context(this.state, this.surroundings, output, this.diagnostics, this.session);
  }

  get commands(): ReadonlyMap<string, Command> {
    return this.session.commands;
  }

  get stop(): AbortSignal {
    return this.session.stop;
  }

  runFile(file: SourceFile): Promise<void> {
    return this.session.runFile(file);
  }

  end(): void {
    this.session.end();
  }

  get device(): Device {
    return this.state.device;
  }

  get index(): P4InfoIndex {
    return this.state.index;
  }

  get naming(): Naming | undefined {
    return this.device.names;
  }

  print(text: string): void {
    for (const line of text.split("\n")) this.output.print(line);
  }

  data(value: unknown): void {
    this.output.data?.(value);
  }

  table(word: Word): TableInfo {
    return findNamed("table", this.index.tables.list, word);
  }

  profile(word: Word): ProfileInfo {
    return findNamed("action profile", this.index.actionProfiles.list, word);
  }

  /** An action's parameters from words in their order; the remaining words are returned. */
  call(info: ActionInfo, words: readonly Word[], at: Word): [ActionCall, readonly Word[]] {
    const slots = info.params.list;
    if (words.length < slots.length)
      fail(
        CODES.form,
        words.at(-1)?.span ?? at.span,
        `action ${info.name} takes ${count(slots.length, "parameter")} (${slotNames(slots)}), not ${words.length}`,
      );
    const params: Record<string, bigint> = {};
    slots.forEach((slot, i) => {
      params[slot.name] = readSlot(
        `parameter ${slot.name} of action ${info.name}`,
        slot,
        defined(words[i]),
        this,
      );
    });
    return [{ action: info.name, params }, words.slice(slots.length)];
  }

  integer(what: string, word: Word, most?: number, least?: number): number {
    return readInteger(what, word, most, least);
  }

  /** An index of an array of `size` elements. */
  indexed(what: string, word: Word, size: number): number {
    const index = readInteger("the index", word);
    if (index >= size) fail(CODES.missing, word.span, `the index is ${index}; ${what} has 0 to ${size - 1}`);
    return index;
  }
}

/** The actions of a table, in P4Info's order. */
export function actionsOf(table: TableInfo): ActionInfo[] {
  return [...table.actions.values()].map(({ action }) => action);
}

/** The actions that members of a profile may have: those of its tables. */
export function profileActions(profile: ProfileInfo): ActionInfo[] {
  const actions = profile.tables.flatMap(actionsOf);
  return actions.filter((action, i) => actions.findIndex(({ id }) => id === action.id) === i);
}

export function slotNames(slots: readonly Slot[]): string {
  return slots.map(({ name }) => name).join(", ");
}

/** `1 field`, `2 fields`: for words whose plural ends in s. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** The words after the name of a statement, by their least number. */
interface WordsOf {
  0: readonly Word[];
  1: readonly [Word, ...Word[]];
  2: readonly [Word, Word, ...Word[]];
  3: readonly [Word, Word, Word, ...Word[]];
  4: readonly [Word, Word, Word, Word, ...Word[]];
  6: readonly [Word, Word, Word, Word, Word, Word, ...Word[]];
}

type Count = keyof WordsOf;

/** At least so many words. */
export type Words<Least extends Count> = WordsOf[Least];

export interface CommandOf<Least extends Count> {
  /**
   * The name and its arguments. A placeholder like `<table>` determines what completion offers for it. The name after a
   * colon, as in `<action:table>`, is the earlier placeholder to which it belongs.
   */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Minimum and maximum number of words after the name. */
  readonly least: Least;
  readonly most: number;
  /** Works without a program on the device. */
  readonly bare?: boolean;
  /** The statement resets the device: all handles and nodes become invalid. */
  readonly reloads?: boolean;
  run(context: Context, words: Words<Least>, name: Word): Promise<void>;
}

/** One with the type of its words by their least number, which whoever runs it has checked. */
export type Command = { [Least in Count]: CommandOf<Least> }[Count];

/** The words of any command, once their number has been compared with its `least`. */
export type CheckedWords = Words<6>;
