/** Spraying and REPS as schemes, and over two paths of which one fails. */
import { describe, expect, it } from "vitest";
import { restingHost } from "../../../../src/fabric/hosts/index.js";
import { SCHEMES } from "../../../../src/fabric/schemes/index.js";
import { FixedWindow, type MessageOptions } from "../../../../src/fabric/sim/packet/index.js";
import { buildTopology, topologySchema } from "../../../../src/fabric/topology/index.js";
import { pairOfHosts } from "../../sim/packet/relay.js";

const topology = buildTopology(
  topologySchema.parse({ kind: "leaf_spine", tors: 2, leaves: 2, homing: "single" }),
);

function planOf(name: "reps" | "spray", keys: object) {
  const scheme = SCHEMES[name]!;
  return scheme.plan(topology, scheme.parameters.parse(keys) as never, () => undefined);
}

const options: MessageOptions = {
  protocol: "messages",
  segmentBytes: 1000,
  recovery: "selective_repeat",
  reorderingPackets: 64,
  window: 40,
  control: (context) => new FixedWindow(context),
  ecn: false,
  margin: 1e6,
  cap: 1e9,
  initial: 1e7,
};

/** Packets of data that reach the second of two relays after it has failed, of 2,000 packets. */
function lostThere(name: "reps" | "spray", keys: object): { lost: number; again: number } {
  const { hosts } = planOf(name, keys);
  const policy = () => {
    const made = SCHEMES[name]!.hosts(hosts, { ...restingHost(), clock });
    return { ...made, nic: (_flow: unknown, selector: number, nics: number) => selector % nics };
  };
  let now = () => 0;
  const clock = { now: () => now(), at: () => () => {} };
  const net = pairOfHosts([policy(), policy()], { rate: 10e9, delay: 5000 });
  now = () => net.network.simulation.now;
  let lost = 0;
  net.relays[1].loses = (segment) => {
    // Acknowledgements have no payload behind the header; they pass, so that the data alone are compared.
    const isLost = now() > 200_000 && segment.payloadLength > 100;
    if (isLost) lost++;
    return isLost;
  };
  const [client, server] = net.connect(options);
  client.send(2_000_000);
  net.network.simulation.run(10e9);
  expect(server.bytesReceived).toBe(2_000_000);
  return { lost, again: client.counters.retransmissions };
}

describe("reps and spray", () => {
  it("describe their hosts with the values of the field, and mark at a threshold where they need it", () => {
    expect(planOf("spray", {}).hosts).toEqual({ kind: "spray", entropies: 64 });
    const reps = planOf("reps", { field: "flow_label", entropies: 32, freeze: "0s", threshold: 20 });
    expect(reps.hosts).toEqual({ kind: "reps", entropies: 32, cache: 8, explore: 32, freeze: 0 });
    expect(reps.programs.map(({ values }) => values)).toEqual(
      reps.programs.map(() => expect.objectContaining({ ecn: { threshold: 20 } })),
    );
    expect(() => planOf("spray", { entropies: 65 })).toThrow(/P45560.*65 values do not fit into dscp/s);
  });

  it("leave a failed path: REPS after a timeout, spraying never", () => {
    const spray = lostThere("spray", {});
    const reps = lostThere("reps", { explore: 40, freeze: "100ms" });
    expect(spray.again).toBeGreaterThanOrEqual(spray.lost);
    expect(spray.lost).toBeGreaterThan(500);
    expect(reps.lost).toBeLessThan(spray.lost / 5);
  });
});
