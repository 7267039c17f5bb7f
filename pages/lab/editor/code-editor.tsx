/** The editor of one file: P4 colours, diagnostics at their place, save by key. */
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
import { EditorState, type Text } from "@codemirror/state";
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
import type { FixView, LabDiagnostic } from "../../../src/lab/index.js";
import type { Lab } from "../state/lab.js";
import type { OpenFile } from "../state/lab-state.js";
import { isP4, languageService } from "./language-service.js";
import { look } from "./look.js";
import { p4Language } from "./p4-mode.js";

interface Props {
  file: OpenFile;
  lab: Lab;
  diagnostics: readonly LabDiagnostic[];
  fixes: readonly FixView[];
  change: (text: string) => void;
  save: () => void;
  /** A line to go to, counted from 1; a new object goes there again. */
  goTo: { line: number; column: number } | undefined;
}

/** Editors keep their history while another file is shown. */
const states = new Map<string, EditorState>();

export function CodeEditor({ file, lab, diagnostics, fixes, change, save, goTo }: Props) {
  const room = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const calls = useRef({ change, save });
  calls.current = { change, save };

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
              // tabindex: a text that is only read is not editable, and must be reached by the tab key all the same
              EditorView.contentAttributes.of({ "aria-label": `Text of ${file.path}`, tabindex: "0" }),
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

  // The file was written elsewhere. Keys are in the store at once, and here only when the page is drawn: the store's text counts.
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

/** A place of the compiler as an offset; a place beyond the text, as a text that has changed since may have it, is its end. */
function offsetOf(doc: Text, { line, column }: { line: number; column: number }): number {
  if (line > doc.lines) return doc.length;
  const { from, to } = doc.line(Math.max(1, line));
  return Math.min(to, from + Math.max(0, column - 1));
}

/** The one replacement that makes a text another one: the cursor and marks outside of it stay where they are. */
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

/** The fixes that belong to a message, as actions of its tooltip. */
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
    ...notes.map((note) => `note: ${note.message}`),
  ];
  return [{ from, to, severity, message: text.join("\n"), actions }];
}
