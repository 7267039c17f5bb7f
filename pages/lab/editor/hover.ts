/** Describes the word below the pointer; by a key, the word at the cursor. */
import type { Extension } from "@codemirror/state";
import {
  activateHover,
  closeHoverTooltips,
  type EditorView,
  hasHoverTooltips,
  hoverTooltip,
  keymap,
} from "@codemirror/view";
import type { Ask } from "./ask.js";
import { note } from "./note.js";

export function hovers(ask: Ask): Extension {
  const tooltip = hoverTooltip(
    async (view, at) => {
      const { doc } = view.state;
      const found = (await ask("edit.hover", view.state, at))?.hover;
      if (found === undefined || view.state.doc !== doc) return null;
      return { pos: found.from, end: found.to, above: true, create: () => note(found.text) };
    },
    { hideOnChange: true },
  );
  const show = (view: EditorView): boolean => {
    const at = view.state.selection.main.head;
    activateHover(view, at, 1, { tooltip, until: (tr) => tr.docChanged || tr.selection !== undefined });
    return true;
  };
  const close = (view: EditorView): boolean => {
    if (!hasHoverTooltips(view.state)) return false;
    view.dispatch({ effects: closeHoverTooltips });
    return true;
  };
  return [
    tooltip,
    keymap.of([
      { key: "Mod-i", run: show, preventDefault: true },
      { key: "Escape", run: close },
    ]),
  ];
}
