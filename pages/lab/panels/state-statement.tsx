/** The input line for statements of the shell, with completion and error messages. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LabDiagnostic } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab } from "../parts/context.js";
import { SCROLLED } from "../parts/scrolled.js";
import { WordInput } from "../parts/word-input.js";

/** A statement to edit; a new `id` writes it into the input line. */
export interface Draft {
  text: string;
  id: number;
}

export function StatementEditor({ name, draft }: { name: string; draft: Draft }) {
  const lab = useLab();
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<{ lines: readonly string[]; diagnostics: readonly LabDiagnostic[] }>();
  const past = useRef<string[]>([]);
  const line = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (draft.id === 0) return;
    setText(draft.text);
    setAnswer(undefined);
    line.current?.focus();
  }, [draft.id]);
  const run = async () => {
    if (text.trim() === "") return;
    const next = await lab.control(name, text);
    setAnswer(next);
    past.current = [...past.current.filter((one) => one !== text), text].slice(-50);
    if (!next.diagnostics.some(({ severity }) => severity === "error")) setText("");
    else line.current?.focus();
  };
  const errors = answer?.diagnostics ?? [];
  return (
    <form
      class="statement"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <div class="row nowrap">
        <WordInput
          label={t("statement.label", { name })}
          placeholder={t("statement.placeholder")}
          input={line}
          text={text}
          setText={setText}
          invalid={errors.length > 0}
          past={past.current}
          complete={async (words, cursor) => {
            const reply = await lab.connection.request({
              op: "control.complete",
              switch: name,
              line: words,
              cursor,
            });
            return reply.ok ? reply.value : { from: cursor, words: [] };
          }}
        />
        <button type="submit" class="primary">
          {t("page.run")}
        </button>
      </div>
      <div aria-live="polite">
        {errors.map((one, index) => (
          <div key={index} class="notice bad small">
            <Underlined text={text} diagnostic={one} />
            {one.message} {one.code === "" ? null : <span class="quiet">{one.code}</span>}
            {one.notes.map((note) => `\n${t("page.note", { text: note.message })}`).join("")}
          </div>
        ))}
        {answer !== undefined && answer.lines.length > 0 ? (
          <pre {...SCROLLED} class="answer">
            {answer.lines.join("\n")}
          </pre>
        ) : null}
      </div>
    </form>
  );
}

/** The statement; the word that the message is about is underlined. */
function Underlined({ text, diagnostic: { start, end } }: { text: string; diagnostic: LabDiagnostic }) {
  if (start === undefined || start.line !== 1 || start.column > text.length) return null;
  const from = start.column - 1;
  const to = end?.line === 1 && end.column - 1 > from ? end.column - 1 : from + 1;
  return (
    <div class="mono">
      {text.slice(0, from)}
      <u>{text.slice(from, to)}</u>
      {text.slice(to)}
    </div>
  );
}
