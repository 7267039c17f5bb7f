/**
 * One TCP flow over links without other traffic, of whose segments some are lost once. The receiver acknowledges every
 * segment. After the RFCs: 6298 (timer), 5681, 3042 and 6582 (NewReno), 2018 and 6675 (SACK), 8985 (RACK-TLP), 6928 (ten
 * segments at first), 9937 (PRR) and 5682 (F-RTO). Times are microseconds.
 *
 * Sequence numbers count segments. The last one may carry a FIN; a receiver acknowledges it with its segment, so that a
 * FIN changes nothing but the end of the connection (RFC 9293, 3.4: it takes one number, which a SACK block covers).
 */

interface Line {
  /** Microseconds that a full segment, a SYN and an acknowledgement take to be sent. */
  readonly data: number;
  readonly control: number;
  /** Microseconds to the other end. */
  readonly delay: number;
}

export interface TailLoss {
  readonly segments: number;
  /** Segments, from 0, whose first transmission is lost. */
  readonly lost: readonly number[];
  /** Links that a lost segment crosses before it disappears. */
  readonly lostAfter: number;
  /** Links on the way there and back, store and forward. */
  readonly there: readonly Line[];
  readonly back: readonly Line[];
  readonly sack: boolean;
  /** RFC 8985, with its tail loss probes; needs SACK. */
  readonly rack: boolean;
  /** Without SACK: the window of a recovery is inflated by duplicates (RFC 5681, 3.2; RFC 6582) in place of PRR. */
  readonly inflates?: boolean;
  /** Lower bound of the retransmission timer. */
  readonly rtoMin: number;
  /** Delay that a probe for one segment grants the receiver (RFC 8985, 7.2). */
  readonly maxAckDelay?: number;
  readonly initialWindow?: number;
}

export interface TailLossResult {
  /** When the last segment was there, from the SYN on. */
  readonly delivered: number;
  /** When all was acknowledged. */
  readonly acknowledged: number;
  readonly timeouts: number;
  readonly probes: number;
  readonly retransmissions: number;
}

const DUPLICATES = 3;

interface Segment {
  sent: number;
  /** Order of transmission, which breaks ties of time. */
  order: number;
  times: number;
  sacked: boolean;
  lost: boolean;
  /** Sent again since it was marked lost. */
  again: boolean;
}

type Timer = "rto" | "probe" | "reorder";

