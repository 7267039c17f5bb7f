/** The windows of single flows over time. */
import { describe, expect, it } from "vitest";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { loadOf, play, read } from "./play.js";

const file = (windows: string, rest = "") => `topology:
  kind: graph
  nodes: [{ name: s, role: switch }, { name: h0, role: host }, { name: h1, role: host }]
  links: [{ a: h0, b: s, rate: 10Gbps, delay: 1ms }, { a: h1, b: s, rate: 10Gbps, delay: 1ms }]
schemes: [ecmp]
traffic: { sizes: { fixed: 100KB }, arrivals: constant, pattern: { incast: { senders: 1, receivers: [h1] } }, interval: 1us, flows: 2 }
transport: { congestion_control: reno, segment_bytes: 1000, delayed_ack: { segments: 1, timeout: 0s }${rest} }
windows: ${windows}
faults: [{ at: 0s, flow: 1, drop: [20] }]
`;

describe("windows of flows", () => {
  it("double each round trip of slow start, and halve after a loss", async () => {
    const load = loadOf(file("{ flows: [0, 1], interval: 4100us }"));
    const [outcome] = await play(load);
    const of = (flow: number) => outcome!.windows!.filter((one) => one.flow === flow);
    // One sample before the handshake's end, then a look in each round trip, which is a little longer than 4 ms.
    const [first, second, third] = of(0);
    expect([first!.window, second!.window, third!.window]).toEqual([10_000, 10_000, 20_000]);
    expect(first).not.toHaveProperty("smoothedRtt");
    expect(third!.smoothedRtt).toBeCloseTo(4e6, -5);
    expect(third!.acknowledged).toBe(10_000);
    expect(of(0).map(({ at }) => at - first!.at)).toEqual(of(0).map((_, i) => i * 4.1e6));
    // Flow 1 loses a segment of its second round.
    const most = Math.max(...of(1).map(({ window }) => window));
    const last = of(1).at(-1)!.window;
    expect(last).toBeLessThan(0.8 * Math.max(...of(0).map(({ window }) => window)));
    expect(most).toBeGreaterThan(last);
    expect(of(1).every(({ inFlight, window }) => inFlight <= window)).toBe(true);
  });

  it("are in windows.csv", async () => {
    const load = loadOf(file("{ flows: [1] }"));
    const outcomes = await play(load);
    const units = LOAD.units(load).map((unit) => ({
      unit,
      seeds: [1],
      outcomes,
      logs: [undefined],
      rows: [],
    }));
    const sweep = {
      ...{ name: "t", engine: "sim" as const, seed: 1, namesSeeds: true },
      ...{ keys: [], seeds: [1], rows: [], notes: [], warnings: [], programs: [] },
    };
    const files = LOAD.view.files!({ ...sweep, points: [{ values: {}, experiment: load, units }] });
    const text = new Map(files).get("windows.csv") as string;
    const lines = text.trim().split("\n");
    expect(lines[0]).toBe(
      "scheme,seed,flow,at_ms,window_bytes,in_flight_bytes,smoothed_rtt_us,acknowledged_bytes",
    );
    expect(lines[1]).toBe("ecmp,1,1,0.002,10000,0,,0");
    expect(lines).toHaveLength(1 + outcomes[0]!.windows!.length);
  });

  it.each([
    ["{ flows: [2] }", "", "there is no flow 2"],
    ["{ flows: [0] }", ", handshake: true, subflows: { count: 2 }", "a window for each of them"],
    ["{ flows: [] }", "", "expected at least 1 element"],
    ["{ flows: [0], interval: 0s }", "", "a time above 0"],
  ])("are refused: %s%s", (windows, rest, message) => {
    const text = file(windows, rest)
      .replace("reno", rest === "" ? "reno" : "lia")
      .replace(/faults:.*\n/, "");
    expect(read(text).messages.join("\n")).toContain(message);
  });
});
