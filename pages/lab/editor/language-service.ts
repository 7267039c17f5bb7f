/** The language service in the editor of P4 files, with the functions that `p4loom lsp` has in other editors. */
import type { Extension } from "@codemirror/state";
import { EditorView, type KeyBinding, keymap, showDialog } from "@codemirror/view";
import { t } from "../language/texts.js";
import type { Lab } from "../state/lab.js";
import { askAbout } from "./ask.js";
import { hovers } from "./hover.js";
import { signatures } from "./signature.js";
import { suggestions } from "./suggestions.js";

/** Whether the service supports the file. */
export const isP4 = (path: string): boolean => /\.(p4|p4h|h)$/.test(path);

export function languageService(lab: Lab, path: string): Extension {
  const ask = askAbout(lab, path);
  const goToDefinition = (view: EditorView, at: number): void => {
    void ask("edit.definition", view.state, at).then((answer) => {
      if (answer?.place !== undefined) void lab.goTo(answer.place);
      else lab.say(t("editor.noDeclaration"));
    });
  };
  const keys: KeyBinding[] = [
    {
      key: "F12",
      run: (view) => {
        goToDefinition(view, view.state.selection.main.head);
        return true;
      },
    },
    {
      key: "F2",
      run: (view) => {
        void renameAt(view, lab, path);
        return true;
      },
    },
    {
      key: "Shift-Alt-f",
      run: (view) => {
        void format(view, lab, path);
        return true;
      },
    },
  ];
  return [
    hovers(ask),
    // Before the completions, which would use Escape to close a list that is still being requested.
    signatures(ask),
    suggestions(ask),
    keymap.of(keys),
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        if (!(event.ctrlKey || event.metaKey) || event.button !== 0) return false;
        const at = view.posAtCoords(event);
        if (at === null) return false;
        goToDefinition(view, at);
        return true;
      },
    }),
  ];
}

async function renameAt(view: EditorView, lab: Lab, path: string): Promise<void> {
  const { state } = view;
  const at = state.selection.main.head;
  const word = state.wordAt(at);
  const old = word === null ? "" : state.sliceDoc(word.from, word.to);
  const { result } = showDialog(view, {
    label: old === "" ? t("editor.newNameHere") : t("editor.newNameOf", { name: old }),
    input: { name: "name", value: old, "aria-label": t("editor.newName"), spellcheck: "false" },
    submitLabel: t("editor.rename"),
    focus: true,
  });
  const form = await result;
  const field = form?.elements.namedItem("name");
  if (!(field instanceof HTMLInputElement) || field.value === old || field.value === "") return;
  const request = { op: "edit.rename", path, text: state.doc.toString(), at, name: field.value } as const;
  const answer = await lab.ask(request);
  if (answer === undefined || view.state.doc !== state.doc) return;
  if (await lab.applyEdits(path, answer.edits))
    lab.say(t("editor.renamed", { name: field.value, count: answer.edits.length }));
}

async function format({ state }: EditorView, lab: Lab, path: string): Promise<void> {
  const text = state.doc.toString();
  const answer = await lab.ask({ op: "edit.format", path, text });
  if (answer === undefined) return;
  await lab.applyEdits(path, [{ path, from: 0, to: text.length, text: answer.text }]);
  lab.say(t(answer.text === text ? "editor.formattedAlready" : "editor.formatted", { path }));
}
