/**
 * What a packet has in the switch: fields as terms, headers that are valid, the next free elements of stacks. On one path, validity and the places in stacks are
 * known, since every decision about them is a decision of the path.
 */
import { defined } from "../../base/index.js";
import type { Bmv2Program } from "../program/index.js";
import type { Term, Terms } from "../solver/index.js";
import { Unhandled } from "./unhandled.js";

export interface Field {
  readonly name: string;
  /** Bits; the most of a varbit. */
  readonly width: number;
  readonly signed: boolean;
  readonly varbit: boolean;
}

export interface Header {
  readonly name: string;
  readonly metadata: boolean;
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** All members of its union. */
  readonly union: readonly string[];
}

export interface Stack {
  readonly name: string;
  /** The headers of each element: one, or the members of a union. */
  readonly elements: readonly (readonly string[])[];
  /** Of a stack of unions: the members' names in a union. */
  readonly members: readonly string[];
}

/** The headers, stacks and unions of a program by name. */
export class Shapes {
  readonly headers = new Map<string, Header>();
  readonly stacks = new Map<string, Stack>();
  readonly unions = new Map<string, readonly string[]>();
  readonly #aliases: ReadonlyMap<string, readonly [header: string, field: string]>;

  constructor(program: Bmv2Program) {
    this.#aliases = new Map(program.field_aliases);
    const types = new Map(program.header_types.map((type) => [type.name, type]));
    const names = new Map(program.headers.map(({ id, name }) => [id, name]));
    const members = (ids: readonly number[]) => ids.map((id) => defined(names.get(id)));
    for (const { name, header_ids } of program.header_unions) this.unions.set(name, members(header_ids));
    const unionOf = (header: string) => [...this.unions.values()].find((all) => all.includes(header)) ?? [];
    for (const { name, header_type, metadata } of program.headers) {
      const type = defined(types.get(header_type));
      const fields = type.fields.map(
        ([field, width, signed]): Field => ({
          name: field,
          width: width === "*" ? 8 * (type.max_length ?? 0) - fixedBits(type.fields) : width,
          signed: signed === true,
          varbit: width === "*",
        }),
      );
      const byName = new Map(fields.map((field) => [field.name, field]));
      this.headers.set(name, { name, metadata, fields, byName, union: unionOf(name) });
    }
    for (const { name, header_ids } of program.header_stacks)
      this.stacks.set(name, { name, elements: members(header_ids).map((header) => [header]), members: [] });
    const unions = new Map(program.header_unions.map((union) => [union.id, members(union.header_ids)]));
    const unionTypes = new Map(program.header_union_types.map((type) => [type.name, type.headers]));
    for (const { name, union_type, header_union_ids } of program.header_union_stacks)
      this.stacks.set(name, {
        name,
        elements: header_union_ids.map((id) => defined(unions.get(id))),
        members: defined(unionTypes.get(union_type)).map(([member]) => member),
      });
  }

  header(name: string): Header {
    const header = this.headers.get(name);
    if (header === undefined) throw new Unhandled(`the header ${name}`);
    return header;
  }

  /** A field by its name or by an alias of it; undefined if there is none. */
  field(header: string, name: string): { header: Header; field: Field } | undefined {
    const [owner, own] = this.#aliases.get(`${header}.${name}`) ?? [header, name];
    const shape = this.headers.get(owner);
    const field = shape?.byName.get(own);
    return shape === undefined || field === undefined ? undefined : { header: shape, field };
  }

  stack(name: string): Stack {
    const stack = this.stacks.get(name);
    if (stack === undefined) throw new Unhandled(`the stack ${name}`);
    return stack;
  }
}

function fixedBits(fields: readonly [string, number | "*", boolean?][]): number {
  return fields.reduce((sum, [, width]) => sum + (width === "*" ? 0 : width), 0);
}

/** Value of a header's field that nothing has written. */
export type Unwritten = (header: string, field: Field) => Term;

export class Memory {
  readonly #values: Map<string, Term>;
  readonly #valid: Set<string>;
  readonly #next: Map<string, number>;

