/** What the agent makes of TCP that passes by: timeouts, progress, and the selectors of acknowledgements. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ip, PROTOCOL_TCP } from "../../../src/base/packets/index.js";
import { flowOf } from "../../../src/fabric/host-agent/addresses.js";
import { NO_PROGRESS, TcpFlow } from "../../../src/fabric/host-agent/tcp-flow.js";
import { fixedPath, ReceiveWindow } from "../../../src/fabric/hosts/index.js";

const MS = 1e6;

type Event =
  | ["sent", sequence: number, length: number, now: number, inLoss?: boolean]
  | ["acknowledge", number: number, pure: boolean, window: number, now: number]
  | ["answerOn", selectors: number[]];

/** A flow on selector 0. `inLoss`: what the kernel says; without it, as of a flow of another program. */
function makeFlow(inLoss: () => boolean | undefined = () => undefined): TcpFlow {
  const key = new Uint8Array(Ip.IPV4.keyLength);
  return new TcpFlow({
    family: Ip.IPV4,
    key,
    tuple: flowOf(key, PROTOCOL_TCP),
    chooser: fixedPath(0),
    generation: 0,
    leastRtoNs: 4 * MS,
    markOf: () => {
      throw new Error("nothing is sent");
    },
    isTimeout: (_flow, duplicates) => inLoss() ?? duplicates < 3,
  });
}

/** What the flow says to each event: `sent` whether it is a timeout, `acknowledge` the timeouts that it ends. */
function flow(...events: Event[]): unknown[] {
  let inLoss: boolean | undefined;
  const flow = makeFlow(() => inLoss);
  return events.map((event) => {
    if (event[0] === "acknowledge") return flow.acknowledge(event[1], event[2], event[3], event[4]);
    if (event[0] === "sent") {
      inLoss = event[4];
      return flow.sent(event[1], event[2], false, event[3], 2 * MS) === "timeout";
    }
    flow.answerOn(event[1]);
    return flow.answers;
  });
}

describe("a flow whose chooser holds new data back", () => {
  // Sequence numbers are 32 bits without a sign, and wrap.
  it.each([1000, 2 ** 31 - 1400, 3_000_000_000, 2 ** 32 - 1400])(
    "lets it go when all before it is acknowledged, from sequence number %i on",
    (first) => {
      const at = (offset: number) => (first + offset) >>> 0;
      const own = makeFlow();
      Object.assign(own.chooser, { holds: true });
      expect(own.waits(at(0), 1000)).toBe(false);
      own.sent(at(0), 1000, false, 0, 2 * MS);
      own.sent(at(1000), 1000, false, 0, 2 * MS);
      const third = Uint8Array.of(3);
      const fourth = Uint8Array.of(4);
      expect(own.waits(at(2000), 1000)).toBe(true);
      own.hold(third, at(2000), 1000);
      own.hold(fourth, at(3000), 1000);
      // The kernel's timer runs out while they wait.
      expect(own.waits(at(2000), 1000)).toBe(true);
      own.hold(Uint8Array.of(5), at(2000), 1000);
      expect(own.waits(at(0), 1000)).toBe(false);
      own.acknowledge(at(1000), true, 50, MS);
      expect([own.isDrained, own.release()]).toEqual([false, undefined]);
      own.acknowledge(at(2000), true, 50, 2 * MS);
      expect([own.isDrained, own.release()]).toEqual([true, [third, fourth]]);
      expect(own.release()).toBeUndefined();
    },
  );
});

