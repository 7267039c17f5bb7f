/** A progress line on stderr: only on a terminal, rewritten in place, removed at the end. */

export interface ProgressLine {
  /** `done` of `total`; counts that fall begin a new estimate of the remaining time. */
  show(done: number, total: number, what: string): void;
  clear(): void;
}

/** Minimum time between two updates, in milliseconds. */
const INTERVAL_MS = 100;

/** `now`: milliseconds, for the estimate of the remaining time. */
export function progressLine(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
  now: () => number = Date.now,
): ProgressLine {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  let first: { done: number; at: number } | undefined;
  return {
    show(done, total, what) {
      const at = now();
      if (first === undefined || done < first.done) first = { done, at };
      if (at - shownAt < INTERVAL_MS && done < total) return;
      shownAt = at;
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      const progress = done - first.done;
      const left =
        progress === 0 || done >= total ? undefined : ((at - first.at) / progress) * (total - done);
      const eta = left === undefined ? "" : `  ${formatDuration(left)} left`;
      stream.write(`\r\x1b[K${String(percent).padStart(3)} %  ${done}/${total}${eta}  ${what}`);
    },
    clear() {
      stream.write("\r\x1b[K");
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
