/**
 * Packets and entries at random for any program of the embedded switch: each packet takes a way through the parser, and its fields and the
 * keys of entries are taken from the same few values of their width, so that most tables are hit.
 */
import { defined, Random } from "../../base/index.js";
import type { Match, TableEntry } from "../device/index.js";
import { type bmv2, P4InfoIndex, type Program } from "../program/index.js";
import { isRecirculation } from "../switch/index.js";
import { type Constants, constantsOf } from "./constants.js";

/** Values of one width that fields and keys share. */
const VALUES = 4;
/** Of 8 values, so many are one of the shared ones. */
const SHARED = 7;
/** Of so many values, one is a constant that the program compares fields of the width with, where it has such. */
const COMPARED = 4;
const MAX_STATES = 64;
const ENTRIES = 6;
const PORTS = 4;
const PORT_BITS = 9;
const PAYLOAD_BYTES = 16;
/** Bits in front of a packet that the chip adds: its ingress metadata, then those of the port. */
const FRONT_BITS = { tna: 64 + 64, t2na: 64 + 192 };

class Values {
  readonly #byWidth = new Map<number, readonly bigint[]>();

  constructor(
    readonly random: Random,
    readonly seed: number,
    readonly constants: Constants,
  ) {}

  /** The number of the shared value that all values take until {@link next}; undefined: each its own. */
  #common: number | undefined;

  /** Before an entry or a packet: in every second one all values are the same shared one of their width, so that keys of many fields are hit. */
  next(): void {
    this.#common = this.random.int(2) === 0 ? this.random.int(VALUES) : undefined;
  }

  any(width: number): bigint {
    const { random } = this;
    const known = this.constants.get(width);
    if (known !== undefined && this.#common === undefined && random.int(COMPARED) === 0)
      return random.pick(known);
    if (random.int(8) >= SHARED) return wide(random, width);
    const shared = this.#shared(width);
    return this.#common === undefined ? random.pick(shared) : defined(shared[this.#common]);
  }

  #shared(width: number): readonly bigint[] {
    let list = this.#byWidth.get(width);
    if (list === undefined) {
      const own = new Random(`${this.seed} values of ${width} bits`);
      list = [0n, 1n, ...Array.from({ length: VALUES - 2 }, () => wide(own, width))].map((value) =>
        BigInt.asUintN(width, value),
      );
      this.#byWidth.set(width, list);
    }
    return list;
  }
}

function wide(random: Random, width: number): bigint {
  let value = 0n;
  for (let bits = 0; bits < width; bits += 32) value = (value << 32n) | BigInt(random.uint32());
  return BigInt.asUintN(width, value);
}

/** Entries for all tables that a controller writes, and default entries for those without a key and for some others. Keys repeat where a width has few values: a switch refuses those. */
export function randomEntries(program: Program, seed: number): TableEntry[] {
  const values = new Values(new Random(`${seed} entries`), seed, constantsOf(program));
  const fixed = new Set(
    program.bmv2.pipelines.flatMap(({ tables }) =>
      tables.filter(({ entries }) => (entries ?? []).length > 0).map(({ name }) => name),
    ),
  );
  return new P4InfoIndex(program.p4info).tables.list.flatMap((table): TableEntry[] => {
    const { name, fields, hasPriority, profile, message } = table;
    if (profile !== undefined) return [];
    const defaults = [...table.actions.values()].filter(({ scope }) => scope !== TABLE_ONLY);
    const isSet = defaults.length > 0 && (fields.list.length === 0 || values.random.int(DEFAULTS) === 0);
    const byDefault = isSet ? [defaultEntry(name, values.random.pick(defaults).action, values)] : [];
    const actions = [...table.actions.values()].filter(({ scope }) => scope !== DEFAULT_ONLY);
    if (fields.list.length === 0 || actions.length === 0) return byDefault;
    if (message.isConstTable || fixed.has(name)) return byDefault;
    if (fields.list.some(({ kind, isString }) => kind === "other" || isString)) return byDefault;
    const count = Math.min(ENTRIES, Number(message.size) || 1);
    const list = Array.from({ length: count }, (_, i): TableEntry => {
      values.next();
      const { action } = values.random.pick(actions);
      // The last one matches all that its kinds can.
      const isLast = i === count - 1;
      const match = fields.list.flatMap((field) => matchOf(field, values, isLast));
      const priority = hasPriority ? count - i : 0;
      return { kind: "tableEntry", table: name, match, priority, action: called(action, values) };
    });
    return [...list, ...byDefault];
  });
}

