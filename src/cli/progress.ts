/** A progress line on stderr: only on a terminal, rewritten in place, gone at the end. */

export interface ProgressLine {
  show(done: number, total: number, what: string): void;
  clear(): void;
}

/** Rewrites no more often than this, in milliseconds. */
const INTERVAL_MS = 100;

export function progressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  let last = 0;
  return {
    show(done, total, what) {
      const now = Date.now();
      if (now - last < INTERVAL_MS && done < total) return;
      last = now;
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      stream.write(`\r\x1b[K${String(percent).padStart(3)} %  ${done}/${total}  ${what}`);
    },
    clear() {
      stream.write("\r\x1b[K");
    },
  };
}
