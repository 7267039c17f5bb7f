/** What a parser takes from a packet, by states: the types between the statements of a program and the states of the hardware. */
import type { bmv2 } from "../../program/index.js";

/** Bits of the packet; `at` counts from where the state begins. */
export interface PacketBits {
  readonly at: number;
  readonly width: number;
}

/** Bits of the packet that go to bits `lo` and up of a field. */
export interface Taken extends PacketBits {
  readonly field: string;
  readonly lo: number;
}

export interface Written {
  readonly field: string;
  readonly value: bigint;
}

/** A checksum engine that adds or subtracts bits of the packet, or gives its sum. */
export interface SumUse {
  readonly engine: string;
  readonly bits: readonly PacketBits[];
  readonly gives: boolean;
  readonly source: bmv2.SourceInfo | undefined;
}

/** A value that a select looks at: bits of this state (`at`), of a state before (no `at`), or what the counter says. */
export interface KeyPart {
  /** The field or variable, by which a state before keeps it. */
  readonly slot: string;
  readonly width: number;
  readonly at: number | undefined;
  readonly isCounter: boolean;
}

/** A way out of a state. Values and masks are by part of the key. */
export interface Branch {
  readonly values: readonly bigint[];
  readonly masks: readonly bigint[];
  /** A value set, and its entries: all parts are compared. */
  readonly set: { readonly name: string; readonly size: number } | undefined;
  /** The number of the next state; undefined: the parser ends. */
  readonly to: number | undefined;
}

export interface StateContent {
  /** Bits that the state goes on in the packet. */
  readonly bits: number;
  readonly headers: readonly { readonly header: string; readonly at: number }[];
  readonly taken: readonly Taken[];
  readonly written: readonly Written[];
  readonly sums: readonly SumUse[];
  /** Statements that change the counter; `load`: with a new value. */
  readonly counts: readonly ("load" | "change")[];
  readonly key: readonly KeyPart[];
}

export interface PacketState extends StateContent {
  readonly id: number;
  /** The states of the program that it stands for. */
  readonly names: readonly string[];
  readonly source: bmv2.SourceInfo | undefined;
  readonly branches: readonly Branch[];
}

/** The states of a parser, the first one first; or why there are none. */
export type PacketGraph =
  | { readonly states: readonly PacketState[] }
  | { readonly unknown: string; readonly source: bmv2.SourceInfo | undefined };

/** What the state reader has no form for: the reason, and its place. */
export class NotCounted extends Error {
  constructor(
    message: string,
    readonly source: bmv2.SourceInfo | undefined,
  ) {
    super(message);
  }
}

/** Bits of a part of a key. */
export function widthOf(program: bmv2.Bmv2Program, part: bmv2.Value): number {
  if (part.type === "lookahead") return part.value[1];
  if (part.type !== "field" && part.type !== "stack_field")
    throw new NotCounted(`a select looks at ${part.type}`, undefined);
  const [owner, field] = part.value;
  const header =
    part.type === "field"
      ? program.headers.find(({ name }) => name === owner)?.header_type
      : program.header_stacks.find(({ name }) => name === owner)?.header_type;
  const width = program.header_types
    .find(({ name }) => name === header)
    ?.fields.find(([name]) => name === field)?.[1];
  return typeof width === "number" ? width : 1;
}
