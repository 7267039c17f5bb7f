/**
 * The model of a program: its fields, and its logical tables ("units") in the order of control flow. A unit is a match
 * table, a bare action, or a condition (gateway). An action that takes several stages is several units.
 */
import type { bmv2 } from "../../program/index.js";
import { NO_PRAGMAS, type TablePragmas } from "./pragmas.js";

export type Gress = "ingress" | "egress";

/** What runs beside what: the ghost thread of a Tofino 2 has the containers and the timing of ingress, and tables of its own. */
export type Thread = Gress | "ghost";

/** Bits of a field: `lo` counts from the least significant one. */
export interface Access {
  readonly field: string;
  readonly lo: number;
  readonly width: number;
  /** The value before the action, where the action also changes the field. */
  readonly entry?: true;
}

export interface FieldInfo {
  /** `header.field`. */
  readonly name: string;
  readonly header: string;
  readonly width: number;
  /** Bits of the header before the field. */
  readonly offset: number;
  readonly metadata: boolean;
  /** Architecture metadata, or the validity of a header. */
  readonly intrinsic: boolean;
}

export interface HeaderInfo {
  readonly name: string;
  readonly bits: number;
  readonly metadata: boolean;
  readonly fields: readonly string[];
}

type KeyKind = "exact" | "lpm" | "ternary" | "range" | "optional";

export interface KeyPart {
  readonly access: Access;
  readonly kind: KeyKind;
}

/** An argument or a large constant of an action, which the stage delivers as action data. */
export interface ActionDatum {
  readonly bits: number;
  /** The field that receives it; undefined: an index or another use without a container. */
  readonly target: Access | undefined;
  /** The argument, or the constant of an operation, whose bits from `lo` up it is. */
  readonly argument?: { readonly name: string; readonly lo: number };
}

/**
 * What the ALUs do for one field. `set`: bits of one source go to the field; `logic`: each bit is computed from the bits in its place;
 * `arithmetic`: with a carry; `merge`: bits of the sources are put together.
 */
