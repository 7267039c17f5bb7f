/**
 * The places of a program's fields. All state of a packet except its bytes is in one Int32Array, the packet header vector
 * (PHV). A field of w bits takes ceil(w / 32) words, low word first, as an unsigned number. A word of 32 bits is stored as
 * the int32 with the same bits, which V8 stores without a heap number.
 *
 * The order is: metadata fields, then one validity word for each header and one `next` index for each stack (all of them are
 * 0 at the start of each packet), then header fields (which keep their values, as in BMv2) and the headers' places in the
 * frame.
 */
import { defined } from "../../../base/index.js";
import type { Bmv2Program, bmv2 } from "../../program/index.js";

export interface FieldSlot {
  readonly header: string;
  readonly name: string;
  /** First word in the PHV. */
  readonly at: number;
  readonly words: number;
  /** Bits; for a varbit the largest number of them. */
  readonly width: number;
  readonly signed: boolean;
  /** A varbit: word `at` holds its present length in bits, the words after it hold the bytes, big-endian. */
  readonly varbit: boolean;
}

export interface HeaderSlot {
  readonly name: string;
  readonly metadata: boolean;
  /** Word that is 1 when the header is valid; -1 for metadata, which always are. */
  readonly valid: number;
  readonly fields: readonly FieldSlot[];
  readonly byName: ReadonlyMap<string, FieldSlot>;
  /** First word of the fields, and how many there are. */
  readonly at: number;
  readonly words: number;
  /** Bits of all fields but the varbit. */
  readonly fixedBits: number;
  readonly varbit: FieldSlot | undefined;
  /** Word with the place in the frame that the parser read the header from; -1 for a header that has no single place. */
  readonly place: number;
  /** Other members of the header union that this header is in. */
  union: UnionSlot | undefined;
}

interface UnionSlot {
  readonly name: string;
  readonly members: readonly HeaderSlot[];
}

/** The elements of a stack follow each other, so that element i is found by multiplication. */
export interface StackSlot {
  readonly name: string;
  readonly size: number;
  /** Word with the index of the next element that a parser would extract. */
  readonly next: number;
  /** For a header stack one header an element, for a union stack all members of the element's union. */
  readonly elements: readonly (readonly HeaderSlot[])[];
  /** Distance between elements: field words, and validity words. */
  readonly stride: number;
  readonly validStride: number;
  readonly memberNames: readonly string[];
}

/** What the code of a program may change of the headers that its parser read. Filled while the code is generated. */
export interface Changes {
  /** First words of the fields that something is assigned to. */
  readonly fields: Set<number>;
  /** Headers that are copied to, or made valid other than by the parser. */
  readonly headers: Set<HeaderSlot>;
}

export interface Layout {
  readonly words: number;
  readonly changes: Changes;
  /** Words 0..cleared-1 start each packet at 0; metadata are words 0..metadata-1. */
  readonly cleared: number;
  readonly metadata: number;
  readonly headers: ReadonlyMap<string, HeaderSlot>;
  readonly stacks: ReadonlyMap<string, StackSlot>;
  readonly unions: ReadonlyMap<string, UnionSlot>;
  readonly unionStacks: ReadonlyMap<string, StackSlot>;
  /** A field, with the program's aliases followed; undefined when there is none. */
  field(header: string, name: string): FieldSlot | undefined;
}

/** Words that a value of so many bits takes. */
export function wordsOf(width: number): number {
  return Math.max(1, Math.ceil(width / 32));
}

function fieldWords(width: number, varbit: boolean): number {
  return varbit ? 1 + wordsOf(width) : wordsOf(width);
}

/** Lays out a program whose references are known to be sound (see `readBmv2`). */
export function layOut(program: Bmv2Program): Layout {
  return new LayoutBuilder(program).layout();
}

class LayoutBuilder {
  readonly #headers = new Map<string, HeaderSlot>();
  readonly #types: ReadonlyMap<string, bmv2.HeaderType>;
  readonly #instances: ReadonlyMap<number, bmv2.HeaderInstance>;
  readonly #unionsById: ReadonlyMap<number, Bmv2Program["header_unions"][number]>;
  /** Headers in stacks; they have no single place in the frame. */
  readonly #stacked: ReadonlySet<number>;
  /** The next free word. */
  #at = 0;
  /** The word of the next stack's index. */
  #next = 0;

