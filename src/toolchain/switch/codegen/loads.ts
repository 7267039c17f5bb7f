/**
 * The fields that parsers load. A field that nothing of the program names stays in the frame: the deparser copies its bytes from there.
 */
import type { Bmv2Program, bmv2 } from "../../program/index.js";
import type { FieldSlot, HeaderSlot, Layout } from "./layout.js";

/** Parts of a program that name headers and fields without a use of their values. */
const NO_USE = new Set([
  ...[
    "headers",
    "header_types",
    "header_stacks",
    "header_unions",
    "header_union_stacks",
    "header_union_types",
  ],
  ...["field_aliases", "source_info", "architecture"],
]);

export class Loads {
  /** First words of the fields that the program names by themselves. */
  #named = new Set<number>();
  /** Headers of which all fields are loaded. */
  readonly #whole = new Set<string>();
  /** First words of the fields of the other headers that parsers load. */
  readonly #loaded = new Set<number>();

  /** @param apart headers that a parser reads from other bytes than the frame */
  constructor(
    program: Bmv2Program,
    readonly layout: Layout,
    apart: Iterable<string>,
  ) {
    this.#walk(program);
    // What the switch itself reads is no use by the program, but it has to be there.
    const named = new Set(this.#named);
    this.#walk(program.architecture);
    const emitted = new Set(program.deparsers.flatMap(({ order }) => order));
    for (const header of apart) if (emitted.has(header)) this.#whole.add(header);
    for (const slot of layout.headers.values()) this.#load(slot);
    this.#named = named;
  }

  /** Whether the program itself names a field. */
  names(at: number): boolean {
    return this.#named.has(at);
  }

  /** Whether parsers load a field of a header. */
  has({ header, at }: FieldSlot): boolean {
    return this.#whole.has(header) || this.#loaded.has(at);
  }

  /** All of its fields are loaded. */
  isWhole(slot: HeaderSlot): boolean {
    return slot.fields.every((field) => this.has(field));
  }

  #walk(node: unknown): void {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      const [header, name] = node;
      if (node.length === 2 && typeof header === "string" && typeof name === "string") {
        const field = this.layout.field(header, name);
        if (field !== undefined) this.#named.add(field.at);
        if (field !== undefined || name === "$valid$") return;
      }
      for (const one of node) this.#walk(one);
      return;
    }
    if (isExtraction(node as Partial<bmv2.ParserOp>)) return;
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type !== undefined && typeof value === "string" && this.layout.headers.has(value))
      this.#whole.add(value);
    for (const [key, one] of Object.entries(node)) if (!NO_USE.has(key)) this.#walk(one);
  }

  /** A field is loaded with those that share a byte with it: the deparser writes whole bytes. */
  #load(slot: HeaderSlot): void {
    if (slot.place < 0 || slot.union !== undefined) this.#whole.add(slot.name);
    let bit = 0;
    const bytes = new Set<number>();
    const spans = slot.fields.map((field) => {
      const span = { field, first: bit >> 3, last: (bit + field.width - 1) >> 3 };
      bit += field.width;
      if (this.#named.has(field.at)) for (let i = span.first; i <= span.last; i++) bytes.add(i);
      return span;
    });
    for (const { field, first, last } of spans)
      if (bytes.has(first) || bytes.has(last)) this.#loaded.add(field.at);
  }
}

function isExtraction({ op, parameters }: Partial<bmv2.ParserOp>): boolean {
  const [target] = (parameters ?? []) as readonly { type?: string }[];
  return op === "extract" && target?.type === "regular";
}

/** Names of the headers that a state extracts; those of stacks are not among them. */
export function extractedBy({ parser_ops }: bmv2.ParseState): string[] {
  return parser_ops.flatMap((op) => {
    if (op.op !== "extract" && op.op !== "extract_VL") return [];
    const [target] = op.parameters;
    return target.type === "regular" ? [target.value] : [];
  });
}
