/** Questions of the editor to the lab about the text as it is now. */
import type { EditorState } from "@codemirror/state";
import type { LabAnswers } from "../../../src/lab/index.js";
import type { Lab } from "../state/lab.js";

type PlaceOp = "edit.hover" | "edit.complete" | "edit.signature" | "edit.definition";

/** Asks about an offset of the text; undefined where the lab refuses, or is gone. */
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
