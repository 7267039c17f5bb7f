/** Builds trace documents: the current copy, the ends of the others, and when a document is complete. */
import { given, toHex } from "../../../base/index.js";
import type { PointOf } from "../codegen/trace-points.js";
import {
  type PacketTrace,
  TRACE_VERSION,
  type TraceCause,
  type TraceDropReason,
  type TraceEvent,
  type TraceInput,
  type TraceOutcome,
  type TraceTree,
} from "./types.js";

/** Maximum numbers of events and copies in a document; a program that loops would make any number. */
const MAX_EVENTS = 10_000;
const MAX_COPIES = 1000;

interface Packet {
  readonly input: TraceInput;
  root: TraceNode;
  /** Copies whose end is not known yet. */
  readonly open: Set<TraceNode>;
  events: number;
  copies: number;
  cut: boolean;
}

/** One copy of a packet that is being processed. */
export interface TraceNode {
  readonly tree: Omit<TraceTree, "outcome"> & { outcome?: TraceOutcome };
  readonly packet: Packet;
  /** What last decided on `egress_spec`. */
  decided: PointOf<"primitive"> | undefined;
  /** The assertion that failed. */
  failed: PointOf<"primitive"> | undefined;
  /** Time at which it went into a queue. */
  queuedAt: number | undefined;
  stage: string;
}

/** How a copy ended, with details. */
export type DropDetails = { egress_port?: number; multicast_group_id?: number };

export class TraceRecorder {
  /** The current copy; undefined while it is not traced. */
  node: TraceNode | undefined;
  readonly #packets = new Set<Packet>();

  constructor(
    readonly device: string,
    readonly program: string | undefined,
    readonly now: () => number,
    readonly deliver: (packet: PacketTrace) => void,
  ) {}

  time(): number {
    return Math.round(1000 * this.now()) / 1000;
  }

  arrive(id: number, port: number, frame: Uint8Array): void {
    const input = {
      packet_id: id,
      ingress_port: port,
      time_us: this.time(),
      packet_size: frame.length,
      bytes: toHex(frame),
    };
    const packet = {
      input,
      open: new Set<TraceNode>(),
      events: 0,
      copies: 0,
      cut: false,
    } as unknown as Packet;
    packet.root = this.#begin(packet, { cause: "arrival", events: [] });
    this.#packets.add(packet);
    this.node = packet.root;
  }

  #begin(packet: Packet, tree: TraceNode["tree"]): TraceNode {
    const node: TraceNode = {
      tree,
      packet,
      decided: undefined,
      failed: undefined,
      queuedAt: undefined,
      stage: "",
    };
    packet.copies++;
    packet.open.add(node);
    return node;
  }

  /** Continues with a copy, or with one that is not traced. */
  use(node: TraceNode | undefined): void {
    this.node = node;
  }

  event(event: TraceEvent): void {
    const { node } = this;
    if (node === undefined) return;
    if (++node.packet.events > MAX_EVENTS) node.packet.cut = true;
    else node.tree.events.push(event);
  }

  /** A copy of the current copy, for the packet that carries it. */
  fork(cause: TraceCause, port?: number, instance?: number): TraceNode | undefined {
    const { node } = this;
    if (node === undefined) return undefined;
    const { packet } = node;
    if (packet.copies >= MAX_COPIES) {
      packet.cut = true;
      return undefined;
    }
    const tree: TraceNode["tree"] = { cause, events: [] };
    if (port !== undefined) tree.egress_port = port;
    if (instance !== undefined) tree.replica_instance = instance;
    node.tree.branches ??= [];
    node.tree.branches.push(tree as TraceTree);
    return this.#begin(packet, tree);
  }

  /** The current copy was replaced by copies of it; without any copy it is dropped. */
  forked(reason: "multicast" | "clone" | "resubmit" | "recirculate", group?: number): void {
    const { node } = this;
    if (node === undefined) return;
    const copies = node.tree.branches?.filter(({ cause }) => reason !== "multicast" || cause === "replica");
    if ((copies?.length ?? 0) > 0 || node.packet.cut) this.end(node, { kind: "fork", reason });
    else this.drop(node, "no_replica", group === undefined ? {} : { multicast_group_id: group });
  }

  /** `egress_spec` was the drop port at the end of a control, set by `mark_to_drop` or by an assignment. */
  discard(): void {
    const { node } = this;
    if (node === undefined) return;
    const marked = node.decided === undefined || /^(mark_to_)?drop$/.test(node.decided.op);
    this.drop(node, marked ? "mark_to_drop" : "drop_port", {});
  }

  drop(node: TraceNode | undefined, reason: TraceDropReason, details: DropDetails = {}): void {
    if (node === undefined) return;
    const outcome: TraceOutcome = { kind: "drop", reason, ...details };
    if (node.stage !== "") outcome.stage = node.stage;
    const said = reason === "assertion" ? node.failed : DECIDED.has(reason) ? node.decided : undefined;
    const source = said?.primitive.source_info;
    if (source !== undefined) outcome.source_info = source;
    this.end(node, outcome);
  }

  end(node: TraceNode | undefined, outcome: TraceOutcome): void {
    if (node === undefined || !node.packet.open.delete(node)) return;
    node.tree.outcome = outcome;
    const { packet } = node;
    if (packet.open.size === 0) this.#deliver(packet);
  }

  /** Hands over the incomplete documents: their ends will not be reported. */
  close(): void {
    this.node = undefined;
    for (const packet of [...this.#packets])
      for (const node of [...packet.open]) this.end(node, { kind: "unfinished" });
  }

  /** The tree as readers get it. */
  protected arranged(tree: TraceTree): TraceTree {
    return joined(tree);
  }

  #deliver(packet: Packet): void {
    this.#packets.delete(packet);
    const { device, program } = this;
    this.deliver({
      trace_version: TRACE_VERSION,
      device,
      ...given({ program }),
      input: packet.input,
      root: this.arranged(packet.root.tree as TraceTree),
      ...given({ cut: packet.cut ? true : undefined }),
    });
  }
}

const DECIDED: ReadonlySet<TraceDropReason> = new Set(["mark_to_drop", "drop_port"]);

/** The branches in the order for readers; a clone with a single copy is replaced by that copy. */
export function joined(tree: TraceTree): TraceTree {
  const only = tree.branches?.length === 1 ? tree.branches[0] : undefined;
  if (/_clone$/.test(tree.cause) && only?.cause === "replica") {
    const { egress_port, replica_instance, events, outcome, branches } = only;
    return joined({
      cause: tree.cause,
      ...given({ egress_port, replica_instance }),
      events: [...tree.events, ...events],
      outcome,
      ...given({ branches }),
    });
  }
  const { cause, choice, egress_port, replica_instance, events, outcome, branches } = tree;
  return {
    cause,
    ...given({ choice, egress_port, replica_instance }),
    events,
    outcome,
    ...given({ branches: branches?.map(joined) }),
  };
}
