/**
 * A progress line on stderr: on a terminal rewritten in place and removed at the end; elsewhere, if it is asked for, a line now
 * and then.
 */

/** An estimate of the remaining time is shown when this share of the whole is done since it began. */
const LEAST_SHARE = 0.005;

interface ProgressLine {
  /** `done` of `total`; counts that fall begin a new estimate of the remaining time. */
  show(done: number, total: number, what: string): void;
  clear(): void;
  /** For work that may take hours: where there is no terminal, a line every ten seconds. */
  plain(): void;
}

/** Minimum time between two updates, in milliseconds. */
const INTERVAL_MS = 100;

/** The same where there is no terminal. */
const PLAIN_INTERVAL_MS = 10_000;

/** `now`: milliseconds, for the estimate of the remaining time. */
export function progressLine(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
  now: () => number = Date.now,
): ProgressLine {
  const { isTTY } = stream;
  let interval = isTTY ? INTERVAL_MS : Number.POSITIVE_INFINITY;
  let shownAt = Number.NEGATIVE_INFINITY;
  let first: { done: number; at: number } | undefined;
  return {
    show(done, total, what) {
      const at = now();
      if (first === undefined || done < first.done) first = { done, at };
      const last = isTTY && done >= total;
      if (interval === Number.POSITIVE_INFINITY || (at - shownAt < interval && !last)) return;
      shownAt = at;
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      const progress = done - first.done;
      // The first steps give no estimate: programs are compiled before them.
      const early = progress < total * LEAST_SHARE;
      const left =
        progress === 0 || early || done >= total ? undefined : ((at - first.at) / progress) * (total - done);
      const eta = left === undefined ? "" : `  ${formatDuration(left)} left`;
      const text = `${String(percent).padStart(3)} %  ${done}/${total}${eta}  ${what}`;
      stream.write(isTTY ? `\r\x1b[K${text}` : `${text}\n`);
    },
    clear() {
      if (isTTY) stream.write("\r\x1b[K");
    },
    plain() {
      if (isTTY) return;
      interval = PLAIN_INTERVAL_MS;
      // What is short is done before the first line.
      shownAt = now();
    },
  };
}

/** `45 s`, `3 min`, `2 h 5 min`. */
function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
