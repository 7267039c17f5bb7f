/** Replies: one type for each request. */
import type { SignatureHelp } from "../../../toolchain/editing/index.js";
import type { PacketTrace } from "../../../toolchain/switch/index.js";
import type { LabEvent } from "./events.js";
import type { LabOp, LabRequestInput } from "./requests.js";
import type {
  ClockView,
  CompletionView,
  EditView,
  ExerciseView,
  FileView,
  FixView,
  FlowView,
  HoverView,
  LabDiagnostic,
  LabView,
  LinkView,
  NodeView,
  PacketView,
  PlaceView,
  StateView,
  StoryView,
  SuggestionsView,
  SwapView,
  TestResultView,
} from "./views.js";

export interface BuiltPacket {
  readonly hex: string;
  /** Each header with the fields of the built packet. */
  readonly layers: readonly {
    readonly header: string;
    readonly at: number;
    readonly fields: Readonly<Record<string, string>>;
  }[];
}

export interface ControlAnswer {
  readonly lines: readonly string[];
  /** The same as data, one value for each statement that returns data. */
  readonly data: readonly unknown[];
  readonly undo: number;
}

/** The value of each reply, by its request. */
export interface LabAnswers {
  readonly describe: LabView;
  readonly "files.list": { readonly files: readonly FileView[] };
  readonly "files.read": { readonly text: string; readonly readOnly?: true };
  readonly "files.save": { readonly swaps: readonly SwapView[] };
  readonly "files.check": Readonly<Record<string, never>>;
  /** Without `hover`: there is no description of this place. */
  readonly "edit.hover": { readonly hover?: HoverView };
  readonly "edit.complete": SuggestionsView;
  readonly "edit.signature": { readonly help?: SignatureHelp };
  readonly "edit.definition": { readonly place?: PlaceView };
  readonly "edit.fixes": { readonly fixes: readonly FixView[] };
  readonly "edit.rename": { readonly edits: readonly EditView[] };
  readonly "edit.format": { readonly text: string };
  readonly restart: LabView;
  readonly "clock.set": ClockView;
  readonly "clock.step": ClockView;
  readonly "link.set": LinkView;
  readonly "switch.set": NodeView;
  readonly "packet.build": BuiltPacket;
  /** Numbers of the packets that are sent at once; the others follow by the clock. */
  readonly "packet.send": BuiltPacket & { readonly packet?: number };
  readonly "packet.list": { readonly packets: readonly PacketView[] };
  readonly "packet.story": StoryView;
  readonly "packet.outcomes": { readonly trace: PacketTrace };
  readonly "traffic.start": FlowView;
  readonly "traffic.stop": { readonly flows: readonly FlowView[] };
  readonly "host.command": Readonly<Record<string, never>>;
  readonly "terminal.open": { readonly terminal: number };
  readonly "terminal.input": Readonly<Record<string, never>>;
  readonly "terminal.resize": Readonly<Record<string, never>>;
  readonly "terminal.close": Readonly<Record<string, never>>;
  readonly "control.run": ControlAnswer;
  readonly "control.complete": CompletionView;
  /** The statements that undid the last request. */
  readonly "control.undo": { readonly statements: readonly string[]; readonly undo: number };
  readonly "state.read": StateView;
  readonly "state.watch": { readonly watched: readonly string[] };
  readonly "exercise.read": ExerciseView;
  readonly "exercise.test": { readonly results: readonly TestResultView[] };
}

/** `ok: false`: nothing was changed, and an error gives the reason. Both forms can contain warnings. */
export type LabReply<Op extends LabOp = LabOp> =
  | {
      readonly ok: true;
      readonly value: LabAnswers[Op];
      readonly diagnostics: readonly LabDiagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly LabDiagnostic[] };

/** A message of a server or a worker: the reply to the call with this number, or an event. */
export type LabMessage = { readonly id: number; readonly reply: LabReply } | { readonly event: LabEvent };

/** The connection of a page to a lab: a WebSocket or the messages of a worker. */
export interface LabConnection {
  /** Rejects only when the connection is lost. */
  request<Request extends LabRequestInput>(request: Request): Promise<LabReply<Request["op"]>>;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: LabEvent) => void): () => void;
  close(): void;
}
