/** The files of the project with their errors. Saving a program compiles it and loads it into its switches. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { FixView, LabDiagnostic } from "../../../src/course/lab/index.js";
import { CodeEditor, fixesFor } from "../editor/code-editor.js";
import { isP4 } from "../editor/language-service.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import type { Lab } from "../state/lab.js";
import type { OpenFile } from "../state/lab-state.js";

export function ProgramPanel() {
  const lab = useLab();
  const files = useLabState((state) => state.files);
  const open = useLabState((state) => state.open);
  const shown = useLabState((state) => state.shown);
  const file = open.find(({ path }) => path === shown);
  return (
    <>
      <div class="row">
        <select
          aria-label={t("program.file")}
          value={shown ?? ""}
          onChange={({ currentTarget }) => void lab.openFile(currentTarget.value)}
        >
          {shown === undefined ? <option value="">{t("program.choose")}</option> : null}
          {[...files, ...open.filter(({ path }) => !files.some((one) => one.path === path))].map(
            ({ path }) => {
              const opened = open.find((one) => one.path === path);
              return (
                <option key={path} value={path}>
                  {path}
                  {opened !== undefined && opened.text !== opened.saved ? " *" : ""}
                </option>
              );
            },
          )}
        </select>
        {file === undefined ? null : <SaveRow key={file.path} file={file} />}
      </div>
      {file === undefined ? (
        <p class="empty">{t("program.none")}</p>
      ) : (
        <Editor key={file.path} file={file} lab={lab} />
      )}
    </>
  );
}

function SaveRow({ file }: { file: OpenFile }) {
  const lab = useLab();
  const programs = useLabState((state) => state.lab?.programs);
  const program = programs?.find(({ path }) => path === file.path);
  const changed = file.text !== file.saved;
  const revert = () => {
    lab.edit(file.path, file.saved);
    lab.showDiagnostics(file.path, []);
  };
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={file.readOnly || !changed}
        title={t(program === undefined ? "program.save.title" : "program.saveAndRun.title")}
        onClick={() => void lab.save(file.path)}
      >
        {t(program === undefined ? "program.save" : "program.saveAndRun")}
      </button>
      {changed ? (
        <button type="button" onClick={revert}>
          {t("program.revert")}
        </button>
      ) : null}
      <span class="room" />
      {file.readOnly ? <span class="chip">{t("program.readOnly")}</span> : null}
      {program === undefined ? null : (
        <span class={`chip ${program.current ? "good" : "bad"}`}>
          {program.current
            ? t("program.runs", { switches: program.switches.join(", ") })
            : t("program.oldRuns")}
        </span>
      )}
    </>
  );
}

function Editor({ file, lab }: { file: OpenFile; lab: Lab }) {
  const diagnostics = useLabState((state) => state.diagnostics[file.path]) ?? NONE;
  const place = useLabState((state) => state.place);
  const fixes = useFixes(file, diagnostics, lab);
  useCheck(file, lab);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return (
    <>
      <CodeEditor
        file={file}
        lab={lab}
        diagnostics={diagnostics}
        fixes={fixes}
        change={(text) => lab.edit(file.path, text)}
        save={() => void lab.save(file.path)}
        goTo={place?.path === file.path ? place : undefined}
      />
      <section class="diagnostics" aria-label={t("program.messages", { path: file.path })} aria-live="polite">
        {diagnostics.length === 0 ? (
          <span class="quiet small">{t("program.noErrors")}</span>
        ) : (
          <>
            <span class={errors > 0 ? "bad small" : "quiet small"}>
              {t("program.counts", {
                errors: t("program.errors", { count: errors }),
                others: t("program.others", { count: diagnostics.length - errors }),
              })}
            </span>
            <ul>
              {diagnostics.map((one, index) => (
                <li key={index}>
                  <button
                    type="button"
                    class="plain"
                    disabled={one.start === undefined}
                    onClick={() =>
                      one.start !== undefined && void lab.goTo({ path: file.path, ...one.start })
                    }
                  >
                    <span class={one.severity === "error" ? "bad" : "quiet"}>
                      {one.start === undefined ? "" : `${one.start.line}:${one.start.column} `}
                    </span>
                    {one.message} <span class="quiet">{one.code}</span>
                    {one.notes.map((note, at) => (
                      <span key={at} class="note">
                        {t("page.note", { text: note.message })}
                      </span>
                    ))}
                  </button>
                  {fixesFor(one, fixes).map(({ title, edits }) => (
                    <button
                      key={title}
                      type="button"
                      class="fix"
                      disabled={file.readOnly}
                      onClick={() => void lab.applyEdits(file.path, edits)}
                    >
                      {title}
                    </button>
                  ))}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </>
  );
}

const NONE: readonly never[] = [];

/** The quick fixes for the messages, while the text is the one that they are about. */
function useFixes(file: OpenFile, diagnostics: readonly LabDiagnostic[], lab: Lab): readonly FixView[] {
  const [found, setFound] = useState<{ text: string; fixes: readonly FixView[] }>();
  useEffect(() => {
    if (diagnostics.length === 0 || file.readOnly || !isP4(file.path)) return;
    let current = true;
    const { path, text } = file;
    void lab.connection.request({ op: "edit.fixes", path, text }).then((reply) => {
      if (current && reply.ok) setFound({ text, fixes: reply.value.fixes });
    });
    return () => {
      current = false;
    };
  }, [diagnostics]);
  return found?.text === file.text ? found.fixes : NONE;
}

/** The lab compiles the text after this pause in typing, in milliseconds. */
const PAUSE_MS = 250;

/** Compiles the text while it is edited, and shows the errors; the switches keep their program. */
function useCheck(file: OpenFile, lab: Lab): void {
  const first = useRef(true);
  useEffect(() => {
    // A saved text was already checked when it was read or saved.
    if (first.current) {
      first.current = false;
      return;
    }
    if (file.readOnly) return;
    let current = true;
    const timer = setTimeout(async () => {
      const reply = await lab.connection.request({ op: "files.check", path: file.path, text: file.text });
      if (current) lab.showDiagnostics(file.path, reply.diagnostics);
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [file.text]);
}
