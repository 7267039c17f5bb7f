/** The network of a simulated lab: what pages see of its nodes and links, and what breaks with what. */
import { describe, expect, it } from "vitest";
import { FrameMeter } from "../../../src/course/lab/frame-meter.js";
import { DEFAULT_LINK, type LabPlan } from "../../../src/course/lab/index.js";
import { LabNetwork } from "../../../src/course/lab/network.js";

/** h1 - s1 - s2 - h2. */
const PLAN: LabPlan = {
  hosts: [
    { name: "h1", mac: "08:00:00:00:00:01", ipv4: "10.0.0.1", prefixLength: 24, commands: [] },
    {
      name: "h2",
      mac: "08:00:00:00:00:02",
      ipv4: "10.0.0.2",
      ipv6: "2001:db8::2",
      prefixLength: 16,
      commands: [],
    },
  ],
  switches: [{ name: "s1", program: "a.p4", tier: 1 }, { name: "s2" }],
  links: [
    { a: { node: "h1", port: 0 }, b: { node: "s1", port: 1 }, rateBps: 1e9, delayNs: 7000 },
    { a: { node: "s1", port: 2 }, b: { node: "s2", port: 2 } },
    { a: { node: "s2", port: 1 }, b: { node: "h2", port: 0 } },
  ],
};
const networkOf = (plan = PLAN, places = new Map([["h1", { x: 0.1, y: 0.9 }]])) =>
  new LabNetwork({ plan, seed: 1, places, log: () => {}, tell: () => {} });
const failureOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    const [first] = (
      error as {
        diagnostics: readonly { code: string; message: string; notes: readonly { message: string }[] }[];
      }
    ).diagnostics;
    return [`${first!.code} ${first!.message}`, ...first!.notes.map(({ message }) => message)].join("; ");
  }
  throw new Error("no failure");
};

describe("a page sees", () => {
  it("hosts with their addresses, and switches with their programs", () => {
    const lab = networkOf();
    expect(["h1", "h2", "s1", "s2"].map((name) => lab.nodeView(name))).toEqual([
      { name: "h1", kind: "host", x: 0.1, y: 0.9, up: true, ipv4: "10.0.0.1/24", mac: "08:00:00:00:00:01" },
      {
        ...{ name: "h2", kind: "host", x: 0.5, y: 0.5, up: true, ipv4: "10.0.0.2/16" },
        ...{ ipv6: "2001:db8::2", mac: "08:00:00:00:00:02" },
      },
      { name: "s1", kind: "switch", x: 0.5, y: 0.5, up: true, program: "a.p4", tier: 1 },
      { name: "s2", kind: "switch", x: 0.5, y: 0.5, up: true },
    ]);
  });

  it("links with their figures, or those of the default", () => {
    const lab = networkOf();
    expect(lab.linkView(0)).toEqual({ id: 0, ...PLAN.links[0], up: true });
    expect(lab.linkView(1)).toEqual({ id: 1, ...PLAN.links[1], ...DEFAULT_LINK, up: true });
  });
});

describe("what breaks", () => {
  const upOf = (lab: LabNetwork) => [0, 1, 2].map((id) => lab.linkView(id).up);
  /** What the switches are told of their ports. */
  const signalsOf = (lab: LabNetwork) => {
    const told: string[] = [];
    for (const [name, { device }] of lab.switches)
      device.watch((event) => {
        if (event.kind === "portState") told.push(`${name}:${event.port} ${event.up ? "up" : "down"}`);
      });
    return () => told.splice(0).sort();
  };

  it("is one link, which both ends see", () => {
    const lab = networkOf();
    const signals = signalsOf(lab);
    expect(lab.setLink(1, false, true)).toMatchObject({ id: 1, up: false });
    expect(lab.linkView(1)).not.toHaveProperty("silent");
    expect(upOf(lab)).toEqual([true, false, true]);
    expect(signals()).toEqual(["s1:2 down", "s2:2 down"]);
    expect(lab.setLink(1, true, true)).toMatchObject({ up: true });
    expect(signals()).toEqual(["s1:2 up", "s2:2 up"]);
  });

  it("is one link that only loses packets: no end is told", () => {
    const lab = networkOf();
    const signals = signalsOf(lab);
    expect(lab.setLink(1, false, false)).toMatchObject({ up: false, silent: true });
    expect(signals()).toEqual([]);
    expect(lab.setLink(1, true, false)).toEqual({ id: 1, ...PLAN.links[1], ...DEFAULT_LINK, up: true });
  });

  it("is a switch with all its links, and no link more", () => {
    const lab = networkOf();
    const signals = signalsOf(lab);
    expect(lab.setSwitch("s1", false)).toMatchObject({ name: "s1", up: false });
    expect([lab.isUp("s1"), lab.isUp("s2")]).toEqual([false, true]);
    expect(upOf(lab)).toEqual([false, false, true]);
    expect(signals()).toContain("s2:2 down");
    expect(lab.setSwitch("s1", true)).toMatchObject({ up: true });
    expect(upOf(lab)).toEqual([true, true, true]);
  });

  it("is repaired alone: a broken link stays broken when its switch comes back, and in the other order", () => {
    const lab = networkOf();
    lab.setLink(1, false, true);
    lab.setSwitch("s1", false);
    const signals = signalsOf(lab);
    lab.setSwitch("s1", true);
    expect(upOf(lab)).toEqual([true, false, true]);
    expect(signals()).toEqual(["s1:1 up"]);
    lab.setSwitch("s2", false);
    signals();
    expect(lab.setLink(1, true, true)).toMatchObject({ up: false });
    expect(signals()).toEqual([]);
    lab.setSwitch("s2", true);
    expect(upOf(lab)).toEqual([true, true, true]);
  });
});

