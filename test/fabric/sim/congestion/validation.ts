/**
 * The controls on whole networks against closed forms: one list for the tests and for `npm run bench -- transport`, which puts
 * ns-3 beside it and writes the table of docs/transport.md.
 */
import type { CongestionControlName } from "../../../../src/fabric/sim/packet/index.js";
import { ascending, mean, quantile } from "../../../../src/fabric/statistics/index.js";
import { jainIndex } from "../../../../src/fabric/statistics/samples.js";
import { type ChainFlow, type ChainOptions, type ChainResult, endless, FRAME, SEGMENT } from "./chain.js";

const US = 1e3;
const MS = 1e6;
const S = 1e9;

export interface ValidationCase {
  /** Group of rows, and the row in it. */
  topic: Topic;
  name: string;
  unit: string;
  network: ChainOptions;
  /** What is measured, of our result or of ns-3's. */
  measure(result: ChainResult): number;
  /** None where no closed form is known: the table puts two simulators side by side. */
  expected?: number | ((result: ChainResult) => number);
  /** `about`: within 10 %. `none`: the table shows the result. */
  holds: "about" | "at most" | "none";
  /** ns-3 3.37 cannot do this. */
  withoutNs3?: string;
}

type Topic =
  | "Reno's throughput"
  | "CUBIC"
  | "DCTCP's queue"
  | "Fairness of equal flows"
  | "A flow alone"
  | "Losses near the end"
  | "Small buffers"
  | "Coupled subflows"
  | "BBR"
  | "Parking lots"
  | "Dumbbells"
  | "Incasts";

const seconds = ({ warmUpNs, untilNs }: ChainOptions) => (untilNs - warmUpNs) / S;
const megabits = (bytes: number, network: ChainOptions) => (bytes * 8) / seconds(network) / 1e6;
const bytesOf = ({ flows }: ChainResult) => flows.map(({ bytes }) => bytes);

/** A wide link whose losses alone limit the flows; its queue stays empty. */
function lossy(rttNs: number, changes: Partial<ChainOptions> & Pick<ChainOptions, "flows">): ChainOptions {
  return {
    hops: 1,
    rate: 1e9,
    accessRate: 10e9,
    delay: rttNs / 2,
    queue: 10_000,
    warmUpNs: 10 * S,
    untilNs: 110 * S,
    ...changes,
  };
}

/** M. Mathis et al.: The macroscopic behavior of the TCP congestion avoidance algorithm, 1997, equation 3; Mbit/s. */
const mathis = (p: number, rttNs: number) => (((SEGMENT * 8) / rttNs) * S * Math.sqrt(1.5 / p)) / 1e6;

/**
 * The same where one of `every` segments is lost, with the round trip that a recovery takes and that equation 3 leaves out: N = 3/8 W^2 + W/2 segments in W/2 + 1
 * round trips. At one of 100 this is 0.92 of equation 3, at one of 2000 0.98.
 */
function mathisWithRecovery(every: number, rttNs: number): number {
  const window = (Math.sqrt(1 / 4 + 1.5 * every) - 1 / 2) / 0.75;
  return ((every / (window / 2 + 1)) * SEGMENT * 8 * S) / rttNs / 1e6;
}

function mathisCases(): ValidationCase[] {
  const rtt = 40 * MS;
  const periodic = [100, 500, 2000].map((every): ValidationCase => {
    const network = lossy(rtt, { lossEvery: every, flows: endless("reno", 1), untilNs: 50 * S });
    return {
      topic: "Reno's throughput",
      name: `one of ${every} segments is lost`,
      unit: "Mbit/s",
      network,
      measure: (result) => megabits(result.flows[0]!.bytes, network),
      expected: mathisWithRecovery(every, rtt),
      holds: "about",
    };
  });
  const random = [0.01, 0.005].map((loss): ValidationCase => {
    const network = lossy(rtt, { loss, flows: endless("reno", 4, 0, 7 * MS), untilNs: 40 * S });
    return {
      topic: "Reno's throughput",
      name: `${loss * 100} % are lost at random, mean of 4 flows`,
      unit: "Mbit/s",
      network,
      measure: (result) => megabits(mean(bytesOf(result)), network),
      expected: mathis(loss, rtt),
      holds: "about",
    };
  });
  const flows = [...endless("reno", 4, 0, 7 * MS), ...endless("reno", 4, 20 * MS, 9 * MS)];
  const unfair: ValidationCase = {
    topic: "Reno's throughput",
    name: "ratio of flows with round trips of 20 and 60 ms, 1 % lost at random",
    unit: "",
    network: lossy(20 * MS, { loss: 0.01, flows, untilNs: 40 * S }),
    measure: (result) => mean(bytesOf(result).slice(0, 4)) / mean(bytesOf(result).slice(4)),
    expected: 3,
    holds: "about",
  };
  return [...periodic, ...random, unfair];
}

