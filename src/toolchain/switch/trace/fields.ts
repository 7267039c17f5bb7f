/** Fields of a packet header vector for people: names, hexadecimal values, and changes since the last check. */
import { given } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { fieldText } from "../codegen/expression-text.js";
import type { FieldSlot, HeaderSlot, Layout } from "../codegen/layout.js";
import type { FieldChange, HashInput, TracedField } from "./types.js";

/** A number, padded to a width in bits. */
export function hexOf(value: bigint, width: number): string {
  // Most fields are small, and numbers are faster.
  if (width <= 32) {
    const digits = Number(BigInt.asUintN(width, value)).toString(16);
    return `0x${digits.padStart((width + 3) >> 2, "0")}`;
  }
  return `0x${BigInt.asUintN(width, value)
    .toString(16)
    .padStart((width + 3) >> 2, "0")}`;
}

/** The number in int32 words, low first. */
export function numberOf(words: ArrayLike<number>, at: number, count: number): bigint {
  let value = 0n;
  for (let i = count - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[at + i]! >>> 0);
  return value;
}

/** The value of a field whose words may be shifted, within a stack; of a varbit its present bytes. */
function textOf(words: Int32Array, field: FieldSlot, shift = 0): string {
  const at = field.at + shift;
  if (!field.varbit) return hexOf(numberOf(words, at, field.words), field.width);
  const digits = words[at]! >> 2;
  const text = Array.from({ length: field.words - 1 }, (_, i) =>
    (words[at + 1 + i]! >>> 0).toString(16).padStart(8, "0"),
  );
  return `0x${text.join("").slice(0, digits)}`;
}

interface Place {
  readonly header: HeaderSlot;
  /** Absent: the word is the header's validity. */
  readonly field?: FieldSlot;
}

export class FieldView {
  readonly #places: (Place | undefined)[];
  readonly #shadow: Int32Array;

  constructor(readonly layout: Layout) {
    this.#places = new Array<Place | undefined>(layout.words);
    this.#shadow = new Int32Array(layout.words);
    for (const header of layout.headers.values()) {
      if (!header.metadata) this.#places[header.valid] = { header };
      for (const field of header.fields)
        for (let i = 0; i < field.words; i++) this.#places[field.at + i] = { header, field };
    }
  }

  /** Whether the header is valid, so that its fields have a meaning. */
  #valid(words: Int32Array, header: HeaderSlot): boolean {
    return header.metadata || words[header.valid] === 1;
  }

  /** The words at the last check. */
  get before(): Int32Array {
    return this.#shadow;
  }

  /** Sets the state from which changes are computed. */
  look(phv: Int32Array): void {
    this.#shadow.set(phv);
  }

  /**
   * The changes since the last check, in the order of the headers. A header that is no longer valid has only that change.
   * @param target first word of a field that was written, changed or not; -1: none is known
   */
  changes(phv: Int32Array, target: number): FieldChange[] {
    const before = this.#shadow;
    const found: FieldChange[] = [];
    const add = ({ header, field }: Place) => {
      if (field === undefined) {
        const name = fieldText(header.name, "$valid$");
        found.push({ field: name, before: `0x${before[header.valid]}`, after: `0x${phv[header.valid]}` });
        return;
      }
      const change: FieldChange = { field: fieldText(header.name, field.name), after: textOf(phv, field) };
      if (this.#valid(before, header)) change.before = textOf(before, field);
      if (!this.#valid(phv, header)) change.header_valid = false;
      found.push({
        field: change.field,
        ...given({ before: change.before }),
        after: change.after,
        ...given({ header_valid: change.header_valid }),
      });
    };
    const written = this.#places[target]?.field;
    let last: FieldSlot | undefined;
    for (let i = 0; i < phv.length; i++) {
      if (phv[i] === before[i] && i !== target) continue;
      const place = this.#places[i];
      if (place === undefined || (place.field !== undefined && place.field === last)) continue;
      last = place.field;
      const isShown = place.field === undefined || place.field === written || this.#valid(phv, place.header);
      if (isShown) add(place);
    }
    return found;
  }

  /** All fields of a header, or of the element of its stack at a distance of `shift` words. */
  header(phv: Int32Array, header: HeaderSlot, shift: number): { name: string; fields: TracedField[] } {
    // A header without fields has no place of its own.
    const name = header.words === 0 ? header.name : this.#places[header.at + shift]!.header.name;
    const fields = header.fields.map((field) => ({
      field: fieldText(name, field.name),
      value: textOf(phv, field, shift),
    }));
    return { name, fields };
  }

  /** Bytes of a header in the packet. */
  size(phv: Int32Array, header: HeaderSlot, shift = 0): number {
    const more = header.varbit === undefined ? 0 : phv[header.varbit.at + shift]! >> 3;
    return (header.fixedBits >> 3) + more;
  }

  /** A field of the program, or the validity of a header or a union. */
  field(phv: Int32Array, [header, name]: bmv2.FieldRef): TracedField {
    const field = fieldText(header, name);
    if (name !== "$valid$") return { field, value: textOf(phv, this.layout.field(header, name)!) };
    const slots = this.layout.unions.get(header)?.members ?? [this.layout.headers.get(header)!];
    return { field, value: slots.some((slot) => this.#valid(phv, slot)) ? "0x1" : "0x0" };
  }

  /** Whether the header that a field is in counts. */
  headerValid(phv: Int32Array, [header, name]: bmv2.FieldRef): boolean {
    if (name === "$valid$") return true;
    return this.#valid(phv, this.layout.headers.get(this.layout.field(header, name)!.header)!);
  }

  /** The input of a hash: the rules are those of codegen/calculation.ts. */
  hashInput(phv: Int32Array, algorithm: string, list: readonly bmv2.CalculationInput[]): HashInput {
    const inputs: TracedField[] = [];
    let bits = 0n;
    let count = 0;
    const join = (field: string, value: string, width: number) => {
      inputs.push({ field, value });
      bits = (bits << BigInt(width)) | BigInt(width === 0 ? 0 : value);
      count += width;
    };
    const joinField = (field: FieldSlot) => {
      const width = field.varbit ? phv[field.at]! : field.width;
      join(fieldText(field.header, field.name), textOf(phv, field), width);
    };
    for (const input of list) {
      if (input.type === "field") {
        const [name, field] = input.value;
        const slot = this.layout.field(name, field);
        if (!this.#valid(phv, this.layout.headers.get(slot?.header ?? name)!)) continue;
        if (slot === undefined) join(fieldText(name, "$valid$"), "0x1", 1);
        else joinField(slot);
      } else if (input.type === "header") {
        const header = this.layout.headers.get(input.value)!;
        if (this.#valid(phv, header)) header.fields.forEach(joinField);
      } else if (input.type === "hexstr") {
        const width = input.bitwidth ?? 4 * input.value.replace(/^0x/, "").length;
        join("constant", hexOf(BigInt(input.value), width), width);
      }
    }
    const spare = (8 - (count & 7)) & 7;
    const bytes = count === 0 ? "0x" : hexOf(bits << BigInt(spare), count + spare);
    return { algorithm, inputs, bytes: bytes.slice(2) };
  }
}