  constructor(private readonly program: Bmv2Program) {
    this.#types = new Map(program.header_types.map((type) => [type.name, type]));
    this.#instances = new Map(program.headers.map((header) => [header.id, header]));
    this.#unionsById = new Map(program.header_unions.map((union) => [union.id, union]));
    this.#stacked = new Set([
      ...program.header_stacks.flatMap((stack) => stack.header_ids),
      ...program.header_union_stacks.flatMap((stack) =>
        stack.header_union_ids.flatMap((union) => this.#membersOf(union)),
      ),
    ]);
  }

  layout(): Layout {
    const { program } = this;
    for (const header of program.headers) if (header.metadata) this.#placeHeader(header, -1);
    const metadata = this.#at;
    const real = this.#inOrder().filter((header) => !header.metadata);
    const validAt = this.#at;
    this.#at += real.length;
    this.#next = this.#at;
    this.#at += program.header_stacks.length + program.header_union_stacks.length;
    const cleared = this.#at;
    for (const [i, header] of real.entries()) this.#placeHeader(header, validAt + i);

    const headers = this.#headers;
    const aliases = new Map(program.field_aliases.map(([alias, field]) => [alias, field]));
    return {
      words: this.#at,
      changes: { fields: new Set(), headers: new Set() },
      cleared,
      metadata,
      headers,
      stacks: this.#makeStacks(),
      unions: this.#makeUnions(),
      unionStacks: this.#makeUnionStacks(),
      field(header, name) {
        const direct = headers.get(header)?.byName.get(name);
        if (direct !== undefined) return direct;
        const alias = aliases.get(`${header}.${name}`);
        return alias === undefined ? undefined : headers.get(alias[0])?.byName.get(alias[1]);
      },
    };
  }

  /** The headers of a union. */
  #membersOf(union: number): readonly number[] {
    return defined(this.#unionsById.get(union)).header_ids;
  }

  /** All headers; elements of stacks and members of unions come first, each stack and union in one piece. */
  #inOrder(): bmv2.HeaderInstance[] {
    const { program } = this;
    const ids = new Set([
      ...program.header_stacks.flatMap((stack) => stack.header_ids),
      ...program.header_union_stacks.flatMap((stack) =>
        stack.header_union_ids.flatMap((union) => this.#membersOf(union)),
      ),
      ...program.header_unions.flatMap((union) => union.header_ids),
      ...program.headers.map((header) => header.id),
    ]);
    return [...ids].map((id) => defined(this.#instances.get(id)));
  }

  /** Gives a header its words, with the word of its validity. */
  #placeHeader(instance: bmv2.HeaderInstance, valid: number): void {
    const type = defined(this.#types.get(instance.header_type));
    const at = this.#at;
    const fixedBits = type.fields.reduce((sum, [, width]) => sum + (width === "*" ? 0 : width), 0);
    const fields = type.fields.map(([name, width, signed]): FieldSlot => {
      const varbit = width === "*";
      const bits = varbit ? Math.max(0, (type.max_length ?? 0) * 8 - fixedBits) : width;
      const words = fieldWords(bits, varbit);
      const first = this.#at;
      this.#at += words;
      return { header: instance.name, name, at: first, words, width: bits, signed: signed === true, varbit };
    });
    const words = this.#at - at;
    const varbit = fields.find((field) => field.varbit);
    const placed = !instance.metadata && varbit === undefined && !this.#stacked.has(instance.id);
    this.#headers.set(instance.name, {
      name: instance.name,
      metadata: instance.metadata,
      valid,
      fields,
      byName: new Map(fields.map((field) => [field.name, field])),
      at,
      words,
      fixedBits,
      varbit,
      place: placed ? this.#at++ : -1,
      union: undefined,
    });
  }

  #slotOf(id: number): HeaderSlot {
    return defined(this.#headers.get(defined(this.#instances.get(id)).name));
  }

  #makeUnions(): Map<string, UnionSlot> {
    const unions = new Map<string, UnionSlot>();
    for (const union of this.program.header_unions) {
      const slot = { name: union.name, members: union.header_ids.map((id) => this.#slotOf(id)) };
      for (const member of slot.members) member.union = slot;
      unions.set(union.name, slot);
    }
    return unions;
  }

  #makeStacks(): Map<string, StackSlot> {
    return new Map(
      this.program.header_stacks.map(({ name, header_ids }) => {
        const elements = header_ids.map((id) => [this.#slotOf(id)]);
        return [name, this.#makeStack(name, elements, [])];
      }),
    );
  }

  #makeUnionStacks(): Map<string, StackSlot> {
    const types = new Map(this.program.header_union_types.map((type) => [type.name, type]));
    return new Map(
      this.program.header_union_stacks.map(({ name, union_type, header_union_ids }) => {
        const elements = header_union_ids.map((id) => this.#membersOf(id).map((one) => this.#slotOf(one)));
        const memberNames = defined(types.get(union_type)).headers.map(([member]) => member);
        return [name, this.#makeStack(name, elements, memberNames)];
      }),
    );
  }

  #makeStack(name: string, elements: HeaderSlot[][], memberNames: string[]): StackSlot {
    const first = defined(elements[0]);
    return {
      name,
      size: elements.length,
      next: this.#next++,
      elements,
      stride: first.reduce((sum, header) => sum + header.words, 0),
      validStride: first.length,
      memberNames,
    };
  }
}
