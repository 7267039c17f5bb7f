/** The data that a page shows: plain JSON. Times are nanoseconds of the lab's clock, rates bits per second. */
import type { Completion } from "../../../toolchain/editing/index.js";
import type { PacketTrace } from "../../../toolchain/switch/index.js";

type LabEngine = "sim" | "testbed";

/** The functions of this lab; a page shows no controls for a function that the lab does not have. */
interface LabCapabilities {
  /** Pause, speed, step. */
  readonly clock: boolean;
  /** Command lines of simulated hosts. */
  readonly consoles: boolean;
  /** Shells of real hosts. */
  readonly terminals: boolean;
  readonly tests: boolean;
  /** Files can be written. */
  readonly saving: boolean;
  /** A switch tells every outcome that a packet can have. */
  readonly outcomes: boolean;
}

export interface LabDiagnostic {
  readonly severity: "error" | "warning" | "info";
  readonly code: string;
  readonly message: string;
  /** Path in the project, or the name of another input that has the error (a statement, a request). */
  readonly file?: string;
  /** Lines and columns count from 1. */
  readonly start?: { readonly line: number; readonly column: number };
  readonly end?: { readonly line: number; readonly column: number };
  readonly notes: readonly {
    readonly message: string;
    readonly file?: string;
    readonly start?: { readonly line: number; readonly column: number };
  }[];
}

export interface ClockView {
  readonly now: number;
  readonly running: boolean;
  readonly speed: number;
  readonly skipIdle: boolean;
  /** The actual speed, if the machine is too slow for the requested speed. */
  readonly reached?: number;
}

export interface NodeView {
  readonly name: string;
  readonly kind: "host" | "switch";
  /** Where to draw the node: 0 to 1 from the left, 0 to 1 from the top. */
  readonly x: number;
  readonly y: number;
  readonly up: boolean;
  /** Of a host: `10.0.1.1/24`. */
  readonly ipv4?: string;
  readonly ipv6?: string;
  readonly mac?: string;
  /** Of a switch: path of its program in the project; absent: it runs no program. */
  readonly program?: string;
  readonly tier?: number;
}

interface LinkEndView {
  readonly node: string;
  readonly port: number;
}

export interface LinkView {
  /** Index of the link; it identifies the link. */
  readonly id: number;
  readonly a: LinkEndView;
  readonly b: LinkEndView;
  readonly rateBps: number;
  readonly delayNs: number;
  readonly up: boolean;
  /** Broken without a signal. */
  readonly silent?: true;
}

export interface ProgramView {
  readonly path: string;
  readonly switches: readonly string[];
  /** False: it has errors, and the switches run the last version without errors. */
  readonly current: boolean;
  /** Header types for the packet builder, in the order of the program's text. */
  readonly headers: readonly HeaderView[];
}

export interface HeaderView {
  readonly name: string;
  /** A field with `bits` 0 has any number of whole bytes. */
  readonly fields: readonly { readonly name: string; readonly bits: number }[];
}

export interface FlowPoint {
  readonly at: number;
  /** Payload that the receiver got since the previous point. */
  readonly bitsPerSecond: number;
  /** Of a TCP flow: congestion window and smoothed round-trip time. */
  readonly windowBytes?: number;
  readonly rttNs?: number;
}

export interface FlowView {
  readonly id: number;
  readonly kind: "ping" | "udp" | "tcp";
  readonly from: string;
  readonly to: string;
  /** A short description: `tcp h1:40001 → h2:5201, 10 MB`. */
  readonly label: string;
  readonly state: "running" | "completed" | "stopped" | "failed";
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Of a flow that is completed: its flow completion time. */
  readonly fctNs?: number;
  readonly sentPackets: number;
  readonly receivedPackets: number;
  readonly receivedBytes: number;
  readonly retransmissions?: number;
  /** Of a ping, and of TCP: round-trip times. */
  readonly rttNs?: { readonly min: number; readonly mean: number; readonly max: number };
  /** The latest points of the series, the oldest first. */
  readonly points: readonly FlowPoint[];
}

