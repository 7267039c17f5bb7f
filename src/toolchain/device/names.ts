/**
 * Names of numbers: values of types with `@p4runtime_translation(uri, string)` are strings for a
 * controller and numbers for a device (P4Runtime spec 18.1, "PSA Metadata Translation"). A {@link Device} has
 * numbers only; a P4Runtime server or client keeps one {@link Names} per program.
 *
 * The rule, type by type:
 * 1. Pairs given from outside (the annotation `@p4runtime_translation_mappings({{"", 0}, ...})`, a switch's own
 *    configuration) hold.
 * 2. A decimal number without leading zeros means itself, unless that number has another name by then.
 * 3. Any other string gets the lowest number from 1 on that is free, when it is first used. Not so in a closed
 *    type, such as the ports of a switch: there it is refused.
 * A number without a name that must be reported gets the name of rule 2, with `#` in front where that is another number.
 * So names and numbers are one to one at any time; a name to which nothing refers may be removed, and later stand
 * for something else.
 */
import { defined } from "../../base/index.js";
import type { P4Info, p4types } from "../program/index.js";
import { DeviceError } from "./device-error.js";

/** Translates values of one program. */
export interface Naming {
  /** The number of a name. Throws a `DeviceError` that says why there is none. */
  number(type: string, name: string): bigint;
  /** The name of a number. */
  name(type: string, number: bigint): string;
}

export interface NamesOptions {
  /** Width in bits of the numbers, by type; 64 for the others. */
  widths?: ReadonlyMap<string, number>;
  /** Fixed pairs by type name or URI. */
  fixed?: Readonly<Record<string, Readonly<Record<string, bigint>>>>;
  /** Names of ports; they are the fixed pairs of port types. */
  ports?: Readonly<Record<string, bigint>>;
  /** Port types accept the names in `ports` and numbers only: a new name cannot create a port. */
  closedPorts?: boolean;
}

/** Maximum number of names of one type, of UTF-8 bytes of all names together, and of bytes of one name. */
const MAX_NAMES = 1 << 17;
const MAX_BYTES = 1 << 22;
const MAX_NAME_BYTES = 1024;
const MAX_WIDTH = 64;

const DECIMAL = /^(?:0|[1-9]\d{0,19})$/;

/** A type has no number or no room left; the names that nothing uses may be given up. */
export class NamesExhausted extends DeviceError {
  constructor(message: string) {
    super("RESOURCE_EXHAUSTED", message);
  }
}

function bytesOf(name: string): number {
  return new TextEncoder().encode(name).length;
}

class TypeNames {
  readonly #numbers = new Map<string, bigint>();
  readonly #names = new Map<bigint, string>();
  readonly #fixed = new Set<bigint>();
  readonly #limit: bigint;
  /** All numbers below, from 1 on, have names. */
  #next = 1n;
  /** UTF-8 bytes of all names. */
  #bytes = 0;

  constructor(
    readonly type: string,
    bits: number,
    readonly closed: boolean,
    fixed: Iterable<readonly [name: string, number: bigint]>,
  ) {
    this.#limit = 1n << BigInt(Math.min(bits, MAX_WIDTH));
    for (const [name, number] of fixed) {
      if (this.#numbers.has(name) || this.#names.has(number) || number >= this.#limit) continue;
      this.#add(name, number);
      this.#fixed.add(number);
    }
  }

  #add(name: string, number: bigint): void {
    this.#numbers.set(name, number);
    this.#names.set(number, name);
    this.#bytes += bytesOf(name);
  }

