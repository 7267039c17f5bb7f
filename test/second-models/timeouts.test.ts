/** F-RTO of the packet simulator's TCP after timeouts of drawn flights, against a second model of RFC 5682. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { given, Random } from "../../src/base/index.js";
import { Segment, SegmentBuilder, type SelectorCodec } from "../../src/base/packets/index.js";
import { Host, Network, type Node, NS_PER_MS } from "../../src/fabric/sim/packet/index.js";
import { policy, steady } from "../fabric/sim/packet/relay.js";
import { tcp } from "../fabric/sim/tcp/options.js";
import { recordingControl } from "../fabric/sim/tcp/recording-control.js";
import { type Acknowledgement, judgeTimeout, type Timeout } from "../models/f-rto.js";

const codec: SelectorCodec = {
  headersOf: (selector) => ({ dscp: selector, vlan: undefined, flowLabel: 0 }),
  selectorOf: (headers) => headers.dscp,
};

const BYTES = 1000;
/** One way, and between two segments that arrive. */
const DELAY_MS = 5;
const GAP_MS = 0.01;
const SENT_AT_MS = 20;

/** What happens to a segment of the flight, and to the acknowledgement that answers it. */
interface Fate {
  /** Milliseconds that it is late; null: lost. */
  readonly late: number | null;
  readonly answerLost: boolean;
}

interface Frame {
  readonly at: number;
  readonly segment: number;
  readonly again: boolean;
}

interface Played {
  readonly timeout: Timeout & { readonly at: number };
  /** Until a timeout that comes after new data were acknowledged. */
  readonly acknowledgements: readonly Acknowledgement[];
  readonly frames: readonly Frame[];
  readonly events: readonly string[];
}

interface Flight {
  readonly fates: readonly Fate[];
  /** Segments that follow. */
  readonly fresh: number;
  /** What is sent after the flight takes another path, and may arrive before it. */
  readonly overtakes: boolean;
  /** Retransmissions that are lost, the first ones. */
  readonly againLost?: number;
  /** The answer to the first new segment is lost. */
  readonly newAnswerLost?: boolean;
  /** Milliseconds after the first timeout at which the other end repeats its last acknowledgement, and after which with another window. */
  readonly repeats?: readonly { readonly after: number; readonly window: boolean }[];
}