/** Scopes of an action in P4Info. */
const TABLE_ONLY = 1;
const DEFAULT_ONLY = 2;
/** Of so many tables with a key, one gets another default entry. */
const DEFAULTS = 4;

/** A key that packets brought to a table. */
export interface SeenKey {
  readonly table: string;
  /** By field, in the order of the table's key. */
  readonly values: readonly bigint[];
}

/** An entry with exactly that key and any of the table's actions; undefined for a table that no controller writes. */
export function entryFor(
  program: Program,
  { table: name, values }: SeenKey,
  random: Random,
): TableEntry | undefined {
  const known = new P4InfoIndex(program.p4info).tables.list.find((one) => one.name === name);
  const isFixed = program.bmv2.pipelines.some(({ tables }) =>
    tables.some((one) => one.name === name && (one.entries ?? []).length > 0),
  );
  if (known === undefined || isFixed || known.message.isConstTable || known.profile !== undefined)
    return undefined;
  const actions = [...known.actions.values()].filter(({ scope }) => scope !== DEFAULT_ONLY);
  const { fields, hasPriority } = known;
  if (actions.length === 0 || fields.list.length !== values.length) return undefined;
  if (fields.list.some(({ kind, isString }) => kind === "other" || isString)) return undefined;
  const match = fields.list.map((field, i) => exactly(field, values[i]!));
  const any = new Values(random, 0, constantsOf(program));
  any.next();
  return {
    kind: "tableEntry",
    table: name,
    match,
    priority: hasPriority ? ENTRIES + 1 : 0,
    action: called(random.pick(actions).action, any),
  };
}

function exactly({ name: field, kind, bitwidth }: Field, value: bigint): Match {
  switch (kind) {
    case "exact":
      return { kind, field, value };
    case "lpm":
      return { kind, field, value, prefixLength: bitwidth };
    case "ternary":
      return { kind, field, value, mask: (1n << BigInt(bitwidth)) - 1n };
    case "range":
      return { kind, field, low: value, high: value };
    default:
      return { kind: "optional", field, value };
  }
}

type Action = ReturnType<P4InfoIndex["tables"]["list"][number]["actions"]["get"]> & object;

function called({ name, params }: Action["action"], values: Values): NonNullable<TableEntry["action"]> {
  return {
    kind: "action",
    action: name,
    params: Object.fromEntries(params.list.map((param) => [param.name, values.any(param.bitwidth)])),
  };
}

function defaultEntry(table: string, action: Action["action"], values: Values): TableEntry {
  values.next();
  return {
    kind: "tableEntry",
    table,
    match: [],
    priority: 0,
    isDefault: true,
    action: called(action, values),
  };
}

interface Field {
  readonly name: string;
  readonly kind: Match["kind"] | "other";
  readonly bitwidth: number;
}

function matchOf({ name: field, kind, bitwidth }: Field, values: Values, isLast: boolean): Match[] {
  const value = values.any(bitwidth);
  const { random } = values;
  const ones = (1n << BigInt(bitwidth)) - 1n;
  switch (kind) {
    case "exact":
      return [{ kind, field, value }];
    case "lpm": {
      if (isLast) return [];
      const prefixLength = 1 + random.int(bitwidth);
      const low = BigInt(bitwidth - prefixLength);
      return [{ kind, field, value: (value >> low) << low, prefixLength }];
    }
    case "ternary": {
      const mask = random.int(2) === 0 ? ones : wide(random, bitwidth);
      return isLast || mask === 0n ? [] : [{ kind, field, value: value & mask, mask }];
    }
    case "range": {
      const other = values.any(bitwidth);
      const [low, high] = value < other ? [value, other] : [other, value];
      return isLast || (low === 0n && high === ones) ? [] : [{ kind, field, low, high }];
    }
    default:
      return isLast ? [] : [{ kind: "optional", field, value }];
  }
}

/** Packets one after the other. */
export class PacketMaker {
  readonly #values: Values;
  readonly #parser: bmv2.Bmv2Parser | undefined;
  readonly #front: number;
  readonly #types: ReadonlyMap<string, bmv2.HeaderType>;

  constructor(
    readonly program: Program,
    seed: number,
  ) {
    const { bmv2: json } = program;
    const { architecture, parsers } = json;
    const ingress = architecture?.pipes[0]?.ingress;
    this.#values = new Values(new Random(`${seed} packets`), seed, constantsOf(program));
    this.#parser = parsers[ingress?.parsers[0] ?? 0];
    this.#front = architecture === undefined || ingress?.skipsIntrinsic ? 0 : FRONT_BITS[architecture.name];
    this.#types = new Map(json.header_types.map((type) => [type.name, type]));
  }

