/** The editor of one file: P4 colours, diagnostics at their place, save by key. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  toggleTabFocusMode,
} from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
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
import type { LabDiagnostic } from "../../../src/lab/index.js";
import type { OpenFile } from "../state/lab-state.js";
import { look } from "./look.js";
import { p4Language } from "./p4-mode.js";

interface Props {
  file: OpenFile;
  diagnostics: readonly LabDiagnostic[];
  change: (text: string) => void;
  save: () => void;
  /** A line to go to, counted from 1; a new object goes there again. */
  goTo: { line: number; column: number } | undefined;
}

/** Editors keep their history while another file is shown. */
const states = new Map<string, EditorState>();

export function CodeEditor({ file, diagnostics, change, save, goTo }: Props) {
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
    const isP4 = /\.(p4|p4inc|h)$/.test(file.path);
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
              ...[
                autocompletion(),
                rectangularSelection(),
                highlightActiveLine(),
                highlightSelectionMatches(),
                look,
              ],
              isP4 ? p4Language() : [],
              EditorState.readOnly.of(file.readOnly),
              EditorView.contentAttributes.of({ "aria-label": `Text of ${file.path}` }),
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

  // The file was written elsewhere.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === file.text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: file.text } });
  }, [file.text]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch(
      setDiagnostics(
        editor.state,
        diagnostics.flatMap((one) => shown(one, editor.state.doc)),
      ),
    );
  }, [diagnostics, file.path]);

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

function shown({ severity, code, message, notes, start, end }: LabDiagnostic, doc: Text): Diagnostic[] {
  if (start === undefined) return [];
  const from = offsetOf(doc, start);
  const to = Math.max(end === undefined ? from : offsetOf(doc, end), from);
  const text = [
    code === "" ? message : `${message} [${code}]`,
    ...notes.map((note) => `note: ${note.message}`),
  ];
  return [{ from, to, severity, message: text.join("\n") }];
}