  #drop(name: string, number: bigint): void {
    this.#numbers.delete(name);
    this.#names.delete(number);
    this.#bytes -= bytesOf(name);
  }

  /** Whether one more name fits within a part of these limits. */
  #hasRoom(name: string, part = 1): boolean {
    return this.#names.size < part * MAX_NAMES && this.#bytes + bytesOf(name) <= part * MAX_BYTES;
  }

  find(name: string): bigint | undefined {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = DECIMAL.test(name) ? BigInt(name) : this.#limit;
    return number < this.#limit && !this.#names.has(number) ? number : undefined;
  }

  number(name: string): bigint {
    const found = this.find(name);
    // nothing is made up in a closed type, so that its numbers need not be kept from others
    if (found !== undefined && (this.closed || this.#names.has(found))) return found;
    if (this.closed) throw new DeviceError("INVALID_ARGUMENT", this.#unknown(name));
    if (bytesOf(name) > MAX_NAME_BYTES) {
      const start = JSON.stringify(`${name.slice(0, 32)}...`);
      throw new DeviceError("INVALID_ARGUMENT", `${start} is longer than ${MAX_NAME_BYTES} bytes`);
    }
    if (!this.#hasRoom(name)) {
      const most = `${MAX_NAMES} names and ${MAX_BYTES} bytes of them`;
      throw new NamesExhausted(`type ${this.type} has too many names in use: at most ${most} are kept`);
    }
    if (found === undefined) while (this.#names.has(this.#next)) this.#next++;
    const number = found ?? this.#next;
    if (number >= this.#limit) {
      throw new NamesExhausted(`all ${this.#names.size} values of type ${this.type} have names already`);
    }
    this.#add(name, number);
    return number;
  }

  #unknown(name: string): string {
    const known = [...this.#numbers.keys()].slice(0, 8).map((each) => JSON.stringify(each));
    const numbers = `numbers from 0 to ${this.#limit - 1n}`;
    return `${JSON.stringify(name)} is no ${this.type}; there are ${[...known, numbers].join(", ")}`;
  }

  known(name: string): bigint {
    const found = this.find(name);
    if (found !== undefined) return found;
    throw new DeviceError("NOT_FOUND", `nothing of type ${this.type} is called ${JSON.stringify(name)}`);
  }

  name(number: bigint): string {
    const known = this.#names.get(number);
    if (known !== undefined) return known;
    let name = number.toString();
    if (this.#numbers.has(name)) {
      // these are kept without a check of the limits: they are at most as many as the names that they replace
      while (this.#numbers.has(name)) name = `#${name}`;
      this.#add(name, number);
    } else if (!this.closed && this.#hasRoom(name, 0.5)) this.#add(name, number);
    return name;
  }

  has(name: string): boolean {
    return this.#numbers.has(name);
  }

  /** Removes one name, unless it is fixed. */
  drop(name: string): void {
    const number = this.#numbers.get(name);
    if (number === undefined || this.#fixed.has(number)) return;
    this.#drop(name, number);
    if (number < this.#next) this.#next = number > 1n ? number : 1n;
  }

  /** Removes all names except the fixed ones and those in `used`. */
  keep(used: ReadonlySet<bigint>): void {
    for (const [number, name] of [...this.#names]) {
      if (used.has(number) || this.#fixed.has(number)) continue;
      this.#drop(name, number);
    }
    this.#next = 1n;
  }

  /** Takes over the names of the same type of another program, where they are free here. */
  adopt(other: TypeNames): void {
    for (const [number, name] of other.#names) {
      if (number < this.#limit && !this.#names.has(number) && !this.#numbers.has(name))
        this.#add(name, number);
    }
  }
}

export class Names implements Naming {
  readonly #types = new Map<string, TypeNames>();
  /** The type of port names, if the program has it: ports of replicas and groups have this type too. */
  readonly portType: string | undefined;
  /** The same names, but none is ever made up: NOT_FOUND instead. */
  readonly known: Naming;

  constructor(p4info: P4Info | undefined, options: NamesOptions = {}) {
    const { widths, fixed = {}, ports = {}, closedPorts = false } = options;
    const newTypes = p4info?.typeInfo?.newTypes ?? {};
    for (const type of Object.keys(newTypes).sort()) {
      const spec = defined(newTypes[type]);
      const translation = spec.representation;
      if (translation.case !== "translatedType" || translation.value.sdnType.case !== "sdnString") continue;
      const { uri } = translation.value;
      const isPort = isPortType(type) || isPortType(uri);
      if (isPort) this.portType ??= type;
      const pairs = [
        ...Object.entries(fixed[type] ?? fixed[uri] ?? {}),
        ...(isPort ? Object.entries(ports) : []),
        ...annotatedPairs(spec),
      ];
      const names = new TypeNames(type, widths?.get(type) ?? MAX_WIDTH, isPort && closedPorts, pairs);
      this.#types.set(type, names);
    }
    this.known = {
      number: (type, name) => this.#of(type).known(name),
      name: (type, number) => this.name(type, number),
    };
  }

  /** Whether the program has no types with names. */
  get isEmpty(): boolean {
    return this.#types.size === 0;
  }

  #of(type: string): TypeNames {
    const names = this.#types.get(type);
    if (names === undefined) throw new DeviceError("INVALID_ARGUMENT", `no type "${type}" has names`);
    return names;
  }

  number(type: string, name: string): bigint {
    return this.#of(type).number(name);
  }

  name(type: string, number: bigint): string {
    return this.#of(type).name(number);
  }

  /** Whether a name has a number; decimal numbers mean themselves without one. */
  has(type: string, name: string): boolean {
    return this.#of(type).has(name);
  }

  /** Removes one name, unless it is fixed. */
  drop(type: string, name: string): void {
    this.#of(type).drop(name);
  }

  /** Gives up the names of numbers that `used` does not have. */
  keep(used: ReadonlyMap<string, ReadonlySet<bigint>>): void {
    for (const [type, names] of this.#types) names.keep(used.get(type) ?? new Set());
  }

  /** Takes over the names of an earlier program: its numbers are still in the device's state. */
  adopt(earlier: Names): void {
    for (const [type, names] of this.#types) {
      const before = earlier.#types.get(type);
      if (before !== undefined) names.adopt(before);
    }
  }
}

/** Whether a type or URI is of ports by its name, such as `PortId_String_t`, `port_id_t`, `p4.org/psa/v1/PortId_t`. */
function isPortType(name: string): boolean {
  return /(?:^|[_./-])port(?:$|[_./-]|s?_?id)|Port/.test(name);
}

/** The pairs of `@p4runtime_translation_mappings({{"name", number}, ...})`, as programs of SONiC (PINS) have it. */
function annotatedPairs(spec: p4types.P4NewTypeSpec): [string, bigint][] {
  const pairs: [string, bigint][] = [];
  for (const text of spec.annotations) {
    if (!text.startsWith("@p4runtime_translation_mappings")) continue;
    for (const [, name, number] of text.matchAll(
      /\{\s*("(?:[^"\\]|\\.)*")\s*,\s*(\d+|0[xX][0-9a-fA-F]+)\s*\}/g,
    )) {
      pairs.push([name!.slice(1, -1).replace(/\\(.)/g, "$1"), BigInt(number!)]);
    }
  }
  return pairs;
}
