/** The parameters of the call that is being written, above it. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { EditorView, keymap, showTooltip, type Tooltip, type ViewUpdate } from "@codemirror/view";
import type { SignatureView } from "../../../src/lab/index.js";
import type { Ask } from "./ask.js";

const setHelp = StateEffect.define<Tooltip | null>();

const shownHelp = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setHelp)) return effect.value;
    return value === null || !transaction.docChanged
      ? value
      : { ...value, pos: transaction.changes.mapPos(value.pos) };
  },
  provide: (field) => showTooltip.from(field),
});

export function signatures(ask: Ask): Extension {
  const look = async (view: EditorView): Promise<void> => {
    const { state } = view;
    const at = state.selection.main.head;
    const answer = await ask("edit.signature", state, at);
    if (view.state.doc !== state.doc || view.state.selection.main.head !== at) return;
    const help = answer?.help;
    const tooltip =
      help === undefined ? null : { pos: at, above: true, create: () => ({ dom: drawn(help) }) };
    if (tooltip !== null || view.state.field(shownHelp) !== null)
      view.dispatch({ effects: setHelp.of(tooltip) });
  };
  const changed = ({ view, state, docChanged, selectionSet, transactions }: ViewUpdate): void => {
    if (!docChanged && !selectionSet) return;
    const at = state.selection.main.head;
    const begins =
      transactions.some((one) => one.isUserEvent("input")) && /[(,]/.test(state.sliceDoc(at - 1, at));
    if (begins || state.field(shownHelp) !== null) void look(view);
  };
  const close = (view: EditorView): boolean => {
    if (view.state.field(shownHelp) === null) return false;
    view.dispatch({ effects: setHelp.of(null) });
    return true;
  };
  return [shownHelp, EditorView.updateListener.of(changed), keymap.of([{ key: "Escape", run: close }])];
}

function drawn({ signatures: all, active, argument }: SignatureView): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "cm-note cm-signature";
  const { label, parameters } = all[active]!;
  const now = parameters[argument];
  const from = now === undefined ? -1 : label.indexOf(now, label.indexOf("("));
  if (now === undefined || from < 0) dom.append(label);
  else {
    const strong = document.createElement("strong");
    strong.append(now);
    dom.append(label.slice(0, from), strong, label.slice(from + now.length));
  }
  return dom;
}
