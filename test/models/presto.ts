/**
 * Presto's receiver (He et al., SIGCOMM 2015, section 3.2) in plain words, for segments of one byte position each: what TCP gets, in which order. Time stands
 * still, so that no gap is open too long.
 */
export function passedOn(arrivals: readonly number[], cell: number): number[] {
  const passed: number[] = [];
  const waiting = new Set<number>();
  let next = 0;
  const cellOf = (position: number) => Math.floor(position / cell);
  const pass = (position: number) => {
    passed.push(position);
    // TCP keeps what is above a hole.
    while (passed.includes(next)) next++;
  };
  for (const position of arrivals) {
    if (position > next && cellOf(position) !== cellOf(next)) {
      waiting.add(position);
      continue;
    }
    pass(position);
    for (;;) {
      const [least] = [...waiting].sort((a, b) => a - b);
      if (least === undefined || (least > next && cellOf(least) !== cellOf(next))) break;
      waiting.delete(least);
      pass(least);
    }
  }
  return passed;
}
