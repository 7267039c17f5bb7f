/** The exercise: its text, and its tests with expected and observed results. */
import { useState } from "preact/hooks";
import type { ExerciseView, ResultLine, TestView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab } from "../parts/context.js";
import { Markdown } from "../parts/markdown.js";
import { pointsText } from "../parts/points.js";
import { SCROLLED } from "../parts/scrolled.js";

export function ExercisePanel({ exercise, canTest }: { exercise: ExerciseView; canTest: boolean }) {
  return (
    <>
      {exercise.tests.length === 0 || !canTest ? null : <Tests {...exercise} />}
      <div lang={exercise.language}>
        <Markdown text={exercise.text} />
      </div>
    </>
  );
}

function Tests({ tests, hidden }: Pick<ExerciseView, "tests" | "hidden">) {
  const lab = useLab();
  const [busy, setBusy] = useState(false);
  const run = async (names?: readonly string[]) => {
    setBusy(true);
    try {
      await lab.runTests(names);
    } finally {
      setBusy(false);
    }
  };
  const reached = tests.reduce((sum, { result }) => sum + (result?.points ?? 0), 0);
  const all = tests.reduce((sum, { points }) => sum + points, 0);
  return (
    <section class="tests" aria-label={t("tests.label")}>
      <div class="row">
        <button type="button" class="primary" disabled={busy} onClick={() => void run()}>
          {t(busy ? "tests.running" : "tests.run")}
        </button>
        <span role="status">
          {tests.some(({ result }) => result !== undefined)
            ? t("tests.reached", { reached, all: pointsText(all) })
            : pointsText(all)}
        </span>
      </div>
      <ul>
        {tests.map((test) => (
          <li key={test.name}>
            <TestLine test={test} busy={busy} run={() => void run([test.name])} />
          </li>
        ))}
      </ul>
      {hidden === undefined ? null : (
        <p class="quiet small">
          {t("tests.hidden", { count: hidden.tests, points: pointsText(hidden.points) })}
        </p>
      )}
    </section>
  );
}

/** A hint is shown in the language of the texts. */
function lineText({ part, text }: ResultLine, hint: string | undefined): string {
  if (part === undefined) return text;
  return t(`tests.part.${part}`, { text: part === "hint" ? (hint ?? text) : text });
}

const MARKS = { running: "…", passed: "✓", failed: "✕" } as const;

function TestLine({
  test: { title, points, hint, result },
  busy,
  run,
}: {
  test: TestView;
  busy: boolean;
  run: () => void;
}) {
  const state = result?.state;
  const tone = state === "passed" ? "good" : state === "failed" ? "bad" : "quiet";
  const head = (
    <>
      <span class={tone} aria-hidden="true">
        {state === undefined ? "○" : MARKS[state]}
      </span>{" "}
      {title}{" "}
      <span class="quiet small">
        {result === undefined
          ? pointsText(points)
          : t("tests.result", {
              reached: result.points,
              all: points,
              state: t(`tests.state.${result.state}`),
            })}
      </span>
    </>
  );
  return (
    <>
      <div class="row nowrap">
        <span>{head}</span>
        <span class="room" />
        <button
          type="button"
          class="plain"
          disabled={busy}
          aria-label={t("tests.runOne", { title })}
          onClick={run}
        >
          {t("page.run")}
        </button>
      </div>
      {result === undefined || result.lines.length === 0 ? null : (
        <details open={state === "failed"}>
          <summary class="small quiet">{t("tests.details")}</summary>
          <pre {...SCROLLED}>{result.lines.map((line) => lineText(line, hint)).join("\n")}</pre>
        </details>
      )}
    </>
  );
}
