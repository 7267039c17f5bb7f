/**
 * What a host asks a traffic-control scheme: which selectors its segments carry and which NIC they leave by.
 * The schemes answer with types of their own; this room states only what it needs.
 */
import type { Random } from "../../base/index.js";

/** The five-tuple as the end that is asked sends it. */
export interface FlowKey {
  readonly src: bigint;
  readonly dst: bigint;
  /** 6: TCP. */
  readonly protocol: number;
  readonly srcPort: number;
  readonly dstPort: number;
}

/** What a segment that came in says about paths. */
export interface SegmentMarks {
  readonly selector: number;
  /** Selector of the last of our segments that the other end had received when it sent this one. */
  readonly echo: number;
}

/** Selectors of what one end of one connection sends. */
export interface PathChooser {
  readonly selector: number;
  /** The timer ran out, the `attempt`-th time since the last progress: one copy of the segment on each selector. */
  onTimeout(attempt: number): readonly number[];
  /** An acknowledgement of new data came in. */
  onAck(segment: SegmentMarks): void;
  /** Data came in, `duplicate` when all of it was known: one copy of the acknowledgement on each selector. */
  onData(segment: SegmentMarks, duplicate: boolean): readonly number[];
}

export interface HostPolicy {
  open(flow: FlowKey, random: Random): PathChooser;
  /** Which of `nics` NICs (from 0) a packet leaves by. */
  nic(flow: FlowKey, selector: number, nics: number): number;
}
