/**
 * A PHV allocation: which bits of which fields stand in which container of the device, from which stage to which. The allocator
 * (allocate.ts) makes it, and verify.ts checks it rule by rule; both have only these types in common.
 */
import type { bmv2 } from "../../program/index.js";
import type { FitModel, Gress } from "../model/model.js";
import type { Target } from "../target.js";
import type { ContainerSize } from "./pack.js";
import type { ContainerKind, PhvRequests } from "./requests.js";

/** A value that the parser gives lives from before the first stage. */
export const FROM_PARSER = -1;
/** A value that the deparser needs lives beyond the last stage. */
export const TO_DEPARSER = 1_000_000;

/** Stages: the value is there after `from` and is read in `to` at last. */
export interface LiveRange {
  readonly from: number;
  readonly to: number;
}

/** Bits of a field in a container; both count from the least significant bit. */
export interface PlacedSlice {
  readonly field: string;
  readonly lo: number;
  readonly width: number;
  /** The lowest bit in the container. */
  readonly at: number;
  readonly live: LiveRange;
  /** Units that set it to zero, in each action that does not write it, because another value has the container before. */
  readonly zeroedBy?: readonly number[];
  /** Stages after the first of which, and up to the last, it is in a dark container, because another value has its place. */
  readonly away?: LiveRange;
  /** It is here while another value has its place. */
  readonly isParked?: true;
}

/** A container in use. `index` counts the containers of its kind and size, `group` the groups of its size. */
export interface AllocatedContainer {
  readonly kind: ContainerKind;
  readonly size: ContainerSize;
  /** Of a tagalong container: its collection. */
  readonly group: number;
  readonly index: number;
  readonly gress: Gress;
  readonly slices: readonly PlacedSlice[];
  /** Nothing writes it; the deparser takes every byte of zeros from it. */
  readonly isZero?: true;
}

/** Neighbouring bytes of a header that the hardware takes past the pipeline. */
export interface Bypass {
  readonly gress: Gress;
  readonly header: string;
  readonly firstByte: number;
  readonly bytes: number;
}

/** What has no container, or breaks a rule, with the rule and the line that asks for it. */
export interface Unallocated {
  readonly gress: Gress;
  readonly fields: readonly string[];
  readonly rule: PhvRule;
  readonly detail: string;
  readonly source: bmv2.SourceInfo | undefined;
}

/** Rules of an allocation, in the order of the checks. */
export type PhvRule =
  | "place"
  | "container"
  | "gress"
  | "overlay"
  | "parser"
  | "deparser"
  | "kind"
  | "sources"
  | "alignment"
  | "arithmetic"
  | "stage"
  | "pragma";

export interface PhvAllocation {
  readonly containers: readonly AllocatedContainer[];
  readonly bypasses: readonly Bypass[];
  readonly unallocated: readonly Unallocated[];
}

/** What an allocation is made for, and checked against. */
export interface AllocationInput {
  /** Counts looks at a container and at each value that is there; without it the allocation has no bound. */
  readonly work?: { spend(units: number): void; readonly isSpent: boolean };
  readonly model: FitModel;
  readonly target: Target;
  readonly requests: PhvRequests;
  /** Stages of a unit in the placement; empty for one that has none. */
  readonly stagesOf: (unit: number) => readonly number[];
  /** No unit has a stage yet: `stagesOf` gives the earliest ones, and two units of one of them need not meet there. */
  readonly isBeforePlacement?: true;
  /** The earliest stage of a unit by what it depends on: the compiler allocates before it places, and knows no other. */
  readonly earliestOf: (unit: number) => number;
  /** The stages that the longest chain of units after this one takes. */
  readonly belowOf: (unit: number) => number;
}

const KIND_LETTERS: Readonly<Record<ContainerKind, string>> = {
  normal: "",
  mocha: "M",
  dark: "D",
  tagalong: "T",
};
const SIZE_LETTERS: Readonly<Record<ContainerSize, string>> = { 8: "B", 16: "H", 32: "W" };

/** The name of a container, as the compiler's logs have it: `B3`, `MH12`, `TW0`. */
export function containerName({ kind, size, index }: AllocatedContainer): string {
  return `${KIND_LETTERS[kind]}${SIZE_LETTERS[size]}${index}`;
}
