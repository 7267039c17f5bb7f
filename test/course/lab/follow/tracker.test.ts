/** Followed packets of a simulated network, from the events of its links, hosts and switches, which the test makes. */
import { describe, expect, it } from "vitest";
import { Tracker } from "../../../../src/course/lab/follow/tracker.js";
import { buildPacket, formatsOf } from "../../../../src/course/lab/index.js";

type Options = ConstructorParameters<typeof Tracker>[0];
type Tap = {
  sent(frame: Uint8Array): void;
  arrived(frame: Uint8Array): void;
  lost(frame: Uint8Array, why: string): void;
};
type Input = { ingress_port: number; time_us: number };

/** A wire of 1 Gbit/s, on which a frame of 125 bytes takes 1 µs, and a delay of 5 µs. */
function channelOf(source: string, target: string) {
  const taps: Tap[] = [];
  return {
    ...{
      source: { name: source },
      target: { name: target },
      rate: 1e9,
      options: { delay: 5000 },
      busyUntil: 0,
    },
    tap: (tap: Tap) => void taps.push(tap),
    get on() {
      return taps[0]!;
    },
  };
}

/** h1 - s1 - h2: the links 0 and 1, and a third one of which the plan knows nothing. */
function networkOf() {
  const [h1, h2, s1] = [{ name: "h1" }, { name: "h2" }, { name: "s1" }] as Record<string, unknown>[] as [
    {
      name: string;
      onFrame(frame: Uint8Array, verdict?: string): void;
      onUndeliverable(why: string, frames: unknown[]): void;
    },
    { name: string; onFrame(frame: Uint8Array, verdict?: string): void },
    { name: string; strayed: number; device: Record<string, unknown> },
  ];
  const drops = {
    ingress: 0,
    egress: 0,
    replication: 0,
    queue: 0,
    port: 0,
    program: 0,
    assertion: 0,
    loop: 0,
  };
  const device = { cpuPort: 510, stats: { drops } } as unknown as {
    traceFilter(port: number, frame: Uint8Array): boolean;
    traceOutput(input: Input, port: number, frame: Uint8Array): void;
    trace(trace: unknown): void;
  };
  Object.assign(s1, { strayed: 0, device });
  const link = (a: string, b: string) => ({ aToB: channelOf(a, b), bToA: channelOf(b, a) });
  const links = [link("h1", "s1"), link("s1", "h2"), link("s1", "h2")];
  const network = {
    links,
    observer: undefined as unknown as (channel: unknown, frame: Uint8Array) => void,
    linksOf: () => [
      { a: { node: h1, port: 1 }, b: { node: s1, port: 1 } },
      { a: { node: s1, port: 2 }, b: { node: h2, port: 1 } },
    ],
  };
  const simulation = { now: 10_000 };
  const lab = {
    ...{ network, simulation, plan: { links: links.slice(0, 2) }, switch: () => s1 },
    ...{
      hosts: new Map([
        ["h1", h1],
        ["h2", h2],
      ] as const),
      switches: new Map([["s1", s1]]),
    },
  };
  const told: (string | [string, number | undefined])[] = [];
  const tracker = new Tracker({
    lab: lab as unknown as Options["lab"],
    flowOf: (key) => (key === "udp 10.0.0.1:5 10.0.0.2:6" ? 7 : undefined),
    programOf: (name) => `${name}.p4`,
    onSent: () => void told.push("sent"),
    onArrival: (node, packet) => void told.push([node, packet]),
  });
  return { tracker, simulation, network, links, h1, h2, s1, device, drops, told };
}

const frameOf = (fill = 1, bytes = 125) => new Uint8Array(bytes).fill(fill);
const TRACE = (input: Input, outcome: object = { kind: "drop", reason: "mark_to_drop" }) => ({
  ...{ trace_version: 1, device: "s1", input, root: { cause: "arrival", events: [], outcome } },
});
const hopsOf = (tracker: Tracker, id: number) => tracker.book.story(id)!.hops;
const endOf = (tracker: Tracker, id: number) => tracker.book.story(id)!.view.end;