const C = 0.4;
const BETA = 0.7;

/** RFC 9438, section 5.1, figure 5: the average window in segments where one of 1/p segments is lost. */
const cubicWindow = (p: number, rttNs: number) =>
  ((C * (3 + BETA)) / (4 * (1 - BETA))) ** 0.25 * (rttNs / S / p) ** 0.75;

/** Windows in segments over time after the last reduction of the run that leaves at least this number of seconds. */
function afterReduction(result: ChainResult, forSeconds: number): { before: number; windows: number[] } {
  const windows = result.watched.map((look) => look.windows[0]! / SEGMENT);
  const step = (result.watched[1]!.timeNs - result.watched[0]!.timeNs) / S;
  const looks = Math.round(forSeconds / step);
  for (let i = windows.length - looks - 1; i > 10; i--) {
    const before = Math.max(...windows.slice(i - 10, i));
    const falls = windows[i]! < 0.75 * before && windows[i]! < windows[i + 1]!;
    const isNormal = windows.slice(i + 1, i + looks).every((window) => window > windows[i]!);
    if (falls && isNormal) return { before, windows: windows.slice(i) };
  }
  throw new Error("no reduction was seen");
}

function cubicCases(): ValidationCase[] {
  const rtt = 100 * MS;
  const averages = [500, 5000].map((every): ValidationCase => {
    const network = lossy(rtt, { lossEvery: every, flows: endless("cubic", 1), untilNs: 110 * S });
    return {
      topic: "CUBIC",
      name: `mean window, one of ${every} segments is lost, round trip 100 ms${every === 500 ? " (as fast as Reno)" : ""}`,
      unit: "segments",
      network,
      measure: (result) => ((result.flows[0]!.bytes / SEGMENT) * (rtt / S)) / seconds(network),
      // Section 4.3: where Reno's window is larger, CUBIC's is as large.
      expected: Math.max(cubicWindow(1 / every, rtt), Math.sqrt(1.5 * every)),
      holds: "about",
    };
  });
  const network: ChainOptions = {
    hops: 1,
    rate: 20e6,
    accessRate: 400e6,
    delay: 50 * MS,
    queue: 120,
    flows: endless("cubic", 1),
    warmUpNs: 20 * S,
    untilNs: 60 * S,
    watchNs: 100 * MS,
  };
  const functions = [2, 4, 6, 8].map(
    (after): ValidationCase => ({
      topic: "CUBIC",
      name: `window ${after} s after a loss at a full queue`,
      unit: "segments",
      network,
      measure: (result) => afterReduction(result, 9).windows[after * 10]!,
      expected: (result) => {
        // Fast convergence, if the function comes to rest below the window that was lost.
        const { before, windows } = afterReduction(result, 9);
        const curves = [before, (before * (1 + BETA)) / 2].map((maximum) => {
          const k = Math.cbrt((maximum - BETA * before) / C);
          return (t: number) => C * (t - k) ** 3 + maximum;
        });
        const error = (curve: (t: number) => number) => Math.abs(curve(5) - windows[50]!);
        return error(curves[0]!) < error(curves[1]!) ? curves[0]!(after) : curves[1]!(after);
      },
      holds: "about",
      withoutNs3: "the program does not report windows",
    }),
  );
  return [...averages, ...functions];
}

