/** The editor of one file: syntax colours of P4, diagnostics at their places, saving by a key. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  toggleTabFocusMode,
} from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from "@codemirror/language";
import { type Action, type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import type { FixView, LabDiagnostic } from "../../../src/course/lab/index.js";
import { language, t } from "../language/texts.js";
import type { Lab } from "../state/lab.js";
import type { OpenFile } from "../state/lab-state.js";
import { useStore } from "../state/store.js";
import { isP4, languageService } from "./language-service.js";
import { look } from "./look.js";
import { p4Language } from "./p4-mode.js";
import { editorPhrases } from "./phrases.js";

interface Props {
  file: OpenFile;
  lab: Lab;
  diagnostics: readonly LabDiagnostic[];
  fixes: readonly FixView[];
  change: (text: string) => void;
  save: () => void;
  /** The place to show; lines and columns count from 1. A new object shows its place again. */
  goTo: { line: number; column: number } | undefined;
}

/** The states of all editors by path: an editor keeps its history while another file is shown. */
const states = new Map<string, EditorState>();

/** The words of the editor in the language of the page. */
const words = new Compartment();

const wordsOf = (path: string): Extension => [
  editorPhrases(),
  // tabindex: the tab key must reach a read-only text too, which is not editable
  EditorView.contentAttributes.of({ "aria-label": t("editor.text", { path }), tabindex: "0" }),
];

export function CodeEditor({ file, lab, diagnostics, fixes, change, save, goTo }: Props) {
  const room = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const calls = useRef({ change, save });
  calls.current = { change, save };

  const code = useStore(language, (value) => value.code);
  const saveNow = () => {
    calls.current.save();
    return true;
  };
  useEffect(() => {
    const kept = states.get(file.path);
    const state =
      kept?.doc.toString() === file.text
        ? kept
        : EditorState.create({
            doc: file.text,
            extensions: [
              ...[
                lineNumbers(),
                foldGutter(),
                lintGutter(),
                highlightActiveLineGutter(),
                history(),
                drawSelection(),
              ],
              ...[indentUnit.of("    "), EditorState.tabSize.of(4), bracketMatching(), closeBrackets()],
              ...[rectangularSelection(), highlightActiveLine(), highlightSelectionMatches(), look],
              isP4(file.path) ? [p4Language(), languageService(lab, file.path)] : [],
              EditorState.readOnly.of(file.readOnly),
              words.of(wordsOf(file.path)),
              EditorView.updateListener.of((update) => {
                if (update.docChanged) calls.current.change(update.state.doc.toString());
              }),
              keymap.of([
                { key: "Mod-s", preventDefault: true, run: saveNow },
                { key: "Ctrl-m", mac: "Shift-Alt-m", run: toggleTabFocusMode },
                ...closeBracketsKeymap,
                ...defaultKeymap,
                ...searchKeymap,
                ...historyKeymap,
                ...foldKeymap,
                ...completionKeymap,
                ...lintKeymap,
                indentWithTab,
              ]),
            ],
          });
    const editor = new EditorView({ parent: room.current!, state });
    view.current = editor;
    return () => {
      states.set(file.path, editor.state);
      editor.destroy();
      view.current = undefined;
    };
  }, [file.path]);

  useEffect(() => view.current?.dispatch({ effects: words.reconfigure(wordsOf(file.path)) }), [code]);

  // The file was written elsewhere. The store has each key press at once, this component only when it is drawn: use the
  // store's text.
  useEffect(() => {
    const editor = view.current;
    const text = lab.store.value.open.find(({ path }) => path === file.path)?.text;
    const shownText = editor?.state.doc.toString();
    if (editor === undefined || text === undefined || text === shownText) return;
    editor.dispatch({ changes: difference(shownText!, text) });
  }, [file.text]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch(
      setDiagnostics(
        editor.state,
        diagnostics.flatMap((one) => shown(one, editor.state.doc, actionsOf(one, fixes, lab, file.path))),
      ),
    );
  }, [diagnostics, fixes, file.path]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || goTo === undefined) return;
    const anchor = offsetOf(editor.state.doc, goTo);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    editor.focus();
  }, [goTo]);

  return <div class="code fill" ref={room} />;
}

/**
 * Converts a place of the compiler to an offset. If the text has changed since and has no such place, the offset is
 * that of its end.
 */
function offsetOf(doc: Text, { line, column }: { line: number; column: number }): number {
  if (line > doc.lines) return doc.length;
  const { from, to } = doc.line(Math.max(1, line));
  return Math.min(to, from + Math.max(0, column - 1));
}

/** A single replacement that changes the old text to the new one; the cursor and marks outside of it do not move. */
function difference(old: string, now: string): { from: number; to: number; insert: string } {
  let from = 0;
  while (from < old.length && old[from] === now[from]) from++;
  let [to, end] = [old.length, now.length];
  while (to > from && end > from && old[to - 1] === now[end - 1]) {
    to--;
    end--;
  }
  return { from, to, insert: now.slice(from, end) };
}

/** The fixes for a message, as actions of its tooltip. */
function actionsOf(one: LabDiagnostic, fixes: readonly FixView[], lab: Lab, path: string): Action[] {
  return fixesFor(one, fixes).map(({ title, edits }) => ({
    name: title,
    apply: () => void lab.applyEdits(path, edits),
  }));
}

export function fixesFor({ code, start }: LabDiagnostic, fixes: readonly FixView[]): readonly FixView[] {
  return fixes.filter((fix) => fix.code === code && fix.line === start?.line && fix.column === start.column);
}

function shown(
  { severity, code, message, notes, start, end }: LabDiagnostic,
  doc: Text,
  actions: Action[],
): Diagnostic[] {
  if (start === undefined) return [];
  const from = offsetOf(doc, start);
  const to = Math.max(end === undefined ? from : offsetOf(doc, end), from);
  const text = [
    code === "" ? message : `${message} [${code}]`,
    ...notes.map((note) => t("page.note", { text: note.message })),
  ];
  return [{ from, to, severity, message: text.join("\n"), actions }];
}
