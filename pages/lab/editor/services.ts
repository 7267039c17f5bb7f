import type { Extension } from "@codemirror/state";
import type { Lab } from "../state/lab.js";

/** Hover, completion and definition for a file of the project. */
export function languageServices(
  _path: string,
  _lab: Lab,
  _goTo: (place: { line: number; column: number }) => void,
): readonly Extension[] {
  return [];
}
