/** Shows the parameters of the call that is being written, above the call. */
import { completionStatus } from "@codemirror/autocomplete";
import { type Extension, Prec, StateEffect, StateField, type Transaction } from "@codemirror/state";
import {
  type EditorView,
  keymap,
  showTooltip,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import type { SignatureHelp as Help } from "../../../src/toolchain/editing/index.js";
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

/**
 * Whether a "(" or "," was entered. The cursor alone does not show this: a browser may report its move after the
 * change of the text.
 */
function begins(transaction: Transaction): boolean {
  let found = false;
  if (transaction.isUserEvent("input"))
    transaction.changes.iterChanges((_from, _to, _start, _end, inserted) => {
      found ||= /[(,]/.test(inserted.toString());
    });
  return found;
}

/** The help for one editor: it is shown from a typed "(" or "," until the user closes it, or the cursor leaves the call. */
class SignatureHelp {
  #isWanted: boolean;
  /** Number of the newest request; replies to older requests are ignored. */
  #request = 0;

  constructor(
    readonly view: EditorView,
    readonly ask: Ask,
  ) {
    // an editor's state is kept after its view is destroyed
    this.#isWanted = view.state.field(shownHelp) !== null;
  }

  update({ docChanged, selectionSet, transactions }: ViewUpdate): void {
    if (!docChanged && !selectionSet) return;
    this.#isWanted ||= transactions.some(begins);
    if (this.#isWanted) void this.#look();
  }

  async #look(): Promise<void> {
    const { state } = this.view;
    const question = ++this.#request;
    const at = state.selection.main.head;
    const help = (await this.ask("edit.signature", state, at))?.help;
    if (question !== this.#request || !this.#isWanted) return;
    if (help === undefined) this.#isWanted = false;
    this.#show(help === undefined ? null : { pos: at, above: true, create: () => ({ dom: drawn(help) }) });
  }

  #show(tooltip: Tooltip | null): void {
    if (tooltip !== null || this.view.state.field(shownHelp) !== null)
      this.view.dispatch({ effects: setHelp.of(tooltip) });
  }

  /** Closes the help. False if none was shown or requested. */
  close(): boolean {
    if (!this.#isWanted) return false;
    this.#isWanted = false;
    this.#show(null);
    return true;
  }

  destroy(): void {
    this.#isWanted = false;
  }
}

export function signatures(ask: Ask): Extension {
  const plugin = ViewPlugin.define((view) => new SignatureHelp(view, ask));
  const close = (view: EditorView): boolean => {
    // false, so that one Escape also closes the list of completions, which handles the key next
    const isClosed = view.plugin(plugin)?.close() ?? false;
    return isClosed && completionStatus(view.state) === null;
  };
  return [shownHelp, plugin, Prec.highest(keymap.of([{ key: "Escape", run: close }]))];
}

function drawn({ signatures: all, active, argument }: Help): HTMLElement {
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
