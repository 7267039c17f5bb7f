/** Each simulated host has a policy of its own, with its name, its NICs, a clock, and a stream of random numbers. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { fixedPath, type HostContext, type HostPolicy } from "../../../../src/fabric/hosts/index.js";
import type { Fabric } from "../../../../src/fabric/sim/packet/index.js";
import { hostsOf } from "../../../../src/fabric/topology/index.js";
import { experimentWith, modelFabric } from "../../experiment/model-fabric.js";
import { transport } from "./relay.js";

const experiment = experimentWith({
  topology: "{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2 }",
  failures: "[link]",
  schemes: "[ecmp]",
});
const hosts = hostsOf(experiment.topology);

function fabricWith(make: (context: HostContext) => Partial<HostPolicy>): Fabric {
  const [scheme] = experiment.schemes;
  return modelFabric(experiment, {
    ...scheme!,
    hosts: (context) => ({ ...scheme!.hosts(context), ...make(context) }),
  });
}

describe("the policy of a simulated host", () => {
  it("is made once for each host, with the host's name and its NICs", () => {
    const made: [string, number][] = [];
    fabricWith(({ name, nics }) => {
      made.push([name, nics]);
      return {};
    });
    expect(made).toEqual(hosts.map(({ name, ports }) => [name, ports.length]));
  });

  it("shares no state and no random numbers with the policies of other hosts", () => {
    const draws = new Map<string, number>();
    const counts = new Map<string, number>();
    const fabric = fabricWith(({ name, random }) => {
      let opened = 0;
      draws.set(name, random.uint32());
      return {
        open: () => {
          counts.set(name, ++opened);
          return fixedPath(0);
        },
      };
    });
    const [a, b] = hosts as [(typeof hosts)[number], (typeof hosts)[number]];
    const open = (from: number, port: number) =>
      fabric.host(from).open(4, port, { address: 1n, port: 80 }, new Random(1), transport);
    open(a.index, 1);
    open(a.index, 2);
    open(b.index, 3);
    expect([...counts]).toEqual([
      [a.name, 2],
      [b.name, 1],
    ]);
    expect(new Set(draws.values()).size).toBe(hosts.length);
  });

  it("has the time of the simulation, and timers that can be cancelled", () => {
    const fired: [string, number][] = [];
    const fabric = fabricWith(({ name, clock }) => {
      clock.at(2_000, () => fired.push([name, clock.now()]));
      clock.at(1_000, () => fired.push(["cancelled", 0]))();
      return {};
    });
    fabric.network.simulation.run(1_999);
    expect(fired).toEqual([]);
    fabric.network.simulation.run(3_000);
    expect(fired).toEqual(hosts.map(({ name }) => [name, 2_000]));
  });

  it("tells the controllers, which hear from which host", () => {
    const fabric = fabricWith(({ name, tell, clock }) => {
      clock.at(5, () => tell({ from: name }));
      return {};
    });
    const heard: [number, unknown][] = [];
    fabric.onTell = (node, message) => heard.push([node, message]);
    fabric.network.simulation.run(10);
    expect(heard).toEqual(hosts.map(({ index, name }) => [index, { from: name }]));
  });

  it("belongs to a host, which a switch is not", () => {
    const fabric = fabricWith(() => ({}));
    const { index, name } = experiment.topology.nodes.find(({ role }) => role !== "host")!;
    expect(() => fabric.host(index)).toThrow(new RangeError(`${name} is no host`));
    expect([...fabric.hosts()]).toEqual(hosts.map((host) => fabric.host(host.index)));
  });

  it("is notified of the carrier of its own NICs, by their numbers from 0", () => {
    const heard: [string, number, boolean][] = [];
    const fabric = fabricWith(({ name }) => ({
      onCarrier: (nic, up) => void heard.push([name, nic, up]),
    }));
    const host = hosts.find(({ ports }) => ports.length === 2)!;
    const second = host.ports[1]!;
    const { network } = fabric;
    network.signalLink(fabric.link(second.link), false);
    network.signalLink(fabric.link(second.link), true);
    expect(heard).toEqual([
      [host.name, 1, false],
      [host.name, 1, true],
    ]);
  });

  it("chooses source ports, and a port that is taken counts as none", () => {
    const fabric = fabricWith(() => ({
      sourcePort: ({ srcPort }, { role }) => (role === "client" ? 777 : srcPort),
    }));
    const host = fabric.host(hosts[0]!.index);
    const peer = { address: 5n, port: 80 };
    expect(host.sourcePort(4, 40_000, peer, new Random(1))).toBe(777);
    host.open(4, 777, peer, new Random(1), transport);
    expect(host.sourcePort(4, 40_000, peer, new Random(1))).toBe(40_000);
    expect(host.sourcePort(4, 40_000, { address: 6n, port: 80 }, new Random(1))).toBe(777);
  });
});
