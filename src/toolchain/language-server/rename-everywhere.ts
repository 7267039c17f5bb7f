/** Renaming over all programs of the workspace that share the file in which a name is declared. */
import {
  type Edit,
  openIncluded,
  type P4Document,
  type Refusal,
  rename,
  renameable,
} from "../editing/index.js";
import type { Workspace } from "./workspace.js";

/** The edits of all programs together; a refusal if one of the programs refuses. */
export function renameEverywhere(
  workspace: Workspace,
  document: P4Document,
  offset: number,
  newName: string,
): readonly Edit[] | Refusal {
  const first = rename(document, offset, newName);
  if ("refused" in first) return first;
  const edits = new Map(first.map((edit) => [keyOf(edit), edit]));
  const found = renameable(document, offset);
  const declared = "refused" in found ? undefined : document.occurrences.of(found.target)[0]?.span;
  if (declared === undefined || declared.file.path === document.root.path) return [...edits.values()];
  for (const root of workspace.programsWith(declared.file.path)) {
    if (root.path === document.root.path) continue;
    const included = openIncluded(root, declared.file.path);
    if (included === undefined || included.text !== declared.file.text) continue;
    const more = rename(included, declared.start, newName);
    // Another program may exclude the declaration by an #if.
    if ("refused" in more) {
      if ("refused" in renameable(included, declared.start)) continue;
      return { refused: `${more.refused} (in the program ${root.path})` };
    }
    for (const edit of more) edits.set(keyOf(edit), edit);
  }
  return [...edits.values()];
}

function keyOf({ span }: Edit): string {
  return `${span.file.path}:${span.start}`;
}
