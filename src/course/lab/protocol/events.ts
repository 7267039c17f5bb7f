/** The events that a lab sends to its pages without a request. */
import type {
  ClockView,
  FlowView,
  LinkView,
  NodeView,
  PacketEndView,
  PacketView,
  ProgramView,
  StateView,
  SwapView,
  TestResultView,
} from "./views.js";

/** A packet on a wire. The page moves it from one end to the other between the two times. */
export interface Motion {
  readonly packet: number;
  readonly link: number;
  /** 0: from a to b, 1: from b to a. */
  readonly direction: 0 | 1;
  /**
   * When the first bit leaves and the last bit arrives, in nanoseconds of the lab's clock. `arrives` may be later
   * than the frame's `now`.
   */
  readonly departs: number;
  readonly arrives: number;
}

/** Load of one link since the previous frame. */
export interface LinkLoad {
  readonly link: number;
  /** Share of the rate, a to b and b to a; 0 to 1. */
  readonly share: readonly [number, number];
  readonly packets: readonly [number, number];
}

/** A queue that has held packets since the previous frame. */
export interface QueueDepth {
  readonly switch: string;
  readonly port: number;
  readonly packets: number;
  readonly bytes: number;
  /** Largest number of packets since the previous frame. */
  readonly peak: number;
}

/** All packets dropped since the previous frame, followed or not. */
export interface DropCount {
  readonly node?: string;
  readonly link?: number;
  readonly reason: string;
  readonly packets: number;
}

/** The changes since the previous frame; at most 30 events a second, each of a bounded size. */
export interface FrameEvent {
  readonly kind: "frame";
  readonly clock: ClockView;
  /** Followed packets that are new in this frame. */
  readonly packets: readonly PacketView[];
  readonly motions: readonly Motion[];
  /** Followed packets that have ended. */
  readonly ends: readonly { readonly packet: number; readonly end: PacketEndView }[];
  readonly links: readonly LinkLoad[];
  readonly queues: readonly QueueDepth[];
  readonly drops: readonly DropCount[];
  /** Number of packets on wires that are not among `motions`. */
  readonly unseen: number;
}

export type LabEvent =
  | FrameEvent
  /** A request, not a frame, has changed the clock. */
  | { readonly kind: "clock"; readonly clock: ClockView }
  | { readonly kind: "link"; readonly link: LinkView }
  | { readonly kind: "node"; readonly node: NodeView }
  | { readonly kind: "program"; readonly program: ProgramView; readonly swaps: readonly SwapView[] }
  /** New figures of a flow; `points` holds the points since the previous event. */
  | { readonly kind: "flow"; readonly flow: FlowView }
  | { readonly kind: "state"; readonly state: StateView }
  | { readonly kind: "console"; readonly host: string; readonly text: string }
  | { readonly kind: "terminal"; readonly terminal: number; readonly data: string }
  | { readonly kind: "terminalEnd"; readonly terminal: number; readonly status: number }
  /** A message of a switch: a packet-in, a digest, an entry that is idle, a text of `log_msg`. */
  | { readonly kind: "switch"; readonly switch: string; readonly at: number; readonly text: string }
  /** A file was written by this page, by another page, or by another program. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "test"; readonly result: TestResultView }
  /** The network was created again: send `describe`. */
  | { readonly kind: "restarted" }
  | { readonly kind: "notice"; readonly severity: "error" | "warning" | "info"; readonly text: string };
