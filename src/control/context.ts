/** What all statements share: the device, what its program shows, and lookups that fail with a place. */
import { type Diagnostics, fail, type SourceFile, type Span } from "../base/index.js";
import {
  type ActionCall,
  type ActionInfo,
  type Device,
  describeBmv2,
  deviceView,
  type Naming,
  P4InfoIndex,
  type ProfileInfo,
  type Program,
  type Slot,
  type TableInfo,
} from "../program/index.js";
import { CODES } from "./codes.js";
import type { Command } from "./command.js";
import { EntryHandles } from "./entry-handles.js";
import { findNamed } from "./names.js";
import { ReplicationNodes } from "./replication-nodes.js";
import { readInteger, readSlot } from "./values.js";
import type { Word } from "./words.js";

/** What statements may need of the world around them; a statement is refused where its part is missing. */
export interface Surroundings {
  /** Reads a program with its P4Info (that of the path, else the one beside it), which the file of the span names. */
  loadProgram?(path: string, span: Span, p4info?: string): Promise<Program>;
  /** Reads a text file, for `source`. */
  readFile?(path: string, span: Span): SourceFile;
  /** Writes a text file, for `save` and `write_config_to_file`. */
  writeFile?(path: string, text: string): void;
  /** Resolves after so many milliseconds, or when the signal aborts: for `watch`. */
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Where answers go: a line at a time, and as data for programs. */
export interface Output {
  print(line: string): void;
  /** A statement starts: what follows is its answer. */
  begin?(statement: string): void;
  /** The same answer as plain JSON data. */
  data?(value: unknown): void;
}

/** What is kept while a program runs on the device. */
export class ProgramState {
  readonly entries: EntryHandles;
  /** Ends of action names are looked for among these. */
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

  /** Groups were written in another way: look at them anew. */
  forgetNodes(): void {
    this.#nodes = undefined;
  }
}

const LISTS = ["tables", "actions", "counters", "registers", "meters", "digests", "valueSets"] as const;

/**
 * What a program shows: to who knows the names of its values, as P4Info says; else as the device sees it, in numbers.
 * In place of a P4Info with nothing in it, one is made from the BMv2 program.
 */
export function indexOf(program: Program, naming: Naming | undefined): P4InfoIndex {
  const { p4info } = program;
  // a compiler's P4Info names the program, also where it shows nothing else
  const empty = p4info.pkgInfo === undefined && LISTS.every((list) => p4info[list].length === 0);
  if (empty) return new P4InfoIndex(describeBmv2(program.bmv2));
  return new P4InfoIndex((naming === undefined ? deviceView(program) : program).p4info);
}

/** What a statement may do to the session that runs it. */
export interface SessionHooks {
  readonly commands: ReadonlyMap<string, Command>;
  /** Runs other text. */
  runFile(file: SourceFile): Promise<void>;
  /** No statement runs any more. */
  end(): void;
}

/** One statement's view of it all. */
export class Context {
  constructor(
    readonly state: ProgramState,
    readonly surroundings: Surroundings,
    readonly output: Output,
    readonly diagnostics: Diagnostics,
    /** Aborts what goes on until it is told to stop. */
    readonly stop: AbortSignal,
    readonly session: SessionHooks,
  ) {}

  /** The same with the answers elsewhere. */
  to(output: Output): Context {
    return new Context(this.state, this.surroundings, output, this.diagnostics, this.stop, this.session);
  }

  get commands(): ReadonlyMap<string, Command> {
    return this.session.commands;
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

  /** An action's parameters from words in their order; those left over are handed back. */
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
      params[slot.name] = readSlot(`parameter ${slot.name} of action ${info.name}`, slot, words[i]!, this);
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

/** `1 entry`, `2 entrys`: for words whose plural is an s. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
