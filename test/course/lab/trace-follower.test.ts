/** Stories from the traces of single switches, which arrive late and in any order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LabPlan, type PacketTrace, TraceFollower } from "../../../src/course/lab/index.js";

/** h1 - s1 - s2 - h2, and h3 at s1. */
const host = (name: string, n: number) => {
  const address = { mac: `08:00:00:00:00:0${n}`, ipv4: `10.0.0.${n}`, prefixLength: 24 };
  return { name, commands: [], ...address };
};
const link = (a: string, p: number, b: string, q: number) => ({
  a: { node: a, port: p },
  b: { node: b, port: q },
});
const PLAN: LabPlan = {
  hosts: [host("h1", 1), host("h2", 2), host("h3", 3)],
  switches: [
    { name: "s1", program: "a.p4" },
    { name: "s2", program: "b.p4" },
  ],
  links: [link("h1", 0, "s1", 1), link("s1", 2, "s2", 2), link("s2", 1, "h2", 0), link("h3", 0, "s1", 3)],
};
const S = 1e9;

type Out = { port: number; bytes: string; packet_in?: true } | "drop";

/** The report of a switch on a packet that arrived at a time in microseconds. */
function traceOf(port: number, time: number, bytes: string, ...outs: readonly Out[]): PacketTrace {
  const outcomes = outs.map((out): PacketTrace["root"]["outcome"] =>
    out === "drop"
      ? { kind: "drop", reason: "mark_to_drop", stage: "ingress" }
      : {
          kind: "transmit",
          egress_port: out.port,
          packet_size: out.bytes.length / 2,
          time_us: time + 10,
          bytes: out.bytes,
          ...(out.packet_in ? { packet_in: true } : {}),
        },
  );
  const input = { packet_id: 0, ingress_port: port, time_us: time, packet_size: bytes.length / 2, bytes };
  const [only] = outcomes;
  const root: PacketTrace["root"] =
    outcomes.length === 1
      ? { cause: "arrival", events: [], outcome: only! }
      : {
          cause: "arrival",
          events: [],
          outcome: { kind: "fork", reason: "multicast" },
          branches: outcomes.map((outcome) => ({ cause: "replica", events: [], outcome })),
        };
  return { trace_version: 1, device: "device 7", input, root };
}

const follower = () =>
  new TraceFollower({ plan: PLAN, programOf: (name) => (name === "s1" ? "a.p4" : "b.p4") });
const [AT_HOST, AT_LINK, AT_END] = ["aa".repeat(20), "bb".repeat(20), "cc".repeat(20)];

function storyOf(of: TraceFollower, id: number) {
  const { view, hops, copies } = of.book.story(id)!;
  const way = hops.map((hop) => (hop.kind === "link" ? `${hop.from}>${hop.to}` : `${hop.kind} ${hop.node}`));
  return { end: view.end, from: view.from, way, copies, hops };
}

describe("a packet over two switches", () => {
  it("is one story for any order of the switches' reports", () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const one = follower();
      const traces = [
        () => one.add("s1", traceOf(1, 100, AT_HOST, { port: 2, bytes: AT_LINK }), 5 * S),
        () => one.add("s2", traceOf(2, 2_000_130, AT_LINK, { port: 1, bytes: AT_END }), 3 * S),
      ];
      for (const which of order) traces[which]!();
      one.assemble(5 * S + 1e6);
      expect(one.book.take().packets, "it may still be in flight").toEqual([]);
      one.assemble(6 * S);
      const { packets, motions, ends, drops } = one.book.take();
      expect(packets.map(({ from, bytes }) => [from, bytes])).toEqual([["h1", 20]]);
      expect(motions.map(({ link: id, direction }) => [id, direction])).toEqual([
        [0, 0],
        [1, 0],
        [2, 0],
      ]);
      expect(ends).toEqual([{ packet: 1, end: { kind: "delivered", node: "h2", at: 5 * S + 140_000 } }]);
      expect(drops).toEqual([]);
      const { way, hops } = storyOf(one, 1);
      expect(way).toEqual(["send h1", "h1>s1", "switch s1", "s1>s2", "switch s2", "s2>h2", "receive h2"]);
      expect(hops[3]).toMatchObject({ departs: 5 * S + 110_000, arrives: 5 * S + 130_000 });
      expect(hops[4]).toMatchObject({ program: "b.p4", trace: { device: "s2" } });
      expect(hops[6]).toMatchObject({ bytes: AT_END });
    }
  });

  it("continues when the second switch reports it much later", () => {
    const one = follower();
    one.add("s1", traceOf(1, 0, AT_HOST, { port: 2, bytes: AT_LINK }), 0);
    one.assemble(0.5 * S);
    expect(storyOf(one, 1).end).toEqual({ kind: "moving" });
    one.add("s2", traceOf(2, 30, AT_LINK, "drop"), 0);
    one.assemble(1 * S);
    expect(storyOf(one, 1)).toMatchObject({
      way: ["send h1", "h1>s1", "switch s1", "s1>s2", "switch s2"],
      end: { kind: "dropped", node: "s2" },
    });
    expect(one.book.take().drops).toMatchObject([{ node: "s2", packets: 1 }]);
  });

  it("ends where no further switch reports it, and begins where no earlier switch reported it", () => {
    const one = follower();
    one.add("s1", traceOf(1, 0, AT_HOST, { port: 2, bytes: AT_LINK }), 0);
    one.add("s2", traceOf(2, 0, AT_END, { port: 1, bytes: AT_END }), 0);
    one.assemble(1 * S);
    expect(one.book.latest(10)).toHaveLength(1);
    one.assemble(4 * S);
    expect(storyOf(one, 1).end).toEqual({ kind: "unseen", node: "s1", at: 10_000 });
    expect(storyOf(one, 2)).toMatchObject({ from: "s2", way: ["switch s2", "s2>h2", "receive h2"] });
  });
});

