/** What the page knows of its lab. Everything here is replaced, never changed in place. */
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
} from "../../../src/lab/index.js";

/** What is chosen in the network: its card is shown. */
export type Choice = { kind: "node"; name: string } | { kind: "link"; id: number };

export interface LogLine {
  readonly id: number;
  /** Nanoseconds of the lab's clock. */
  readonly at: number;
  readonly kind: "error" | "warning" | "info" | "switch";
  readonly text: string;
}

/** Drops of one reason at one place since the network was made. */
export interface DropTotal {
  readonly place: string;
  readonly reason: string;
  readonly packets: number;
  /** When the last one was. */
  readonly at: number;
}

/** One open file. */
export interface OpenFile {
  readonly path: string;
  /** As it is saved. */
  readonly saved: string;
  /** As it is in the editor. */
  readonly text: string;
  readonly readOnly: boolean;
  /** Its lines end with CR and LF; in `saved` and `text` with LF alone. */
  readonly crlf: boolean;
}

/** What load and queues of the whole network were over a tenth of a second of the wall's clock. */
export interface NetworkPoint {
  readonly at: number;
  readonly bitsPerSecond: number;
  /** By queue (`s1:2`): largest number of packets. */
  readonly queues: Readonly<Record<string, number>>;
}

export interface LabState {
  readonly connection: "connecting" | "open" | "lost";
  /** Why the connection was lost or never came. */
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
  /** Where the editor goes; a new object goes there again. */
  readonly place: PlaceView | undefined;
  readonly diagnostics: Readonly<Record<string, readonly LabDiagnostic[]>>;
  readonly exercise: ExerciseView | undefined;
  readonly consoles: Readonly<Record<string, string>>;
  /** Said to screen readers, and shown for a while. */
  readonly said: { readonly id: number; readonly text: string; readonly bad: boolean } | undefined;
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
  ...{ exercise: undefined, consoles: {}, said: undefined, place: undefined },
};

/** What belongs to a network that is no more. */
export const NO_TRAFFIC: Partial<LabState> = {
  ...{ packets: [], story: undefined, drops: [], flows: [], history: [], states: {}, choice: undefined },
};
