/** Run, pause, step, speed: the clock of a simulated lab. */
import { useEffect, useRef } from "preact/hooks";
import type { ClockView } from "../../../src/course/lab/index.js";
import { numberText, t } from "../language/texts.js";
import { useLab } from "../parts/context.js";
import { clockText, countText } from "../parts/words.js";

const SPEEDS: readonly number[] = [10, 1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

function speedText(speed: number): string {
  if (speed === 1) return t("clock.real");
  return speed > 1 ? t("clock.times", { factor: speed }) : `1/${countText(Math.round(1 / speed))}`;
}

interface Props {
  clock: ClockView;
  /** The speed at which packets can be seen in flight. */
  slow: number;
}

export function ClockBar({ clock, slow }: Props) {
  const lab = useLab();
  const isSlow = clock.speed <= slow;
  const known = SPEEDS.includes(clock.speed);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> cannot be laid out as a row everywhere
    <div class="group" role="group" aria-label={t("clock.label")}>
      <Time />
      <button
        type="button"
        class="icon"
        title={t("clock.run.title")}
        aria-label={t(clock.running ? "clock.pause" : "clock.run")}
        onClick={() => void lab.setClock({ running: !clock.running })}
      >
        {clock.running ? "❚❚" : "▶"}
      </button>
      <button type="button" title={t("clock.step.title")} onClick={() => void lab.step()}>
        {t("clock.step")}
      </button>
      <button
        type="button"
        aria-pressed={isSlow}
        title={t("clock.slow.title")}
        onClick={() => void lab.setClock({ speed: isSlow ? 1 : slow })}
      >
        {t("clock.slow")}
      </button>
      <select
        aria-label={t("clock.speed")}
        value={String(clock.speed)}
        onChange={({ currentTarget }) => void lab.setClock({ speed: Number(currentTarget.value) })}
      >
        {known ? null : <option value={String(clock.speed)}>{clock.speed} ×</option>}
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speedText(speed)}
          </option>
        ))}
      </select>
      <label class="small quiet" title={t("clock.skip.title")}>
        <input
          type="checkbox"
          checked={clock.skipIdle}
          onChange={({ currentTarget }) => void lab.setClock({ skipIdle: currentTarget.checked })}
        />{" "}
        {t("clock.skip")}
      </label>
      {clock.running && clock.reached !== undefined ? (
        <span class="chip" title={t("clock.reaches.title")}>
          {t("clock.reaches", { factor: numberText(clock.reached, { maximumSignificantDigits: 2 }) })}
        </span>
      ) : null}
    </div>
  );
}

/** The instant that the drawing shows; its update draws no other component again. */
function Time() {
  const lab = useLab();
  const element = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const timer = setInterval(() => {
      const text = clockText(lab.live.motions.instant(performance.now()));
      if (element.current !== null && element.current.textContent !== text)
        element.current.textContent = text;
    }, 60);
    return () => clearInterval(timer);
  }, []);
  return <span class="clock" ref={element} role="timer" aria-label={t("clock.time")} />;
}