/** M. Alizadeh et al.: Data Center TCP, SIGCOMM 2010, section 3.3: 10 Gbit/s, 100 us, marks from K = 40 packets on. */
function dctcpCases(): ValidationCase[] {
  const threshold = 40;
  const rate = 10e9;
  const rtt = 100 * US;
  const bdp = (rate * rtt) / S / 8 / FRAME;
  return [1, 2].flatMap((count): ValidationCase[] => {
    const network: ChainOptions = {
      hops: 1,
      rate,
      accessRate: 4 * rate,
      delay: rtt / 2,
      queue: 1000,
      mark: threshold,
      flows: endless("dctcp", count, 0, 50 * US),
      warmUpNs: 40 * MS,
      untilNs: 80 * MS,
    };
    const amplitude = Math.sqrt(2 * count * (bdp + threshold)) / 2;
    const row = { topic: "DCTCP's queue" as const, unit: "packets", network, holds: "about" as const };
    const flows = count === 1 ? "1 flow" : `${count} flows`;
    return [
      {
        ...row,
        name: `${flows}: longest`,
        measure: ({ queues }) => queues[0]!.largest,
        expected: threshold + count,
      },
      {
        ...row,
        name: `${flows}: mean`,
        measure: ({ queues }) => queues[0]!.mean,
        expected: threshold + count - amplitude / 2,
      },
      {
        ...row,
        name: `${flows}: shortest`,
        measure: ({ queues }) => queues[0]!.smallest,
        expected: threshold + count - amplitude,
      },
    ];
  });
}

const CONTROLS = ["reno", "cubic", "dctcp", "bbr"] as const;
const RATE = 20e6;
const BDP = (RATE * 0.02) / 8 / FRAME;

/** 20 Mbit/s and 20 ms: a BDP of 33 packets. */
function dumbbell(flows: readonly ChainFlow[], queue: number, from: number, until: number): ChainOptions {
  const mark = flows.some(({ control }) => control === "dctcp") ? { mark: 20 } : {};
  return {
    hops: 1,
    rate: RATE,
    accessRate: 10 * RATE,
    delay: 10 * MS,
    queue,
    ...mark,
    flows,
    warmUpNs: from * S,
    untilNs: until * S,
  };
}

const utilisation = (network: ChainOptions, result: ChainResult) =>
  (megabits(
    bytesOf(result).reduce((sum, bytes) => sum + bytes, 0),
    network,
  ) *
    1e6 *
    (FRAME / SEGMENT)) /
  network.rate;

function fairnessCases(): ValidationCase[] {
  return CONTROLS.map((control) => {
    const network = dumbbell(endless(control, 4, 0, 100 * MS), 66, 15, 45);
    return {
      topic: "Fairness of equal flows",
      name: `${control}: Jain's index of 4 flows`,
      unit: "",
      network,
      measure: (result) => jainIndex(bytesOf(result)),
      expected: 1,
      holds: "about",
    };
  });
}

/** One flow with this number of segments over 100 Mbit/s with 40 ms: the handshake, then rounds of 10, 20, 40, ... segments until they fill the round trip. */
function aloneCases(): ValidationCase[] {
  const [rate, rtt] = [100e6, 40 * MS];
  const onWire = (FRAME * 8 * S) / rate;
  return (["cubic", "dctcp"] as const).flatMap((control) =>
    [10, 100, 1000].map((segments): ValidationCase => {
      let at = rtt;
      let left = segments;
      for (let window = 10; left > window && window * onWire < rtt; window *= 2) {
        left -= window;
        at += rtt + onWire;
      }
      const network: ChainOptions = {
        hops: 1,
        rate,
        accessRate: 10 * rate,
        delay: rtt / 2,
        queue: 350,
        ...(control === "dctcp" ? { mark: 200 } : {}),
        flows: endless(control, 1).map((flow) => ({ ...flow, bytes: segments * SEGMENT })),
        warmUpNs: 0,
        untilNs: S,
      };
      return {
        topic: "A flow alone",
        name: `${control}, ${segments} segments over 100 Mbit/s and 40 ms: completion time`,
        unit: "ms",
        network,
        measure: (result) => result.flows[0]!.fctNs / MS,
        expected: (at + left * onWire + rtt / 2) / MS,
        holds: "about",
      };
    }),
  );
}

/**
 * One flow behind a queue that is shorter than a BDP. Between two losses its window grows by `growth` segments a round trip from `share` of
 * what the path holds to one more than that, whose last segment is lost. Below a BDP a round trip takes 20 ms, above it what the window takes on the wire.
 */
