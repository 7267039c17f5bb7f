/** What steps accept and refuse, by the numbers, packets and messages that a network shows. */
import { describe, expect, it } from "vitest";
import { get16 } from "../../../src/base/packets/index.js";
import {
  buildFrame,
  type ExerciseHost,
  type ExerciseStep,
  HEADER_LAYOUTS,
  type Range,
  type StackPart,
  senderOf,
  trafficStack,
} from "../../../src/course/exercises/index.js";
import { StepFailure } from "../../../src/course/grading/failure.js";
import type { TestNetwork } from "../../../src/course/grading/network.js";
import { playPacket, playPing } from "../../../src/course/grading/steps/packet.js";
import { checkDigests, checkPacketIns, playAsk } from "../../../src/course/grading/steps/state.js";
import { playTraffic } from "../../../src/course/grading/steps/traffic.js";
import type { Interpreter } from "../../../src/toolchain/control/index.js";
import type { ControllerPacket, DigestList } from "../../../src/toolchain/device/index.js";

type Step<K extends ExerciseStep["kind"]> = Extract<ExerciseStep, { kind: K }>;

const range = (low: number, high = low, percent = false): Range => ({ low, high, percent });
const part = (header: string, fields: Record<string, bigint> = {}): StackPart => ({
  header,
  layout: HEADER_LAYOUTS.get(header)!,
  fields: new Map(Object.entries(fields)),
});
const hosts: ExerciseHost[] = [1n, 2n, 3n].map((n) => ({
  ...{ name: `h${n}`, ipv4: 0x0a000000n + n, prefixLength: 24, mac: n, commands: [] },
}));
const ethernet = (type: bigint) => part("ethernet", { dst: 2n, src: 1n, type });
const frameOf = (type: bigint) => buildFrame([ethernet(type)], senderOf(hosts[0]!, hosts));

/** The failure of a step: expected, seen, details; undefined where it passes. */
async function failure(played: () => unknown): Promise<[string, string, readonly string[]] | undefined> {
  try {
    await played();
    return undefined;
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    return [error.expected, error.seen, error.details];
  }
}

