/** Shows a program read-only, with the lines of a packet highlighted, and scrolls to one of them. */
import { Compartment, EditorState, type Range, RangeSet } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { look } from "./look.js";
import { p4Language } from "./p4-mode.js";

interface Props {
  text: string;
  label: string;
  /** Lines count from 1. */
  lit: ReadonlySet<number>;
  now: number | undefined;
}

const LIT = Decoration.line({ class: "cm-lit" });
const NOW = Decoration.line({ class: "cm-lit-now" });

function decorations(state: EditorState, lit: ReadonlySet<number>, now: number | undefined): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const line of [...new Set([...lit, ...(now === undefined ? [] : [now])])].sort((a, b) => a - b))
    if (line >= 1 && line <= state.doc.lines)
      ranges.push((line === now ? NOW : LIT).range(state.doc.line(line).from));
  return RangeSet.of(ranges);
}

export function SourceView({ text, label, lit, now }: Props) {
  const room = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const lights = useRef(new Compartment());
  useEffect(() => {
    const editor = new EditorView({
      parent: room.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          p4Language(),
          look,
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          lights.current.of([]),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [text, label]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const set = decorations(editor.state, lit, now);
    const first = now ?? [...lit].sort((a, b) => a - b)[0];
    const line =
      first !== undefined && first <= editor.state.doc.lines ? editor.state.doc.line(first) : undefined;
    editor.dispatch({
      effects: [
        lights.current.reconfigure(EditorView.decorations.of(set)),
        ...(line === undefined ? [] : [EditorView.scrollIntoView(line.from, { y: "center" })]),
      ],
    });
  }, [text, label, lit, now]);
  return <div class="source fill" ref={room} />;
}