describe("a flow that passes by", () => {
  it("has a timeout where the first unacknowledged segment leaves again after silence", () => {
    expect(
      flow(
        ["sent", 1000, 100, 0],
        ["sent", 1000, 100, 10 * MS],
        ["sent", 1000, 100, 30 * MS],
        ["acknowledge", 1100, true, 50, 31 * MS],
        ["sent", 1100, 100, 31 * MS],
        ["acknowledge", 1200, true, 50, 32 * MS],
      ),
    ).toEqual([false, true, true, 2, false, 0]);
  });

  it("has a timeout before it is connected, and on its FIN", () => {
    expect(
      flow(
        ["sent", 2 ** 32 - 1, 1, 0],
        ["sent", 2 ** 32 - 1, 1, 1000 * MS],
        ["acknowledge", 0, false, 50, 1001 * MS],
        ["sent", 0, 1, 1001 * MS],
        ["sent", 0, 1, 1010 * MS],
      ),
    ).toEqual([false, true, 1, false, true]);
  });

  it("has none where an acknowledgement makes the kernel continue after one", () => {
    expect(
      flow(
        ["sent", 0, 100, 0],
        ["sent", 100, 100, 0],
        ["sent", 200, 100, 0],
        ["sent", 0, 100, 10 * MS],
        ["acknowledge", 100, true, 50, 11 * MS],
        ["sent", 100, 100, 11 * MS + 5000],
        ["acknowledge", 200, true, 50, 12 * MS],
        ["sent", 200, 100, 12 * MS + 5000],
      ),
    ).toEqual([false, false, false, true, 1, false, 0, false]);
  });

  it("has none where duplicate acknowledgements show one lost segment, one where that is lost again", () => {
    const window: Event[] = [0, 100, 200, 300].map((at) => ["sent", at, 100, 0]);
    const duplicates = (count: number, now: number) =>
      Array.from({ length: count }, (): Event => ["acknowledge", 0, true, 50, now]);
    const duplicated = (count: number, ...more: Event[]) =>
      flow(...window, ["acknowledge", 0, true, 50, MS], ...duplicates(count, MS), ...more).slice(5 + count);
    expect(duplicated(3, ["sent", 0, 100, 1.1 * MS], ["sent", 0, 100, 20 * MS])).toEqual([false, true]);
    // A late one, as of the kernel's reordering timer.
    expect(duplicated(3, ["sent", 0, 100, 9 * MS])).toEqual([false]);
    // Fewer show no loss; for a socket of its own the agent asks the kernel.
    expect(duplicated(1, ["sent", 0, 100, 9 * MS])).toEqual([true]);
    expect(duplicated(1, ["sent", 0, 100, 9 * MS, false])).toEqual([false]);
    expect(duplicated(3, ["sent", 0, 100, 9 * MS, true])).toEqual([true]);
  });

  it("has none where another segment leaves again, a window is probed, or windows change", () => {
    expect(
      flow(
        ["sent", 0, 100, 0],
        ["sent", 100, 100, 0],
        ["sent", 100, 100, 20 * MS],
        ["acknowledge", 200, true, 0, 21 * MS],
        ["sent", 199, 1, 50 * MS],
        ["sent", 200, 100, 60 * MS],
        ["acknowledge", 200, true, 10, 61 * MS],
        ["acknowledge", 200, true, 20, 61 * MS],
        ["acknowledge", 200, true, 30, 61 * MS],
        ["acknowledge", 200, false, 30, 61 * MS],
        ["sent", 200, 100, 80 * MS, false],
      ),
    ).toEqual([
      false,
      false,
      false,
      0,
      false,
      false,
      NO_PROGRESS,
      NO_PROGRESS,
      NO_PROGRESS,
      NO_PROGRESS,
      true,
    ]);
  });

  it("takes no acknowledgement of what was not sent", () => {
    expect(
      flow(
        ["acknowledge", 7, true, 50, 0],
        ["sent", 100, 100, 0],
        ["acknowledge", 300, true, 50, 1],
        ["acknowledge", 99, true, 50, 1],
        ["acknowledge", 200, true, 50, 1],
      ),
    ).toEqual([NO_PROGRESS, false, NO_PROGRESS, NO_PROGRESS, 0]);
  });

  it("collects the selectors of the next acknowledgement, few of them", () => {
    // The chooser's own selector is 0.
    expect(
      flow(
        ["answerOn", [0]],
        ["answerOn", [0, 3]],
        ["answerOn", [5]],
        ["answerOn", [5, 3]],
        ["answerOn", [6, 7, 8]],
      ),
    ).toEqual([undefined, [0, 3], [0, 3, 5], [0, 3, 5], [0, 3, 5, 6]]);
  });

  it("counts a timeout for every repetition of its first segment after silence, wherever sequence numbers start", () => {
    const sequence = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const lengths = fc.array(fc.integer({ min: 1, max: 1400 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(sequence, lengths, fc.integer({ min: 1, max: 6 }), (first, lengths, timeouts) => {
        const flow = makeFlow();
        let next = first;
        for (const length of lengths) {
          expect(flow.sent(next, length, false, 0, 2 * MS)).toBe("new");
          next = (next + length) % 2 ** 32;
        }
        for (let i = 1; i <= timeouts; i++) {
          expect(flow.sent(first, lengths[0]!, false, 10 * i * MS, 2 * MS)).toBe("timeout");
          expect(flow.attempts).toBe(i);
        }
        expect(flow.acknowledge(next, true, 50, 100 * MS)).toBe(timeouts);
        expect(flow.acknowledge(next, true, 50, 101 * MS)).toBe(NO_PROGRESS);
        expect([flow.attempts, flow.timeouts]).toEqual([0, timeouts]);
      }),
    );
  });

  it("knows which data are new, as the simulator's hosts do, over the end of sequence numbers", () => {
    const segment = fc.tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.array(segment, { maxLength: 60 }),
        (before, segments) => {
          const start = 2 ** 32 - before;
          const flow = makeFlow();
          const window = new ReceiveWindow();
          // The first segment shows where the stream starts.
          for (const [at, length] of [[0, 1] as const, ...segments]) {
            const isNew = window.add(at, at + length);
            expect(flow.arrived((start + at) % 2 ** 32, length)).toBe(!isNew);
          }
        },
      ),
    );
  });
});