describe("copies, ends and numbers", () => {
  it("follows the copies of a packet, to a host, a controller and a port without a link", () => {
    const one = follower();
    const outs = [
      { port: 3, bytes: AT_END },
      { port: 255, bytes: AT_HOST, packet_in: true },
      { port: 9, bytes: AT_END },
    ] as const;
    one.add("s1", traceOf(1, 0, AT_HOST, ...outs), 0);
    one.assemble(S);
    expect(storyOf(one, 1)).toMatchObject({ copies: [2, 3], end: { kind: "delivered", node: "h3" } });
    expect(storyOf(one, 2).end).toMatchObject({ kind: "controller", node: "s1" });
    expect(storyOf(one, 3).end).toMatchObject({
      kind: "dropped",
      reason: "its output port has no link: port 9",
    });
    expect(one.book.latest(10).map(({ parent }) => parent)).toEqual([1, 1, undefined]);
  });

  it("gives each packet of the same bytes its own story, and reports the number of the first one that was expected", () => {
    const one = follower();
    const told: number[] = [];
    one.expect(AT_HOST, (packet) => told.push(packet));
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), (order) => {
        const start = one.book.latest(1)[0]?.id ?? 0;
        for (const i of order) {
          const time = 100 * (i >> 1);
          if (i % 2 === 0) one.add("s1", traceOf(1, time, AT_HOST, { port: 2, bytes: AT_LINK }), 0);
          else one.add("s2", traceOf(2, time + 20, AT_LINK, { port: 1, bytes: AT_END }), 0);
        }
        one.assemble(S);
        for (const id of [1, 2, 3]) expect(storyOf(one, start + id).way).toHaveLength(7);
        expect(one.book.latest(500)[0]!.id).toBe(start + 3);
      }),
      { numRuns: 50 },
    );
    expect(told).toEqual([1]);
  });

  it("keeps a bounded number of traces that match no other trace", () => {
    const one = follower();
    for (let i = 0; i < 5000; i++)
      one.add("s2", traceOf(2, i, i.toString(16).padStart(40, "0"), { port: 1, bytes: AT_END }), 0);
    one.assemble(10 * S);
    expect(one.book.take().packets).toHaveLength(2000);
  });
});