  /** The port at which the next packet arrives. */
  port(): number {
    const { random, constants } = this.#values;
    const known = (constants.get(PORT_BITS) ?? []).filter((port) => !isRecirculation(Number(port)));
    return known.length > 0 && random.int(COMPARED) === 0 ? Number(random.pick(known)) : random.int(PORTS);
  }

  /** Bytes that take one way through the parser, and a payload; one in eight is cut somewhere. */
  next(): Uint8Array {
    const { random } = this.#values;
    this.#values.next();
    const bits = this.#way();
    for (let i = 0; i < 8 * PAYLOAD_BYTES; i++) bits.push(random.int(2));
    const bytes = new Uint8Array((bits.length - this.#front) >> 3);
    for (let i = 0; i < 8 * bytes.length; i++)
      bytes[i >> 3]! |= defined(bits[this.#front + i]) << (7 - (i & 7));
    return random.int(8) === 0 ? bytes.subarray(0, 1 + random.int(bytes.length)) : bytes;
  }

  #way(): number[] {
    const { random } = this.#values;
    const bits: number[] = [];
    /** Where the newest extraction of each field stands. */
    const places = new Map<string, { at: number; width: number }>();
    /** Bits that a choice asks for, of what is not extracted yet. */
    const asked = new Map<number, number>();
    let state = this.#stateNamed(this.#parser?.init_state);
    for (let steps = 0; state !== undefined && steps < MAX_STATES; steps++) {
      for (const op of state.parser_ops) this.#run(op, bits, places);
      const transitions = state.transitions;
      const chosen = transitions.length === 0 ? undefined : random.pick(transitions);
      if (chosen !== undefined) ask(state.transition_key, chosen, bits.length, places, asked);
      state = this.#stateNamed(chosen?.next_state ?? undefined);
    }
    for (const [at, bit] of asked) {
      while (bits.length <= at) bits.push(0);
      bits[at] = bit;
    }
    while (bits.length < this.#front || (bits.length - this.#front) % 8 !== 0) bits.push(0);
    return bits;
  }

  #stateNamed(name: string | undefined): bmv2.ParseState | undefined {
    return this.#parser?.parse_states.find((state) => state.name === name);
  }

  #run(op: bmv2.ParserOp, bits: number[], places: Map<string, { at: number; width: number }>): void {
    if (op.op === "advance") {
      const [value] = op.parameters;
      const count = value.type === "hexstr" ? Number(value.value) : 0;
      for (let i = 0; i < Math.min(count, 4096); i++) bits.push(0);
      return;
    }
    if (op.op !== "extract") return;
    const [target] = op.parameters;
    if (target.type === "union_stack") return;
    for (const [name, width] of this.#typeOf(target)?.fields ?? []) {
      if (width === "*") continue;
      const value = this.#values.any(width);
      places.set(`${target.value}.${name}`, { at: bits.length, width });
      for (let bit = width - 1; bit >= 0; bit--) bits.push(Number((value >> BigInt(bit)) & 1n));
    }
  }

  #typeOf({ type, value }: { type: string; value: unknown }): bmv2.HeaderType | undefined {
    const { headers, header_stacks: stacks } = this.program.bmv2;
    const list: readonly { name: string; header_type: string }[] = type === "stack" ? stacks : headers;
    return this.#types.get(list.find(({ name }) => name === value)?.header_type ?? "");
  }
}

/** The bits that a transition needs, of its key's fields and of what comes next. */
function ask(
  key: readonly bmv2.Value[],
  { type, value, mask }: bmv2.Transition,
  end: number,
  places: ReadonlyMap<string, { at: number; width: number }>,
  asked: Map<number, number>,
): void {
  if (type !== "hexstr" || value === null) return;
  const parts = key.map((part) => {
    if (part.type === "lookahead") return { at: end + part.value[0], width: part.value[1] };
    if (part.type !== "field" && part.type !== "stack_field") return undefined;
    return places.get(part.value.join("."));
  });
  let wanted = BigInt(value);
  let cared = mask === null ? -1n : BigInt(mask);
  // Each part is padded to whole bytes; the last one stands lowest.
  for (const part of [...parts].reverse()) {
    if (part === undefined) return;
    for (let bit = 0; bit < part.width; bit++)
      if (((cared >> BigInt(bit)) & 1n) === 1n)
        asked.set(part.at + part.width - 1 - bit, Number((wanted >> BigInt(bit)) & 1n));
    const shift = BigInt(8 * Math.ceil(part.width / 8));
    wanted >>= shift;
    cared >>= shift;
  }
}
