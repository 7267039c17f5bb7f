/**
 * Priority flow control, written a second time: a source whose frames have one length, a switch, and a slower link to a sink, as a list of steps in time
 * order. It shares nothing with src/: times are in nanoseconds and must come out whole.
 */

export interface Chain {
  readonly frames: number;
  /** Bytes of each frame; of a PAUSE. */
  readonly bytes: number;
  readonly pauseBytes: number;
  /** Nanoseconds for a byte into the switch and out of it. */
  readonly nsIn: number;
  readonly nsOut: number;
  /** Nanoseconds of propagation between source and switch. */
  readonly delay: number;
  readonly xoff: number;
  readonly offset: number;
  readonly headroom: number;
  /** How long a PAUSE holds. */
  readonly hold: number;
}

export interface ChainResult {
  /** When the last bit of each frame that was not dropped has left the switch. */
  readonly left: number[];
  readonly dropped: number;
  readonly pauses: number;
  /** Nanoseconds in which the source was paused. */
  readonly paused: number;
  readonly most: number;
}

interface Step {
  readonly time: number;
  readonly order: number;
  readonly run: () => void;
}

export function chain(spec: Chain): ChainResult {
  const steps: Step[] = [];
  let order = 0;
  let now = 0;
  const at = (time: number, run: () => void) => {
    steps.push({ time, order: order++, run });
  };
  // Source.
  let unsent = spec.frames;
  let sourceFree = 0;
  let pausedUntil = -1;
  let pausedSince = -1;
  let pausedTotal = 0;
  const settle = () => {
    const end = Math.min(now, pausedUntil);
    if (pausedSince >= 0 && end > pausedSince) pausedTotal += end - pausedSince;
    pausedSince = now;
  };
  const send = () => {
    if (unsent === 0 || now < sourceFree || now < pausedUntil) return;
    unsent--;
    sourceFree = now + spec.bytes * spec.nsIn;
    at(sourceFree + spec.delay, arrive);
    at(sourceFree, send);
  };
  // Switch.
  let shared = 0;
  let headroom = 0;
  let waiting = 0;
  let portFree = 0;
  let reverseFree = 0;
  let asks = false;
  let epoch = 0;
  const result = { left: [] as number[], dropped: 0, pauses: 0, most: 0 };
  const control = (hold: number) => {
    reverseFree = Math.max(reverseFree, now) + spec.pauseBytes * spec.nsIn;
    at(reverseFree + spec.delay, () => {
      settle();
      pausedUntil = hold === 0 ? now : now + hold;
      if (hold === 0) send();
      else at(pausedUntil, send);
    });
  };
  const repeat = (own: number) => {
    if (!asks || own !== epoch) return;
    control(spec.hold);
    at(now + Math.ceil(spec.hold / 2), () => repeat(own));
  };
  const ask = () => {
    if (asks) return;
    asks = true;
    epoch++;
    result.pauses++;
    repeat(epoch);
  };
  const arrive = () => {
    if (waiting === 0 && now >= portFree) {
      begin();
      return;
    }
    if (headroom === 0 && shared + spec.bytes <= spec.xoff) shared += spec.bytes;
    else if (headroom + spec.bytes <= spec.headroom) headroom += spec.bytes;
    else {
      result.dropped++;
      ask();
      return;
    }
    result.most = Math.max(result.most, headroom);
    waiting++;
    if (waiting === 1) at(portFree, serve);
    if (headroom > 0 || shared >= spec.xoff) ask();
  };
  const begin = () => {
    portFree = now + spec.bytes * spec.nsOut;
    result.left.push(portFree);
    if (waiting > 0) at(portFree, serve);
  };
  const serve = () => {
    if (waiting === 0 || now < portFree) return;
    waiting--;
    const ofHeadroom = Math.min(headroom, spec.bytes);
    headroom -= ofHeadroom;
    shared -= spec.bytes - ofHeadroom;
    if (asks && headroom === 0 && (shared === 0 || shared + spec.offset <= spec.xoff)) {
      asks = false;
      control(0);
    }
    begin();
  };
  at(0, send);
  for (;;) {
    let next: Step | undefined;
    for (const step of steps)
      if (next === undefined || step.time < next.time || (step.time === next.time && step.order < next.order))
        next = step;
    if (next === undefined) break;
    steps.splice(steps.indexOf(next), 1);
    now = next.time;
    next.run();
  }
  settle();
  return { ...result, paused: pausedTotal };
}
