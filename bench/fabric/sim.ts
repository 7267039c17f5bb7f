/**
 * The speed of the packet simulator with real programs: flows between all pods of a P-ECMP fabric; at every hop the compiled
 * program parses, matches, hashes, rewrites and deparses the packet. Also the speed of the event queue by itself.
 */
import { Diagnostics, formatDiagnostic, Random, SourceFile } from "../../src/base/index.js";
import { bootFabric, ProgramCompiler } from "../../src/fabric/experiment/boot.js";
import { loadExperiment } from "../../src/fabric/experiment/index.js";
import {
  EventQueue,
  type FixedStreamOptions,
  NS_PER_MS,
  NS_PER_S,
} from "../../src/fabric/sim/packet/index.js";
import { drawClientPort, hostPlaces, PairDrawer } from "../../src/fabric/traffic/index.js";
import type { Benchmark } from "../benchmark.js";

const EXPERIMENT = `
name: bench
topology: { kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4, hosts_per_rack: 4,
            host_link: { rate: 25Gbps, delay: 1us }, fabric_link: { rate: 100Gbps, delay: 1us } }
schemes: [pecmp]
failures: [tor]
runs: 1
`;

const TRANSPORT: FixedStreamOptions = {
  segmentBytes: 1000,
  windowSegments: 16,
  margin: 5 * NS_PER_MS,
  cap: NS_PER_S,
  initial: NS_PER_S,
};

const FLOWS = 32;
const WARM_UP_MS = 2;
const MEASURED_SECONDS = 3;

export const run: Benchmark = async (report) => {
  const diagnostics = new Diagnostics();
  const experiment = loadExperiment(new SourceFile("bench.yaml", EXPERIMENT), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  const compiler = new ProgramCompiler();
  const started = performance.now();
  const fabric = await bootFabric(experiment, experiment.schemes[0]!, compiler, 1);
  report({ name: "sim/boot", unit: "ms", value: performance.now() - started });

  const random = new Random(1);
  const pairs = new PairDrawer(hostPlaces(experiment.topology), "inter_pod");
  for (let i = 0; i < FLOWS; i++) {
    const [from, to] = pairs.draw(random)!;
    const [a, b] = [fabric.host(from.host), fabric.host(to.host)];
    const port = drawClientPort(random);
    const client = a.open(4, port, { address: b.address(4), port: 5201 }, random.fork(`a${i}`), TRANSPORT);
    b.open(4, 5201, { address: a.address(4), port }, random.fork(`b${i}`), TRANSPORT);
    client.send(Number.POSITIVE_INFINITY);
  }
  const { simulation } = fabric.network;
  const switchHops = () => {
    let atHosts = 0;
    for (const host of fabric.hosts()) atHosts += host.stats.received + host.stats.rejected;
    return fabric.network.hopCount - atHosts;
  };
  simulation.run(simulation.now + WARM_UP_MS * NS_PER_MS);
  const hops = switchHops();
  const events = simulation.eventCount;
  const from = performance.now();
  let seconds = 0;
  while (seconds < MEASURED_SECONDS) {
    simulation.run(simulation.now + NS_PER_MS / 4);
    seconds = (performance.now() - from) / 1000;
  }
  report({ name: "sim/packet-hops", unit: "hops/s", value: (switchHops() - hops) / seconds });
  report({ name: "sim/events", unit: "events/s", value: (simulation.eventCount - events) / seconds });

  for (const pending of [1_000, 100_000])
    report({ name: `sim/queue-${pending}`, unit: "events/s", value: holdModel(pending) });
};

/** Pops and pushes with a constant number of pending events. */
function holdModel(pending: number): number {
  const random = new Random(2);
  const queue = new EventQueue();
  const gaps = Float64Array.from({ length: 4096 }, () => Math.floor(random.exponential(1000)));
  for (let i = 0; i < pending; i++) queue.push(gaps[i & 4095]!, 0, i);
  const operations = 2_000_000;
  const from = performance.now();
  for (let i = 0; i < operations; i++) {
    queue.pop();
    queue.push(queue.time + gaps[i & 4095]!, 0, queue.argument);
  }
  return operations / ((performance.now() - from) / 1000);
}
