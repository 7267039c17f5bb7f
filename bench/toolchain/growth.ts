/**
 * How the cost of preparing an experiment grows with its fabric: routes, pairs of hosts, equal-cost sites, flows of a
 * timeline by their hosts' names, the simulation while a control plane waits for an answer. For each it reports the time
 * at every size, and the exponent between the smallest and the largest size: 1 is linear.
 */
import { Random } from "../../src/base/index.js";
import { placesOf } from "../../src/fabric/experiment/kinds/failover/failures.js";
import { ControlChannel, Simulation, settle } from "../../src/fabric/sim/packet/index.js";
import {
  buildTopology,
  computeRoutes,
  nodeNamed,
  type Topology,
  topologySchema,
} from "../../src/fabric/topology/index.js";
import { hostPlaces, PairDrawer } from "../../src/fabric/traffic/index.js";
import type { Benchmark, Measurement } from "../benchmark.js";

/** Pods of 32 ToRs and 8 leaves, 8 planes of 64 spines (P-ECMP's topology #12), 16 hosts a rack. */
function fabric(pods: number): Topology {
  const shape = { tors_per_pod: 32, leaves_per_pod: 8, spines_per_plane: 64, hosts_per_rack: 16 };
  return buildTopology(topologySchema.parse({ kind: "clos", pods, ...shape }));
}

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

type Report = (measurement: Measurement) => void;

/** Reports one curve: time by size. */
function curve(report: Report, name: string, points: readonly (readonly [size: number, ms: number])[]): void {
  for (const [size, ms] of points) report({ name: `growth/${name}-${size}`, unit: "ms", value: ms });
  const [first, last] = [points[0]!, points.at(-1)!];
  const exponent = Math.log(last[1] / first[1]) / Math.log(last[0] / first[0]);
  report({ name: `growth/${name}-exponent`, unit: "1", value: exponent });
}

const PODS = [8, 16, 32, 64];
const HOSTS = [512, 2048, 8192, 32_768];
const DRAWS = 10_000;
/** Maximum number of hosts for the draw from a list of all pairs, which is too slow for more. */
const LISTED_HOSTS = 2048;
const LISTED_DRAWS = 3;

export const run: Benchmark = async (report) => {
  const fabrics = PODS.map(fabric);
  milliseconds(() => computeRoutes(fabric(4)));
  curve(
    report,
    "routes-by-nodes",
    fabrics.map((topology) => [topology.nodes.length, milliseconds(() => computeRoutes(topology))]),
  );
  curve(
    report,
    "sites-by-nodes",
    fabrics.map((topology) => [topology.nodes.length, milliseconds(() => placesOf(topology, "inter_rack"))]),
  );
  curve(
    report,
    "names-by-nodes",
    fabrics.map((topology) => {
      const hosts = hostPlaces(topology).map(({ host }) => topology.nodes[host]!.name);
      return [topology.nodes.length, milliseconds(() => hosts.map((name) => nodeNamed(topology, name)))];
    }),
  );
  curve(
    report,
    "pairs-by-hosts",
    HOSTS.map((hosts) => [hosts, drawPairs(hosts, DRAWS)]),
  );
  report({
    name: `growth/pair-of-${LISTED_HOSTS}`,
    unit: "ms",
    value: drawPairs(LISTED_HOSTS, DRAWS) / DRAWS,
    rival: { name: "list of all pairs", value: listPairs(LISTED_HOSTS, LISTED_DRAWS) / LISTED_DRAWS },
  });
  report({
    name: "growth/event-while-waiting",
    unit: "us",
    value: await eventTime(true),
    rival: { name: "Simulation.run", value: await eventTime(false) },
  });
};

function places(hosts: number) {
  return Array.from({ length: hosts }, (_, host) => ({ host, rack: host >> 4, pod: host >> 8 }));
}

/** Milliseconds for the given number of draws, preparation included. */
function drawPairs(hosts: number, draws: number): number {
  const random = new Random(1);
  const list = places(hosts);
  return milliseconds(() => {
    const pairs = new PairDrawer(list, "inter_pod");
    for (let i = 0; i < draws; i++) pairs.draw(random);
  });
}

/** The same draw by the former algorithm: from a list of each source's destinations. */
function listPairs(hosts: number, draws: number): number {
  const random = new Random(1);
  const list = places(hosts);
  return milliseconds(() => {
    for (let i = 0; i < draws; i++) {
      const choices = list.map((source) => list.filter((place) => place.pod !== source.pod));
      let index = random.int(choices.reduce((sum, { length }) => sum + length, 0));
      choices.find(({ length }) => {
        if (index < length) return true;
        index -= length;
        return false;
      });
    }
  });
}

/** Microseconds for one event of traffic, with or without a pending answer of a control plane. */
async function eventTime(isWaiting: boolean): Promise<number> {
  const events = 1_000_000;
  const simulation = new Simulation({ turn: () => new Promise((resolve) => setImmediate(resolve)) });
  const kind = simulation.register(() => simulation.schedule(simulation.now + 1, kind, 0));
  simulation.schedule(1, kind, 0);
  const device = { name: "s", read: async () => [] } as unknown as ConstructorParameters<
    typeof ControlChannel
  >[1];
  const channel = new ControlChannel(simulation, device, { delay: events / 2 });
  const start = performance.now();
  if (isWaiting) await settle(simulation, channel.read([]));
  else simulation.run(events);
  return ((performance.now() - start) * 1000) / events;
}
