/**
 * Feedback (Dahu, section 7) where it matters: s and n both have full links to the destination, and each deroutes to the other, since a switch
 * sees its own ports alone. Deroutes then take what they give. m's link to the destination is idle.
 */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import { FlowNetwork, type FlowStart, MaxMin, simulateFlows } from "../../../../src/fabric/sim/flow/index.js";
import { hostsOf } from "../../../../src/fabric/topology/index.js";
import { build } from "../../topology/load.js";

const MS = 1e6;
const SENDERS = { s: 15, n: 10 };
const hostNames = (at: "s" | "n") => Array.from({ length: SENDERS[at] }, (_, i) => `${at}${i}`);
const topology = build({
  kind: "graph",
  nodes: [
    ...["s", "n", "m", "d"].map((name) => ({ name, role: "switch" as const })),
    ...[...hostNames("s"), ...hostNames("n"), "y"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    ...(["s d", "s n", "s m", "n d", "m d"] as const).map((pair) => {
      const [a, b] = pair.split(" ") as [string, string];
      return { a, b, rate: "10Gbps" };
    }),
    ...(["s", "n"] as const).flatMap((at) => hostNames(at).map((a) => ({ a, b: at, rate: "1Gbps" }))),
    { a: "y", b: "d", rate: "100Gbps" },
  ],
} as Parameters<typeof build>[0]);

/** Rate in Gbit/s at which y gets data: s sends without end, n has a flow of each host every 10 ms. */
function goodput(parameters: object): number {
  const network = new FlowNetwork(topology);
  const fluid = FLOW_SIM_SCHEMES["dahu"]!;
  const hosts = new Map(hostsOf(topology).map(({ name, index }) => [name, index]));
  const destination = hosts.get("y")!;
  function* flows(): Generator<FlowStart> {
    for (const name of hostNames("s"))
      yield { startNs: 0, source: hosts.get(name)!, destination, bytes: Number.POSITIVE_INFINITY };
    for (let ms = 0; ms < 400; ms += 10)
      for (const name of hostNames("n"))
        yield { startNs: ms * MS, source: hosts.get(name)!, destination, bytes: 1_150_000 };
  }
  const steps = simulateFlows({
    network,
    makeRouter: fluid.router(network, fluid.parameters.parse(parameters), 1),
    allocator: new MaxMin(network.capacity),
    flows: flows(),
    durationNs: 500 * MS,
    warmUpNs: 100 * MS,
    epochNs: 10 * MS,
    stepNs: MS,
    subflows: 1,
    random: new Random(2),
  });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return (8 * step.value.deliveredBytes) / step.value.measuredNs;
}

describe("feedback between switches that deroute to each other", () => {
  const shortest = goodput({ deroutes: 0 });
  const derouted = goodput({ deroutes: 1 });
  const held = (hold: string) => goodput({ deroutes: 1, feedback: true, hold });

  it("gives back most of what deroutes cost, where a hold lasts several epochs", () => {
    expect(derouted).toBeLessThan(0.8 * shortest);
    expect(held("50ms")).toBeGreaterThan(0.95 * shortest);
  });

  it("does nearly nothing with the paper's 5 ms, half an epoch of 10 ms: the next epoch begins with the old deroutes", () => {
    expect(Math.abs(held("5ms") - derouted)).toBeLessThan(0.02 * derouted);
  });
});
