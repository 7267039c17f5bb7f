/** Requests of the editor to the lab about the present text. */
import type { EditorState } from "@codemirror/state";
import type { LabAnswers } from "../../../src/course/lab/index.js";
import type { Lab } from "../state/lab.js";

type PlaceOp = "edit.hover" | "edit.complete" | "edit.signature" | "edit.definition";

/** Sends a request about an offset of the text; undefined if the lab rejects it, or if the connection is lost. */
export type Ask = <Op extends PlaceOp>(
  op: Op,
  state: EditorState,
  at: number,
) => Promise<LabAnswers[Op] | undefined>;

export function askAbout(lab: Lab, path: string): Ask {
  return async <Op extends PlaceOp>(op: Op, state: EditorState, at: number) => {
    try {
      const reply = await lab.connection.request({ op, path, text: state.doc.toString(), at });
      return reply.ok ? (reply.value as LabAnswers[Op]) : undefined;
    } catch {
      return undefined;
    }
  };
}