function smallBufferCases(): ValidationCase[] {
  const controls = [
    { control: "reno", share: 1 / 2, growth: 1 },
    // RFC 9438, section 4.3: at this round trip CUBIC is as fast as Reno.
    { control: "cubic", share: BETA, growth: (3 * (1 - BETA)) / (1 + BETA) },
  ] as const;
  return controls.flatMap(({ control, share, growth }) =>
    [4, 17].flatMap((queue): ValidationCase[] => {
      const onWire = (FRAME * 8 * S) / RATE;
      const full = BDP + 1;
      const most = full + queue + 1;
      const least = share * most;
      const sent = (most ** 2 - least ** 2) / 2 / growth;
      const epoch = (((full - least) * full + (most ** 2 - full ** 2) / 2) / growth) * onWire;
      const network = dumbbell(endless(control, 1), queue, 10, 40);
      const row = { topic: "Small buffers" as const, unit: "", network, holds: "about" as const };
      return [
        {
          ...row,
          name: `${control}, queue of ${queue} packets at a BDP of 33: utilisation of the bottleneck`,
          measure: (result) => utilisation(network, result),
          expected: (sent * onWire) / epoch,
        },
        {
          ...row,
          name: `${control}, queue of ${queue} packets at a BDP of 33: segments lost a minute`,
          measure: ({ queues }) => (queues[0]!.drops * 60) / seconds(network),
          // One an epoch, and a recovery of a round trip between two epochs.
          expected: (60 * S) / (epoch + full * onWire),
        },
      ];
    }),
  );
}

function coupledCases(): ValidationCase[] {
  const rtt = 40 * MS;
  return (["lia", "olia"] as const).map((control) => {
    // Two connections with two subflows each.
    const flows = endless(control, 4, 0, 7 * MS).map((flow, i) => ({ ...flow, group: i >> 1 }));
    const network = lossy(rtt, { loss: 0.005, flows, untilNs: 50 * S });
    return {
      topic: "Coupled subflows",
      name: `${control}: a connection of two subflows, 0.5 % of the segments lost at random on both`,
      unit: "Mbit/s",
      network,
      measure: (result) => megabits(2 * mean(bytesOf(result)), network),
      // RFC 6356, section 1.1: as much as one flow on the best path.
      expected: mathis(0.005, rtt),
      // LIA takes the largest window of its subflows for alpha, which random losses keep apart: it gets some percent more.
      holds: control === "olia" ? "about" : "none",
      withoutNs3: "ns-3 has no coupled control",
    };
  });
}

function bbrCases(): ValidationCase[] {
  const one = dumbbell(endless("bbr", 1), 400, 5, 35);
  const three = dumbbell(endless("bbr", 3, 0, 300 * MS), 400, 12, 42);
  const row = { topic: "BBR" as const };
  return [
    {
      ...row,
      name: "1 flow: utilisation of the bottleneck",
      unit: "",
      network: one,
      measure: (result) => utilisation(one, result),
      expected: 1,
      holds: "about",
    },
    {
      ...row,
      name: "1 flow: longest queue, at most a BDP",
      unit: "packets",
      network: one,
      measure: ({ queues }) => queues[0]!.largest,
      expected: BDP,
      holds: "at most",
    },
    {
      ...row,
      name: "3 flows: utilisation of the bottleneck",
      unit: "",
      network: three,
      measure: (result) => utilisation(three, result),
      expected: 1,
      holds: "about",
    },
    {
      ...row,
      // Section 4.2.3.2 of the draft: the window is two BDP, of which one is in the queue when flows compete; three segments each beside it.
      name: "3 flows: mean queue, at most a BDP and 9 packets",
      unit: "packets",
      network: three,
      measure: ({ queues }) => queues[0]!.mean,
      expected: BDP + 9,
      holds: "at most",
    },
  ];
}

/**
 * Four flows over all bottlenecks, and at each bottleneck four times as many crossing ones as `crossing` says. Base round trips are 40 to
 * 42 ms and all different: few equal flows over drop-tail queues fall into step, and which of them loses then is an accident of
 * phase (S. Floyd, V. Jacobson: On traffic phase effects in packet-switched gateways, 1991).
 */
function parkingLot(control: CongestionControlName, crossing: readonly number[]): ChainOptions {
  const hops = crossing.length;
  const delay = (20 * MS) / hops;
  const flows: ChainFlow[] = [];
  const add = (from: number, to: number): void => {
    for (let i = 0; i < 4; i++)
      flows.push({
        control,
        from,
        to,
        delay: (hops - (to - from)) * delay + ((flows.length * 7) % 16) * 62_501,
        bytes: Number.POSITIVE_INFINITY,
        startNs: flows.length * 37 * MS,
      });
  };
  add(0, hops);
  for (const [hop, count] of crossing.entries()) for (let i = 0; i < count; i++) add(hop, hop + 1);
  return { ...dumbbell(flows, 133, 10, 30), rate: 2 * RATE, accessRate: 20 * RATE, hops, delay };
}

