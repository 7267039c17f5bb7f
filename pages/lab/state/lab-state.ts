/** The state of the page. Every member is replaced, never changed in place. */
import type {
  ExerciseView,
  FileView,
  FlowView,
  LabDiagnostic,
  LabView,
  PacketView,
  PlaceView,
  StateView,
  StoryView,
} from "../../../src/course/lab/index.js";

/** The node or link that is selected in the network; its card is shown. */
export type Choice = { kind: "node"; name: string } | { kind: "link"; id: number };

export interface LogLine {
  readonly id: number;
  /** Nanoseconds of the lab's clock. */
  readonly at: number;
  readonly kind: "error" | "warning" | "info" | "switch";
  readonly text: string;
}

/** Drops of one reason at one place since the network was created. */
export interface DropTotal {
  readonly place: string;
  readonly reason: string;
  readonly packets: number;
  /** Time of the last drop. */
  readonly at: number;
}

/** One open file. */
export interface OpenFile {
  readonly path: string;
  /** The saved text. */
  readonly saved: string;
  /** The text in the editor. */
  readonly text: string;
  readonly readOnly: boolean;
  /** Whether its lines end with CR and LF; in `saved` and `text` they end with LF only. */
  readonly crlf: boolean;
}

/** Load and queues of the whole network over a tenth of a second of real time. */
export interface NetworkPoint {
  readonly at: number;
  readonly bitsPerSecond: number;
  /** By queue (`s1:2`): largest number of packets. */
  readonly queues: Readonly<Record<string, number>>;
}

export interface LabState {
  readonly connection: "connecting" | "open" | "lost";
  /** Why the connection was lost or could not be opened. */
  readonly reason: string;
  readonly lab: LabView | undefined;
  readonly choice: Choice | undefined;
  readonly packets: readonly PacketView[];
  readonly story: StoryView | undefined;
  readonly drops: readonly DropTotal[];
  readonly log: readonly LogLine[];
  readonly flows: readonly FlowView[];
  readonly history: readonly NetworkPoint[];
  readonly states: Readonly<Record<string, StateView>>;
  readonly files: readonly FileView[];
  readonly open: readonly OpenFile[];
  /** Path of the file that the editor shows. */
  readonly shown: string | undefined;
  /** The place that the editor shows; a new object shows its place again. */
  readonly place: PlaceView | undefined;
  readonly diagnostics: Readonly<Record<string, readonly LabDiagnostic[]>>;
  readonly exercise: ExerciseView | undefined;
  readonly consoles: Readonly<Record<string, string>>;
  /** The latest message: shown for a while, and read out by screen readers. */
  readonly message: { readonly id: number; readonly text: string; readonly bad: boolean } | undefined;
}

export const START: LabState = {
  ...{
    connection: "connecting",
    reason: "",
    lab: undefined,
    choice: undefined,
    packets: [],
    story: undefined,
    drops: [],
  },
  ...{ log: [], flows: [], history: [], states: {}, files: [], open: [], shown: undefined, diagnostics: {} },
  ...{ exercise: undefined, consoles: {}, message: undefined, place: undefined },
};

/** The initial values of all members that belong to one network. */
export const NO_TRAFFIC: Partial<LabState> = {
  ...{ packets: [], story: undefined, drops: [], flows: [], history: [], states: {}, choice: undefined },
};