  constructor(
    readonly terms: Terms,
    readonly shapes: Shapes,
    readonly unwritten: Unwritten,
    from?: Memory,
  ) {
    this.#values = new Map(from === undefined ? [] : from.#values);
    this.#valid = new Set(from === undefined ? [] : from.#valid);
    this.#next = new Map(from === undefined ? [] : from.#next);
  }

  copy(): Memory {
    return new Memory(this.terms, this.shapes, this.unwritten, this);
  }

  /** All metadata as at the start of a packet. */
  clearMetadata(): void {
    for (const { name, metadata, fields } of this.shapes.headers.values())
      if (metadata) for (const field of fields) this.#values.delete(`${name} ${field.name}`);
  }

  field(header: string, name: string): Field | undefined {
    return this.shapes.field(header, name)?.field;
  }

  get(header: string, name: string): Term {
    const found = this.shapes.field(header, name);
    if (found === undefined) throw new Unhandled(`the field ${header}.${name}`);
    const { header: shape, field } = found;
    const value = this.#values.get(`${shape.name} ${field.name}`);
    if (value !== undefined) return value;
    if (shape.metadata) return this.terms.constant(0n, field.varbit ? 0 : field.width);
    return field.varbit ? this.terms.constant(0n, 0) : this.unwritten(shape.name, field);
  }

  set(header: string, name: string, value: Term): void {
    const found = this.shapes.field(header, name);
    if (found === undefined) throw new Unhandled(`the field ${header}.${name}`);
    this.#values.set(`${found.header.name} ${found.field.name}`, value);
  }

  /** Sets a field if the program has it. */
  setIfThere(header: string, name: string, value: Term): void {
    const field = this.field(header, name);
    if (field === undefined) return;
    const { terms } = this;
    this.set(
      header,
      name,
      value.width >= field.width ? terms.slice(value, 0, field.width) : terms.extend(value, field.width),
    );
  }

  isValid(header: string): boolean {
    return this.shapes.header(header).metadata || this.#valid.has(header);
  }

  setValid(header: string): void {
    for (const member of this.shapes.header(header).union) this.#valid.delete(member);
    this.#valid.add(header);
  }

  setInvalid(header: string): void {
    this.#valid.delete(header);
  }

  copyHeader(to: string, from: string): void {
    if (!this.isValid(from)) {
      this.setInvalid(to);
      return;
    }
    this.setValid(to);
    this.copyFields(to, from);
  }

  copyFields(to: string, from: string): void {
    const source = this.shapes.header(from).fields;
    this.shapes.header(to).fields.forEach(({ name }, i) => {
      this.set(to, name, this.get(from, defined(source[i]).name));
    });
  }

  /** The members of a union take those of another one of its type. */
  copyUnion(to: readonly string[], from: readonly string[]): void {
    const before = this.copy();
    for (const [i, member] of to.entries()) if (!before.isValid(defined(from[i]))) this.setInvalid(member);
    for (const [i, member] of to.entries())
      if (before.isValid(defined(from[i]))) this.copyHeader(member, defined(from[i]));
  }

  next(stack: string): number {
    return this.#next.get(stack) ?? 0;
  }

  setNext(stack: string, next: number): void {
    this.#next.set(stack, next);
  }

  /** push_front (count > 0) or pop_front (count < 0); what comes in is invalid, with the fields that it had. */
  shift({ name, elements }: Stack, count: number): void {
    const by = Math.min(elements.length, Math.abs(count));
    const before = this.copy();
    elements.forEach((element, i) => {
      const source = elements[count > 0 ? i - by : i + by];
      element.forEach((header, member) => {
        const from = source?.[member];
        if (from !== undefined && before.isValid(from)) this.#valid.add(header);
        else this.setInvalid(header);
        if (from === undefined) return;
        for (const field of this.shapes.header(header).fields)
          this.set(header, field.name, before.get(from, field.name));
      });
    });
    const next = this.next(name);
    this.setNext(name, count > 0 ? Math.min(elements.length, next + by) : Math.max(0, next - by));
  }
}
