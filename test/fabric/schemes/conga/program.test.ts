/** CONGA's compiled programs, packet by packet: the overlay, the estimator, both tables with their age, flowlets. */
import { describe, expect, it } from "vitest";
import { toHex } from "../../../../src/base/index.js";
import { build } from "../../topology/load.js";
import { CAPACITY, fabric, NONE, overlayOf, segment, start, tell, unwrapped, wrapped } from "./bench.js";

const drops = async ({ device }: ReturnType<typeof start>) =>
  (await device.read([{ kind: "counter", counter: "FabricIngress.drops" }])).map((entry) =>
    entry.kind === "counter" ? Number(entry.data.packets) : -1,
  );

describe("the overlay", () => {
  it("is added towards another rack, with the rack, the tag of the uplink and no congestion", () => {
    const tor = start("tor0-1");
    const out = tor.play(1, segment("host0-1-0", "host0-2-1"))!;
    expect(out.port).toBeGreaterThan(2);
    expect(overlayOf(out.frame)).toEqual({
      rack: 1,
      tag: out.port - 3,
      congestion: 0,
      feedbackTag: NONE,
      feedback: 0,
    });
    const plain = start("leaf0-0").play(2, segment("host0-1-0", "host0-2-1"))!;
    // What else changes is what a router changes.
    expect(toHex(unwrapped(out.frame)).slice(24)).toBe(toHex(plain.frame).slice(24));
  });

  it("is absent in the own rack, and removed on the way to a host", () => {
    const tor = start("tor0-0");
    const own = tor.play(1, segment("host0-0-0", "host0-0-1"))!;
    expect([own.port, overlayOf(own.frame)]).toEqual([2, undefined]);
    const inner = segment("host0-2-0", "host0-0-1");
    const arrived = tor.play(4, wrapped(inner, { rack: 2, tag: 1, congestion: 3 }))!;
    expect([arrived.port, overlayOf(arrived.frame)]).toEqual([2, undefined]);
    expect(arrived.frame).toEqual(tor.play(4, inner)!.frame);
  });

  it("keeps VLAN tags and IPv6 behind it", () => {
    const inner = segment("host0-0-0", "host0-1-0");
    const tagged = Uint8Array.from([...inner.subarray(0, 12), 0x81, 0, 0, 5, ...inner.subarray(12)]);
    const out = start("tor0-0").play(1, tagged)!.frame;
    expect([...out.subarray(20, 26)]).toEqual([0x81, 0, 0, 5, 8, 0]);
    const back = start("tor0-1").play(3, out)!;
    expect([back.port, ...back.frame.subarray(12, 18)]).toEqual([1, 0x81, 0, 0, 5, 8, 0]);
  });

  it("from a host is no packet of the fabric, and teaches nothing", async () => {
    const tor = start("tor0-0");
    const forged = wrapped(segment("host0-0-0", "host0-0-1"), {
      rack: 1,
      feedbackTag: 0,
      feedback: 7,
      tag: 0,
    });
    expect(tor.play(1, forged)).toBeUndefined();
    expect(await drops(tor)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(overlayOf(tor.play(1, segment("host0-0-0", "host0-1-0"))!.frame)!.feedbackTag).toBe(NONE);
  });

  it("with racks and tags that do not exist passes, and teaches nothing", () => {
    const tor = start("tor0-0");
    for (const overlay of [
      { rack: 3, tag: 0, feedbackTag: 0, feedback: 7 },
      { rack: 0xffff, tag: 0, feedbackTag: 0, feedback: 7 },
      { rack: 1, tag: 4, feedbackTag: 4, feedback: 7 },
      { rack: 1, tag: 255, feedbackTag: 254, feedback: 7 },
    ])
      expect(tor.play(3, wrapped(segment("host0-1-0", "host0-0-0"), overlay))!.port).toBe(1);
    expect(overlayOf(tor.play(1, segment("host0-0-0", "host0-1-0"))!.frame)!.feedbackTag).toBe(NONE);
    // All uplinks are still alike: the draws of many flows reach each.
    const taken = new Set<number>();
    for (let port = 0; port < 64; port++) {
      taken.add(tor.play(1, segment("host0-0-0", "host0-1-0", 2000 + port))!.port);
      tor.wait(500);
    }
    expect(taken.size).toBe(4);
  });
});

describe("a switch above the ToRs", () => {
  it("raises the congestion of a packet to that of its link, and never lowers it", () => {
    const leaf = start("leaf0-0");
    const send = (congestion: number, payload = 1000) =>
      overlayOf(
        leaf.play(1, wrapped(segment("host0-0-0", "host0-1-0", 1000, payload), { congestion }))!.frame,
      )!.congestion;
    expect(send(2)).toBe(2);
    // 20 packets of about a twentieth of the capacity: the link is full.
    for (let i = 0; i < 20; i++) send(0);
    expect([send(0), send(5)]).toEqual([7, 7]);
    leaf.wait(160);
    const after = send(0, 0);
    expect(after).toBeGreaterThanOrEqual(2);
    expect(after).toBeLessThan(6);
    leaf.wait(10_000);
    expect(send(0)).toBe(0);
  });

  it("counts each link alone, and packets without the overlay too", () => {
    const leaf = start("leaf0-0");
    for (let i = 0; i < 30; i++) leaf.play(1, segment("host0-0-0", "host0-1-0", 1000, 1000));
    const told = (to: string) =>
      overlayOf(leaf.play(1, wrapped(segment("host0-0-0", to), {}))!.frame)!.congestion;
    expect([told("host0-1-0"), told("host0-2-0")]).toEqual([7, 0]);
  });

  it("has as many bits as the parameter says", () => {
    for (const bits of [1, 4, 6]) {
      const leaf = start("leaf0-0", { bits });
      const inner = segment("host0-0-0", "host0-1-0", 1000, 1000);
      let most = 0;
      for (let i = 0; i < 40; i++)
        most = Math.max(most, overlayOf(leaf.play(1, wrapped(inner, {}))!.frame)!.congestion);
      expect(most).toBe(2 ** bits - 1);
    }
  });

  it("counts packets where the link has a rate in packets", () => {
    const rated = build({
      kind: "leaf_spine",
      tors: 2,
      leaves: 2,
      homing: "single",
      fabric_link: { rate: "1Gbps", rate_pps: 90 },
    });
    // Nine packets of any size in tau are the whole capacity.
    const leaf = start("leaf0-0", { tau: "100ms" }, rated);
    const told = () =>
      overlayOf(leaf.play(1, wrapped(segment("host0-0-0", "host0-1-0", 1, 0, rated), {}))!.frame)!;
    expect(Array.from({ length: 10 }, () => told().congestion)).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 7, 7]);
  });
});