describe("names", () => {
  it("of hosts and dotted addresses mean addresses", () => {
    const lab = networkOf();
    expect(lab.addressOf("h2")).toBe(0x0a000002n);
    expect(lab.addressOf("10.9.8.7")).toBe(0x0a090807n);
    expect(lab.hostAt(0x0a000002n)?.name).toBe("h2");
    expect(lab.hostAt(0x0a000003n)).toBeUndefined();
    for (const text of ["h3", "167772161", "10.0.0.256"])
      expect(failureOf(() => lab.addressOf(text))).toBe(
        `P46002 ${text} is neither a host nor an IPv4 address; hosts: h1, h2`,
      );
  });

  it("that are not there are told with those that are", () => {
    const lab = networkOf();
    expect(failureOf(() => lab.host("s1"))).toBe("P46002 there is no host s1; there are: h1, h2");
    expect(failureOf(() => lab.switch("h1"))).toBe("P46002 there is no switch h1; there are: s1, s2");
    expect(failureOf(() => lab.link(3))).toBe("P46002 there is no link 3; there are 0 to 2");
    expect(lab.link(2).index).toBe(2);
    expect(failureOf(() => lab.setLink(3, false, true))).toContain("P46002");
  });
});

it("the ports of a host count from 1, in the order of its links", () => {
  const links = [...PLAN.links, { a: { node: "s2", port: 3 }, b: { node: "h1", port: 0 } }];
  const { network, hosts } = networkOf({ ...PLAN, links });
  const ends = network.links.flatMap(({ a, b }) => [a, b]).filter(({ node }) => node === hosts.get("h1"));
  expect(ends.map(({ port }) => port)).toEqual([1, 2]);
});

describe("the figures of a frame of the page", () => {
  type Lab = ConstructorParameters<typeof FrameMeter>[0];
  const channelOf = (index: number) => ({ index, rate: 1e9, stats: { delivered: 0, bytesDelivered: 0 } });
  function meterOf() {
    const links = [0, 2, 4].map((index) => ({ aToB: channelOf(index), bToA: channelOf(index + 1) }));
    const simulation = { now: 500 };
    const backlogs = new Map<number, { packets: number; bytes: number }>();
    let queued: (port: number, packets: number) => void = () => {};
    const node = {
      watchQueues: (listener: typeof queued) => {
        queued = listener;
      },
      backlog: (port: number) => backlogs.get(port) ?? { packets: 0, bytes: 0 },
    };
    const lab = {
      simulation,
      network: { links },
      plan: { links: links.slice(0, 2) },
      switches: new Map([["s1", node]]),
    };
    const meter = new FrameMeter(lab as unknown as Lab);
    const carry = (channel: ReturnType<typeof channelOf>, packets: number, bytes: number) => {
      channel.stats.delivered += packets;
      channel.stats.bytesDelivered += bytes;
    };
    return {
      meter,
      links,
      simulation,
      carry,
      backlogs,
      queued: (port: number, packets: number) => queued(port, packets),
    };
  }

  it("are the packets of each direction since the last frame, and their share of the rate", () => {
    const { meter, links, simulation, carry } = meterOf();
    simulation.now += 10_000;
    carry(links[0]!.aToB, 2, 625);
    carry(links[1]!.bToA, 1, 100);
    carry(links[2]!.aToB, 9, 900);
    expect(meter.take().links).toEqual([
      { link: 0, share: [0.5, 0], packets: [2, 0] },
      { link: 1, share: [0, 0.08], packets: [0, 1] },
    ]);
    simulation.now += 10_000;
    carry(links[0]!.aToB, 1, 125);
    expect(meter.take().links).toEqual([{ link: 0, share: [0.1, 0], packets: [1, 0] }]);
    simulation.now += 10_000;
    expect(meter.take().links).toEqual([]);
  });

  it("are at most the whole rate, and none of a frame without time", () => {
    const { meter, links, simulation, carry } = meterOf();
    carry(links[0]!.aToB, 1, 100);
    expect(meter.take().links).toEqual([{ link: 0, share: [0, 0], packets: [1, 0] }]);
    simulation.now += 1000;
    carry(links[0]!.bToA, 1, 5000);
    expect(meter.take().links[0]!.share).toEqual([0, 1]);
  });

  it("are the queues that held packets: how many now, and at most since the last frame", () => {
    const { meter, queued, backlogs } = meterOf();
    for (const [port, packets] of [
      [1, 2],
      [1, 5],
      [1, 3],
      [2, 0],
      [3, 1],
      [3, 0],
    ] as const)
      queued(port, packets);
    backlogs.set(1, { packets: 3, bytes: 300 });
    expect(meter.take().queues).toEqual([
      { switch: "s1", port: 1, packets: 3, bytes: 300, peak: 5 },
      { switch: "s1", port: 3, packets: 0, bytes: 0, peak: 1 },
    ]);
    expect(meter.take().queues, "it still waits").toEqual([
      { switch: "s1", port: 1, packets: 3, bytes: 300, peak: 3 },
    ]);
    queued(1, 2);
    queued(1, 0);
    backlogs.clear();
    expect(meter.take().queues).toEqual([{ switch: "s1", port: 1, packets: 0, bytes: 0, peak: 3 }]);
    expect(meter.take().queues).toEqual([]);
  });
});
