/**
 * Packets that get deep: each follows a random way through the program's own parser. Headers are filled with numbers
 * that the program knows, then the bits that a transition looks at are set so that it is taken.
 */
import type { Random } from "../../../src/base/index.js";
import type { Bmv2Program, bmv2 } from "../../../src/toolchain/program/index.js";
import type { Values } from "./values.js";

const MAX_STATES = 40;
const MAX_BITS = 8 * 1400;

/** Headers by instance name: the offset of the last one extracted. */
interface Found {
  offset: number;
  type: string;
}

export class PacketMaker {
  readonly #states: ReadonlyMap<string, bmv2.ParseState>;
  readonly #types: ReadonlyMap<string, Bmv2Program["header_types"][number]>;
  readonly #instances: ReadonlyMap<string, string>;
  readonly #stacks: ReadonlyMap<string, string>;
  readonly #first: string;

  constructor(
    program: Bmv2Program,
    readonly values: Values,
    readonly random: Random,
  ) {
    const [parser] = program.parsers;
    this.#states = new Map(parser?.parse_states.map((state) => [state.name, state]));
    this.#first = parser?.init_state ?? "";
    this.#types = new Map(program.header_types.map((type) => [type.name, type]));
    this.#instances = new Map(program.headers.map((header) => [header.name, header.header_type]));
    this.#stacks = new Map(program.header_stacks.map((stack) => [stack.name, stack.header_type]));
    for (const { name, union_type } of program.header_union_stacks) {
      const union = program.header_union_types.find((type) => type.name === union_type);
      for (const [member, type] of union?.headers ?? [])
        (this.#stacks as Map<string, string>).set(`${name} ${member}`, type);
    }
  }

  make(): Uint8Array {
    const packet = new Bits(this.random);
    const found = new Map<string, Found>();
    let state = this.#states.get(this.#first);
    for (let steps = 0; state !== undefined && steps < MAX_STATES && packet.at < MAX_BITS; steps++) {
      for (const op of state.parser_ops) this.#apply(op, packet, found);
      state = this.#follow(state, packet, found);
    }
    packet.grow(packet.at + 8 * this.random.int(60));
    const bytes = packet.bytes();
    // BMv2 accepts no empty packets; some packets are truncated.
    const length = this.random.int(12) === 0 ? 1 + this.random.int(Math.max(1, bytes.length)) : bytes.length;
    return bytes.length === 0 ? new Uint8Array(14) : bytes.slice(0, length);
  }

  #apply(op: bmv2.ParseState["parser_ops"][number], packet: Bits, found: Map<string, Found>): void {
    switch (op.op) {
      case "extract":
      case "extract_VL": {
        const [target] = op.parameters;
        const name = target.type === "union_stack" ? target.value.join(" ") : target.value;
        const type = target.type === "regular" ? this.#instances.get(name) : this.#stacks.get(name);
        if (type === undefined) return;
        found.set(name, { offset: packet.at, type });
        const variable = op.op === "extract_VL" ? this.#number(op.parameters[1], packet, found) : 0;
        for (const [, width] of this.#types.get(type)?.fields ?? []) {
          const bits = width === "*" ? Math.max(0, Math.min(variable, 320)) : width;
          packet.fill(packet.at, bits, this.values.number(bits));
          packet.at += bits;
        }
        return;
      }
      case "advance":
      case "shift":
        packet.at += Math.max(0, Math.min(this.#number(op.parameters[0], packet, found), 1024));
        return;
      default:
    }
  }

  /** Follows one transition of the parser, and sets the bits of the packet that select it. */
  #follow(
    state: bmv2.ParseState,
    packet: Bits,
    found: ReadonlyMap<string, Found>,
  ): bmv2.ParseState | undefined {
    if (state.transitions.length === 0) return undefined;
    // Ways that end the parser at once are less likely.
    const onward = state.transitions.filter((one) => one.next_state !== null);
    const transition =
      onward.length > 0 && this.random.int(8) > 0
        ? this.random.pick(onward)
        : this.random.pick(state.transitions);
    if (transition.type === "hexstr" && transition.value !== null) {
      const mask = transition.mask === null ? undefined : BigInt(transition.mask);
      this.#force(state, BigInt(transition.value), mask, packet, found);
    }
    return transition.next_state === null ? undefined : this.#states.get(transition.next_state);
  }

  #force(
    state: bmv2.ParseState,
    value: bigint,
    mask: bigint | undefined,
    packet: Bits,
    found: ReadonlyMap<string, Found>,
  ): void {
    let rest = value;
    let restMask = mask;
    for (const part of [...state.transition_key].reverse()) {
      const place = this.#place(part, packet, found);
      const width = place?.width ?? 8;
      const padded = BigInt(8 * Math.ceil(width / 8));
      if (place !== undefined) packet.force(place.offset, width, rest, restMask);
      rest >>= padded;
      if (restMask !== undefined) restMask >>= padded;
    }
  }