describe("a packet", () => {
  /** Sends a packet of type 1 from h1; these types arrive at hosts, one after the other. Tells how many the step has waited for. */
  async function play(expected: Readonly<Record<string, bigint[]>>, arrivals: readonly [string, bigint][]) {
    const received = new Map(hosts.map(({ name }) => [name, [] as { frame: Uint8Array }[]]));
    let waited = 0;
    let forgotten = 0;
    const network = {
      hosts: new Map(
        hosts.map(({ name }) => [
          name,
          { name, received: received.get(name)!, forget: () => forgotten++, send: () => {} },
        ]),
      ),
      advance: async (_ns: number, done: () => boolean) => {
        for (const [at, type] of arrivals) {
          if (done()) break;
          received.get(at)!.push({ frame: frameOf(type) });
          waited++;
        }
      },
    } as unknown as TestNetwork;
    const step = {
      ...{ kind: "packet", from: "h1", frame: frameOf(1n), sent: { parts: [ethernet(1n)] }, withinNs: 1 },
      expect: Object.entries(expected).flatMap(([at, types]) =>
        types.map((type) => ({ at, pattern: { parts: [ethernet(type)] } })),
      ),
    } as unknown as Step<"packet">;
    const failed = await failure(() => playPacket(step, network));
    expect(forgotten).toBe(3);
    return { failed, waited };
  }

  const shown = (type: number) =>
    `ethernet { dst 00:00:00:00:00:02, src 00:00:00:00:00:01, type 0x000${type} }`;

  it("passes where the expected ones arrive in order, and is not waited for any longer", async () => {
    const arrivals: [string, bigint][] = [
      ["h2", 1n],
      ["h3", 2n],
      ["h2", 3n],
      ["h3", 9n],
    ];
    expect(await play({ h2: [1n, 3n], h3: [2n] }, arrivals)).toEqual({ failed: undefined, waited: 3 });
  });

  it("that must arrive nowhere is waited for until the end", async () => {
    expect(await play({}, [])).toEqual({ failed: undefined, waited: 0 });
    const { failed, waited } = await play({}, [
      ["h2", 1n],
      ["h2", 2n],
    ]);
    expect(waited).toBe(2);
    expect(failed).toEqual([
      "nothing arrives at h2",
      "2 packets arrive at h2",
      [`h1 sends ${shown(1)}`, `at h2: ${shown(1)} (14 bytes)`, `at h2: ${shown(2)} (14 bytes)`],
    ]);
  });

  it("that is missing, different or too many fails with what arrived", async () => {
    const sent = [`h1 sends ${shown(1)}`];
    expect((await play({ h2: [1n] }, [])).failed).toEqual([
      `at h2: ${shown(1)}`,
      "nothing arrives at h2",
      sent,
    ]);
    expect((await play({ h2: [1n, 2n] }, [["h2", 1n]])).failed).toEqual([
      `at h2: ${shown(2)}`,
      "only 1 packet at h2",
      sent,
    ]);
    expect((await play({ h2: [2n] }, [["h2", 1n]])).failed).toEqual([
      `at h2: ${shown(2)}`,
      "at h2: ethernet.type is 0x0001, expected 0x0002",
      sent,
    ]);
    const many: [string, bigint][] = [["h2", 1n], ...Array(8).fill(["h3", 3n])];
    const { failed } = await play({ h2: Array(9).fill(1n) }, many);
    expect(failed![1]).toBe("only 1 packet at h2");
    const extra = await play({ h3: [3n], h2: [1n] }, [
      ["h3", 3n],
      ["h3", 4n],
    ]);
    expect(extra.failed![1]).toBe("nothing arrives at h2");
  });

  it("shows at most five packets more than the expected ones, and not these", async () => {
    const seven: [string, bigint][] = Array(7).fill(["h1", 3n]);
    const { failed } = await play({ h1: [3n], h2: Array(6).fill(1n) }, [["h1", 3n]]);
    expect(failed![1]).toBe("nothing arrives at h2");
    const more = await play({ h1: [3n], h2: [] }, [["h1", 3n]]);
    expect(more.failed).toBeUndefined();
    const none = await play({}, seven);
    expect(none.failed![2]).toHaveLength(1 + 5);
    const one = await play({}, [["h1", 3n]]);
    expect(one.failed!.slice(0, 2)).toEqual(["nothing arrives at h1", "1 packet arrives at h1"]);
  });

  it("more than the expected ones at a host fails with those that follow", async () => {
    // h3 still lacks its packet, so both packets for h2 arrive before the step ends.
    const { failed } = await play({ h2: [1n], h3: [5n] }, [
      ["h2", 1n],
      ["h2", 2n],
    ]);
    expect(failed).toEqual([
      "1 packet at h2",
      "2 packets arrive at h2",
      [`h1 sends ${shown(1)}`, `at h2: ${shown(2)} (14 bytes)`],
    ]);
  });
});

describe("pings", () => {
  /** Plays five pings; returns the time for which the network runs, and the time after which a ping is lost. */
  async function times(answered: Range, patienceNs: number): Promise<[number, number]> {
    let [ran, lost] = [0, 0];
    const ping = (..._: [bigint, number, number, number, number]) => {
      lost = _[4];
      return () => answered.low;
    };
    const advance = async (ns: number) => void (ran = ns);
    const network = { hosts: new Map([["h1", { ping }]]), patienceNs, advance } as unknown as TestNetwork;
    const step = { kind: "ping", from: "h1", to: "h2", count: 5, ttl: 64, answered };
    await playPing(step as unknown as Step<"ping">, network, 2n);
    return [ran, lost];
  }

  it("have half a second for the last answer, and longer on a slow network where answers are wanted", async () => {
    expect(await times(range(5), 7)).toEqual([550e6, 500e6 + 7]);
    expect(await times(range(0), 7)).toEqual([550e6, 500e6]);
  });
});

const ENDS = { from: hosts[0]!.ipv4, to: hosts[1]!.ipv4 };

