/** Run, pause, step, speed: the clock of a simulated lab. */
import { useEffect, useRef } from "preact/hooks";
import type { ClockView } from "../../../src/course/lab/index.js";
import { useLab } from "../parts/context.js";
import { clockText } from "../parts/words.js";

const SPEEDS: readonly [number, string][] = [
  [10, "10 × as fast"],
  [1, "real time"],
  [0.1, "1/10"],
  [0.01, "1/100"],
  [1e-3, "1/1,000"],
  [1e-4, "1/10,000"],
  [1e-5, "1/100,000"],
  [1e-6, "1/1,000,000"],
  [1e-7, "1/10,000,000"],
];

interface Props {
  clock: ClockView;
  /** The speed at which packets can be seen in flight. */
  slow: number;
}

export function ClockBar({ clock, slow }: Props) {
  const lab = useLab();
  const isSlow = clock.speed <= slow;
  const known = SPEEDS.some(([speed]) => speed === clock.speed);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> cannot be laid out as a row everywhere
    <div class="group" role="group" aria-label="Clock">
      <Time />
      <button
        type="button"
        class="icon"
        title="Space"
        aria-label={clock.running ? "Pause" : "Run"}
        onClick={() => void lab.setClock({ running: !clock.running })}
      >
        {clock.running ? "❚❚" : "▶"}
      </button>
      <button
        type="button"
        title="Advances to the next arrival of a packet; if the packet of the story is in flight, to its next arrival (N)"
        onClick={() => void lab.step()}
      >
        Step
      </button>
      <button
        type="button"
        aria-pressed={isSlow}
        title="On: so slow that packets can be seen in flight. Off: real time"
        onClick={() => void lab.setClock({ speed: isSlow ? 1 : slow })}
      >
        Slow motion
      </button>
      <select
        aria-label="Speed"
        value={String(clock.speed)}
        onChange={({ currentTarget }) => void lab.setClock({ speed: Number(currentTarget.value) })}
      >
        {known ? null : <option value={String(clock.speed)}>{clock.speed} ×</option>}
        {SPEEDS.map(([speed, text]) => (
          <option key={speed} value={String(speed)}>
            {text}
          </option>
        ))}
      </select>
      <label class="small quiet" title="In slow motion, time without packets in flight passes at real time">
        <input
          type="checkbox"
          checked={clock.skipIdle}
          onChange={({ currentTarget }) => void lab.setClock({ skipIdle: currentTarget.checked })}
        />{" "}
        skip idle time
      </label>
      {clock.running && clock.reached !== undefined ? (
        <span class="chip" title="This machine cannot simulate faster">
          reaches {clock.reached.toPrecision(2)} ×
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
  return <span class="clock" ref={element} role="timer" aria-label="Time in the network" />;
}