function parkingLotCases(): ValidationCase[] {
  const balanced = CONTROLS.map((control): ValidationCase => {
    const network = parkingLot(control, [1, 1]);
    return {
      topic: "Parking lots",
      name: `${control}: share of the flows over both bottlenecks, as many crossing at each`,
      unit: "",
      network,
      measure: (result) => utilisation(network, { ...result, flows: result.flows.slice(0, 4) }),
      expected: 1 / 2,
      holds: "none",
    };
  });
  const uneven = CONTROLS.map((control): ValidationCase => {
    const network = parkingLot(control, [1, 2]);
    return {
      topic: "Parking lots",
      name: `${control}: their share, twice as many crossing at the second`,
      unit: "",
      network,
      measure: (result) => utilisation(network, { ...result, flows: result.flows.slice(0, 4) }),
      expected: 1 / 3,
      holds: "none",
    };
  });
  const fair = CONTROLS.flatMap((control): ValidationCase[] => {
    const network: ChainOptions = { ...parkingLot(control, [1, 2]), fair: true, untilNs: 20 * S };
    const share = (from: number) => (result: ChainResult) =>
      utilisation(network, { ...result, flows: result.flows.slice(from, from + 4) });
    const row = { topic: "Parking lots" as const, unit: "", network, holds: "about" as const };
    const withoutNs3 = "the program has one queue a bottleneck";
    return [
      {
        ...row,
        name: `${control}, fair queues: share of the flows over both`,
        measure: share(0),
        expected: 1 / 3,
        withoutNs3,
      },
      {
        ...row,
        name: `${control}, fair queues: share of those at the first`,
        measure: share(4),
        expected: 2 / 3,
        withoutNs3,
      },
    ];
  });
  const rtt = 40 * MS;
  const flow = (from: number, to: number, i: number): ChainFlow => ({
    control: "reno",
    from,
    to,
    delay: to - from === 1 ? rtt / 4 : 0,
    bytes: Number.POSITIVE_INFINITY,
    startNs: i * 7 * MS,
  });
  const flows = [0, 1, 2, 3].flatMap((i) => [
    flow(0, 2, 3 * i),
    flow(0, 1, 3 * i + 1),
    flow(1, 2, 3 * i + 2),
  ]);
  const wide = lossy(rtt, { hops: 2, delay: rtt / 4, loss: 0.005, flows, untilNs: 30 * S });
  const group = (result: ChainResult, first: number) =>
    mean(bytesOf(result).filter((_, i) => (first === 0 ? i % 3 === 0 : i % 3 !== 0)));
  return [
    {
      topic: "Parking lots",
      name: "reno, 0.5 % lost at random on each of two links: long flow over short one",
      unit: "",
      network: wide,
      measure: (result) => group(result, 0) / group(result, 1),
      // Twice the losses at the same round trip.
      expected: Math.SQRT1_2,
      holds: "about",
    },
    ...fair,
    ...balanced,
    ...uneven,
  ];
}

/** A long flow, and every 200 ms a short one of 20 segments, over 20 Mbit/s with 20 ms and a queue of two BDP. */
function dumbbellCases(): ValidationCase[] {
  return CONTROLS.flatMap((control): ValidationCase[] => {
    const short = endless(control, 100, 0, 200 * MS).map((flow) => ({
      ...flow,
      bytes: 20 * SEGMENT,
      startNs: flow.startNs + 5 * S,
    }));
    const network = dumbbell([...endless(control, 1), ...short], 66, 5, 26);
    const times = (result: ChainResult) =>
      result.flows.slice(1).map(({ fctNs }) => (fctNs < 0 ? Number.POSITIVE_INFINITY : fctNs / MS));
    const row = { topic: "Dumbbells" as const, network, holds: "none" as const };
    return [
      {
        ...row,
        name: `${control}: median completion time of the short flows`,
        unit: "ms",
        measure: (result) => quantile(ascending(times(result)), 0.5),
      },
      {
        ...row,
        name: `${control}: their 95th percentile`,
        unit: "ms",
        measure: (result) => quantile(ascending(times(result)), 0.95),
      },
      {
        ...row,
        name: `${control}: the long flow`,
        unit: "Mbit/s",
        measure: (result) => megabits(result.flows[0]!.bytes, network),
      },
      { ...row, name: `${control}: mean queue`, unit: "packets", measure: ({ queues }) => queues[0]!.mean },
    ];
  });
}

