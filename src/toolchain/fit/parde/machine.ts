/** The hardware's parser: states, one a cycle, each with rows of the match memory. A row that matches does all the work of its state. */
import type { bmv2 } from "../../program/index.js";
import type { ContainerSize } from "../phv/pack.js";
import type { SumUse, Taken, Written } from "./packet.js";

/** Bytes of the packet, or constants, that go to a container. */
export interface ContainerWrite {
  readonly container: string;
  readonly size: ContainerSize;
  /** The first byte from where the state begins; undefined: a constant. */
  readonly from: number | undefined;
  readonly taken: readonly Taken[];
  readonly written: readonly Written[];
  /** All bits that the constants set. */
  readonly constant: bigint;
}

/** Bytes of the packet that go past the pipeline; they may begin within what the cycle sees and end beyond. */
export interface PastWrite {
  readonly tag: string;
  readonly from: number;
  readonly bytes: number;
  readonly taken: readonly Taken[];
}

/** What the rows of a state do in their cycle. Positions count from where the state begins. */
export interface Work {
  readonly writes: readonly ContainerWrite[];
  readonly past: readonly PastWrite[];
  readonly sums: readonly SumUse[];
  readonly counts: readonly ("load" | "change")[];
}

/** A match register takes bits of the packet, for a select in a later state. */
export interface Save {
  readonly slot: string;
  /** In bits. */
  readonly at: number;
  readonly width: number;
}

export interface Row extends Work {
  readonly values: readonly bigint[];
  readonly masks: readonly bigint[];
  /** A value set: so many rows. */
  readonly set: { readonly name: string; readonly size: number } | undefined;
  readonly saves: readonly Save[];
  /** Bytes that the packet goes on. */
  readonly shift: number;
  /** The number of the next state; undefined: the parser ends. */
  readonly to: number | undefined;
}

/** A value that the rows of a state compare. */
export interface Match {
  readonly slot: string;
  readonly width: number;
  readonly isCounter: boolean;
}

export interface HardwareState {
  readonly name: string;
  readonly source: bmv2.SourceInfo | undefined;
  readonly match: readonly Match[];
  readonly rows: readonly Row[];
}

export const NO_WORK: Work = { writes: [], past: [], sums: [], counts: [] };

export const isIdle = ({ writes, past, sums, counts }: Work): boolean =>
  writes.length + past.length + sums.length + counts.length === 0;

/** Rows of the match memory: one a row, and as many as a value set has entries. */
export const rowsOf = (states: readonly HardwareState[]): number =>
  states.reduce((sum, { rows }) => sum + rows.reduce((own, { set }) => own + (set?.size ?? 1), 0), 0);

/** Extractors that a state takes in its cycle, by size: a container takes one of its size, or as many of the only size as it has parts. */
export function extractorsOf(
  { rows }: HardwareState,
  extractors: Readonly<Record<8 | 16 | 32, number>>,
): Record<8 | 16 | 32, number> {
  const most = { 8: 0, 16: 0, 32: 0 };
  for (const { writes } of rows) {
    const own = { 8: 0, 16: 0, 32: 0 };
    for (const { size } of writes) {
      if (extractors[size] > 0) own[size]++;
      else own[16] += Math.ceil(size / 16);
    }
    for (const size of [8, 16, 32] as const) most[size] = Math.max(most[size], own[size]);
  }
  return most;
}
