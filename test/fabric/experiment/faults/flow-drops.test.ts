/** Faults that decide about single packets: drops by the number of a packet of a flow, and what is on the wire when a fault begins and ends. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { checkTestbedFaults } from "../../../../src/fabric/experiment/faults/during-testbed.js";
import { loadTimeline, runTimeline } from "../../../../src/fabric/experiment/index.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { jobContext } from "../job-context.js";
import { loadOf, play, read } from "../load/play.js";

/** One switch, two hosts: a round trip of 4 ms. */
const PAIR = `topology:
  kind: graph
  nodes: [{ name: s, role: switch }, { name: h0, role: host }, { name: h1, role: host }]
  links: [{ a: h0, b: s, rate: 10Gbps, delay: 1ms }, { a: h1, b: s, rate: 10Gbps, delay: 1ms }]
schemes: [none]
`;
const FLOW = `${PAIR}traffic: { sizes: { fixed: 10KB }, arrivals: constant, pattern: { incast: { senders: 1, receivers: [h1] } }, interval: 1us, flows: 1 }
transport: { protocol: tcp, congestion_control: reno, segment_bytes: 1000, delayed_ack: { segments: 1, timeout: 0s }, rto_min: 200ms }
drain: 5s
record: flows
`;

const withFaults = (head: string, ...faults: string[]) =>
  `${head}${faults.length === 0 ? "" : `faults:\n${faults.map((fault) => `  - { ${fault} }\n`).join("")}`}`;

/** Completion time in ms, retransmissions and timeouts of the one flow, and the notes. */
async function run(...faults: string[]) {
  const load = loadOf(withFaults(FLOW, ...faults));
  const { outcomes, notes } = await LOAD.runner.run(load, LOAD.units(load), jobContext(1));
  const runs = { seeds: [1], engine: "sim", namesSeeds: true } as const;
  const [row] = LOAD.rows(load, LOAD.units(load)[0]!, outcomes, runs) as unknown as Record<string, number>[];
  return {
    fct: row!["fct_mean_ms"],
    retransmissions: row!["retransmissions"],
    timeouts: row!["timeouts"],
    drops: row!["drops"],
    notes,
  };
}

