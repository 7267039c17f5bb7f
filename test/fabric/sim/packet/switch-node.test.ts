/** Compiled programs on embedded switches inside the network. */
import { beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { bootFabric, ProgramCompiler } from "../../../../src/fabric/experiment/boot.js";
import type { SchemeRun } from "../../../../src/fabric/experiment/index.js";
import {
  ControlChannel,
  type Fabric,
  NS_PER_MS,
  Simulation,
  SwitchNode,
} from "../../../../src/fabric/sim/packet/index.js";
import { hostsOf } from "../../../../src/fabric/topology/index.js";
import { drawClientPort, hostPlaces, PairDrawer } from "../../../../src/fabric/traffic/index.js";
import type { DeviceEvent } from "../../../../src/toolchain/device/index.js";
import { experimentWith } from "../../experiment/model-fabric.js";
import { transport } from "./relay.js";

const experiment = experimentWith({ schemes: "[pecmp]" });
const { topology } = experiment;
let selector = 0;
let fabric: Fabric;

beforeAll(async () => {
  const [scheme] = experiment.schemes;
  // All that hosts send carries the selector that the test has set.
  const open = () => ({
    get selector() {
      return selector;
    },
    onTimeout: () => [selector],
    onAck: () => {},
    onData: () => [selector],
  });
  const steered: SchemeRun = {
    ...scheme!,
    hosts: (context) => ({ ...scheme!.hosts(context), open }),
  };
  fabric = await bootFabric(experiment, steered, new ProgramCompiler(), 1);
});

/** Nodes that one segment of a flow crosses under a selector. */
function pathOf(from: number, to: number, port: number, s: number): number[] {
  selector = s;
  const { network } = fabric;
  const path = [from];
  network.observer = (channel) => {
    if (path.at(-1) !== to && fabric.indexOf(channel.source) === path.at(-1))
      path.push(fabric.indexOf(channel.target));
  };
  const [a, b] = [fabric.host(from), fabric.host(to)];
  const random = new Random(0);
  const client = a.open(4, port, { address: b.address(4), port: 80 }, random, transport);
  b.open(4, 80, { address: a.address(4), port }, random, transport);
  client.send(10);
  network.simulation.run(network.simulation.now + 3 * NS_PER_MS);
  expect(client.bytesAcknowledged).toBe(10);
  network.observer = undefined;
  a.reset();
  b.reset();
  return path;
}

describe("a P-ECMP fabric of compiled programs", () => {
  it("shifts the next hop of every tier by the selector, modulo the tier's size (P-ECMP, section 3.2)", () => {
    const random = new Random(3);
    const pairs = new PairDrawer(hostPlaces(topology), "inter_pod");
    const taken = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const [from, to] = pairs.draw(random)!;
      const port = drawClientPort(random);
      // NIC's ToR, leaf, spine within its plane, ToR of the destination: of 2, 4, 4 and 2.
      const positions = (s: number) => {
        const path = pathOf(from.host, to.host, port, s);
        expect(path.length).toBe(7);
        taken.add(path.slice(1, 6).join());
        const [, tor, leaf, spine, , lastTor] = path.map((node) => topology.nodes[node]!.position);
        return [tor! % 2, leaf!, spine! % 4, lastTor! % 2];
      };
      const base = positions(0);
      for (const s of [1, 2, 3, 5]) {
        const moved = positions(s);
        const shift = moved.map((position, tier) => (position - base[tier]! + 8) % [2, 4, 4, 2][tier]!);
        // Row s of a control matrix is the base row turned right by s; the bond of NICs adds s.
        expect(shift).toEqual([s % 2, (8 - s) % 4, (8 - s) % 4, s % 2]);
      }
    }
    expect(taken.size).toBeGreaterThan(60);
  });

  it("drops nothing, sends nothing to ports without links, and counts what it routes", async () => {
    const before = new Map<string, bigint>();
    const [from, to] = [hostsOf(topology)[0]!, hostsOf(topology).at(-1)!];
    const routed = async (node: number) => {
      const entries = await (fabric.nodes[node] as SwitchNode).device.read([
        { kind: "directCounter", table: "FabricIngress.ipv4_routes" },
      ]);
      return entries.reduce(
        (sum, entry) => sum + (entry.kind === "directCounter" ? entry.data.packets : 0n),
        0n,
      );
    };
    const path = pathOf(from.index, to.index, 41000, 0);
    for (const node of path.slice(1, -1)) before.set(String(node), await routed(node));
    expect(pathOf(from.index, to.index, 41000, 0)).toEqual(path);
    for (const node of path.slice(1, -1))
      expect((await routed(node)) - before.get(String(node))!).toBeGreaterThan(0n);
    for (const node of fabric.nodes) {
      if (!(node instanceof SwitchNode)) continue;
      expect(node.strayed).toBe(0);
      expect(node.device.stats.dropped).toBe(0);
    }
  });

  it("keeps frames in the queues of its switches: only the channels from hosts are bounded", () => {
    for (const { a, b, aToB, bToA } of fabric.network.links)
      for (const [{ node }, { options }] of [
        [a, aToB],
        [b, bToA],
      ] as const) {
        const isSwitch = node instanceof SwitchNode;
        expect([options.queuePackets, options.queueBytes].map(Number.isFinite)).toEqual([
          !isSwitch,
          !isSwitch,
        ]);
      }
  });

  it("tells those who watch its ports and queues of each change once, until they end this", () => {
    const simulation = new Simulation();
    const node = new SwitchNode(simulation, { name: "s", seed: 1, queuePackets: 10, queueBytes: 1e4 });
    const heard: string[] = [];
    const watch = (name: string) =>
      node.watchPorts(() => heard.push(`${name} ${[...node.downPorts].join()}`));
    const stop = watch("a");
    watch("b");
    for (const [port, up] of [
      [1, true],
      [2, false],
      [2, false],
    ] as const)
      node.portState(port, up);
    stop();
    stop();
    for (const up of [true, true]) node.portState(2, up);
    expect(heard).toEqual(["a 2", "b 2", "b "]);
  });

  it("is notified of a signalled failure, and reports it to its control plane", () => {
    const { network } = fabric;
    const link = network.links.find(
      ({ a, b }) => a.node instanceof SwitchNode && b.node instanceof SwitchNode,
    )!;
    const node = link.a.node as SwitchNode;
    const channel = new ControlChannel(network.simulation, node.device, { delay: NS_PER_MS });
    const heard: [number, DeviceEvent][] = [];
    const stop = channel.watch((event) => heard.push([network.simulation.now, event]));
    const start = network.simulation.now;
    network.signalLink(link, false);
    network.signalLink(link, true);
    network.simulation.run(start + 2 * NS_PER_MS);
    stop();
    expect(heard).toEqual(
      [false, true].map((up) => [start + NS_PER_MS, { kind: "portState", port: link.a.port, up }]),
    );
  });
});