export interface TestView {
  readonly name: string;
  readonly title: string;
  /** In the language of the texts, where it is not that of `exercise.yaml`. */
  readonly hint?: string;
  readonly points: number;
  readonly result?: TestResultView;
}

export interface TestResultView {
  readonly name: string;
  readonly state: "running" | "passed" | "failed";
  readonly points: number;
  readonly of: number;
  /** Lines of text: what was expected and what was observed. */
  readonly lines: readonly ResultLine[];
}

export interface ResultLine {
  /** What a line is about; absent: a detail, or a part of the trace of a packet. */
  readonly part?: "expected" | "seen" | "hint";
  readonly text: string;
}

export interface ExerciseView {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** The language of the texts, if it is not that of `README.md`. */
  readonly language?: string;
  readonly tests: readonly TestView[];
  /** Tests that no lab has: they run where the exercise is graded. */
  readonly hidden?: { readonly tests: number; readonly points: number };
  /** The file to work on first. */
  readonly start?: string;
}

export interface LabView {
  readonly title: string;
  readonly engine: LabEngine;
  readonly source: "exercise" | "experiment" | "program";
  readonly can: LabCapabilities;
  readonly clock: ClockView;
  readonly nodes: readonly NodeView[];
  readonly links: readonly LinkView[];
  readonly programs: readonly ProgramView[];
  /** Headers that the packet builder offers in addition to those of the programs. */
  readonly headers: readonly HeaderView[];
  readonly flows: readonly FlowView[];
  readonly watched: readonly string[];
  /** Parts of the project that do not run in this lab, one sentence each. */
  readonly notes: readonly string[];
  /** Errors and warnings of the files. */
  readonly diagnostics: readonly LabDiagnostic[];
}