describe("times", () => {
  const [MS, ARRIVED] = [1e6, 10 * S];

  it("of a story: it is assembled 300 ms after the packet came to its first switch", () => {
    const one = follower();
    one.add("s1", traceOf(1, 0, AT_HOST, { port: 3, bytes: AT_END }), ARRIVED);
    one.assemble(ARRIVED + 300 * MS - 1);
    expect(one.book.take().packets).toEqual([]);
    one.assemble(ARRIVED + 300 * MS);
    expect(one.book.take().packets).toHaveLength(1);
  });

  it("of a page: it shows motions half a second later, from the one end of a link to the other", () => {
    const one = follower();
    // From h2 to h1: against the direction in which the plan names the ends.
    one.add("s2", traceOf(1, 0, AT_HOST, { port: 2, bytes: AT_LINK }), ARRIVED);
    one.add("s1", traceOf(2, 25, AT_LINK, { port: 1, bytes: AT_END }), ARRIVED);
    one.assemble(ARRIVED + S);
    const shown = one.book
      .take()
      .motions.map(({ packet, link: id, direction, departs, arrives }) => [
        ...[packet, id, direction],
        ...[departs - ARRIVED - 500 * MS, arrives - ARRIVED - 500 * MS],
      ]);
    expect(shown).toEqual([
      [1, 2, 1, 0, 0],
      [1, 1, 1, 10_000, 25_000],
      [1, 0, 1, 35_000, 35_000],
    ]);
    expect(storyOf(one, 1).hops.filter(({ kind }) => kind === "link")).toEqual([
      { kind: "link", link: 2, from: "h2", to: "s2", departs: ARRIVED, arrives: ARRIVED },
      { kind: "link", link: 1, from: "s2", to: "s1", departs: ARRIVED + 10_000, arrives: ARRIVED + 25_000 },
      { kind: "link", link: 0, from: "s1", to: "h1", departs: ARRIVED + 35_000, arrives: ARRIVED + 35_000 },
    ]);
  });

  it.each([
    ["5 ms before it left", -4990, true],
    ["more than 5 ms before it left", -5001, false],
    ["1.5 s later", 1_499_999, true],
    ["more than 1.5 s later", 1_500_000, false],
  ])("of two switches: a packet that arrived %s", (_, apartUs, isSame) => {
    for (const isLate of [false, true]) {
      const one = follower();
      one.add("s1", traceOf(1, 0, AT_HOST, { port: 2, bytes: AT_LINK }), ARRIVED);
      // Late: after the story of the first switch was assembled.
      if (isLate) one.assemble(ARRIVED + 300 * MS);
      one.add("s2", traceOf(2, 10 + apartUs, AT_LINK, { port: 1, bytes: AT_END }), ARRIVED);
      for (let passed = 0; passed < 5 * S; passed += 100 * MS) one.assemble(ARRIVED + passed);
      expect(one.book.latest(10)).toHaveLength(isSame ? 1 : 2);
      const story = storyOf(one, 1);
      const found = story.hops.find((hop) => hop.kind === "link" && hop.to === "s2");
      if (isSame && found?.kind === "link") expect(found.arrives).toBeGreaterThanOrEqual(found.departs);
      if (isSame) expect(story.way.at(-1)).toBe("receive h2");
    }
  });

  it("of a link: a packet whose next switch says nothing for 3 s is lost from sight, at the end that sent it", () => {
    const one = follower();
    one.add("s1", traceOf(1, 0, AT_HOST, { port: 2, bytes: AT_LINK }), ARRIVED);
    one.assemble(ARRIVED + 10_000 + 3 * S);
    expect(storyOf(one, 1).end).toEqual({ kind: "moving" });
    one.assemble(ARRIVED + 10_001 + 3 * S);
    expect(storyOf(one, 1).end).toEqual({ kind: "unseen", node: "s1", at: ARRIVED + 10_000 });
    // It is forgotten: a report that comes now begins another story.
    one.add("s2", traceOf(2, 20, AT_LINK, "drop"), ARRIVED);
    one.assemble(ARRIVED + 4 * S);
    expect(one.book.latest(10).map(({ from }) => from)).toEqual(["s2", "h1"]);
  });

  it("of two packets with equal bytes: the one that is given up takes nothing from the other", () => {
    const one = follower();
    for (const time of [0, 2_000_000])
      one.add("s1", traceOf(1, time, AT_HOST, { port: 2, bytes: AT_LINK }), ARRIVED);
    one.assemble(ARRIVED + 4 * S);
    expect([1, 2].map((id) => storyOf(one, id).end.kind)).toEqual(["unseen", "moving"]);
    one.add("s2", traceOf(2, 2_000_030, AT_LINK, { port: 1, bytes: AT_END }), ARRIVED);
    one.assemble(ARRIVED + 4.5 * S);
    expect(storyOf(one, 2).end).toMatchObject({ kind: "delivered", node: "h2" });
  });
});

