import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  CongestionControl,
  SubflowGroup,
} from "../../../../src/fabric/sim/packet/transport/congestion/congestion-control.js";
import { Lia } from "../../../../src/fabric/sim/packet/transport/congestion/lia.js";
import { Olia } from "../../../../src/fabric/sim/packet/transport/congestion/olia.js";
import { lose, MS, MSS, options, sample } from "./samples.js";

interface Path {
  segments: number;
  rttMs: number;
  /** Segments between the last two losses; Olia's l. */
  interval?: number;
}

/** Subflows in congestion avoidance with the windows given. */
function subflows(Control: typeof Lia | typeof Olia, paths: readonly Path[]): CongestionControl[] {
  const views: { control: CongestionControl; smoothedRttNs: number }[] = [];
  const siblings: SubflowGroup = { subflows: views };
  for (const { segments, rttMs, interval = 0 } of paths) {
    const control = new Control(options({ siblings }));
    for (let i = 0; i < interval; i++) control.onAck(sample({ windowLimited: false }));
    lose(control, 2 * segments);
    views.push({ control, smoothedRttNs: rttMs * MS });
  }
  return views.map(({ control }) => control);
}

/** By how many segments the window opens for one that is acknowledged. */
function growth(control: CongestionControl): number {
  const window = control.window;
  control.onAck(sample());
  return (control.window - window) / MSS;
}

const BOTH = [
  ["lia", Lia],
  ["olia", Olia],
] as const;

describe.each(BOTH)("%s", (_name, Control) => {
  it("is Reno on one path", () => {
    const [control] = subflows(Control, [{ segments: 10, rttMs: 20 }]);
    expect(growth(control!)).toBeCloseTo(1 / 10, 9);
  });

  it("is Reno without siblings", () => {
    const control = new Control(options());
    lose(control, 20);
    for (let i = 0; i < 10; i++) control.onAck(sample());
    expect(control.window).toBe(11 * MSS);
  });

  it("takes a quarter of Reno's increase on each of two equal paths: together half a segment a round", () => {
    const pair = subflows(Control, [
      { segments: 10, rttMs: 20 },
      { segments: 10, rttMs: 20 },
    ]);
    expect(growth(pair[0]!)).toBeCloseTo(1 / 40, 9);
  });

  it("halves the window of the subflow that loses, and of no other", () => {
    const pair = subflows(Control, [
      { segments: 10, rttMs: 20 },
      { segments: 12, rttMs: 20 },
    ]);
    lose(pair[0]!, 10);
    expect(pair.map((control) => control.window / MSS)).toEqual([5, 12]);
  });

  it("leaves out subflows that have no round trip yet", () => {
    const [control] = subflows(Control, [
      { segments: 10, rttMs: 20 },
      { segments: 10, rttMs: -1 },
    ]);
    expect(growth(control!)).toBeCloseTo(1 / 10, 9);
  });
});

describe("lia (RFC 6356, section 3)", () => {
  it("sets alpha so that the sum takes what one flow on the best path would", () => {
    // total 30, best 10 / 10^2, sum of rates 1.5: alpha is 30 * 0.1 / 2.25 = 4 / 3, the increase 4 / 90.
    const paths = [
      { segments: 10, rttMs: 10 },
      { segments: 20, rttMs: 40 },
    ];
    expect(growth(subflows(Lia, paths)[0]!)).toBeCloseTo(4 / 90, 9);
    expect(growth(subflows(Lia, paths)[1]!)).toBeCloseTo(4 / 90, 9);
  });

  it("is on no path faster than Reno", () => {
    // total 101, best 1, sum of rates 1.01: alpha is about 99, which would be 0.98 segments; Reno has 1 / 100.
    const paths = [
      { segments: 1, rttMs: 1 },
      { segments: 100, rttMs: 1000 },
    ];
    const [, slow] = subflows(Lia, [{ ...paths[0]!, segments: 2 }, paths[1]!]);
    expect(growth(slow!)).toBeCloseTo(1 / 100, 9);
  });
});

describe("olia (Khalili et al., equations 5 and 6)", () => {
  const paths = [
    { segments: 10, rttMs: 20, interval: 100 },
    { segments: 20, rttMs: 20, interval: 30 },
  ];

  it("opens the small window of the best path", () => {
    expect(growth(subflows(Olia, paths)[0]!)).toBeCloseTo(10 / 900 + 0.5 / 10, 9);
  });

  it("closes the largest window while a better path is not full", () => {
    expect(growth(subflows(Olia, paths)[1]!)).toBeCloseTo(20 / 900 - 0.5 / 20, 9);
  });

  it("moves nothing when the largest window is on the best path", () => {
    const same = [paths[0]!, { ...paths[1]!, interval: 200 }];
    expect(growth(subflows(Olia, same)[0]!)).toBeCloseTo(10 / 900, 9);
    expect(growth(subflows(Olia, same)[1]!)).toBeCloseTo(20 / 900, 9);
  });

  it("judges a path by its bytes between losses over its squared round trip", () => {
    const short = [paths[0]!, { ...paths[1]!, rttMs: 10, interval: 26 }];
    // 100 / 20^2 = 0.25 and 26 / 10^2 = 0.26: the largest window is on the best path.
    expect(growth(subflows(Olia, short)[1]!)).toBeCloseTo(20 / 100 / 2.5 ** 2, 9);
  });

  it("counts the bytes since the last loss when they are more than those before it", () => {
    const [small] = subflows(Olia, [{ ...paths[0]!, interval: 5 }, paths[1]!]) as [Olia];
    expect(small.lossInterval).toBe(5000);
    for (let i = 0; i < 40; i++) small.onAck(sample({ windowLimited: false }));
    expect(small.lossInterval).toBe(40_000);
  });
});

describe("all subflows together, with equal round trips", () => {
  const paths = fc.array(
    fc.record({
      segments: fc.integer({ min: 2, max: 200 }),
      rttMs: fc.constant(20),
      interval: fc.integer({ min: 0, max: 60 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  /** Segments by which the connection's windows open in a round trip: each subflow gets an acknowledgement for each segment of its window. */
  const growthARound = (Control: typeof Lia | typeof Olia, list: readonly Path[]) =>
    list.reduce((sum, { segments }, i) => sum + segments * growth(subflows(Control, list)[i]!), 0);
  const total = (list: readonly Path[]) => list.reduce((sum, { segments }) => sum + segments, 0);

  it("open by the largest window over the sum under LIA: at most as one flow (RFC 6356, goal 2)", () => {
    fc.assert(
      fc.property(paths, (list) => {
        const largest = Math.max(...list.map(({ segments }) => segments));
        const opens = growthARound(Lia, list);
        expect(opens).toBeCloseTo(largest / total(list), 8);
        expect(opens).toBeLessThanOrEqual(1 + 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it("open by the sum of the squares over the square of the sum under OLIA: what one subflow is given, others give up", () => {
    fc.assert(
      fc.property(paths, (list) => {
        const squares = list.reduce((sum, { segments }) => sum + segments ** 2, 0);
        expect(growthARound(Olia, list)).toBeCloseTo(squares / total(list) ** 2, 8);
      }),
      { numRuns: 60 },
    );
  });
});
