/** `queues.pfc` in files of the kind `load`: what it changes, what the results say of it, and a deadlock that is found. */
import { describe, expect, it } from "vitest";
import { deadlockText } from "../../../../src/fabric/experiment/flow-control.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { loadRows } from "../../../../src/fabric/experiment/kinds/load/rows.js";
import { loadOf, play } from "./play.js";

const incast = (queues: string, transport = "recovery: selective_repeat") => `topology:
  { kind: leaf_spine, tors: 2, leaves: 2, hosts_per_rack: 4, homing: single, host_link: { rate: 10Gbps }, fabric_link: { rate: 10Gbps } }
schemes: [ecmp]
traffic: { sizes: { fixed: 200KB }, pattern: { incast: { senders: 6, receivers: [host0-0-0] } }, interval: 1ms, flows: 12 }
transport: { protocol: messages, ${transport}, window: 100KB, segment_bytes: 1440, rto_margin: 20ms, rto_initial: 20ms }
queues: ${queues}
drain: 1s
`;

describe("an incast", () => {
  it("loses packets without flow control and none with it, and the results count the pauses", async () => {
    const lossy = await play(loadOf(incast("{ packets: 50 }")));
    expect(lossy[0]!.drops!.switch_queue).toBeGreaterThan(0);
    expect(lossy[0]!.flowControl).toBeUndefined();
    const lossless = await play(loadOf(incast("{ packets: 1000, pfc: { xoff: 30KB } }")));
    const [{ drops, flowControl }] = lossless as [(typeof lossless)[number]];
    expect(Object.values(drops!).every((count) => count === 0)).toBe(true);
    expect(flowControl!.deadlocks).toEqual([]);
    expect(flowControl!.links.length).toBeLessThanOrEqual(flowControl!.directions);
    for (const { headroom, headroomMost, paused } of flowControl!.links) {
      expect(headroomMost).toBeLessThanOrEqual(headroom);
      expect(paused).toBeGreaterThanOrEqual(0);
      expect(paused).toBeLessThanOrEqual(1);
    }
    const [row] = loadRows(lossless);
    expect(row).toMatchObject({ pfc_drops: 0, pfc_deadlocks: 0, drops: 0, retransmissions: 0, timeouts: 0 });
    expect(row!.pfc_pauses).toBeGreaterThan(0);
    expect(row!.pfc_paused_share_max).toBeGreaterThan(row!.pfc_paused_share as number);
  });

  it("loses packets with too small a headroom, and shares a buffer by alpha", async () => {
    const small = await play(loadOf(incast("{ packets: 1000, pfc: { xoff: 30KB, headroom: 2KB } }")));
    expect(small[0]!.drops!.switch_queue).toBeGreaterThan(0);
    expect(loadRows(small)[0]!.pfc_drops).toBe(small[0]!.drops!.switch_queue);
    const dynamic = await play(loadOf(incast("{ packets: 1000, pfc: { alpha: 0.5, buffer: 200KB } }")));
    expect(Object.values(dynamic[0]!.drops!).every((count) => count === 0)).toBe(true);
    expect(loadRows(dynamic)[0]!.pfc_pauses).toBeGreaterThan(0);
  });

  it("has the same figures again, and without the key those of a file that never had it", async () => {
    const text = incast("{ packets: 1000, pfc: { xoff: 30KB } }");
    expect(JSON.stringify(loadRows(await play(loadOf(text))))).toBe(
      JSON.stringify(loadRows(await play(loadOf(text)))),
    );
  });
});

describe("a ring of five switches", () => {
  it("comes to a deadlock, which ends with the drain, and a warning says so", async () => {
    const numbers = [0, 1, 2, 3, 4];
    const text = `topology:
  kind: graph
  nodes: [${numbers.map((i) => `{ name: s${i}, role: switch }, { name: h${i}, role: host }`).join(", ")}]
  links: [${numbers.map((i) => `{ a: h${i}, b: s${i}, rate: 10Gbps }, { a: s${i}, b: s${(i + 1) % 5}, rate: 10Gbps }`).join(", ")}]
schemes: [ecmp]
traffic: { sizes: { fixed: 1MB }, pattern: { stride: 2 }, interval: 1us, flows: 40 }
transport: { protocol: messages, window: 500KB, segment_bytes: 1440, rto_margin: 20ms, rto_initial: 20ms }
queues: { packets: 1000, pfc: { xoff: 20KB } }
drain: 50ms
`;
    const load = loadOf(text);
    const outcomes = await play(load);
    const [{ flowControl, started, openAtEnd, endNs }] = outcomes as [(typeof outcomes)[number]];
    expect(flowControl!.deadlocks).toHaveLength(1);
    const [deadlock] = flowControl!.deadlocks;
    expect(deadlock!.until).toBeUndefined();
    expect(deadlock!.cycle).toHaveLength(5);
    expect(openAtEnd).toBe(started);
    expect(endNs).toBeLessThan(60e6);
    expect(deadlockText(deadlock!)).toMatch(
      /^deadlock of priority flow control from 0\.\d+ ms to the end of the run: .*: s\d > s\d, (s\d > s\d, ){3}s\d > s\d, and \d further directions/,
    );
    expect(LOAD.warnings!(load, LOAD.units(load)[0]!, outcomes).join("\n")).toContain(
      "comes to a deadlock under 1 of 1 seeds",
    );
    // With room for all there is none.
    const roomy = await play(loadOf(text.replace("xoff: 20KB", "xoff: 20MB")));
    expect(roomy[0]!.flowControl!.deadlocks).toEqual([]);
    expect(roomy[0]!.openAtEnd).toBe(0);
  });
});