describe("a new flowlet", () => {
  const uplink = (tor: ReturnType<typeof start>, srcPort: number, to = "host0-1-0") =>
    tor.play(1, segment("host0-0-0", to, srcPort))!.port - 3;

  it("takes the uplink with the least congestion that the destination's rack has reported", () => {
    for (const [best, metrics] of [
      [0, [1, 2, 2, 7]],
      [2, [7, 5, 0, 3]],
      [3, [7, 7, 7, 6]],
    ] as const) {
      const tor = start("tor0-0");
      tell(tor, 1, metrics);
      expect([uplink(tor, 1000), uplink(tor, 1001), uplink(tor, 1002)]).toEqual([best, best, best]);
    }
  });

  it("to another rack does not see these reports", () => {
    const tor = start("tor0-0");
    tell(tor, 1, [0, 7, 7, 7]);
    tell(tor, 2, [7, 7, 7, 0]);
    expect([uplink(tor, 1000), uplink(tor, 1000, "host0-2-0")]).toEqual([0, 3]);
  });

  it("sees the own links too: the worse of both counts", () => {
    const tor = start("tor0-0");
    tell(tor, 2, [0, 7, 7, 7]);
    // A flow to rack 2 fills the first uplink.
    for (let i = 0; i < 40; i++) tor.play(1, segment("host0-0-0", "host0-2-0", 1000, 1000));
    tell(tor, 1, [0, 3, 5, 5]);
    expect(uplink(tor, 1001)).toBe(1);
    tor.wait(5000);
    expect(uplink(tor, 1002)).toBe(0);
  });

  it("stays on the uplink of the last one unless another one is strictly better", () => {
    const tor = start("tor0-0");
    tell(tor, 1, [7, 7, 2, 7]);
    expect(uplink(tor, 1000)).toBe(2);
    tell(tor, 1, [2, 2, 2, 2]);
    for (let i = 0; i < 10; i++) {
      tor.wait(501);
      expect(uplink(tor, 1000)).toBe(2);
    }
    tell(tor, 1, [7, 1, 2, 7]);
    expect(uplink(tor, 1000)).toBe(2);
    tor.wait(501);
    expect(uplink(tor, 1000)).toBe(1);
  });

  it("begins after a pause longer than the gap, not after the gap itself", () => {
    const tor = start("tor0-0");
    tell(tor, 1, [0, 7, 7, 7]);
    expect(uplink(tor, 1000)).toBe(0);
    tell(tor, 1, [7, 0, 7, 7]);
    tor.wait(500);
    expect(uplink(tor, 1000)).toBe(0);
    tor.wait(501);
    expect(uplink(tor, 1000)).toBe(1);
  });

  it("halves a report that has not come again for the time of ageing", () => {
    const tor = start("tor0-0");
    tell(tor, 1, [4, 7, 7, 7]);
    tor.wait(9_000);
    tell(tor, 1, [4]);
    tor.wait(1_001);
    // The others have 3 now, the first one still 4.
    expect(uplink(tor, 1000)).not.toBe(0);
    tor.wait(9_000);
    // 2 and 3.
    expect(uplink(tor, 1001)).toBe(0);
  });
});

