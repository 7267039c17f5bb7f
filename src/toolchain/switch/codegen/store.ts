/** Writing to fields and headers: what actions, parsers and table meters have in common. */
import type { bmv2 } from "../../program/index.js";
import type { Emitter } from "./emitter.js";
import {
  type ExpressionWriter,
  type HeaderPlace,
  isOperation,
  memberIndex,
  memberNumber,
  phv,
  Unsupported,
  validWord,
} from "./expression.js";
import type { FieldSlot } from "./layout.js";
import type { Num } from "./number.js";

/** A field that can be written. */
interface Destination {
  readonly field: FieldSlot;
  readonly shift: string;
}

export class StoreWriter {
  constructor(
    readonly out: Emitter,
    readonly expressions: ExpressionWriter,
  ) {}

  /** The field that a value names; undefined if the value is no field. */
  destination(value: bmv2.Value): Destination {
    const { scope } = this.expressions;
    switch (value.type) {
      case "field": {
        const field = scope.layout.field(value.value[0], value.value[1]);
        if (field !== undefined) return { field, shift: "0" };
        break;
      }
      case "stack_field": {
        const place = this.expressions.lastElement(this.expressions.stack(value.value[0]));
        return this.#member(place, value.value[1]);
      }
      case "union_stack_field": {
        const [name, member, field] = value.value;
        const stack = this.expressions.stack(name);
        return this.#member(this.expressions.lastElement(stack, memberIndex(stack, member)), field);
      }
      case "expression": {
        const inner = value.value;
        if (!isOperation(inner)) return this.destination(inner);
        if (inner.op === "access_field" && inner.left !== null) {
          const place = this.expressions.headerOf(inner.left);
          const field = place.slot.fields[memberNumber(inner.right)];
          if (field !== undefined) return { field, shift: place.shift };
        }
        break;
      }
    }
    throw new Unsupported(`a value of type ${value.type} as the destination of an assignment`);
  }

  #member(place: HeaderPlace, name: string): Destination {
    const field = place.slot.byName.get(name);
    if (field === undefined) throw new Unsupported(`header ${place.slot.name} has no field ${name}`);
    return { field, shift: place.shift };
  }

  assign(to: bmv2.Value, value: Num): void {
    this.store(this.destination(to), value);
  }

  store({ field, shift }: Destination, value: Num): void {
    if (field.varbit)
      throw new Unsupported(`an assignment to ${field.header}.${field.name}, of variable length`);
    this.expressions.scope.layout.changes.fields.add(field.at);
    const words = this.expressions.scope.numbers.cut(value, field.width);
    const held = words.length > 1 ? words.map((w) => this.out.hold(w)) : words;
    held.forEach((w, i) => {
      this.out.line(`${phv(field.at + i, shift)} = ${w};`);
    });
  }

  /** Makes a header valid, and the other members of its union invalid; metadata always are valid. */
  markValid(place: HeaderPlace): void {
    if (place.slot.metadata) return;
    this.out.line(`${validWord(place)} = 1;`);
    for (const member of place.slot.union?.members ?? [])
      if (member !== place.slot) this.out.line(`${phv(member.valid, place.validShift)} = 0;`);
  }

  /** dst = src, validity included; both of one type. */
  copyHeader(to: HeaderPlace, from: HeaderPlace): void {
    this.#changes(to);
    if (to.slot.metadata) {
      this.#copyFields(to, from);
      return;
    }
    this.out.open(`if (${validWord(from)} === 0)`);
    this.out.line(`${validWord(to)} = 0;`);
    this.out.otherwise();
    this.markValid(to);
    this.#copyFields(to, from);
    this.out.close();
  }

  #changes({ slot }: HeaderPlace): void {
    this.expressions.scope.layout.changes.headers.add(slot);
  }

  #copyFields(to: HeaderPlace, from: HeaderPlace): void {
    const { words } = to.slot;
    if (words > 8) {
      const source = `${from.slot.at} + ${from.shift}`;
      this.out.line(`P.copyWithin(${to.slot.at} + ${to.shift}, ${source}, ${source} + ${words});`);
      return;
    }
    for (let i = 0; i < words; i++)
      this.out.line(`${phv(to.slot.at + i, to.shift)} = ${phv(from.slot.at + i, from.shift)};`);
  }

  /** setValid: an invalid header becomes valid with all fields 0. */
  addHeader(place: HeaderPlace): void {
    const { slot } = place;
    if (slot.metadata) return;
    this.#changes(place);
    this.out.open(`if (${validWord(place)} === 0)`);
    this.markValid(place);
    if (slot.words > 8)
      this.out.line(`P.fill(0, ${slot.at} + ${place.shift}, ${slot.at + slot.words} + ${place.shift});`);
    else for (let i = 0; i < slot.words; i++) this.out.line(`${phv(slot.at + i, place.shift)} = 0;`);
    this.out.line(`s.packetLength += ${slot.fixedBits >> 3};`);
    this.out.close();
  }

  /** The header becomes valid with the values that its fields have. */
  addHeaderFast(place: HeaderPlace): void {
    this.#changes(place);
    this.markValid(place);
  }

  removeHeader(place: HeaderPlace): void {
    const { slot } = place;
    if (slot.metadata) return;
    const more = slot.varbit === undefined ? "" : ` + (${phv(slot.varbit.at, place.shift)} >> 3)`;
    this.out.open(`if (${validWord(place)} === 1)`);
    this.out.line(`${validWord(place)} = 0;`);
    this.out.line(`s.packetLength -= ${slot.fixedBits >> 3}${more};`);
    this.out.close();
  }
}

/**
 * push_front (count > 0) or pop_front (count < 0) of a stack; elements that come in are invalid (P4-16 spec 8.18). Generated code calls it
 * with the numbers of a {@link StackSlot}, without an object a packet.
 */
export function shiftStack(
  phvWords: Int32Array,
  valid: number,
  validStride: number,
  at: number,
  stride: number,
  size: number,
  next: number,
  count: number,
): void {
  const by = Math.min(size, Math.abs(count));
  const kept = size - by;
  const index = phvWords[next]!;
  if (count > 0) {
    phvWords.copyWithin(at + by * stride, at, at + kept * stride);
    phvWords.copyWithin(valid + by * validStride, valid, valid + kept * validStride);
    phvWords.fill(0, valid, valid + by * validStride);
    phvWords[next] = Math.min(size, index + by);
  } else {
    phvWords.copyWithin(at, at + by * stride, at + size * stride);
    phvWords.copyWithin(valid, valid + by * validStride, valid + size * validStride);
    phvWords.fill(0, valid + kept * validStride, valid + size * validStride);
    phvWords[next] = Math.max(0, index - by);
  }
}