describe("traffic", () => {
  const step: Step<"traffic"> = {
    ...{
      kind: "traffic",
      from: "h1",
      to: "h2",
      protocol: "udp",
      flows: 2,
      vary: "source_port",
      packets: 3,
      gapNs: 10,
      bytes: 100,
    },
    ...{
      sourcePort: 1000,
      port: 80,
      dscp: 0,
      ecn: 0,
      marked: undefined,
      withinNs: 1000,
      ports: [],
      pause: undefined,
      span: undefined,
    },
    ...{ received: undefined, split: undefined, inOrder: false },
  };
  const all = [0, 1].flatMap((flow) => [0, 1, 2].map((number): [number, number] => [flow, number]));

  async function play(
    own: Partial<Step<"traffic">>,
    arrivals: readonly (readonly [number, number])[] = all,
    sent: Readonly<Record<string, number>> = {},
    more: readonly Uint8Array[] = [],
  ) {
    const traffic = { ...step, ...own };
    const sender = senderOf(hosts[0]!, hosts);
    const frames = arrivals.map(([flow, number]) =>
      buildFrame(trafficStack(traffic, ENDS, flow, number), sender),
    );
    const received: { frame: Uint8Array }[] = [];
    const counts = [new Map([["s1-p1", 5]]), new Map([["s1-p1", 5 + (sent["s1-p1"] ?? 0)]])];
    for (const [name, count] of Object.entries(sent)) if (name !== "s1-p1") counts[1]!.set(name, count);
    const scheduled: (() => void)[] = [];
    const out: Uint8Array[] = [];
    let waited = 0;
    const host = (name: string) => ({
      ...{ name, received: name === "h2" ? received : [], forget() {} },
      send: (frame: Uint8Array) => void out.push(frame),
    });
    const network = {
      hosts: new Map(hosts.map(({ name }) => [name, host(name)])),
      now: () => 0,
      at: (_: number, fn: () => void) => void scheduled.push(fn),
      sent: async () => counts.shift()!,
      advance: async (_: number, done: () => boolean) => {
        for (const fn of scheduled) fn();
        for (const frame of [...more, ...frames]) {
          if (done()) break;
          received.push({ frame });
          waited++;
        }
      },
    } as unknown as TestNetwork;
    const failed = await failure(() => playTraffic(traffic, network, hosts));
    return { failed, waited, out };
  }

  it("sends all packets, and waits until as many have arrived", async () => {
    const { failed, waited, out } = await play({}, [...all, [0, 0], [0, 1]]);
    expect([failed, waited, out.length]).toEqual([undefined, 6, 6]);
    expect(new Set(out.map((frame) => Buffer.from(frame).toString("hex"))).size).toBe(6);
  });

  it.each([
    ["source_port", [1000, 80, 1], [1001, 80, 1]],
    ["port", [1000, 80, 1], [1000, 81, 1]],
    ["source", [1000, 80, 1], [1000, 80, 2]],
  ] as const)("sends flows that differ in %s, and counts all of them", async (vary, ...wanted) => {
    const { failed, out } = await play({ vary, received: range(6), packets: 3, inOrder: true });
    expect(failed).toBeUndefined();
    const seen = out.map((frame) => [get16(frame, 34), get16(frame, 36), frame[29]]);
    expect(seen.filter((_, index) => index < 2)).toEqual(wanted);
  });

  it("sends to the next addresses where flows differ in their destination", async () => {
    const { out } = await play({ vary: "destination" });
    expect(out.slice(0, 2).map((frame) => frame[33])).toEqual([2, 3]);
  });

  it("counts its own packets at the receiver, by protocol, port and length", async () => {
    const text = ["6 packets arrive at h2", "4 of 6 arrive", ["h1 sends 6 packets in 2 flows to h2"]];
    expect((await play({ received: range(6) }, all.slice(0, 4))).failed).toEqual(text);
    expect((await play({ received: range(4) }, all.slice(0, 4))).failed).toBeUndefined();
    expect((await play({ received: range(50, 70, true) }, all.slice(0, 4))).failed).toBeUndefined();
    const sender = senderOf(hosts[0]!, hosts);
    const strange = [
      buildFrame(trafficStack({ ...step, port: 81 }, ENDS, 0, 0), sender),
      buildFrame([ethernet(0x0806n), part("arp")], sender),
      buildFrame(trafficStack(step, ENDS, 0, 0), sender).map((byte, at) => (at === 12 ? 0x86 : byte)),
      buildFrame(trafficStack(step, ENDS, 0, 0), sender).subarray(0, 45),
      new Uint8Array(3),
    ];
    expect((await play({ received: range(1) }, [[1, 2]], {}, strange)).failed).toBeUndefined();
    const one = await play({ received: range(1), flows: 1, packets: 1 }, []);
    expect(one.failed).toEqual([
      "1 packets arrive at h2",
      "0 of 1 arrive",
      ["h1 sends 1 packets in 1 flow to h2"],
    ]);
  });

  it("counts TCP behind its longer header", async () => {
    expect((await play({ protocol: "tcp", inOrder: true, received: range(6) })).failed).toBeUndefined();
    const swapped = await play({ protocol: "tcp", inOrder: true }, [
      [1, 1],
      [0, 2],
      [1, 0],
    ]);
    expect(swapped.failed).toEqual([
      "the packets of each flow arrive at h2 in the order in which they were sent",
      "of flow 2 of 2, packet 0 arrives after packet 1",
      ["h1 sends 6 packets in 2 flows to h2"],
    ]);
    expect(
      (
        await play({ inOrder: false }, [
          [0, 1],
          [0, 0],
        ])
      ).failed,
    ).toBeUndefined();
  });

  it("counts the packets that left by a port during the step", async () => {
    const port = { node: "s1", port: 1 };
    expect(
      (await play({ ports: [{ port, packets: range(4) }] }, all, { "s1-p1": 4 })).failed,
    ).toBeUndefined();
    expect((await play({ ports: [{ port, packets: range(4) }] }, all, { "s1-p1": 6 })).failed).toEqual([
      "4 packets leave by s1-p1",
      "6 of 6 leave by this port",
      ["h1 sends 6 packets in 2 flows to h2"],
    ]);
    const other = { node: "s9", port: 9 };
    expect((await play({ ports: [{ port: other, packets: range(0) }] })).failed).toBeUndefined();
  });

  const over = [1, 2, 3].map((port) => ({ node: "s1", port }));
  const split = (used: Range | undefined, each: Range | undefined) => ({ split: { over, used, each } });

  it("counts the ports that a split uses", async () => {
    const sent = { "s1-p1": 4, "s1-p2": 2 };
    expect((await play(split(range(2), undefined), all, sent)).failed).toBeUndefined();
    expect((await play(split(range(3), undefined), all, sent)).failed).toEqual([
      "packets use 3 of the ports s1-p1, s1-p2, s1-p3",
      "s1-p1 4, s1-p2 2, s1-p3 0",
      ["h1 sends 6 packets in 2 flows to h2"],
    ]);
  });

  it("compares the share of each used port, of the packets over these ports", async () => {
    const sent = { "s1-p1": 4, "s1-p2": 2 };
    expect((await play(split(undefined, range(30, 70, true)), all, sent)).failed).toBeUndefined();
    expect((await play(split(undefined, range(40, 60, true)), all, sent)).failed).toEqual([
      "each used port of s1-p1, s1-p2, s1-p3 sends 40%..60%",
      "s1-p1 4, s1-p2 2, s1-p3 0",
      ["h1 sends 6 packets in 2 flows to h2"],
    ]);
    expect((await play(split(undefined, range(0, 100, true)), all, {})).failed?.[1]).toBe(
      "s1-p1 0, s1-p2 0, s1-p3 0",
    );
    expect((await play(split(undefined, undefined), all, {})).failed).toBeUndefined();
  });
});