describe("feedback", () => {
  const hear = (tor: ReturnType<typeof start>, tag: number, congestion: number, rack = 1) =>
    tor.play(3, wrapped(segment(`host0-${rack}-0`, "host0-0-0"), { rack, tag, congestion }));
  const told = (tor: ReturnType<typeof start>, rack = 1) => {
    const { feedbackTag, feedback } = overlayOf(
      tor.play(1, segment("host0-0-0", `host0-${rack}-0`, 1000))!.frame,
    )!;
    return feedbackTag === NONE ? undefined : [feedbackTag, feedback];
  };

  it("returns what has changed, and then all in turn", () => {
    const tor = start("tor0-0");
    expect(told(tor)).toBeUndefined();
    hear(tor, 2, 5);
    hear(tor, 0, 1);
    expect([told(tor), told(tor), told(tor), told(tor)]).toEqual([
      [0, 1],
      [2, 5],
      [0, 1],
      [2, 5],
    ]);
    hear(tor, 2, 6);
    hear(tor, 0, 1);
    expect([told(tor), told(tor)]).toEqual([
      [2, 6],
      [0, 1],
    ]);
    expect(told(tor, 2)).toBeUndefined();
  });

  it("ages where it waits, so that a path that nobody uses is tried again", () => {
    const tor = start("tor0-0");
    hear(tor, 1, 7);
    expect(told(tor)).toEqual([1, 7]);
    tor.wait(10_001);
    expect(told(tor)).toEqual([1, 3]);
    tor.wait(10_000);
    expect(told(tor)).toEqual([1, 1]);
    tor.wait(10_000);
    expect(told(tor)).toEqual([1, 0]);
  });

  it("is for the ToR of a pair that has the tag", () => {
    const pairs = build({ kind: "leaf_spine", tors: 4, leaves: 2, hosts_per_rack: 1 });
    // Hosts have a NIC at each of two ToRs: the second one's uplinks are the tags 2 and 3.
    const tor = start("tor0-1", {}, pairs);
    const uplinks = pairs.nodes[tor.own.node]!.ports.slice(1).map(({ number }) => number);
    const frame = (feedbackTag: number, feedback: number) =>
      wrapped(segment("host0-1-0", "host0-0-0", 1000, 0, pairs), { rack: 1, feedbackTag, feedback });
    const out = () => tor.play(1, segment("host0-0-0", "host0-1-0", 1000, 0, pairs))!;
    tor.play(uplinks[0]!, frame(2, 7));
    expect([out().port, overlayOf(out().frame)!.tag]).toEqual([uplinks[1], 3]);
    tor.wait(501);
    // Feedback on the other ToR's uplinks.
    tor.play(uplinks[0]!, frame(1, 7));
    expect(out().port).toBe(uplinks[1]);
  });
});

it("the fabric of these tests has the capacity that they assume", () => {
  expect((fabric.links.at(-1)!.rateBps * 160e-6) / 8).toBe(CAPACITY);
});
