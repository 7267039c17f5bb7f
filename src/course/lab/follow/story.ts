/** One packet that is followed from hop to hop, and how it ended. */
import { given, toHex } from "../../../base/index.js";
import type { PacketTrace, TraceOutcome, TraceTree } from "../../../toolchain/switch/index.js";
import { outcomeText, SourceLines, Story } from "../../../toolchain/trace/index.js";
import type { HopView, PacketEndView, PacketView, StoryView } from "../protocol.js";
import type { FrameDescription } from "./describe.js";

/** A switch hop that is not complete yet. */
export type OpenHop = {
  -readonly [Key in keyof Extract<HopView, { kind: "switch" }>]: Extract<HopView, { kind: "switch" }>[Key];
};
export type OpenLink = {
  -readonly [Key in keyof Extract<HopView, { kind: "link" }>]: Extract<HopView, { kind: "link" }>[Key];
};

export const NO_LINK = "its output port has no link";

/** Maximum number of hops that are kept: a packet in a forwarding loop would fill the memory. */
const MAX_HOPS = 128;

/** Where a packet came from, and what it was then. */
export interface PacketOrigin {
  readonly at: number;
  /** The node that the packet starts at. */
  readonly from: string;
  readonly description: FrameDescription;
  readonly bytes: number;
  readonly flow: number | undefined;
  /** The packet of which this one is a copy. */
  readonly parent?: Followed | undefined;
}

export class Followed {
  readonly hops: HopView[] = [];
  readonly copies: number[] = [];
  end: PacketEndView = { kind: "moving" };

  constructor(
    readonly id: number,
    readonly origin: PacketOrigin,
  ) {}

  add<Hop extends HopView>(hop: Hop): Hop {
    if (this.hops.length < MAX_HOPS) this.hops.push(hop);
    return hop;
  }

  /** Sets the end of the packet, unless it has one already. */
  finish(end: PacketEndView): boolean {
    if (this.end.kind !== "moving") return false;
    this.end = end;
    return true;
  }

  get view(): PacketView {
    const { id, end } = this;
    const { at, from, description, bytes, flow, parent } = this.origin;
    const { protocol, label } = description;
    return {
      id,
      at,
      from,
      protocol,
      label,
      bytes,
      ...given({ flow }),
      end,
      ...given({ parent: parent?.id }),
    };
  }

  /** `read`: returns the text of a P4 file, to show the source line of each event. */
  story(read: (path: string) => string | undefined): StoryView {
    const sources = new SourceLines(undefined, read);
    const hops = this.hops.map((hop): HopView => {
      if (hop.kind !== "switch" || hop.trace === undefined) return hop;
      return { ...hop, text: new Story(sources, false).of(hop.trace) };
    });
    return { ...this.view, hops, copies: this.copies };
  }
}

/** Where and why a packet was dropped of which no copy left the switch: the first end in the order of the trace's tree. */
export function dropOf(trace: PacketTrace, at: number): PacketEndView {
  const outcome = firstEnd(trace.root) ?? trace.root.outcome;
  const reason = (outcomeText(outcome)?.text ?? "its copies were dropped").replace(
    /^dropped( in \S+)?: /,
    "",
  );
  const source = outcome.kind === "drop" ? outcome.source_info : undefined;
  return {
    kind: "dropped",
    at,
    node: trace.device,
    reason,
    ...(source === undefined ? {} : { place: { file: source.filename, line: source.line } }),
  };
}

function firstEnd({ outcome, branches = [] }: TraceTree): TraceOutcome | undefined {
  if (outcome.kind !== "fork") return outcome;
  for (const branch of branches) {
    const found = firstEnd(branch);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function bytesOf(frame: Uint8Array): string {
  return toHex(frame);
}
