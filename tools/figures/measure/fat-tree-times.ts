/**
 * Completion times of 200 flows in a fat tree of 16 hosts, in our simulator and in ns-3 with other queues at the hosts and other hashes: the
 * comparison of docs/simulator.md. Prints JSON; needs ns-3 (bench/fabric/ns3/README.md).
 */
import { bootFatTree, FlowPlayer, webSearch } from "../../../bench/fabric/fat-tree/network.js";
import { fatTreeInNs3 } from "../../../bench/fabric/fat-tree/ns3.js";
import { ns3Missing } from "../../../bench/fabric/ns3.js";
import { ascending, quantile } from "../../../src/fabric/statistics/index.js";
import { hostsOf } from "../../../src/fabric/topology/index.js";

const K = 4;
const LOAD = 0.5;
const FLOWS = 200;
const SLICE_NS = 50_000;
const CLASSES: readonly (readonly [name: string, least: number, most: number])[] = [
  ["small", 0, 100e3],
  ["medium", 100e3, 10e6],
  ["large", 10e6, Number.POSITIVE_INFINITY],
];

const missing = ns3Missing();
if (missing !== undefined) throw new Error(missing);
const fabric = await bootFatTree(K);
const { simulation } = fabric.network;
const player = new FlowPlayer(fabric, webSearch(fabric, LOAD, FLOWS), true);
while (!player.isDone) simulation.run(simulation.now + SLICE_NS);
const flows = player.played;
const hosts = hostsOf(fabric.topology).map(({ index }) => index);
const inNs3 = (flags: Readonly<Record<string, number>>) => fatTreeInNs3(K, hosts, flows, flags).fctNs;
const columns: readonly (readonly number[])[] = [
  flows.map(({ fctNs }) => fctNs!),
  inNs3({ fair: 0 }),
  inNs3({}),
  inNs3({ hashSeed: 1 }),
  inNs3({ hashSeed: 2 }),
];
const rows = CLASSES.map(([size, least, most]) => {
  const own = flows.flatMap(({ bytes }, i) => (bytes >= least && bytes < most ? [i] : []));
  const times = columns.map((column) => ascending(own.map((i) => column[i]! / 1e6).filter((ms) => ms > 0)));
  const at = (share: number) => times.map((sorted) => Number(quantile(sorted, share).toPrecision(4)));
  return { size, flows: own.length, p50: at(0.5), p99: at(0.99) };
});
console.log(JSON.stringify(rows));
