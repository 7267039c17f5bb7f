/**
 * What the fit checker knows about a program: fields, and logical tables ("units") in the order of control flow.
 * A unit is what a stage runs: a match table, a bare action, or a condition (gateway). An action that no single
 * stage can do is several units.
 */
import type { bmv2 } from "../../program/index.js";

export type Gress = "ingress" | "egress";

/** Bits of a field: `lo` counts from the least significant one. */
export interface Access {
  readonly field: string;
  readonly lo: number;
  readonly width: number;
  /** The value that the packet came with, taken before the action changed the field. */
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

/** Where an action puts an argument or a large constant; a stage delivers it as action data. */
export interface ActionDatum {
  readonly bits: number;
  /** Undefined: an index or another use that no container takes. */
  readonly target: Access | undefined;
}

export interface ActionModel {
  readonly name: string;
  /** Entries can call it; otherwise only the default entry can. */
  readonly hit: boolean;
  readonly data: readonly ActionDatum[];
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  /** Operands and results of arithmetic: such a field shares no container. */
  readonly arithmetic: readonly string[];
  readonly source: bmv2.SourceInfo | undefined;
}

export type IndexKind = "direct" | "field" | "argument" | "constant" | "hash";

export interface Attached {
  /** `idle`: when an entry was last hit, in map RAMs alone. */
  readonly kind: "counter" | "meter" | "register" | "idle";
  readonly name: string;
  readonly index: IndexKind;
  /** Entries of an indirect array; 0 for a direct one, whose size is that of the table. */
  readonly size: number;
  /** Cell width of a register in bits. */
  readonly width: number;
  /** What a counter counts. */
  readonly counts: "packets" | "bytes" | "both";
  /** The action reads, changes and writes the cell, and uses the result. */
  readonly updatesAndReturns: boolean;
  readonly source: bmv2.SourceInfo | undefined;
}

/** Hash results that leave through the hash distribution units. */
export interface HashUse {
  readonly bits: number;
  readonly inputs: readonly Access[];
}

export interface Implementation {
  readonly name: string;
  readonly members: number;
  readonly selector: { readonly inputs: readonly Access[]; readonly maxGroup: number } | undefined;
}

/** What a gateway must look at. */
interface ConditionModel {
  readonly reads: readonly Access[];
  /** Rows of the gateway's table that the condition needs. */
  readonly rows: number;
  readonly text: string;
}

export interface Unit {
  readonly id: number;
  readonly name: string;
  readonly gress: Gress;
  readonly kind: "match" | "action" | "condition";
  /** The table of the program, where the unit is one or a part of one. */
  readonly table: string | undefined;
  readonly key: readonly KeyPart[];
  readonly actions: readonly ActionModel[];
  readonly size: number;
  readonly implementation: Implementation | undefined;
  /** The table is kept as partitions in SRAM, each for one row of a small TCAM table before it (`@alpm`). */
  readonly algorithmic: { readonly partitions: number; readonly perPartition: number } | undefined;
  readonly attached: readonly Attached[];
  readonly hashes: readonly HashUse[];
  readonly usesRandom: boolean;
  readonly condition: ConditionModel | undefined;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface FitModel {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldInfo>;
  readonly headers: ReadonlyMap<string, HeaderInfo>;
  readonly units: readonly Unit[];
  /** `reach[u]` has bit v set when v can run after u in one pass of a packet. */
  readonly flow: Flow;
  readonly parser: ParserModel;
}

export interface Flow {
  /** v may run after u. Units of different gresses never reach each other here. */
  reaches(u: number, v: number): boolean;
  /** Neither can run after the other: they are in different branches. */
  exclusive(u: number, v: number): boolean;
  /** Whether v runs is decided at u. */
  decides(u: number, v: number): boolean;
  /** Units that run right after u, without repeats, in order. */
  successors(u: number): readonly number[];
}

export interface ParserModel {
  /** Headers that can be valid together after parsing, as the longest path: bytes. */
  readonly longestPathBytes: number;
  /** Pairs of headers that no path of the parser extracts both of, and no action makes valid. */
  readonly exclusiveHeaders: (a: string, b: string) => boolean;
  readonly parsed: ReadonlySet<string>;
  readonly deparsed: ReadonlySet<string>;
  /** Metadata fields that the parser sets, and fields of checksums. */
  readonly touched: ReadonlySet<string>;
}

export function overlaps(a: Access, b: Access): boolean {
  return a.field === b.field && a.lo < b.lo + b.width && b.lo < a.lo + a.width;
}

export function anyOverlap(a: readonly Access[], b: readonly Access[]): Access | undefined {
  for (const x of a) for (const y of b) if (overlaps(x, y)) return x;
  return undefined;
}

export function keyReads(unit: Unit): readonly Access[] {
  const reads = unit.key.map((part) => part.access);
  if (unit.condition !== undefined) reads.push(...unit.condition.reads);
  for (const hash of unit.hashes) reads.push(...hash.inputs);
  if (unit.implementation?.selector !== undefined) reads.push(...unit.implementation.selector.inputs);
  return reads;
}

export const actionReads = (unit: Unit): readonly Access[] => unit.actions.flatMap((a) => a.reads);
export const writesOf = (unit: Unit): readonly Access[] => unit.actions.flatMap((a) => a.writes);
