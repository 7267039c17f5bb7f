/** The messages between the server of a room and the process of a student. */
import type { TestResultView } from "../../lab/index.js";

/** To the process: first `open`, then the calls of pages, each a text as the page sent it. */
export type ToSeat =
  | {
      readonly kind: "open";
      /** The folder of the exercise, and that of the student's files. */
      readonly exercise: string;
      readonly folder: string;
      readonly seed: number;
    }
  | { readonly kind: "call"; readonly page: number; readonly text: string };

export type FromSeat =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string }
  /** The reply to a call of a page. */
  | { readonly kind: "reply"; readonly page: number; readonly text: string }
  /** An event for all pages of the student; a slow page may lose a frame. */
  | { readonly kind: "event"; readonly text: string; readonly frame: boolean }
  | { readonly kind: "test"; readonly result: Pick<TestResultView, "name" | "state" | "points" | "of"> }
  /** Sent all the time. Bytes of memory of the process. */
  | { readonly kind: "alive"; readonly bytes: number };