describe("drop: packets of a flow", () => {
  it("loses exactly these packets with data", async () => {
    // Handshake, and half a round trip for ten segments.
    const whole = await run();
    expect(whole).toMatchObject({ retransmissions: 0, drops: 0, notes: [] });
    expect(whole.fct).toBeCloseTo(6, 0);
    // Detected by the three later segments: a round trip more.
    const seventh = await run("at: 0s, flow: 0, drop: 7");
    expect(seventh).toMatchObject({ retransmissions: 1, timeouts: 0, drops: 1, notes: [] });
    expect(seventh.fct! - whole.fct!).toBeCloseTo(4, 0);
    // Only the last segment, with the FIN, follows: RACK waits for a quarter of the smallest round trip.
    const ninth = await run("at: 0s, flow: 0, drop: [9]");
    expect(ninth).toMatchObject({ retransmissions: 1, timeouts: 0, drops: 1 });
    expect(ninth.fct! - whole.fct!).toBeCloseTo(5, 0);
    // The tail: a probe after two round trips, whose acknowledgement sends one segment, and the next one the other (RFC 9937, 6).
    const tail = await run("at: 0s, flow: 0, drop: [10, 8, 9]");
    expect(tail).toMatchObject({ timeouts: 0, drops: 3 });
    expect(tail.fct! - whole.fct!).toBeCloseTo(20, 0);
  });

  it("counts all packets where the file says so: the first one is the SYN", async () => {
    const syn = await run("at: 0s, flow: 0, drop: [1], counted: all");
    expect(syn).toMatchObject({ drops: 1, retransmissions: 0 });
    expect(syn.fct! - (await run()).fct!).toBeGreaterThan(900);
  });

  it("counts what the source receives with direction: in: without data there is none, of all the first is the SYN's answer", async () => {
    const none = await run("at: 0s, flow: 0, drop: [1], direction: in");
    expect(none).toMatchObject({ drops: 0 });
    expect(none.notes).toEqual([
      "no re-pathing: entry 1 of faults did not drop packet 1 of flow 0, back: while it acted there were 0 with data.",
    ]);
    expect(await run("at: 0s, flow: 0, drop: [1], direction: in, counted: all")).toMatchObject({
      drops: 1,
      notes: [],
    });
  });

  it("counts from its beginning to its end", async () => {
    expect(await run("at: 1us, until: 3ms, flow: 0, drop: 1")).toMatchObject({ drops: 0 });
    expect(await run("at: 1us, flow: 0, drop: 1")).toMatchObject({ drops: 1 });
  });

  it("says which packets the flow did not send", async () => {
    expect((await run("at: 0s, flow: 0, drop: [9, 11, 12]")).notes).toEqual([]);
    expect((await run("at: 0s, flow: 0, drop: [9, 12, 13]")).notes).toEqual([
      "no re-pathing: entry 1 of faults did not drop packets 12, 13 of flow 0: while it acted there were 11 with data.",
    ]);
  });

  it("works in a timeline too", async () => {
    const text = withFaults(
      `name: drops\n${PAIR}flows: [{ from: h0, to: h1, bytes: 10000 }]\nduration: 2s\n`,
      "at: 0s, flow: 0, drop: 3",
    );
    const timeline = loadTimeline(new SourceFile("d.yaml", text), new Diagnostics())!;
    const { rows } = await runTimeline(timeline);
    expect(rows[0]).toMatchObject({ timeouts: 1, recovered: true });
  });

  it("is refused by real switches before anything starts", async () => {
    const { topology, faults } = loadOf(withFaults(FLOW, "at: 0s, flow: 0, drop: 3"));
    const checked = checkTestbedFaults(
      topology,
      faults,
      "switch",
      () => undefined,
      new AbortController().signal,
    );
    await expect(checked).rejects.toThrow(
      "engine switch cannot drop certain packets of a flow: its switches do not count them",
    );
  });

  it.each([
    ["at: 0s, flow: 1, drop: 3", "P43014", "there is no flow 1"],
    ["at: 0s, flow: 0", "P43029", "a fault of a flow without the packets that it drops"],
    ["at: 0s, flow: 0, drop: 3, loss: 10%", "P43037", "a flow has no loss"],
    ["at: 0s, flow: 0, drop: 3, kind: silent", "P43037", "a flow has no kind"],
    ["at: 0s, until: 1s, flow: 0, drop: 3, flap: { period: 1ms }", "P43037", "a flow has no flap"],
    ["at: 0s, host: h0, drop: 3", "P43037", "drop is of the packets of a flow"],
    ["at: 0s, host: h0, loss: 10%, counted: all", "P43037", "counted is of the packets of a flow"],
    ["at: 0s, flow: 0, drop: 3, direction: both", "P43032", "counted in one direction"],
    ["at: 0s, flow: 0, host: h0, drop: 3", "P43031", "a fault of a host and a flow"],
    ["at: 0s, flow: 0, drop: 0", "P43004", "expected the number of a packet, from 1"],
    ["at: 0s, flow: 0, drop: []", "P43004", "expected at least 1 element"],
  ])("is refused at its place: %s", (fault, code, message) => {
    const { messages } = read(withFaults(FLOW, fault));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(code);
    expect(messages[0]).toContain(message);
  });

  it("is refused of connections with subflows, and twice at one time", () => {
    const subflows = FLOW.replace("protocol: tcp,", "protocol: tcp, subflows: { count: 2 },").replace(
      "congestion_control: reno",
      "congestion_control: lia",
    );
    expect(read(withFaults(subflows, "at: 0s, flow: 0, drop: 3")).messages[0]).toContain(
      "flow 0 cannot be named: a connection with subflows has several flows of packets",
    );
    const twice = withFaults(FLOW, "at: 0s, flow: 0, drop: 3", "at: 0s, flow: 0, drop: 4");
    expect(read(twice).messages[0]).toContain("flow 0 has drops already");
    const both = withFaults(FLOW, "at: 0s, flow: 0, drop: 3", "at: 0s, flow: 0, drop: 4, direction: in");
    expect(read(both).messages).toEqual([]);
  });
});

describe("what is on the wire of a long link when a short fault acts", () => {
  /** Datagrams of 1062 bytes at 100 Mbit/s leave every 85 us and take 5 ms. */
  const datagrams = (fault: string) =>
    loadOf(
      `${PAIR.replace("h1, b: s, rate: 10Gbps, delay: 1ms", "h1, b: s, rate: 10Gbps, delay: 5ms")}traffic: { sizes: { fixed: 10KB }, arrivals: constant, pattern: { incast: { senders: 1, receivers: [h1] } }, interval: 1us, flows: 1, protocol: { udp: 100Mbps } }
transport: { protocol: tcp, segment_bytes: 1000 }
drain: 50ms
faults: [{ link: [s, h1], ${fault} }]
`,
    );
  const lost = async (fault: string) => {
    const [outcome] = await play(datagrams(fault));
    return Object.values(outcome!.drops!).reduce((sum, count) => sum + count, 0);
  };

  it.each([
    // Of the ten datagrams the first four reach the end of the link at 6.0 to 6.26 ms.
    ["at: 6.3ms, until: 6.36ms", 1],
    ["at: 2ms, until: 2.06ms", 0],
    ["at: 6.3ms", 6],
  ])("loses those that reach its end meanwhile, by any loss: %s", async (times, expected) => {
    for (const effect of ["loss: 99.9999%", "loss: 100%", "kind: silent"])
      expect([effect, await lost(`${times}, ${effect}`)]).toEqual([effect, expected]);
  });

  it("loses all of them where the link is down", async () => {
    expect(await lost("at: 2ms, until: 2.06ms, kind: down")).toBeGreaterThan(5);
  });
});