describe("a frame on a wire", () => {
  it("of a host is followed: it departs with its first bit and arrives with its last", () => {
    const { tracker, links, network, simulation, told } = networkOf();
    const [frame, wire] = [frameOf(), links[0]!.aToB];
    wire.busyUntil = 11_000;
    wire.on.sent(frame);
    expect(tracker.onWires).toBe(1);
    expect(tracker.take().motions).toEqual([
      { packet: 1, link: 0, direction: 0, departs: 10_000, arrives: 16_000 },
    ]);
    simulation.now = 16_000;
    wire.on.arrived(frame);
    network.observer(wire, frame);
    expect(tracker.onWires).toBe(0);
    expect(told).toEqual(["sent", ["s1", 1]]);
    expect(hopsOf(tracker, 1)).toEqual([
      { kind: "send", node: "h1", at: 10_000, bytes: "01".repeat(125) },
      { kind: "link", link: 0, from: "h1", to: "s1", departs: 10_000, arrives: 16_000 },
    ]);
  });

  it("goes the other way in the other direction of its link", () => {
    const { tracker, links } = networkOf();
    links[1]!.bToA.on.sent(frameOf());
    expect(tracker.take().motions).toMatchObject([{ link: 1, direction: 1 }]);
  });

  it("of a switch that nobody follows is only counted, and told without a number where it arrives", () => {
    const { tracker, links, network, told } = networkOf();
    const frame = frameOf();
    links[0]!.bToA.on.sent(frame);
    network.observer(links[0]!.bToA, frame);
    expect(tracker.take()).toMatchObject({ packets: [], motions: [], unseen: 1 });
    expect(told).toEqual(["sent", ["h1", undefined]]);
  });

  it("is lost on a broken link, or in front of it when the queue of the host is full", () => {
    const { tracker, links } = networkOf();
    const [broken, full] = [frameOf(1), frameOf(2)];
    const wire = links[0]!.aToB;
    wire.on.sent(broken);
    wire.on.lost(broken, "fault");
    expect(tracker.onWires).toBe(0);
    const packet = tracker.follow(full, "h1");
    wire.on.lost(full, "queue");
    expect(tracker.onWires, "it was never on the wire").toBe(0);
    const [first, second] = ["the link is broken", "the queue of the host is full"];
    expect(endOf(tracker, 1)).toEqual({ kind: "dropped", at: 10_000, link: 0, reason: first });
    expect(packet.view.end).toEqual({ kind: "dropped", at: 10_000, link: 0, reason: second });
    wire.on.lost(frameOf(3), "fault");
    expect(tracker.take().drops).toEqual([
      { link: 0, reason: first, packets: 2 },
      { link: 0, reason: second, packets: 1 },
    ]);
  });

  it("on a link that the plan does not name is not looked at", () => {
    const { links } = networkOf();
    expect(links[2]!.aToB.on).toBeUndefined();
  });
});

describe("the number of packets that are followed", () => {
  const followed = (count: number, { links }: ReturnType<typeof networkOf>) => {
    for (let i = 0; i < count; i++) links[0]!.aToB.on.sent(frameOf());
  };

  it("is 120 at first, then 4 for each frame of the page, and at most 120 after a pause", () => {
    const net = networkOf();
    followed(130, net);
    expect(net.tracker.take()).toMatchObject({ packets: { length: 120 }, unseen: 10 });
    net.tracker.addCredit();
    followed(10, net);
    expect(net.tracker.take()).toMatchObject({ packets: { length: 4 }, unseen: 6 });
    for (let i = 0; i < 100; i++) net.tracker.addCredit();
    followed(130, net);
    expect(net.tracker.take().packets).toHaveLength(120);
  });

  it("does not count those that a user sends", () => {
    const net = networkOf();
    followed(120, net);
    const frame = frameOf();
    expect(net.tracker.follow(frame, "h1").view).toMatchObject({
      id: 121,
      from: "h1",
      bytes: 125,
      at: 10_000,
    });
    net.links[0]!.aToB.on.sent(frame);
    expect(net.tracker.take()).toMatchObject({ packets: { length: 121 }, unseen: 0 });
  });

  it("have the number of their conversation, if they belong to one", () => {
    const { tracker } = networkOf();
    const layers = [
      { header: "ethernet", fields: {} },
      { header: "ipv4", fields: { src: "10.0.0.1", dst: "10.0.0.2" } },
      { header: "udp", fields: { src: 5, dst: 6 } },
    ];
    const { frame } = buildPacket({ layers }, formatsOf([]), {});
    expect(tracker.follow(frame, "h1").view).toMatchObject({ protocol: "udp", flow: 7 });
    expect(tracker.follow(frameOf(), "h1").view).not.toHaveProperty("flow");
  });
});