/** Sends a flight through its fates; undefined: no timeout, or a fast recovery before it. */
function play(flight: Flight): Played | undefined {
  const { fates, fresh, overtakes, againLost = 0, newAnswerLost = false, repeats = [] } = flight;
  const network = new Network();
  const { simulation } = network;
  const host = new Host(simulation, {
    ...{ name: "h", mac: 1n, ipv4: 0x0a000001n, ipv6: 1n },
    policy: policy(() => steady()),
    codec,
  });
  const builder = new SegmentBuilder(
    { ipVersion: 4, srcMac: 2n, dstMac: 1n, src: 0x0a000002n, dst: 0x0a000001n, srcPort: 80, dstPort: 4000 },
    codec,
  );
  const received = new Set<number>();
  const frames: Frame[] = [];
  const answers: Acknowledgement[] = [];
  const read = new Segment();
  const ms = () => simulation.now / NS_PER_MS;
  let start = 0;
  const later = (delay: number, run: () => void) =>
    simulation.at(simulation.now + Math.round(delay * NS_PER_MS), run);
  const acknowledge = (news = true, other = false) => {
    let next = 0;
    while (received.has(next)) next++;
    const sacked = [...received].filter((segment) => segment > next).sort((a, b) => a - b);
    writeBlocks(builder, news ? sacked : [], start + 1);
    if (other) builder.window--;
    const frame = builder.build(1001, start + 1 + next * BYTES, 0, 0x10, 0, 0).slice();
    later(DELAY_MS, () => {
      answers.push({ at: ms(), next, sacked: news ? sacked : [], ...given({ other: other || undefined }) });
      host.receive(1, frame);
    });
  };
  const arrive = (segment: number, answered: boolean) => {
    received.add(segment);
    if (answered) acknowledge();
  };
  let lastArrival = 0;
  const wire: Node = {
    name: "wire",
    attach: () => {},
    receive: (_port, frame) => {
      read.read(frame);
      if (read.flags === 2) {
        start = read.sequence;
        builder.optionsLength = 0;
        builder.options.set([2, 4, 5, 0xb4, 1, 1, 4, 2]);
        builder.optionsLength = 8;
        builder.window = 0xffff;
        const answer = builder.build(1000, start + 1, 0, 0x12, 0, 0).slice();
        // So that the first timer, three of these round trips, does not expire as an acknowledgement arrives.
        later(2 * DELAY_MS + 0.5, () => host.receive(1, answer));
        return;
      }
      if (read.payloadLength === 0) return;
      const segment = Math.round((((read.sequence - start) >>> 0) - 1) / BYTES);
      const again = frames.some((sent) => sent.segment === segment);
      frames.push({ at: ms(), segment, again });
      if (again && frames.filter((sent) => sent.again).length <= againLost) return;
      const fate = again ? undefined : fates[segment];
      if (fate?.late === null) return;
      // Segments stay in order, unless they take another path.
      const at = Math.max(
        ms() + DELAY_MS + (fate?.late ?? 0),
        fate === undefined && overtakes ? 0 : lastArrival + GAP_MS,
      );
      if (fate !== undefined || !overtakes) lastArrival = at;
      const answerLost = segment === fates.length ? newAnswerLost : (fate?.answerLost ?? false);
      later(at - ms(), () => arrive(segment, !answerLost));
    },
  };
  const link = { rate: 0, delay: 0, queueBytes: 1e9, queuePackets: 1e9 };
  network.connect({ node: host, port: 1 }, { node: wire, port: 1 }, { aToB: link, bToA: link });
  // The window falls to one segment at a timeout, and opens wide with the next acknowledgement.
  const control = recordingControl(fates.length * BYTES);
  let window = fates.length * BYTES;
  const made = Object.defineProperties(control, {
    window: { get: () => window },
    onTimeout: {
      value: (now: number) => {
        window = BYTES;
        if (!control.events.some((event) => event.endsWith(" timeout")))
          for (const { after, window: other } of repeats) later(after, () => acknowledge(false, other));
        control.events.push(`${now / NS_PER_MS} timeout`);
      },
    },
    onAck: { value: () => void (window = window < fates.length * BYTES ? 50 * BYTES : window) },
  });
  const stream = host.connect(
    4,
    4000,
    { address: 0x0a000002n, port: 80 },
    new Random(1),
    tcp({ segmentBytes: BYTES, margin: 0, rack: false, congestionControl: () => made }),
  );
  simulation.at(SENT_AT_MS * NS_PER_MS, () => stream.send((fates.length + fresh) * BYTES));
  simulation.run(400 * NS_PER_MS);

  const times = control.events.map((event) => [Number(event.split(" ")[0]), event] as const);
  const first = times.find(([, event]) => event.endsWith(" timeout"));
  if (first === undefined) return undefined;
  const [at] = first;
  if (times.some(([time, event]) => event.includes("loss") && time <= at)) return undefined;
  const again = times
    .filter(([time, event]) => event.endsWith(" timeout") && time > at)
    .map(([time]) => time);
  const before = answers.filter((answer) => answer.at <= at);
  const una = Math.max(0, ...before.map((answer) => answer.next));
  // What follows the first timeout after new data were acknowledged is another matter.
  const isNew = (answer: Acknowledgement, time: number) =>
    answer.at > at && answer.at < time && answer.next > una;
  const end = again.find((time) => answers.some((answer) => isNew(answer, time))) ?? Number.POSITIVE_INFINITY;
  const next = Math.max(...frames.filter((frame) => frame.at < at).map(({ segment }) => segment)) + 1;
  return {
    timeout: {
      ...{ at, next, fresh: fates.length + fresh - next },
      ...{ una, sacked: before.flatMap(({ sacked }) => sacked) },
      again: again.filter((time) => time <= end),
    },
    acknowledgements: answers.filter((answer) => answer.at > at && answer.at <= end),
    frames,
    events: times.filter(([time]) => time > at && time <= end).map(([, event]) => event),
  };
}

