/** Applications that write at a rate. */
import { describe, expect, it } from "vitest";
import { writePaced } from "../../../../src/fabric/experiment/kinds/load/simulated-flows.js";
import { Simulation } from "../../../../src/fabric/sim/packet/index.js";
import { QuantileSketch } from "../../../../src/fabric/statistics/index.js";
import { loadOf, play, read } from "./play.js";

describe("an application that writes at a rate", () => {
  function written(bytes: number, rateBps: number, until: number, stopAt?: number) {
    const simulation = new Simulation();
    simulation.at(500, () => {});
    simulation.run();
    const calls: [number, number | "end"][] = [];
    const stream = {
      send: (size: number) => void calls.push([simulation.now - 500, size]),
      finish: () => void calls.push([simulation.now - 500, "end"]),
    };
    const stop = writePaced(simulation, stream, { bytes, rateBps, segmentBytes: 1000 });
    if (stopAt !== undefined) simulation.at(stopAt, stop);
    simulation.run(until);
    return calls;
  }

  it("writes a segment each time its bits are due, and ends after the last", () => {
    // 8000 bits at 3 Gbit/s.
    expect(written(2500, 3e9, 1e9)).toEqual([
      [0, 1000],
      [2667, 1000],
      [5334, 500],
      [5334, "end"],
    ]);
    expect(written(10, 1, 1e12)).toEqual([
      [0, 10],
      [0, "end"],
    ]);
  });

  it("writes nothing more when it is stopped", () => {
    expect(written(2500, 3e9, 1e9, 4000).map(([time]) => time)).toEqual([0, 2667]);
  });

  const FILE = (protocol: string, transport = "{}") => `
topology: { kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 1 }
schemes: [ecmp]
traffic: { sizes: { fixed: 100KB }, pattern: all_to_all, interval: 100us, flows: 3, protocol: ${protocol} }
transport: ${transport}
`;

  it("makes a flow last as long as its writes, which is its ideal time", async () => {
    const [outcome] = await play(loadOf(FILE("{ tcp: 100Mbps }")));
    const { small } = outcome!.flows;
    expect(small.flows).toBe(3);
    // 99 segments wait before the last one: 7.92 ms.
    expect(QuantileSketch.fromJson(small.fct).quantile(0) / 1e6).toBeCloseTo(7.93, 1);
    expect(QuantileSketch.fromJson(small.slowdown).quantile(1)).toBeCloseTo(1, 2);
  });

  it("needs TCP, and one rate", () => {
    const fixed = read(FILE("{ tcp: 100Mbps }", "{ protocol: fixed }")).messages;
    expect(fixed.length).toBe(1);
    expect(fixed[0]).toMatch(
      /l\.yaml:\d+:\d+: error\[P45104\]: an application that writes at a rate needs TCP/,
    );
    const two = read(FILE("{ tcp: 100Mbps, udp: 1Mbps }")).messages;
    expect(two[0]).toContain("expected exactly one of the keys udp, tcp");
  });
});