describe("a frame at a host", () => {
  it.each<[string | undefined, boolean, boolean]>([
    [undefined, true, false],
    ["for a group", true, false],
    ["of the unknown protocol 253", true, true],
    ["its UDP port is closed", false, true],
  ])("that says `%s`: taken %s, counted as a drop %s", (verdict, isTaken, isCounted) => {
    const { tracker, h2, links } = networkOf();
    const frame = frameOf();
    links[0]!.aToB.on.sent(frame);
    h2.onFrame(frame, verdict);
    expect(endOf(tracker, 1)).toEqual(
      isTaken
        ? { kind: "delivered", node: "h2", at: 10_000 }
        : { kind: "dropped", node: "h2", at: 10_000, reason: verdict },
    );
    expect(hopsOf(tracker, 1).at(-1)).toEqual({
      kind: "receive",
      node: "h2",
      at: 10_000,
      bytes: "01".repeat(125),
    });
    expect(tracker.take().drops).toEqual(isCounted ? [{ node: "h2", reason: verdict, packets: 1 }] : []);
    // Its buffer may carry another packet later.
    h2.onFrame(frame, verdict);
    expect(hopsOf(tracker, 1)).toHaveLength(3);
  });

  it("that has no way out counts each frame that waited", () => {
    const { tracker, h1 } = networkOf();
    h1.onUndeliverable("no answer to ARP", [1, 2, 3]);
    expect(tracker.take().drops).toEqual([{ node: "h1", reason: "no answer to ARP", packets: 3 }]);
  });
});