/** SACK blocks of these segments, at most three. */
function writeBlocks(builder: SegmentBuilder, sacked: readonly number[], base: number): void {
  const blocks: [number, number][] = [];
  for (const segment of sacked) {
    const last = blocks.at(-1);
    if (last?.[1] === segment) last[1]++;
    else blocks.push([segment, segment + 1]);
  }
  builder.optionsLength = 0;
  if (blocks.length === 0) return;
  const bytes = new DataView(builder.options.buffer, builder.options.byteOffset);
  bytes.setUint32(0, (1 << 24) | (1 << 16) | (5 << 8) | (2 + 8 * blocks.length));
  for (const [i, [from, to]] of blocks.entries()) {
    bytes.setUint32(4 + 8 * i, (base + from * BYTES) >>> 0);
    bytes.setUint32(8 + 8 * i, (base + to * BYTES) >>> 0);
  }
  builder.optionsLength = 4 + 8 * blocks.length;
}

/** What the simulator decided: reverted, or sent the flight again; and the new segments that it sent before. */
function decided({ timeout, frames, events }: Played): {
  spuriousAt: number | undefined;
  newAt: (at: number) => number;
} {
  const undo = events.find((event) => event.endsWith(" undo"));
  return {
    spuriousAt: undo === undefined ? undefined : Number(undo.split(" ")[0]),
    newAt: (at) => frames.filter((frame) => frame.at === at && frame.segment >= timeout.next).length,
  };
}