  /** The position of a value in the packet. */
  #place(
    part: bmv2.Value,
    packet: Bits,
    found: ReadonlyMap<string, Found>,
  ): { offset: number; width: number } | undefined {
    if (part.type === "lookahead") return { offset: packet.at + part.value[0], width: part.value[1] };
    if (part.type !== "field" && part.type !== "stack_field") return undefined;
    const [header, field] = part.value;
    const base = header.replace(/\[\d+\]$/, "");
    const extracted = found.get(header) ?? found.get(base);
    if (extracted === undefined) return undefined;
    let { offset } = extracted;
    for (const [name, width] of this.#types.get(extracted.type)?.fields ?? []) {
      if (width === "*") return undefined;
      if (name === field) return { offset, width };
      offset += width;
    }
    return undefined;
  }

  /** A small number computed from the packet; 0 if it cannot be computed here. */
  #number(value: bmv2.Value | number | null, packet: Bits, found: ReadonlyMap<string, Found>): number {
    if (typeof value === "number" || value === null) return value ?? 0;
    if (value.type === "hexstr") return Number(BigInt(value.value));
    if (value.type !== "expression") {
      const place = this.#place(value, packet, found);
      return place === undefined ? 0 : Number(packet.read(place.offset, place.width));
    }
    const inner = value.value;
    if (!("op" in inner)) return this.#number(inner, packet, found);
    const { op, left, right }: bmv2.Expression = inner;
    const [a, b] = [this.#number(left, packet, found), this.#number(right, packet, found)];
    if (op === "+") return a + b;
    if (op === "-") return a - b;
    if (op === "*") return a * b;
    if (op === "<<") return a * 2 ** Math.min(b, 20);
    return op === "&" ? Number(BigInt.asUintN(32, BigInt(a)) & BigInt.asUintN(32, BigInt(b))) : 0;
  }
}

/** A growing row of bits; bits that a transition needs are set once and stay. */
class Bits {
  at = 0;
  readonly #bits: number[] = [];
  readonly #forced = new Set<number>();

  constructor(readonly random: Random) {}

  grow(length: number): void {
    while (this.#bits.length < length) this.#bits.push(this.random.int(2));
  }

  fill(offset: number, width: number, value: bigint): void {
    this.grow(offset + width);
    for (let i = 0; i < width; i++)
      if (!this.#forced.has(offset + i))
        this.#bits[offset + i] = Number((value >> BigInt(width - 1 - i)) & 1n);
  }

  force(offset: number, width: number, value: bigint, mask: bigint | undefined): void {
    this.grow(offset + width);
    for (let i = 0; i < width; i++) {
      const shift = BigInt(width - 1 - i);
      if (mask !== undefined && ((mask >> shift) & 1n) === 0n) continue;
      this.#bits[offset + i] = Number((value >> shift) & 1n);
      this.#forced.add(offset + i);
    }
  }

  read(offset: number, width: number): bigint {
    this.grow(offset + width);
    let value = 0n;
    for (let i = 0; i < width; i++) value = (value << 1n) | BigInt(this.#bits[offset + i]!);
    return value;
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(Math.floor(this.#bits.length / 8));
    for (let i = 0; i < bytes.length * 8; i++) bytes[i >> 3]! |= this.#bits[i]! << (7 - (i & 7));
    return bytes;
  }
}