/** The description that is shown for a word under the pointer: Markdown, about the text from `from` to `to`. */
export interface HoverView {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Completions at a place, for the word that begins at `from`. */
export interface SuggestionsView {
  readonly from: number;
  readonly items: readonly Completion[];
}

/** A place in a file. */
export interface PlaceView {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** The text of the file, if it is not a file of the project: `core.p4`, `v1model.p4`. */
  readonly text?: string;
}

/** Replaces the text of a file from one offset to another. */
export interface EditView {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A change that follows the advice of a message; `code`, `line` and `column` are those of the message. */
export interface FixView {
  readonly title: string;
  readonly code: string;
  readonly line: number;
  readonly column: number;
  readonly edits: readonly EditView[];
}

export interface FileView {
  readonly path: string;
  readonly kind: "program" | "topology" | "runtime" | "commands" | "text" | "other";
  readonly bytes: number;
  readonly readOnly?: true;
}

/** The result of a change of program at one switch. */
export interface SwapView {
  readonly switch: string;
  /** Number of entries, members, groups, registers, ... of the former program that were kept. */
  readonly kept: number;
  /** Those that could not be kept, as statements of the shell, with the reason. */
  readonly lost: readonly { readonly statement: string; readonly reason: string }[];
}

/** One packet that was followed, as a list shows it. */
export interface PacketView {
  readonly id: number;
  readonly at: number;
  readonly from: string;
  readonly protocol: "arp" | "icmp" | "tcp" | "udp" | "other";
  /** A short description: `ICMP echo request 10.0.1.1 → 10.0.2.2`. */
  readonly label: string;
  readonly bytes: number;
  readonly flow?: number;
  readonly end: PacketEndView;
  /** The packet of which this one is a copy (multicast, clone). */
  readonly parent?: number;
}

export type PacketEndView =
  | { readonly kind: "moving" }
  | { readonly kind: "delivered"; readonly node: string; readonly at: number }
  | {
      readonly kind: "dropped";
      readonly at: number;
      /** Where: a node, or a link by its index. */
      readonly node?: string;
      readonly link?: number;
      readonly reason: string;
      /** The P4 line that dropped the packet. */
      readonly place?: { readonly file: string; readonly line: number };
    }
  /** The packet was sent to a controller. */
  | { readonly kind: "controller"; readonly node: string; readonly at: number }
  /** On real switches: the packet was last reported at this node, and no later trace of it arrived. */
  | { readonly kind: "unseen"; readonly node: string; readonly at: number };

export type HopView =
  | { readonly kind: "send" | "receive"; readonly node: string; readonly at: number; readonly bytes: string }
  | {
      readonly kind: "link";
      readonly link: number;
      readonly from: string;
      readonly to: string;
      readonly departs: number;
      /** Absent: the packet was lost on the link, or is still on it. */
      readonly arrives?: number;
    }
  | {
      readonly kind: "switch";
      readonly node: string;
      readonly at: number;
      readonly program: string;
      /**
       * Parser path, tables, entries, actions, field changes, each with its P4 line (docs/trace.md). Absent while the
       * packet is in the switch.
       */
      readonly trace?: PacketTrace;
      /** The trace as lines of text. */
      readonly text?: readonly string[];
    };

export interface StoryView extends PacketView {
  readonly hops: readonly HopView[];
  /** Copies of this packet. */
  readonly copies: readonly number[];
}

/**
 * Tables and the other state of a switch, each with the statement of `p4loom shell` that writes it; users can edit
 * and run it.
 */
export interface StateView {
  readonly switch: string;
  readonly program: string;
  readonly tables: readonly TableView[];
  readonly profiles: readonly ProfileView[];
  readonly arrays: readonly ArrayView[];
  /** Multicast groups, clone sessions, digests, value sets, as statements. */
  readonly others: readonly {
    readonly kind: "multicastGroup" | "cloneSession" | "digest" | "valueSet";
    readonly statement: string;
  }[];
  /** How many requests `control.undo` can take back. */
  readonly undo: number;
}

export interface TableView {
  readonly name: string;
  readonly size: number;
  readonly fields: readonly { readonly name: string; readonly match: string; readonly bits: number }[];
  readonly actions: readonly {
    readonly name: string;
    readonly params: readonly { readonly name: string; readonly bits: number }[];
  }[];
  readonly profile?: string;
  readonly isConst: boolean;
  readonly entries: readonly EntryView[];
  readonly defaultEntry?: EntryView;
  /** Number of further entries, which are not in `entries`. */
  readonly more: number;
}

export interface EntryView {
  /** By field, in the notation of the shell; absent: the field matches any value. */
  readonly key: Readonly<Record<string, string>>;
  readonly priority: number;
  /** In the notation of the shell: `forward mac=08:00:00:00:01:11 port=1`. */
  readonly action: string;
  readonly isConst?: true;
  readonly counter?: { readonly packets: string; readonly bytes: string };
  readonly meter?: string;
  /** Writes the entry. */
  readonly statement: string;
  /** Deletes the entry; absent: the entry cannot be deleted. */
  readonly deletion?: string;
}

export interface ProfileView {
  readonly name: string;
  readonly members: readonly { readonly id: number; readonly action: string; readonly statement: string }[];
  readonly groups: readonly {
    readonly id: number;
    readonly members: readonly { readonly id: number; readonly weight: number }[];
    readonly statement: string;
  }[];
}

export interface ArrayView {
  readonly kind: "counter" | "meter" | "register";
  readonly name: string;
  readonly size: number;
  readonly unit?: "packets" | "bytes" | "both";
  readonly bits?: number;
  /** All cells, or a part of a large array: see the request `state.read`. */
  readonly cells: readonly { readonly index: number; readonly value: string; readonly statement: string }[];
}

export interface CompletionView {
  readonly from: number;
  readonly words: readonly { readonly text: string; readonly note?: string }[];
}
