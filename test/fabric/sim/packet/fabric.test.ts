import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { Segment } from "../../../../src/base/packets/index.js";
import type { FixedStreamOptions } from "../../../../src/fabric/sim/packet/index.js";
import { hostsOf, TIER } from "../../../../src/fabric/topology/index.js";
import { experimentWith, modelFabric } from "../../experiment/model-fabric.js";
import { transport } from "./relay.js";

const topologies = {
  "dual-homed Clos": "{ kind: clos, pods: 3, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2 }",
  "single-homed mesh Clos":
    "{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 3, spines_per_plane: 2, wiring: mesh, homing: single }",
  "Clos with missing links":
    '{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 3, spines_per_plane: 2, missing_links: [["tor0-0", "leaf0-1"], ["leaf1-0", "spine0-1"]] }',
};

const options: FixedStreamOptions = { ...transport, segmentBytes: 500, windowSegments: 4 };

describe.each(Object.entries(topologies))("%s", (_, topology) => {
  it.each([4, 6] as const)(
    "carries data between all pairs of hosts over IPv%i, at one hop limit a switch",
    (ip) => {
      const experiment = experimentWith({ topology, failures: "[link]", schemes: "[pecmp]" });
      const [scheme] = experiment.schemes;
      const fabric = modelFabric(experiment, scheme!);
      const { network } = fabric;
      const hosts = hostsOf(experiment.topology);
      const random = new Random(1);
      const segment = new Segment();
      const limits = new Set<number>();
      network.observer = (channel, frame) => {
        if (TIER[experiment.topology.nodes[fabric.indexOf(channel.target)]!.role] > 0) return;
        expect(segment.read(frame)).toBe(true);
        limits.add(segment.hopLimit);
      };
      let finished = 0;
      let port = 40000;
      for (const from of hosts) {
        for (const to of hosts) {
          if (from === to) continue;
          const [a, b] = [fabric.host(from.index), fabric.host(to.index)];
          const client = a.open(ip, ++port, { address: b.address(ip), port: 80 }, random.fork(port), options);
          b.open(ip, 80, { address: a.address(ip), port }, random.fork(-port), options);
          client.listener.finished = () => finished++;
          client.send(3_000);
        }
      }
      network.simulation.run();
      expect(finished).toBe(hosts.length * (hosts.length - 1));
      // In the rack, in the pod, between pods: 1, 3 or 5 switches.
      expect([...limits].sort()).toEqual([59, 61, 63].filter((limit) => limits.has(limit)));
      expect(limits).toContain(59);
      for (const host of fabric.hosts()) expect(host.stats.rejected).toBe(0);
    },
  );
});
