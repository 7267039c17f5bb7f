/**
 * Options of TCP: their kinds, and views over those that we use. Functions that write take the position in a list, and return the position
 * after the option, which is padded in front so that 32-bit words in it are aligned.
 */

import { OPTION_NOP } from "./options.js";
import { get16, get32, put16, put32 } from "./words.js";

/** RFC 9293, section 3.2; RFC 7323; RFC 2018. */
export const MSS = 2;
export const WINDOW_SCALE = 3;
export const SACK_PERMITTED = 4;
export const SACK = 5;
/** RFC 6994: options for experiments share a kind, and have an identifier each. */
export const EXPERIMENT = 253;

export const MSS_LENGTH = 4;
export const WINDOW_SCALE_LENGTH = 3;
export const SACK_PERMITTED_LENGTH = 2;

/** RFC 7323, section 2.3: larger shifts count as this one. */
export const MOST_WINDOW_SCALE = 14;
/** Maximum number of SACK blocks in a header. */
export const MOST_SACK_BLOCKS = 4;
/** Bytes of a SACK block, and of what precedes the blocks. */
export const SACK_BLOCK_LENGTH = 8;
export const SACK_BLOCKS_AT = 2;

/** An option for experiments with a value of 32 bits behind its identifier. */
export interface Experiment {
  readonly length: number;
  readonly experiment: number;
}

/** Carries the echo: the first option of a segment. */
export const ECHO: Experiment = { length: 8, experiment: 0x5034 };
/** Of subflows: the position of data in the stream of all subflows, and the connection that a SYN joins. */
export const MAPPING: Experiment = { length: 8, experiment: 0x5035 };
export const JOIN: Experiment = { length: 10, experiment: 0x5036 };

/** Bytes of the part that all options for experiments here have: kind, length, identifier and value. */
export const EXPERIMENT_LENGTH = 8;

/** Position of the value in them. */
export const EXPERIMENT_VALUE_AT = 4;

/** Kind and length as one word: the first of an option, in its sum. */
export function firstWord({ length }: Experiment): number {
  return (EXPERIMENT << 8) | length;
}

/** Whether the option at `at`, of which eight bytes are whole, is this one. */
export function isExperiment(bytes: Uint8Array, at: number, option: Experiment): boolean {
  return get16(bytes, at) === firstWord(option) && experimentOf(bytes, at) === option.experiment;
}

export function experimentOf(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 2);
}

/** The 32 bits behind the identifier of an experiment. */
export function experimentValue(bytes: Uint8Array, at: number): number {
  return get32(bytes, at + EXPERIMENT_VALUE_AT);
}

/** `value` is taken modulo 2^32. */
export function setExperimentValue(bytes: Uint8Array, at: number, value: number): void {
  put32(bytes, at + EXPERIMENT_VALUE_AT, value);
}

/** Number of the subflow that joins, and how many there are. */
export function joinSubflow(bytes: Uint8Array, at: number): number {
  return bytes[at + 8]!;
}

export function joinSubflows(bytes: Uint8Array, at: number): number {
  return bytes[at + 9]!;
}

export function mss(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 2);
}

export function windowScale(bytes: Uint8Array, at: number): number {
  return bytes[at + 2]!;
}

/** Position of a SACK block in the option at `at`; its first number stands there, the following one after it. */
export function sackBlockAt(at: number, block: number): number {
  return at + SACK_BLOCKS_AT + block * SACK_BLOCK_LENGTH;
}

export function sackStart(bytes: Uint8Array, blockAt: number): number {
  return get32(bytes, blockAt);
}

export function sackEnd(bytes: Uint8Array, blockAt: number): number {
  return get32(bytes, blockAt + 4);
}

export function putMss(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = MSS;
  bytes[at + 1] = MSS_LENGTH;
  put16(bytes, at + 2, value);
  return at + MSS_LENGTH;
}

export function putWindowScale(bytes: Uint8Array, at: number, shift: number): number {
  bytes[at] = OPTION_NOP;
  bytes[at + 1] = WINDOW_SCALE;
  bytes[at + 2] = WINDOW_SCALE_LENGTH;
  bytes[at + 3] = shift;
  return at + 4;
}

export function putSackPermitted(bytes: Uint8Array, at: number): number {
  bytes[at] = OPTION_NOP;
  bytes[at + 1] = OPTION_NOP;
  bytes[at + 2] = SACK_PERMITTED;
  bytes[at + 3] = SACK_PERMITTED_LENGTH;
  return at + 4;
}

/** Number of blocks of the option that {@link putSack} writes in a space of `bytes`. */
export function sackBlocksIn(bytes: number): number {
  return Math.floor((bytes - 2 - SACK_BLOCKS_AT) / SACK_BLOCK_LENGTH);
}

/** Writes one block of the option that {@link putSack} ends. Both numbers are taken modulo 2^32. */
export function putSackBlock(bytes: Uint8Array, at: number, block: number, start: number, end: number): void {
  const blockAt = sackBlockAt(at + 2, block);
  put32(bytes, blockAt, start);
  put32(bytes, blockAt + 4, end);
}

/** Writes what precedes the blocks of {@link putSackBlock}. */
export function putSack(bytes: Uint8Array, at: number, blocks: number): number {
  bytes[at] = OPTION_NOP;
  bytes[at + 1] = OPTION_NOP;
  bytes[at + 2] = SACK;
  bytes[at + 3] = SACK_BLOCKS_AT + blocks * SACK_BLOCK_LENGTH;
  return at + 2 + SACK_BLOCKS_AT + blocks * SACK_BLOCK_LENGTH;
}

/** `value` is taken modulo 2^32. */
export function putExperiment(
  bytes: Uint8Array,
  at: number,
  { length, experiment }: Experiment,
  value: number,
): number {
  bytes[at] = EXPERIMENT;
  bytes[at + 1] = length;
  put16(bytes, at + 2, experiment);
  put32(bytes, at + EXPERIMENT_VALUE_AT, value);
  return at + EXPERIMENT_LENGTH;
}

/** The option of a subflow's SYN, with padding behind it. */
export function putJoin(
  bytes: Uint8Array,
  at: number,
  {
    token,
    subflow,
    subflows,
  }: { readonly token: number; readonly subflow: number; readonly subflows: number },
): number {
  const behind = putExperiment(bytes, at, JOIN, token);
  bytes[behind] = subflow;
  bytes[behind + 1] = subflows;
  bytes[behind + 2] = OPTION_NOP;
  bytes[behind + 3] = OPTION_NOP;
  return behind + 4;
}