describe("packets of one conversation", () => {
  /** A datagram between two ports, as hex: Ethernet, IPv4 with its checksum, UDP without one. */
  const datagram = (src: string, srcPort: number, dst: string, dstPort: number): string => {
    const hex = (value: number, bytes: number) => value.toString(16).padStart(2 * bytes, "0");
    const address = (text: string) =>
      text
        .split(".")
        .map((part) => hex(Number(part), 1))
        .join("");
    const head = `4500001c00000000401100${"00"}${address(src)}${address(dst)}`;
    const words = head.match(/..../g)!.map((word) => Number.parseInt(word, 16));
    let sum = words.reduce((a, b) => a + b, 0);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    const ipv4 = `${head.slice(0, 20)}${hex(0xffff - sum, 2)}${head.slice(24)}`;
    return `${"02".repeat(12)}0800${ipv4}${hex(srcPort, 2)}${hex(dstPort, 2)}00080000`;
  };
  const flowsOf = (...frames: readonly string[]) => {
    const one = follower();
    for (const [i, bytes] of frames.entries()) one.add("s1", traceOf(1, i, bytes, "drop"), 0);
    one.assemble(S);
    return one.book.take().packets.map(({ flow }) => flow);
  };

  it("have one number in both directions; others have numbers of their own, and frames without a conversation none", () => {
    const [a, b] = ["10.0.0.1", "10.0.0.2"];
    const frames = [
      datagram(a, 7, b, 9),
      datagram(b, 9, a, 7),
      datagram(a, 8, b, 9),
      AT_HOST,
      datagram(a, 7, b, 9),
    ];
    expect(flowsOf(...frames)).toEqual([0, 0, 1, undefined, 0]);
  });

  it("have at most 1000 numbers, which then begin again", () => {
    const frames = Array.from({ length: 1002 }, (_, port) => datagram("10.0.0.1", port, "10.0.0.2", 1));
    expect(flowsOf(...frames).slice(998)).toEqual([998, 999, 0, 1]);
  });
});

describe("ends that a switch reports", () => {
  const endOf = (trace: PacketTrace) => {
    const one = follower();
    one.add("s1", trace, 0);
    one.assemble(S);
    return { end: storyOf(one, 1).end, drops: one.book.take().drops };
  };

  it("are not known while a copy is still in the switch", () => {
    const { root, ...rest } = traceOf(1, 0, AT_HOST, "drop", "drop");
    const [first, second] = root.branches!;
    const branches = [first!, { ...second!, outcome: { kind: "unfinished" } as const }];
    expect(endOf({ ...rest, root: { ...root, branches } })).toEqual({
      end: { kind: "unseen", node: "s1", at: 0 },
      drops: [],
    });
    expect(endOf({ ...rest, root: { ...root, branches: [first!] } })).toMatchObject({
      end: { kind: "dropped", node: "s1" },
      drops: [{ node: "s1", packets: 1 }],
    });
  });

  it("count a port without a link as a drop of the switch", () => {
    expect(endOf(traceOf(1, 0, AT_HOST, { port: 9, bytes: AT_END })).drops).toEqual([
      { node: "s1", reason: "its output port has no link", packets: 1 },
    ]);
  });
});

it("tells the number of a packet that was expected, unless that was cancelled or expected anew", () => {
  const one = follower();
  const told: string[] = [];
  const cancelFirst = one.expect(AT_HOST, (packet) => told.push(`first ${packet}`));
  const cancelSecond = one.expect(AT_HOST, (packet) => told.push(`second ${packet}`));
  cancelFirst();
  one.expect(AT_LINK, () => told.push("cancelled"))();
  for (const bytes of [AT_HOST, AT_LINK]) one.add("s1", traceOf(1, 0, bytes, "drop"), 0);
  one.assemble(S);
  expect(told).toEqual(["second 1"]);
  cancelSecond();
});

it("tells the numbers of equal packets to those who expect them, in order", () => {
  const one = follower();
  const told: string[] = [];
  const note = (name: string) => (packet: number) => told.push(`${name} ${packet}`);
  one.expect(AT_HOST, note("first"));
  const same = note("same");
  one.expect(AT_HOST, same);
  const cancel = one.expect(AT_HOST, same);
  one.expect(AT_HOST, note("last"));
  cancel();
  for (let i = 0; i < 4; i++) one.add("s1", traceOf(1, i, AT_HOST, "drop"), 0);
  one.assemble(S);
  expect(told).toEqual(["first 1", "same 2", "last 3"]);
});

it("a packet of a controller begins at the switch that sent it", () => {
  const one = follower();
  one.add("s1", traceOf(255, 0, AT_HOST, { port: 1, bytes: AT_END }), 0);
  one.assemble(S);
  expect(storyOf(one, 1)).toMatchObject({ from: "s1", way: ["switch s1", "s1>h1", "receive h1"] });
});