/**
 * Ten segments of one flow, of which some are lost when they are sent first, over a round trip of 10 ms beside which their time on the wire is
 * nothing; the shortest timeout is 200 ms. The last segment has the FIN. Without a loss: the handshake and half a round trip.
 */
function tailLossCases(): ValidationCase[] {
  const rtt = 10;
  const rtoMin = 200;
  const alone = 1.5 * rtt;
  /** RFC 8985, sections 6.2 and 7.2. */
  const reordering = rtt / 4;
  const probe = 2 * rtt;
  const row = (rack: boolean, lost: readonly number[], expected: number): ValidationCase => ({
    topic: "Losses near the end",
    name: `${rack ? "RACK" : "SACK alone"}: ${lost.length === 0 ? "nothing is lost" : `${lost.map((i) => i + 1).join(", ")} of 10 lost`}: completion time`,
    unit: "ms",
    network: {
      hops: 1,
      rate: 100e9,
      accessRate: 1000e9,
      delay: (rtt / 2) * MS,
      queue: 10_000,
      lostSegments: lost,
      flows: [{ control: "reno", from: 0, to: 1, delay: 0, bytes: 10 * SEGMENT, startNs: 0 }],
      warmUpNs: 0,
      untilNs: 5 * S,
      transport: { rack, floor: rtoMin * MS, delayedAck: { segments: 1, timeout: 0 } },
    },
    measure: (result) => result.flows[0]!.fctNs / MS,
    expected,
    holds: "about",
    ...(rack ? { withoutNs3: "it has neither RACK nor tail loss probes" } : {}),
  });
  return [
    row(false, [], alone),
    // Three segments above the loss: a round trip. Fewer: the timer, which begins with the last acknowledgement.
    row(false, [6], alone + rtt),
    row(false, [7], alone + rtt + rtoMin),
    row(false, [8], alone + rtt + rtoMin),
    row(false, [9], alone + rtt + rtoMin),
    // One segment at the timeout, two a round trip later.
    row(false, [7, 8, 9], alone + 2 * rtt + rtoMin),
    row(true, [6], alone + rtt),
    row(true, [7], alone + rtt + reordering),
    row(true, [8], alone + rtt + reordering),
    row(true, [9], alone + rtt + probe),
    // The reordering timer lets one segment out, its acknowledgement the other (RFC 9937, section 6).
    row(true, [7, 8], alone + 2 * rtt + reordering),
    // The acknowledgement of the probe tells RACK of the rest: it lets one segment out, the next ones 2, 4, and the last 2 (RFC 9937).
    row(true, [7, 8, 9], alone + 3 * rtt + probe),
    row(true, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], alone + 4 * rtt + probe),
  ];
}

/** Flows that begin within some microseconds, over 10 Gbit/s with 40 us; the shortest retransmission timeout is 10 ms. */
function incastCases(): ValidationCase[] {
  const sizes = [
    { senders: 8, segments: 45, queue: 100, mark: 30 },
    { senders: 20, segments: 45, queue: 100, mark: 30 },
    { senders: 16, segments: 700, queue: 250, mark: 65 },
  ];
  return sizes.flatMap(({ senders, segments, queue, mark }) =>
    (["reno", "cubic", "dctcp"] as const).map((control): ValidationCase => {
      const flows = endless(control, senders, 0, US).map((flow) => ({ ...flow, bytes: segments * SEGMENT }));
      const network: ChainOptions = {
        hops: 1,
        rate: 10e9,
        accessRate: 10e9,
        delay: 20 * US,
        queue,
        ...(control === "dctcp" ? { mark } : {}),
        flows,
        warmUpNs: 0,
        untilNs: S,
        transport: { floor: 10 * MS },
      };
      return {
        topic: "Incasts",
        name: `${control}: ${senders} senders of ${segments} segments, queue of ${queue}: median completion time`,
        unit: "ms",
        network,
        measure: (result) => quantile(ascending(result.flows.map(({ fctNs }) => fctNs / MS)), 0.5),
        holds: "none",
      };
    }),
  );
}

export const VALIDATION: readonly ValidationCase[] = [
  ...mathisCases(),
  ...cubicCases(),
  ...dctcpCases(),
  ...fairnessCases(),
  ...aloneCases(),
  ...tailLossCases(),
  ...smallBufferCases(),
  ...coupledCases(),
  ...bbrCases(),
  ...parkingLotCases(),
  ...dumbbellCases(),
  ...incastCases(),
];