describe("a frame in a switch", () => {
  /** A followed frame that has come to port 1 of s1; 10 µs of the clock are its time in traces. */
  const inside = () => {
    const net = networkOf();
    const frame = frameOf();
    net.links[0]!.aToB.on.sent(frame);
    expect(net.device.traceFilter(1, frame)).toBe(true);
    return { ...net, frame, input: { ingress_port: 1, time_us: 10 } };
  };

  it("is traced only if it is followed", () => {
    const { device } = inside();
    expect(device.traceFilter(1, frameOf(9))).toBe(false);
  });

  it("leaves as the same packet, with its trace", () => {
    const { tracker, device, links, input } = inside();
    const out = frameOf(2);
    device.traceOutput(input, 2, out);
    const trace = TRACE(input, { kind: "transmit" });
    device.trace(trace);
    links[1]!.aToB.on.sent(out);
    expect(hopsOf(tracker, 1).slice(2)).toMatchObject([
      { kind: "switch", node: "s1", at: 10_000, program: "s1.p4", trace },
      { kind: "link", link: 1, from: "s1", to: "h2" },
    ]);
    expect(endOf(tracker, 1)).toEqual({ kind: "moving" });
    expect(tracker.take().packets).toHaveLength(1);
  });

  it("leaves as copies, which know the switch that made them", () => {
    const { tracker, device, links, input } = inside();
    const outs = [frameOf(2), frameOf(3)];
    for (const [i, out] of outs.entries()) device.traceOutput(input, i + 1, out);
    links[0]!.bToA.on.sent(outs[0]!);
    links[1]!.aToB.on.sent(outs[1]!);
    expect(tracker.take().packets.map(({ id, parent, from }) => [id, parent, from])).toEqual([
      [1, undefined, "h1"],
      [2, 1, "s1"],
    ]);
    expect(hopsOf(tracker, 2)).toMatchObject([
      { kind: "switch", node: "s1" },
      { kind: "link", link: 1, to: "h2" },
    ]);
    expect(tracker.book.story(1)!.copies).toEqual([2]);
  });

  it("that it has been in before makes copies that know the last visit alone", () => {
    const { tracker, device, links, input, simulation } = inside();
    const out = frameOf(2);
    device.traceOutput(input, 2, out);
    device.trace(TRACE(input, { kind: "transmit" }));
    links[1]!.aToB.on.sent(out);
    simulation.now = 20_000;
    device.traceFilter(2, out);
    const again = { ingress_port: 2, time_us: 20 };
    for (const i of [3, 4]) device.traceOutput(again, 2, frameOf(i));
    expect(hopsOf(tracker, 2)).toMatchObject([{ kind: "switch", node: "s1", at: 20_000 }]);
  });

  it("that no copy leaves is dropped where its trace says; one that has left is not", () => {
    const dropped = inside();
    dropped.device.trace(TRACE(dropped.input));
    expect(endOf(dropped.tracker, 1)).toMatchObject({ kind: "dropped", node: "s1", reason: "mark_to_drop" });
    const left = inside();
    left.device.traceOutput(left.input, 2, frameOf(2));
    left.device.trace(TRACE(left.input));
    expect(endOf(left.tracker, 1)).toEqual({ kind: "moving" });
  });

  it("goes to the controller, or ends at a port without a link", () => {
    const { tracker, device, links, input } = inside();
    const out = frameOf(2);
    device.traceOutput(input, 510, out);
    device.traceOutput(input, 9, frameOf(3));
    expect(endOf(tracker, 1)).toEqual({ kind: "controller", node: "s1", at: 10_000 });
    expect(endOf(tracker, 2)).toEqual({
      ...{ kind: "dropped", at: 10_000, node: "s1" },
      reason: "its output port has no link: port 9",
    });
    links[1]!.aToB.on.sent(out);
    expect(tracker.take().unseen, "the buffer of the first is free").toBe(1);
  });

  it("that did not come on a wire has no story", () => {
    const { tracker, device, links } = networkOf();
    const input = { ingress_port: 5, time_us: 10 };
    const out = frameOf(2);
    device.traceOutput(input, 2, out);
    device.trace(TRACE(input));
    links[1]!.aToB.on.sent(out);
    expect(tracker.take()).toMatchObject({ packets: [], unseen: 1 });
  });

  it("is told from one at another port or time", () => {
    const { tracker, device, simulation, links } = networkOf();
    const frames = [frameOf(1), frameOf(2), frameOf(3)];
    for (const frame of frames) links[0]!.aToB.on.sent(frame);
    device.traceFilter(1, frames[0]!);
    device.traceFilter(2, frames[1]!);
    simulation.now = 10_001;
    device.traceFilter(1, frames[2]!);
    device.trace(TRACE({ ingress_port: 1, time_us: 10.001 }));
    expect([1, 2, 3].map((id) => endOf(tracker, id).kind)).toEqual(["moving", "moving", "dropped"]);
  });
});

it("counts the drops of switches since the last frame, followed or not, by their reasons", () => {
  const { tracker, drops, s1 } = networkOf();
  const texts: readonly [keyof typeof drops, string][] = [
    ["ingress", "dropped by the program in ingress"],
    ["egress", "dropped by the program in egress"],
    ["replication", "a multicast group or clone session without copies"],
    ["queue", "the output queue is full"],
    ["port", "the port is down"],
    ["program", "the switch has no program"],
    ["assertion", "an assert or assume was false"],
    ["loop", "an endless loop"],
  ];
  for (const [i, [key]] of texts.entries()) drops[key] = i + 1;
  s1.strayed = 20;
  expect(tracker.take().drops).toEqual([
    ...texts.map(([, reason], i) => ({ node: "s1", reason, packets: i + 1 })),
    { node: "s1", reason: "its output port has no link", packets: 20 },
  ]);
  expect(tracker.take().drops).toEqual([]);
  drops.queue += 2;
  expect(tracker.take().drops).toEqual([{ node: "s1", reason: "the output queue is full", packets: 2 }]);
});
