/** The exercise: its text, and its tests with expected and observed results. */
import { useState } from "preact/hooks";
import type { ExerciseView, TestView } from "../../../src/course/lab/index.js";
import { useLab } from "../parts/context.js";
import { Markdown } from "../parts/markdown.js";
import { pointsText } from "../parts/points.js";
import { SCROLLED } from "../parts/scrolled.js";

export function ExercisePanel({ exercise, canTest }: { exercise: ExerciseView; canTest: boolean }) {
  return (
    <>
      {exercise.tests.length === 0 || !canTest ? null : <Tests {...exercise} />}
      <Markdown text={exercise.text} />
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
    <section class="tests" aria-label="Tests">
      <div class="row">
        <button type="button" class="primary" disabled={busy} onClick={() => void run()}>
          {busy ? "Running tests" : "Run the tests"}
        </button>
        <span role="status">
          {tests.some(({ result }) => result !== undefined)
            ? `${reached} of ${pointsText(all)}`
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
          {hidden.tests} hidden {hidden.tests === 1 ? "test" : "tests"} ({pointsText(hidden.points)}) run when
          the exercise is graded.
        </p>
      )}
    </section>
  );
}

const MARKS = { running: "…", passed: "✓", failed: "✕" } as const;

function TestLine({
  test: { title, points, result },
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
        {state === undefined ? pointsText(points) : `${result!.points} of ${points}, ${state}`}
      </span>
    </>
  );
  return (
    <>
      <div class="row nowrap">
        <span>{head}</span>
        <span class="room" />
        <button type="button" class="plain" disabled={busy} aria-label={`Run test ${title}`} onClick={run}>
          Run
        </button>
      </div>
      {result === undefined || result.text.length === 0 ? null : (
        <details open={state === "failed"}>
          <summary class="small quiet">what was expected and seen</summary>
          <pre {...SCROLLED}>{result.text.join("\n")}</pre>
        </details>
      )}
    </>
  );
}