const seldom = fc.oneof(
  { weight: 4, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);
const flights = fc.record({
  fates: fc.array(
    fc.record({
      late: fc.oneof(fc.constant(null), fc.constantFrom(0, 0, 60, 75, 130)),
      answerLost: seldom,
    }),
    { minLength: 1, maxLength: 6 },
  ),
  fresh: fc.nat(3),
  overtakes: fc.boolean(),
  againLost: fc.constantFrom(0, 0, 0, 1, 2),
  newAnswerLost: seldom,
  repeats: fc.array(fc.record({ after: fc.constantFrom(2, 7.5, 13.5, 42), window: fc.boolean() }), {
    maxLength: 2,
  }),
});

describe("a timeout", () => {
  it("is judged as RFC 5682 says, but for data that were sent once and arrive in step 2", () => {
    const seen: Record<string, number> = {};
    const count = (what: string) => void (seen[what] = (seen[what] ?? 0) + 1);
    fc.assert(
      fc.property(flights, (flight) => {
        const played = play(flight);
        fc.pre(played !== undefined);
        const { timeout, acknowledgements, frames } = played;
        const rfc = judgeTimeout(timeout, acknowledgements);
        const early = judgeTimeout({ ...timeout, early: true }, acknowledgements);
        const { spuriousAt, newAt } = decided(played);
        expect(spuriousAt).toBe(early.kind === "spurious" ? early.at : undefined);
        if (early.probedAt !== undefined) expect(newAt(early.probedAt)).toBe(early.probes);
        if (early.kind === "lost" && early.by !== "timeout") {
          const last = acknowledgements.findLast(({ at }) => at <= early.at!)!;
          const known = acknowledgements.filter(({ at }) => at <= early.at!).flatMap(({ sacked }) => sacked);
          const open = Array.from({ length: timeout.next - last.next }, (_, i) => last.next + i).filter(
            (segment) => !known.includes(segment) && !timeout.sacked.includes(segment),
          );
          const again = frames.filter((frame) => frame.at === early.at && frame.again);
          expect(again.map(({ segment }) => segment)).toEqual(open);
        }
        // Where nothing that was sent once arrives in step 2, both rules are one.
        if (early.by !== "early") expect(early).toEqual(rfc);
        count(`${early.by}, RFC ${rfc.by}`);
        if (early.waited > 0) count("waited");
        if (early.repeated > 0 && early.probes > 0) count("repeated");
        if (early.by === "3b" && acknowledgements.find(({ at }) => at === early.at)?.next === timeout.next)
          count("whole");
      }),
      { numRuns: 400 },
    );
    const wanted = ["2a", "2b", "3a", "3b"].map((by) => `${by}, RFC ${by}`);
    for (const kind of [...wanted, "early, RFC 3a", "early, RFC 3b", "waited", "repeated", "whole"])
      expect([kind, (seen[kind] ?? 0) > 0]).toEqual([kind, true]);
  });

  const fate = (late: number | null): Fate => ({ late, answerLost: false });
  const judged = (flight: Partial<Flight>) => {
    const played = play({ fates: [], fresh: 3, overtakes: false, ...flight })!;
    return { verdict: judgeTimeout(played.timeout, played.acknowledgements), ...decided(played) };
  };

  it("was needless where the whole flight was late, and right where it was lost", () => {
    const late = judged({ fates: [fate(60), fate(60), fate(60), fate(60)] });
    expect(late.verdict.kind).toBe("spurious");
    expect(late.spuriousAt).toBe(late.verdict.at);
    const lost = judged({ fates: [fate(null), fate(null), fate(null), fate(null)] });
    expect(lost.verdict).toMatchObject({ by: "3a", probes: 2 });
    expect(lost.spuriousAt).toBeUndefined();
  });

  // The RFC waits for the answer to the retransmission, and then knows that the flight was lost.
  it("is taken for needless by data that were on their way when the timer expired, as in Linux and not in the RFC", () => {
    const { verdict, spuriousAt } = judged({ fates: [fate(0), fate(null)] });
    expect(verdict.kind).toBe("lost");
    expect(spuriousAt).toBeDefined();
  });

  it("was needless where the second acknowledgement covers the whole flight (step 3b)", () => {
    const { verdict, spuriousAt } = judged({ fates: [fate(60), fate(0)], fresh: 1 });
    expect(verdict.by).toBe("3b");
    expect(spuriousAt).toBe(verdict.at);
  });

  it("cannot be judged without new data (step 2b)", () => {
    const { verdict, spuriousAt } = judged({ fates: [fate(null), fate(null)], fresh: 0 });
    expect(verdict).toMatchObject({ by: "2b", probes: 0 });
    expect(spuriousAt).toBeUndefined();
  });

  it("that comes again before an acknowledgement is judged after it (step 2)", () => {
    const { verdict, newAt } = judged({ fates: [fate(null), fate(null), fate(null)], againLost: 1 });
    expect(verdict).toMatchObject({ by: "3a", probes: 2, repeated: 1 });
    expect(newAt(verdict.probedAt!)).toBe(2);
  });

  it("waits for a new acknowledgement while others come (step 2), and after the new segments ignores what is no duplicate (step 3)", () => {
    const fates = [fate(null), fate(null), fate(null)];
    const repeated = judged({ fates, repeats: [{ after: 1, window: false }] });
    expect(repeated.verdict).toMatchObject({ waited: 1, by: "3a", probes: 2 });
    expect(repeated.newAt(repeated.verdict.probedAt!)).toBe(2);
    const update = judged({
      fates: [fate(75), fate(75)],
      againLost: 9,
      repeats: [{ after: 42, window: true }],
    });
    expect(update.verdict).toMatchObject({ waited: 1, by: "3b" });
    expect(update.spuriousAt).toBe(update.verdict.at);
  });
});