export function runTailLoss(flow: TailLoss): TailLossResult {
  const total = flow.segments;
  const segments: Segment[] = Array.from({ length: total }, () => ({
    sent: 0,
    order: 0,
    times: 0,
    sacked: false,
    lost: false,
    again: false,
  }));
  const busy = { there: flow.there.map(() => 0), back: flow.back.map(() => 0) };
  const cross = (
    way: "there" | "back",
    size: "data" | "control",
    at: number,
    links = flow[way].length,
  ): number =>
    flow[way].slice(0, links).reduce((time, link, index) => {
      const out = Math.max(time, busy[way][index]!) + link[size];
      busy[way][index] = out;
      return out + link.delay;
    }, at);

  // The events: acknowledgements that arrive, in order, and one timer of each kind.
  const acks: { at: number; next: number; sacked: boolean[] }[] = [];
  const timers: Partial<Record<Timer, number>> = {};
  const received: boolean[] = segments.map(() => false);
  const result = { delivered: 0, acknowledged: 0, timeouts: 0, probes: 0, retransmissions: 0 };

  const established = cross("back", "control", cross("there", "control", 0));
  let now = established;
  // RFC 6298, 2.2 and 2.3.
  let srtt = established;
  let rttvar = established / 2;
  let backoff = 1;
  let minRtt = established;
  const rto = (): number => Math.max(flow.rtoMin, srtt + 4 * rttvar) * backoff;

  let una = 0;
  let next = 0;
  let cwnd = flow.initialWindow ?? 10;
  let threshold = Number.POSITIVE_INFINITY;
  let duplicates = 0;
  // Without SACK: segments that duplicates stand for.
  let presumed = 0;
  let order = 0;
  // Recovery ends when this segment is acknowledged (RFC 6582, 6675: RecoveryPoint).
  let recovery: { kind: "fast" | "timeout"; point: number } | undefined;
  let rescued = false;
  // RFC 6582, 3.2, step 3: of a recovery, the first partial acknowledgement alone starts the timer again.
  let impatient = false;
  // RFC 6582, 3.2: without SACK, a recovery begins only beyond the data of the previous one.
  let recover6582 = -1;
  let answers = 0;
  let counted = 0;
  const prr = { delivered: 0, out: 0, flight: 0 };
  let probe: number | undefined;
  let frto: { point: number; step: 1 | 2 } | undefined;
  const rack = { sent: -1, order: -1, rtt: 0 };

  const send = (index: number): void => {
    const segment = segments[index]!;
    const first = segment.times === 0;
    if (!first) {
      result.retransmissions++;
      segment.again = true;
    }
    segment.times++;
    segment.sent = now;
    segment.order = order++;
    timers.rto ??= now + rto();
    if (first && flow.lost.includes(index)) {
      cross("there", "data", now, flow.lostAfter);
      return;
    }
    const at = cross("there", "data", now);
    if (!received[index]) {
      received[index] = true;
      if (received.every(Boolean)) result.delivered = at;
    }
    const hole = received.indexOf(false);
    acks.push({
      at: cross("back", "control", at),
      next: hole === -1 ? total : hole,
      sacked: flow.sack ? [...received] : [],
    });
  };

  const range = (): number[] => Array.from({ length: next - una }, (_, i) => una + i);
  const sackedAbove = (index: number): number =>
    range().filter((i) => i > index && segments[i]!.sacked).length;
  const isLost = (index: number): boolean => segments[index]!.lost;
  /**
   * RFC 6675, 4 (SetPipe): what is not known to be lost or there, and what was sent again. Without SACK a duplicate stands for a segment
   * that has left; of a recovery the first segment alone is lost.
   */
  const pipe = (): number =>
    flow.sack || recovery?.kind === "timeout"
      ? range().reduce((count, i) => {
          const segment = segments[i]!;
          if (segment.sacked) return count;
          return count + (segment.lost ? 0 : 1) + (segment.again ? 1 : 0);
        }, 0)
      : next -
        una -
        presumed -
        (recovery !== undefined && segments[una]!.lost && !segments[una]!.again ? 1 : 0);

  const probeTimeout = (): number => {
    const wait = 2 * srtt + (next - una === 1 ? (flow.maxAckDelay ?? 0) : 0);
    return Math.min(now + wait, timers.rto ?? Number.POSITIVE_INFINITY);
  };
  const armProbe = (): void => {
    const possible =
      flow.sack &&
      flow.rack &&
      recovery === undefined &&
      probe === undefined &&
      una < next &&
      sackedAbove(una - 1) === 0;
    if (possible) timers.probe = probeTimeout();
    else delete timers.probe;
  };

  /** New data as the window allows; `extra` is limited transmit (RFC 3042) or what PRR gives. */
  const sendNew = (window: number): void => {
    let sentNew = false;
    while (next < total && pipe() < window) {
      send(next++);
      sentNew = true;
    }
    if (sentNew) armProbe();
  };

  /**
   * RFC 6675, 4, NextSeg: a lost segment, new data, a segment below the highest one that has arrived, and once in a
   * recovery the last segment. With RACK there are the first two (RFC 8985, 6.2).
   */
  const nextSegment = (): number | undefined => {
    const open = range().filter((i) => !segments[i]!.sacked && !segments[i]!.again);
    const lost = open.find(isLost);
    if (lost !== undefined) return lost;
    if (next < total) return next++;
    if (!flow.sack || flow.rack || recovery?.kind !== "fast") return undefined;
    const doubtful = open.find((i) => sackedAbove(i) > 0);
    if (doubtful !== undefined || rescued) return doubtful;
    rescued = true;
    return range().findLast((i) => !segments[i]!.sacked);
  };

  const sendLost = (count: number): number => {
    for (let left = count; left > 0; left--) {
      const index = nextSegment();
      if (index === undefined) return count - left;
      send(index);
    }
    return count;
  };

  /** `before`: una before this acknowledgement; `held`: segments above it that earlier ones had acknowledged selectively. */
  const enter = (before = una, held = 0): void => {
    recovery = { kind: "fast", point: next };
    rescued = false;
    impatient = true;
    recover6582 = next;
    // RFC 5681, 3.2, step 2: what limited transmit has sent does not count.
    const flight = Math.min(next - una, cwnd);
    threshold = Math.max(flight / 2, 2);
    counted = 0;
    Object.assign(prr, { delivered: 0, out: 0, flight: next - before - held });
    delete timers.probe;
  };

  /** RFC 8985, 6.2: steps 4 and 5. Sets the timer for what may yet be only late. */
  const detect = (): boolean => {
    const held = range().filter((i) => segments[i]!.sacked).length;
    const patient = recovery === undefined && held < DUPLICATES;
    const window = patient ? Math.min(minRtt / 4, srtt) : 0;
    let wait = 0;
    let found = false;
    for (const index of range()) {
      const segment = segments[index]!;
      if (segment.sacked || (segment.lost && !segment.again)) continue;
      const sentBefore =
        rack.sent > segment.sent || (rack.sent === segment.sent && rack.order > segment.order);
      if (!sentBefore) continue;
      const remaining = segment.sent + rack.rtt + window - now;
      if (remaining <= 1e-9) {
        segment.lost = true;
        segment.again = false;
        found = true;
      } else wait = Math.max(wait, remaining);
    }
    if (wait > 0) timers.reorder = now + wait;
    else delete timers.reorder;
    return found;
  };

  /** RFC 6675, 4 (IsLost): DupThresh segments above it were selectively acknowledged. */
  const detectBySack = (): boolean => {
    const found = range().filter(
      (i) => !segments[i]!.sacked && !segments[i]!.lost && sackedAbove(i) >= DUPLICATES,
    );
    for (const index of found) segments[index]!.lost = true;
    return found.length > 0;
  };

  const reduce = (delivered: number, advanced: boolean, newlyLost: boolean): void => {
    if (recovery === undefined) return;
    if (recovery.kind === "timeout") {
      sendLost(Math.max(0, Math.floor(cwnd - pipe())));
      return;
    }
    // RFC 9937, 6, which counts bytes: parts of a segment wait until they are a whole one. The first retransmission leaves in any case.
    prr.delivered += delivered;
    const inFlight = pipe();
    let count: number;
    if (inFlight > threshold) count = (prr.delivered * threshold) / prr.flight - prr.out;
    else {
      count = Math.max(prr.delivered - prr.out, delivered) + (advanced && !newlyLost ? 1 : 0);
      count = Math.min(threshold - inFlight, count);
    }
    if (prr.out === 0 || (!flow.sack && isLost(una) && !segments[una]!.again)) count = Math.max(count, 1);
    prr.out += sendLost(Math.max(0, Math.floor(count + 1e-3)));
  };

  const onTimeout = (): void => {
    result.timeouts++;
    // FlightSize without what left beyond the window and three segments: the simulator's choice (docs/transport.md, "Flight").
    threshold = Math.max(Math.min(next - una, recovery === undefined ? cwnd + DUPLICATES : next) / 2, 2);
    cwnd = 1;
    counted = 0;
    backoff *= 2;
    duplicates = 0;
    presumed = 0;
    probe = undefined;
    delete timers.probe;
    delete timers.reorder;
    // RFC 5682, 3.1, step 1: a first timeout outside of a recovery, and those that repeat it in step 2.
    const judged = recovery === undefined || frto?.step === 1;
    recovery = { kind: "timeout", point: next };
    recover6582 = next;
    frto = flow.sack && judged ? { point: next, step: 1 } : undefined;
    for (const index of range()) {
      const segment = segments[index]!;
      segment.again = false;
      segment.lost = !segment.sacked && (frto === undefined || index === una);
    }
    delete timers.rto;
    sendLost(1);
  };

  /** RFC 5681, 3.1, with RFC 3465: L = 2, after a timeout 1 (2.3); congestion avoidance counts what a whole window has acknowledged (2.1). */
  const grow = (progress: number): void => {
    let rest = progress;
    if (cwnd < threshold) {
      // Slow start ends at ssthresh, where RFC 5681 leaves open whether the last step goes beyond it.
      const step = Math.min(progress, result.timeouts > 0 ? 1 : 2);
      rest = Math.max(0, step - (threshold - cwnd));
      cwnd = Math.min(cwnd + step, threshold);
      if (rest === 0) return;
    }
    counted += rest;
    if (counted < cwnd) return;
    counted -= cwnd;
    cwnd++;
  };

  const onAck = (ack: { next: number; sacked: boolean[] }): void => {
    const advanced = ack.next > una;
    const before = una;
    const held = range().filter((index) => segments[index]!.sacked).length;
    let newlyLost = false;
    let delivered = 0;
    const newly: number[] = [];
    for (let index = una; index < next; index++) {
      const segment = segments[index]!;
      const there = index < ack.next || ack.sacked[index] === true;
      if (!there || segment.sacked) continue;
      segment.sacked = true;
      delivered++;
      newly.push(index);
    }
    newly.sort((a, b) => segments[a]!.order - segments[b]!.order);
    // Samples of segments that were sent once (Karn); RFC 6298, 2.3. Without SACK, what an acknowledgement covers together with a
    // retransmission has waited for it.
    const filled = !flow.sack && newly.some((index) => segments[index]!.times > 1);
    for (const index of newly) {
      const segment = segments[index]!;
      const rtt = now - segment.sent;
      if (filled) continue;
      if (segment.times === 1) {
        minRtt = Math.min(minRtt, rtt);
        rttvar = 0.75 * rttvar + 0.25 * Math.abs(srtt - rtt);
        srtt = 0.875 * srtt + 0.125 * rtt;
        // The backoff ends with a new measurement (RFC 6298, 5, after 5.7).
        backoff = 1;
      } else if (rtt < minRtt) continue;
      if (segment.sent > rack.sent || (segment.sent === rack.sent && segment.order > rack.order))
        Object.assign(rack, { sent: segment.sent, order: segment.order });
      rack.rtt = rtt;
    }
    const progress = ack.next - una;
    if (advanced) {
      una = ack.next;
      duplicates = 0;
      // RFC 6298, 5.2 and 5.3.
      const patient = flow.sack || recovery?.kind !== "fast" || impatient || una >= recovery.point;
      if (una >= next) delete timers.rto;
      else if (patient) timers.rto = now + rto();
      if (probe !== undefined && una >= probe) {
        // RFC 8985, 7.4: the probe has repaired a loss, which halves the window once.
        probe = undefined;
        if (recovery === undefined) threshold = cwnd = Math.max(cwnd / 2, 2);
      }
    } else if (flow.sack || answers > 0) {
      // RFC 5681, 2 (e): a duplicate has the window of the acknowledgement before; that of the SYN was not scaled.
      duplicates++;
      // RFC 3042: two segments beyond the window, unless a recovery begins or goes on.
      const begins = recovery === undefined && duplicates === DUPLICATES && una > recover6582;
      if (!flow.sack && (recovery?.kind === "fast" || begins))
        presumed = Math.min(presumed + 1, next - una - 1);
      else if (!flow.sack && recovery === undefined) presumed = Math.min(presumed + 1, 2);
    }
    answers++;
    if (una >= total) {
      result.acknowledged = now;
      return;
    }
    const ended = recovery !== undefined && una >= recovery.point ? recovery.kind : undefined;
    if (ended !== undefined) {
      if (ended === "fast") cwnd = threshold;
      recovery = undefined;
      frto = undefined;
    }
    if (frto !== undefined) {
      const { point, step } = frto;
      const original = newly.some((index) => index < point && segments[index]!.times === 1);
      const covers = ack.next > point || ack.sacked.some((there, index) => there && index >= point);
      if (step === 1 && !original) {
        // Step 2 waits for an acknowledgement of new data; 2b.
        if (!advanced) return;
        if (next < total) {
          frto = { point: next, step: 2 };
          for (let count = 0; count < 2 && next < total; count++) send(next++);
          return;
        }
      }
      frto = undefined;
      // Step 3b; and in step 2 as in Linux.
      if (original && (step === 1 || !covers)) recovery = undefined;
      else for (const index of range()) if (index < point) segments[index]!.lost = !segments[index]!.sacked;
    }
    if (flow.sack && flow.rack) {
      newlyLost = newly.length > 0 && detect();
      if (newlyLost && recovery === undefined) enter(before, held);
    } else if (flow.sack) {
      newlyLost = detectBySack();
      if (recovery === undefined && (duplicates >= DUPLICATES || isLost(una))) {
        segments[una]!.lost = true;
        enter(before, held);
      }
    } else {
      // RFC 9937, 5: a duplicate stands for one segment, and an acknowledgement of new data counts less by those before it.
      const still = advanced && recovery !== undefined ? Math.max(0, presumed - (progress - 1)) : 0;
      delivered = advanced ? progress - (presumed - still) : 1;
      if (advanced) presumed = still;
      if (recovery === undefined && duplicates === DUPLICATES && una > recover6582) {
        segments[una]!.lost = true;
        enter(una, presumed - 1);
        if (flow.inflates === true) {
          cwnd = threshold + DUPLICATES;
          send(una);
          return;
        }
      } else if (recovery?.kind === "fast") {
        // RFC 6582, 3.2, step 3: a partial acknowledgement sends the next hole at once.
        if (advanced) {
          impatient = false;
          Object.assign(segments[una]!, { lost: true, again: false });
          newlyLost = true;
        }
        if (flow.inflates === true) {
          if (advanced) {
            cwnd = Math.max(cwnd - progress + 1, 1);
            send(una);
          } else cwnd++;
          while (next < total && next - una < Math.floor(cwnd)) send(next++);
          return;
        }
      }
    }
    // RFC 6582, 3.2, step 3, and RFC 9937: the acknowledgement that ends a fast recovery leaves the window at ssthresh.
    if (advanced && recovery?.kind !== "fast" && ended !== "fast") grow(progress);
    if (recovery !== undefined) {
      reduce(delivered, advanced, newlyLost);
      return;
    }
    // `pipe` leaves room for limited transmit (RFC 3042).
    sendNew(Math.floor(cwnd));
    armProbe();
  };

  sendNew(Math.floor(cwnd));
  armProbe();
  while (una < total) {
    const first = acks[0]?.at ?? Number.POSITIVE_INFINITY;
    let kind: Timer | undefined;
    let due = Number.POSITIVE_INFINITY;
    for (const timer of ["reorder", "probe", "rto"] as const) {
      const at = timers[timer];
      if (at !== undefined && at < due) [kind, due] = [timer, at];
    }
    now = Math.min(first, due);
    if (now === Number.POSITIVE_INFINITY) throw new Error("the flow has stopped");
    if (first <= due) {
      onAck(acks.shift()!);
      continue;
    }
    delete timers[kind!];
    if (kind === "rto") onTimeout();
    else if (kind === "reorder") {
      if (detect() && recovery === undefined) enter();
      reduce(0, false, true);
    } else {
      // RFC 8985, 7.3: new data if there is some, otherwise the last segment.
      result.probes++;
      delete timers.rto;
      if (next < total) send(next++);
      else send(next - 1);
      probe = next;
      timers.rto = now + rto();
    }
  }
  return result;
}
