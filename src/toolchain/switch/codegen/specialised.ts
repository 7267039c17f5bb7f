/** What the generated code of a program is. */

import type { Bmv2Program, bmv2 } from "../../program/index.js";
import type { OwnParts, OwnState } from "../state/own-state.js";
import type { PacketState } from "../state/packet-state.js";
import type { KeyShape } from "../tables/shape.js";
import type { CountedPoint } from "./count-points.js";
import type { Layout } from "./layout.js";
import type { TracePoint } from "./trace-points.js";

/** The functions that a program becomes; all work on the packet that the state holds. */
export interface Code {
  /** Sets everything to 0 that starts each packet at 0. */
  clear(phv: Int32Array): void;
  /** Of a program that is not v1model: sets all of `pairs` of the state to 0. */
  clearPairs(pairs: Float64Array): void;
  /** Headers from the frame into the PHV; gives the parser error's number. */
  parse(state: PacketState): number;
  /** 1 when a checksum that is to be verified is wrong. */
  verifyChecksums(state: PacketState): number;
  ingress(state: PacketState): void;
  egress(state: PacketState): void;
  updateChecksums(state: PacketState): void;
  deparse(state: PacketState, limit: number): Uint8Array;
  /** Copies the fields of a field list between PHVs. */
  copyFieldList(to: Int32Array, from: Int32Array, list: number): void;
  /** What a switch has for itself, in the shape that the other functions use. */
  makeOwn(parts: OwnParts, shared: OwnState): OwnState;
  /** Of a program that is not v1model, whose other functions do nothing: ingress and egress of each pipe. */
  readonly stages: readonly Stage[];
  /** The ghost thread of each pipe, where it has one. */
  readonly ghosts: readonly (((state: PacketState) => void) | undefined)[];
}

/** What a packet passes through in one gress. */
export interface Stage {
  /** As `parse`; one, or one for each group of ports. */
  readonly parsers: readonly ((state: PacketState) => number)[];
  /** The parsers read the metadata in front of the packet from `front` of the state; otherwise it stands in the frame. */
  readonly isApart: boolean;
  /** They read something of it from there. */
  readonly readsFront: boolean;
  /** Of a Tofino: something reads the time stamp of the parser's metadata. */
  readonly readsTime: boolean;
  /** Of a Tofino's egress: it changes no packet, since it reads nothing of the frame, runs no statement and emits no header. False in traced and counted code. */
  readonly isIdle: boolean;
  readonly control: (state: PacketState) => void;
  /** The statements of the deparser; the requests of them are in the state afterwards. */
  readonly prepare: (state: PacketState, phv: Int32Array) => void;
  /** As `deparse`. */
  readonly emit: (state: PacketState, limit: number) => Uint8Array;
}

export interface TableInfo {
  readonly table: bmv2.Bmv2Table;
  readonly shape: KeyShape;
  /** Words of an action's parameters, and of an entry's record. */
  readonly stride: number;
  readonly record: number;
  /** Actions an entry or member may have, by name. */
  readonly actions: ReadonlyMap<string, bmv2.Bmv2Action>;
}

export interface ProfileInfo {
  readonly profile: bmv2.ActionProfile;
  readonly stride: number;
  readonly actions: ReadonlyMap<string, bmv2.Bmv2Action>;
}

export interface Specialised {
  readonly program: Bmv2Program;
  readonly layout: Layout;
  readonly code: Code;
  readonly source: string;
  readonly tables: readonly TableInfo[];
  readonly profiles: readonly ProfileInfo[];
  readonly actionNumbers: ReadonlyMap<string, number>;
  /** Algorithms by the number that the code knows them by: of the calculations, then of the selectors. */
  readonly hashes: readonly string[];
  /** Maximum length of hash inputs in bytes. */
  readonly hashBytes: number;
  /** Words that a waiting packet keeps. */
  readonly copyWords: number;
  /** The meaning of the numbers in calls of the tracer; absent in the variant that does not trace. */
  readonly points: readonly TracePoint[] | undefined;
  /** The places that the code counts, and the number of counts; absent in the variants that do not count. */
  readonly counted: { readonly points: readonly CountedPoint[]; readonly size: number } | undefined;
}