describe("a question to a switch", () => {
  const ask = (own: Partial<Step<"ask">>, lines: readonly string[], answers: readonly unknown[]) => {
    const interpreter = {
      run: async (
        _f: unknown,
        _d: unknown,
        output: { print(line: string): void; data(value: unknown): void },
      ) => {
        for (const line of lines) output.print(line);
        for (const answer of answers) output.data(answer);
      },
    } as unknown as Interpreter;
    const none = {
      packets: undefined,
      bytes: undefined,
      value: undefined,
      count: undefined,
      says: undefined,
    };
    const step = {
      kind: "ask",
      switch: "s1",
      line: "read x",
      span: undefined,
      ...none,
      ...own,
    } as Step<"ask">;
    return failure(() => playAsk(step, interpreter));
  };
  const counters = [
    { index: 1, packets: 3, bytes: 40 },
    { data: { packets: 2 } },
    [{ packets: "5", bytes: null }],
  ];

  it("sums packets, bytes and values over all answers, at any depth", async () => {
    expect(await ask({ packets: range(10), bytes: range(40) }, [], counters)).toBeUndefined();
    expect(await ask({ packets: range(9) }, ["a", "b"], counters)).toEqual([
      "s1: read x: 9 packets",
      "10 packets",
      ["a", "b"],
    ]);
    expect(await ask({ bytes: range(41) }, [], counters)).toEqual(["s1: read x: 41 bytes", "40 bytes", []]);
    expect(await ask({ value: range(1) }, [], [{ value: 3 }, { value: { value: 4 } }])).toEqual([
      "s1: read x: 1 as the value",
      "7 as the value",
      [],
    ]);
  });

  it("counts answers without the default action", async () => {
    const entries = [{ key: 1 }, { key: 2, default_action: false }, { default_action: true }];
    expect(await ask({ count: range(2) }, [], entries)).toBeUndefined();
    expect((await ask({ count: range(3) }, [], entries))![1]).toBe("2 in the output");
  });

  it("looks for a text in all lines, and shows ten of them", async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    expect(await ask({ says: "line 11" }, lines, [])).toBeUndefined();
    expect(await ask({ says: "line 12" }, lines, [])).toEqual([
      's1: read x: an output that contains "line 12"',
      "another output",
      lines.slice(0, 10),
    ]);
  });
});