export interface Operation {
  readonly kind: "set" | "logic" | "arithmetic" | "merge";
  readonly write: Access;
  readonly sources: readonly Access[];
  /** A constant, an argument, or what an ALU, a hash or a random number gives is an operand, too. */
  readonly data: boolean;
  /** The bits are set to this value, which the program states. */
  readonly constant?: bigint;
  /** Logic of the bits themselves and a constant, whose other bits keep what else stands in the container. */
  readonly keepsOthers?: true;
  /** An ALU, a hash or the random numbers give the value. */
  readonly given?: true;
  /** The write is a bit of validity, which counts as set: the compiler copies it from this one. */
  readonly copiedBit?: string;
  /** The sum ends at the largest or the smallest value: bits above its operands would keep it from that. */
  readonly saturates?: true;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface ActionModel {
  /** It ends with `exit`: whoever runs it runs nothing after it. */
  readonly leavesAll?: true;
  readonly name: string;
  /** Entries can call it; otherwise it is for the default entry only. */
  readonly hit: boolean;
  /** It runs on a miss, or a controller can make it the default. */
  readonly isDefault: boolean;
  /** Memories that it uses. */
  readonly memories: readonly string[];
  readonly data: readonly ActionDatum[];
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  /** Of the writes, those whose value comes over the action data bus from a hash, a meter or the random numbers. */
  readonly fromBus: readonly Access[];
  /** Fields that are operands or results of arithmetic: they share no container. */
  readonly arithmetic: readonly string[];
  /** One or more for each of the writes. */
  readonly operations: readonly Operation[];
  readonly source: bmv2.SourceInfo | undefined;
}

export type IndexKind = "direct" | "field" | "argument" | "constant" | "hash";

export interface Attached {
  /** `idle`: the time since an entry was hit, which takes only map RAMs. `filter`: a low-pass filter, or early detection with one. */
  readonly kind: "counter" | "meter" | "register" | "filter" | "idle";
  readonly name: string;
  readonly index: IndexKind;
  /** Bits of the index, the parts of the packet that it is made of, and by which hash. */
  readonly address: {
    readonly bits: number;
    readonly inputs: readonly Access[];
    readonly algorithm?: string;
    readonly isDeclared?: true;
  };
  /** Bits of the packet that its ALU works on. */
  readonly operands: readonly Access[];
  /** Bytes of the action data bus that its results take where no field has them; 0: the packet takes none. */
  readonly resultBytes: number;
  /** By action: the bits of the packet that take its results. */
  readonly results: readonly (readonly Access[])[];
  /** Entries of an indirect array; 0 for a direct one, whose size is that of the table. */
  readonly size: number;
  /** Bits of a register's cell, or of a counter's where the program states them; else 0. */
  readonly width: number;
  /** What a counter counts. */
  readonly counts: "packets" | "bytes" | "both";
  /** The action reads, changes and writes the cell unconditionally, and uses the result. */
  readonly updatesAndReturns: boolean;
  readonly source: bmv2.SourceInfo | undefined;
}

/** A hash whose result goes through the hash distribution units. */
export interface HashUse {
  /** Equal for equal functions; the inputs are compared besides. */
  readonly algorithm: string;
  readonly bits: number;
  readonly inputs: readonly Access[];
  /** The program declares the function, which a controller can change: no two tables share its result. */
  readonly isDeclared?: true;
}

/** Groups of members, of which a hash chooses one. */
export interface SelectorModel {
  /** The name of the instance, where it is not that of the members. */
  readonly name: string | undefined;
  readonly inputs: readonly Access[];
  /** The most members of a group. */
  readonly maxGroup: number;
  /** Groups of so many members for which there is memory. */
  readonly groups: number;
  /** A member that fails concerns only the packets that it had: the hash has more bits. */
  readonly isResilient: boolean;
}

export interface Implementation {
  readonly name: string;
  /** The program declares the instance, or names it with @name; P4Info then has it under this name. */
  readonly named: boolean;
  readonly members: number;
  readonly selector: SelectorModel | undefined;
}

/** What a gateway compares. */
export interface GatewayTests {
  /** With constants, each once. */
  readonly equal: readonly Access[];
  /** With another field: one side, each once. */
  readonly pairs: readonly Access[];
  /** Bits that are compared by order with a bound that is not a power of two. */
  readonly rangeBits: number;
}

/** The condition of a gateway. */
interface ConditionModel {
  readonly reads: readonly Access[];
  /** The bits of them that gateways see. */
  readonly compared: readonly Access[];
  /** Fields that it tests for being equal, in pairs. */
  readonly pairs: readonly (readonly [Access, Access])[];
  /** What one gateway that evaluates it compares; undefined: several do. */
  readonly tests: GatewayTests | undefined;
  /** Bits that several gateways see through the hash matrix. */
  readonly hashBits: number;
  /** Gateways in sequence that evaluate it. */
  readonly gateways: number;
  readonly text: string;
}

/** What a unit has that uses no resource beyond its table or its condition. */
export const NO_RESOURCES = {
  constEntries: undefined,
  implementation: undefined,
  algorithmic: undefined,
  attached: [],
  hashes: [],
  usesRandom: false,
  pragmas: NO_PRAGMAS,
} as const satisfies Partial<Unit>;

export interface Unit {
  readonly id: number;
  /** Unique; for what has no name in the program, the name in the BMv2 JSON. */
  readonly name: string;
  /** What the user wrote: the table's name, the action called, the condition or the statement. */
  readonly label: string;
  /** Whose containers and instructions it has: those of ingress for a unit of the ghost thread. */
  readonly gress: Gress;
  readonly isGhost?: true;
  readonly kind: "match" | "action" | "condition";
  /** The table of the program that the unit is, or is a part of. */
  readonly table: string | undefined;
  readonly key: readonly KeyPart[];
  readonly actions: readonly ActionModel[];
  readonly size: number;
  /** Number of entries that the program states; undefined: a controller adds entries. */
  readonly constEntries: number | undefined;
  /** The program states as many entries as the key has values. */
  readonly hasEveryKey?: boolean;
  readonly implementation: Implementation | undefined;
  /**
   * The table is partitions in SRAM, which a key chooses, by its place in the key; with `@alpm` a small TCAM table before it sets that key,
   * and the driver needs `extra` entries, one a partition, to change entries at once.
   */
  readonly algorithmic:
    | { readonly partitions: number; readonly index: number; readonly extra: number }
    | undefined;
  readonly attached: readonly Attached[];
  readonly hashes: readonly HashUse[];
  readonly usesRandom: boolean;
  /** It runs after all that the program states, even after `exit`: the compiler adds it at the end of the gress. */
  readonly isLast?: true;
  readonly pragmas: TablePragmas;
  readonly condition: ConditionModel | undefined;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface FitModel {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldInfo>;
  readonly headers: ReadonlyMap<string, HeaderInfo>;
  readonly units: readonly Unit[];
  /** Which units can run after which. */
  readonly flow: Flow;
  readonly parser: ParserModel;
  /** The fields that a report of the traffic manager brings to the ghost thread, in its order; none without such a thread. */
  readonly ghostFields: readonly string[];
  /** Fields that stand for values for the deparser and the traffic manager. */
  readonly forDeparser: ReadonlySet<string>;
  /** Fields of headers made in the gress that are sent as zeros; no operation of the units sets them. */
  readonly sentZeros: Readonly<Record<Gress, ReadonlySet<string>>>;
  /** Values of metadata that the program sets to zero before anything else: the parser's zero stands for that assignment. */
  readonly firstZeros: ReadonlySet<string>;
  /** Values of metadata that a field of a header stands for, in all units, and that field. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Egress has a parser and headers of its own, as in TNA; else the target's compiler makes them. */
  readonly hasEgressParser: boolean;
  /** The program as it was given: its parsers and deparsers are counted from it. */
  readonly program: bmv2.Bmv2Program;
  /** Pragmas of containers, as the program has them. */
  readonly phvPragmas: readonly bmv2.PhvPragma[];
}

export interface Flow {
  /** v can run after u in one pass of a packet. Units of different gresses never reach each other here. */
  reaches(u: number, v: number): boolean;
  /** At most one of both runs for a packet: they are in different branches. */
  exclusive(u: number, v: number): boolean;
  /** v can run after u for a packet that runs this action of u: a branch on hit, miss or action may lead past v. */
  leads(u: number, action: number, v: number): boolean;
  /** u decides whether v runs. */
  decides(u: number, v: number): boolean;
  /** The first unit that every packet which was in u passes after it: where the branches of u meet. */
  joins(u: number): number | undefined;
  /** Units that can run directly after u, each once. */
  successors(u: number): readonly number[];
}

/** A value in the list of a mirror or a resubmission: a field, or a constant of so many bits. */
export type CarriedValue = { readonly field: string } | { readonly bits: number };

export interface ParserModel {
  /** Bytes of the headers on the longest path through the parser. */
  readonly longestPathBytes: number;
  /** No path of the parser extracts both headers, and no table makes one of them valid where the other may be. */
  readonly exclusiveHeaders: (a: string, b: string) => boolean;
  /** No path of the parser extracts both headers. */
  readonly parsedApart: (a: string, b: string) => boolean;
  readonly parsed: ReadonlySet<string>;
  /** The same in the order of the parsers: a state, then what its cases lead to, one after the other. */
  readonly inOrder: ReadonlySet<string>;
  /** The parser or the deparser of this gress names the header. A target that makes the egress parser itself has all headers in both. */
  readonly isIn: (gress: Gress, header: string) => boolean;
  /** The header can be valid in this gress: its parser extracts it or makes it valid, or an action does. */
  readonly isCarried: (gress: Gress, header: string) => boolean;
  /** The parser of this gress extracts the header. */
  readonly isParsed: (gress: Gress, header: string) => boolean;
  /** Every way through the parsers of this gress extracts the header. */
  readonly isAlwaysParsed: (gress: Gress, header: string) => boolean;
  /** A state of the parsers of this gress makes the header valid without extracting it. */
  readonly isMadeByParser: (gress: Gress, header: string) => boolean;
  /** An action makes the header valid. */
  readonly isMade: (header: string) => boolean;
  /** Tables alone make the header of this gress: the parser neither extracts it, nor makes it valid, nor sets a field of it. */
  readonly isMadeByTables: (gress: Gress, header: string) => boolean;
  /** The deparser of this gress sends the header. */
  readonly isSent: (gress: Gress, header: string) => boolean;
  /** Metadata that the parser of the gress sets, and fields that its deparser reads: of mirrors, digests and checksums. */
  readonly sets: (gress: Gress) => ReadonlySet<string>;
  /** Of what the parser sets, what it takes from the packet or computes. */
  readonly takes: (gress: Gress) => ReadonlySet<string>;
  /** Of what the parser sets, what is not always zero. */
  readonly gives: (gress: Gress) => ReadonlySet<string>;
  readonly reads: (gress: Gress) => ReadonlySet<string>;
  /** Of what the deparser reads, what its mirrors and resubmissions carry, the session included. */
  readonly carries: (gress: Gress) => ReadonlySet<string>;
  /** The sessions of its mirrors. */
  readonly sessions: (gress: Gress) => ReadonlySet<string>;
  /** What each of its mirrors and resubmissions carries, in its order, the session aside. */
  readonly carriedLists: (gress: Gress) => readonly (readonly CarriedValue[])[];
  /** Of what the deparser reads, what its digests bring to the controller. */
  readonly digests: (gress: Gress) => ReadonlySet<string>;
}

/** Both name a bit in common. */
export function overlaps(a: Access, b: Access): boolean {
  return a.field === b.field && a.lo < b.lo + b.width && b.lo < a.lo + a.width;
}

/** The first access of `a` that has a bit in common with one of `b`. */
export function anyOverlap(a: readonly Access[], b: readonly Access[]): Access | undefined {
  for (const x of a) for (const y of b) if (overlaps(x, y)) return x;
  return undefined;
}

/** What a unit reads before its actions run: key, condition, hash inputs, selector inputs. */
export function keyReads(unit: Unit): readonly Access[] {
  const reads = unit.key.map((part) => part.access);
  if (unit.condition !== undefined) reads.push(...unit.condition.reads);
  for (const hash of unit.hashes) reads.push(...hash.inputs);
  if (unit.implementation?.selector !== undefined) reads.push(...unit.implementation.selector.inputs);
  return reads;
}

export const actionReads = (unit: Unit): readonly Access[] => unit.actions.flatMap((a) => a.reads);
export const writesOf = (unit: Unit): readonly Access[] => unit.actions.flatMap((a) => a.writes);

export const threadOf = ({ gress, isGhost }: Pick<Unit, "gress" | "isGhost">): Thread =>
  isGhost === true ? "ghost" : gress;

/** A unit as the user knows it, with its line where its text is not a name. */
export function labelOf({ kind, label, source }: Unit): string {
  return kind === "match" || source === undefined ? label : `${label} (line ${source.line})`;
}
