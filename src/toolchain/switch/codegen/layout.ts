/**
 * The places of a program's fields. All state of a packet except its bytes is in one Int32Array, the packet header vector
 * (PHV). A field of w bits takes ceil(w / 32) words, low word first, as an unsigned number. A word of 32 bits is stored as
 * the int32 with the same bits, which V8 stores without a heap number.
 *
 * The order is: metadata fields, then one validity word for each header and one `next` index for each stack (all of them are
 * 0 at the start of each packet), then header fields (which keep their values, as in BMv2) and the headers' places in the
 * frame.
 */
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
  const types = new Map(program.header_types.map((type) => [type.name, type]));
  const instances = new Map(program.headers.map((header) => [header.id, header]));
  const headers = new Map<string, HeaderSlot>();

  const ordered: bmv2.HeaderInstance[] = [];
  const placed = new Set<number>();
  const place = (id: number) => {
    if (placed.has(id)) return;
    placed.add(id);
    ordered.push(instances.get(id)!);
  };
  const unionsById = new Map(program.header_unions.map((union) => [union.id, union]));
  for (const stack of program.header_stacks) for (const id of stack.header_ids) place(id);
  for (const stack of program.header_union_stacks)
    for (const union of stack.header_union_ids) for (const id of unionsById.get(union)!.header_ids) place(id);
  for (const union of program.header_unions) for (const id of union.header_ids) place(id);
  for (const header of program.headers) place(header.id);

  const stacked = new Set([
    ...program.header_stacks.flatMap((stack) => stack.header_ids),
    ...program.header_union_stacks.flatMap((stack) =>
      stack.header_union_ids.flatMap((union) => unionsById.get(union)!.header_ids),
    ),
  ]);
  let at = 0;
  const build = (instance: bmv2.HeaderInstance, valid: number): HeaderSlot => {
    const type = types.get(instance.header_type)!;
    const start = at;
    const fixedBits = type.fields.reduce((sum, [, width]) => sum + (width === "*" ? 0 : width), 0);
    const fields = type.fields.map(([name, width, signed]): FieldSlot => {
      const varbit = width === "*";
      const bits = varbit ? Math.max(0, (type.max_length ?? 0) * 8 - fixedBits) : width;
      const words = fieldWords(bits, varbit);
      const slot = { header: instance.name, name, at, words, width: bits, signed: signed === true, varbit };
      at += words;
      return slot;
    });
    const words = at - start;
    const varbit = fields.find((field) => field.varbit);
    const placed = !instance.metadata && varbit === undefined && !stacked.has(instance.id);
    const slot: HeaderSlot = {
      name: instance.name,
      metadata: instance.metadata,
      valid,
      fields,
      byName: new Map(fields.map((field) => [field.name, field])),
      at: start,
      words,
      fixedBits,
      varbit,
      place: placed ? at++ : -1,
      union: undefined,
    };
    headers.set(instance.name, slot);
    return slot;
  };

  for (const header of program.headers) if (header.metadata) build(header, -1);
  const metadata = at;
  const real = ordered.filter((header) => !header.metadata);
  const validAt = new Map(real.map((header, i) => [header.id, at + i]));
  at += real.length;
  const nextAt = at;
  at += program.header_stacks.length + program.header_union_stacks.length;
  const cleared = at;
  for (const header of real) build(header, validAt.get(header.id)!);

  const slotOf = (id: number) => headers.get(instances.get(id)!.name)!;
  const unions = new Map<string, UnionSlot>();
  for (const union of program.header_unions) {
    const slot = { name: union.name, members: union.header_ids.map(slotOf) };
    for (const member of slot.members) member.union = slot;
    unions.set(union.name, slot);
  }

  let next = nextAt;
  const stackOf = (name: string, elements: HeaderSlot[][], memberNames: string[]): StackSlot => ({
    name,
    size: elements.length,
    next: next++,
    elements,
    stride: elements[0]!.reduce((sum, header) => sum + header.words, 0),
    validStride: elements[0]!.length,
    memberNames,
  });
  const stacks = new Map(
    program.header_stacks.map((stack) => [
      stack.name,
      stackOf(
        stack.name,
        stack.header_ids.map((id) => [slotOf(id)]),
        [],
      ),
    ]),
  );
  const unionTypes = new Map(program.header_union_types.map((type) => [type.name, type]));
  const unionStacks = new Map(
    program.header_union_stacks.map((stack) => [
      stack.name,
      stackOf(
        stack.name,
        stack.header_union_ids.map((id) => unionsById.get(id)!.header_ids.map(slotOf)),
        unionTypes.get(stack.union_type)!.headers.map(([member]) => member),
      ),
    ]),
  );

  const aliases = new Map(program.field_aliases.map(([alias, field]) => [alias, field]));
  return {
    words: at,
    changes: { fields: new Set(), headers: new Set() },
    cleared,
    metadata,
    headers,
    stacks,
    unions,
    unionStacks,
    field(header, name) {
      const direct = headers.get(header)?.byName.get(name);
      if (direct !== undefined) return direct;
      const alias = aliases.get(`${header}.${name}`);
      return alias === undefined ? undefined : headers.get(alias[0])?.byName.get(alias[1]);
    },
  };
}