describe("packet-ins", () => {
  const packet = (metadata: Record<string, bigint>, type = 1n): ControllerPacket =>
    ({ metadata, payload: frameOf(type) }) as unknown as ControllerPacket;
  const check = (own: Partial<Step<"packetIns">>, packets: readonly ControllerPacket[]) =>
    failure(() =>
      checkPacketIns(
        {
          ...{ kind: "packetIns", switch: "s1", count: range(1, 9), metadata: new Map() },
          ...own,
        } as Step<"packetIns">,
        packets,
      ),
    );

  it("are counted", async () => {
    expect(await check({ count: range(2) }, [packet({}), packet({})])).toBeUndefined();
    expect(await check({ count: range(2) }, [packet({})])).toEqual(["2 packet-ins of s1", "1 came", []]);
  });

  it("have the metadata that the step names, each of them", async () => {
    const metadata = new Map([["port", 3n]]);
    expect(await check({ metadata }, [packet({ port: 3n, other: 1n })])).toBeUndefined();
    expect(await check({ metadata }, [packet({ port: 3n }), packet({ port: 4n })])).toEqual([
      "packet-ins of s1 with metadata port 3",
      "it is 4",
      ["metadata: port"],
    ]);
    expect(await check({ metadata }, [packet({ a: 0n, b: 0n })])).toEqual([
      "packet-ins of s1 with metadata port 3",
      "there is no such metadata",
      ["metadata: a, b"],
    ]);
    expect((await check({ metadata }, [packet({})]))![2]).toEqual(["metadata: none"]);
  });

  it("are like the pattern, each of them", async () => {
    const pattern = { parts: [part("ethernet", { type: 1n })] };
    expect(await check({ pattern }, [packet({}), packet({})])).toBeUndefined();
    expect(await check({ pattern }, [packet({}), packet({}, 2n)])).toEqual([
      "packet-ins of s1: ethernet { type 0x0001 }",
      "ethernet.type is 0x0002, expected 0x0001",
      [],
    ]);
  });
});

describe("digests", () => {
  const list = (digest: string, ...data: bigint[][]): DigestList =>
    ({ digest, data }) as unknown as DigestList;
  const check = (own: Partial<Step<"digests">>, lists: readonly DigestList[]) =>
    failure(() =>
      checkDigests(
        {
          ...{ kind: "digests", switch: "s1", digest: "learn", count: range(0, 99), has: [] },
          ...own,
        } as Step<"digests">,
        lists,
      ),
    );
  const lists = [
    list("MyIngress.learn", [1n, 2n], [3n, 4n]),
    list("learn", [5n, 6n]),
    list("relearn", [7n, 8n]),
  ];

  it("are counted by records, of the digest with this name or this last name", async () => {
    expect(await check({ count: range(3) }, lists)).toBeUndefined();
    expect(await check({ count: range(4) }, lists)).toEqual([
      "4 records of digest learn of s1",
      "3 came: (1, 2), (3, 4), (5, 6)",
      [],
    ]);
    expect(await check({ count: range(1), digest: "relearn" }, lists)).toBeUndefined();
  });

  it("have each record that the step names", async () => {
    expect(
      await check(
        {
          has: [
            [5n, 6n],
            [1n, 2n],
          ],
        },
        lists,
      ),
    ).toBeUndefined();
    expect(
      await check(
        {
          has: [
            [1n, 2n],
            [7n, 8n],
          ],
        },
        lists,
      ),
    ).toEqual(["a record (7, 8) of digest learn of s1", "3 came: (1, 2), (3, 4), (5, 6)", []]);
  });
});
