/** What is decided before anything is made: specs, names, rates and delays, advice. No root needed. */
import { describe, expect, it } from "vitest";
import type { DiagnosticError } from "../../../src/base/index.js";
import { macText } from "../../../src/base/packets/index.js";
import {
  advise,
  type Finding,
  type FindingName,
  type TestbedSpec,
  testbedOf,
} from "../../../src/fabric/testbed/index.js";
import { ipv6WithLength } from "../../../src/fabric/testbed/network/interfaces.js";
import {
  atSwitch,
  longerDelayLines,
  planShapes,
  tcLines,
  withPortRates,
} from "../../../src/fabric/testbed/network/shape.js";
import { checkSpec } from "../../../src/fabric/testbed/start.js";
import { registerValues, splitAnswers, stretches } from "../../../src/fabric/testbed/switches/bmv2-device.js";
import { buildTopology, topologySchema } from "../../../src/fabric/topology/index.js";
import { twoHosts } from "./two-hosts.js";

function wrongsOf(spec: TestbedSpec): string[] {
  try {
    checkSpec(spec);
    return [];
  } catch (error) {
    return (error as DiagnosticError).diagnostics.map(({ code, message }) => `${code} ${message}`);
  }
}

describe("a testbed's spec", () => {
  const good = twoHosts("testbed");

  it("is taken when it can be", () => {
    expect(wrongsOf(good)).toEqual([]);
  });

  it("is refused with all that is wrong", () => {
    const [s1] = good.switches;
    const spec: TestbedSpec = {
      ...good,
      hosts: [
        { ...good.hosts[0]!, name: "h 1" },
        { ...good.hosts[1]!, interfaces: [...good.hosts[1]!.interfaces, ...good.hosts[1]!.interfaces] },
      ],
      switches: [
        { ...s1!, cpuPort: 2, ports: [...s1!.ports, { number: 511, interface: "a-name-too-long-by-1" }] },
        { ...s1!, name: "s2", ports: [{ number: 1, interface: "s1-eth1" }] },
      ],
    };
    expect(wrongsOf(spec)).toEqual([
      'P43101 testbed testbed: "h 1" is no name for a node',
      'P43101 testbed testbed: host h2 has two interfaces called "eth0"',
      "P43101 testbed testbed: port 2 of switch s1 is its CPU port too",
      'P43101 testbed testbed: "a-name-too-long-by-1" of s1 is no name for an interface',
      "P43101 testbed testbed: switch s1 has a port 511",
      "P43101 testbed testbed: switches s1 and s2 both have device id 1",
      'P43101 testbed testbed: switch s1 and switch s2 both have an interface "s1-eth1"',
      'P43101 testbed testbed: a link ends at "eth0" of "h1", which is not there',
      'P43101 testbed testbed: no link ends at "eth0" of h 1',
      'P43101 testbed testbed: no link ends at "a-name-too-long-by-1" of s1',
      'P43101 testbed testbed: no link ends at "s1-eth1" of s2',
    ]);
  });

  it("is refused for an interface with two links", () => {
    const spec = { ...good, links: [...good.links, good.links[0]!] };
    expect(wrongsOf(spec)).toEqual([
      'P43101 testbed testbed: 2 links end at "eth0" of h1',
      'P43101 testbed testbed: 2 links end at "s1-eth1" of s1',
    ]);
  });
});

describe("testbedOf", () => {
  const clos = buildTopology(
    topologySchema.parse({
      kind: "clos",
      pods: 2,
      tors_per_pod: 2,
      leaves_per_pod: 2,
      spines_per_plane: 1,
      fabric_link: { rate: "10Gbps", delay: "2us" },
    }),
  );

  it("makes a spec that can be, with every node and link", () => {
    const spec = testbedOf(clos, { cpuPort: 255, rateScale: 0.01 });
    expect(wrongsOf(spec)).toEqual([]);
    expect(spec.hosts).toHaveLength(4);
    expect(spec.switches).toHaveLength(10);
    expect(spec.links).toHaveLength(clos.links.length);
    expect(spec.switches[0]).toMatchObject({ name: "tor0-0", deviceId: 1n, cpuPort: 255 });
    expect(spec.links.at(-1)).toEqual({
      a: { node: "leaf1-1", interface: "leaf1-1-eth3" },
      b: { node: "spine1-0", interface: "spine1-0-eth2" },
      rateBps: 10e9 * 0.01,
      delayNs: 2000,
    });
  });

  it("gives a host with two NICs one address, by the switch that eth0 leads to", () => {
    const host = testbedOf(clos).hosts[0]!;
    expect(host.interfaces.map(({ name, mac, ipv4 }) => [name, mac, ipv4])).toEqual([
      ["eth0", 0x020000000005n, { address: 0x0a000001n, length: 32 }],
      ["eth1", 0x020000000005n, undefined],
    ]);
    expect(host.commands.slice(0, 2)).toEqual([
      "ip neighbour replace 169.254.0.1 lladdr 02:00:00:00:00:01 nud permanent dev eth0",
      "ip route replace default via 169.254.0.1 onlink dev eth0",
    ]);
  });

  it("leaves rates and delays out on request", () => {
    expect(testbedOf(clos, { rateScale: 0, delayScale: 0 }).links[0]).toEqual({
      a: { node: "host0-0-0", interface: "eth0" },
      b: { node: "tor0-0", interface: "tor0-0-eth1" },
    });
  });

  it("numbers switches whose names leave no room", () => {
    const nodes = [
      { name: "a-switch-of-long-name", role: "switch" },
      { name: "b", role: "switch" },
      { name: "h", role: "host" },
    ];
    const links = [
      { a: "h", b: "b" },
      { a: "b", b: "a-switch-of-long-name" },
    ];
    const spec = testbedOf(buildTopology(topologySchema.parse({ kind: "graph", nodes, links })));
    expect(spec.switches.map(({ ports }) => ports.map((port) => port.interface))).toEqual([
      ["s1-eth1"],
      ["s2-eth1", "s2-eth2"],
    ]);
    expect(wrongsOf(spec)).toEqual([]);
  });
});

describe("rates and delays", () => {
  const all = { htb: true, tbf: true, netem: true };
  const links = (rateBps?: number, delayNs?: number) => ({
    ...twoHosts("testbed"),
    links: twoHosts("testbed").links.map((link) => ({
      ...link,
      ...(rateBps === undefined ? {} : { rateBps }),
      ...(delayNs === undefined ? {} : { delayNs }),
    })),
  });

  it("are a shaper with the delay behind it", () => {
    expect(tcLines("x", { rateBps: 1e9, delayNs: 5e6 }, all)).toEqual([
      "qdisc add dev x root handle 1: htb default 1",
      "class add dev x parent 1: classid 1:1 htb rate 1000000000bit burst 500000 cburst 500000",
      "qdisc add dev x parent 1:1 handle 2: netem delay 5000us limit 100000",
    ]);
    expect(tcLines("x", { rateBps: 1e6, delayNs: undefined }, { ...all, htb: false })).toEqual([
      "qdisc add dev x root handle 1: tbf rate 1000000bit burst 16000 limit 167400",
    ]);
    expect(tcLines("x", { rateBps: undefined, delayNs: 1500 }, all)).toEqual([
      "qdisc add dev x root handle 1: netem delay 1.5us limit 100000",
    ]);
    expect(tcLines("x", { rateBps: undefined, delayNs: undefined }, all)).toEqual([]);
  });

  it("get a longer delay in place of the one before", () => {
    const change = (shape: { rateBps?: number; delayNs?: number }, before: number, now: number) =>
      longerDelayLines(
        "x",
        { rateBps: shape.rateBps, delayNs: shape.delayNs },
        { before, now },
        { htb: true, tbf: true, netem: true },
      );
    // Nothing is removed where there was nothing, and nothing is left where there is none.
    expect(change({}, 0, 1e6)).toEqual(["qdisc add dev x root handle 1: netem delay 1000us limit 100000"]);
    expect(change({}, 1e6, 0)).toEqual(["qdisc del dev x root"]);
    expect(change({ delayNs: 1e6 }, 0, 5e5)).toEqual([
      "qdisc del dev x root",
      "qdisc add dev x root handle 1: netem delay 1500us limit 100000",
    ]);
    expect(change({ rateBps: 1e9 }, 5e5, 0).at(-1)).toBe(
      "qdisc add dev x parent 1:1 handle 2: pfifo limit 100",
    );
  });

  it("are paced by our switch at its own ends, up to a rate; BMv2 gets a kernel queue that blocks it", () => {
    const delayed = { rateBps: 5e5, delayNs: 1000 };
    expect(atSwitch(delayed, "switch")).toEqual({ rateBps: undefined, delayNs: 1000 });
    expect(atSwitch({ ...delayed, rateBps: 1e9 }, "switch")).toEqual({ ...delayed, rateBps: 1e9 });
    expect(tcLines("x", atSwitch({ rateBps: 5e5, delayNs: undefined }, "bmv2"), all).at(-1)).toBe(
      "qdisc add dev x parent 1:1 handle 2: pfifo limit 1000",
    );
    const rates = (spec: TestbedSpec) =>
      spec.switches.flatMap(({ ports }) => ports.map(({ rateBps }) => rateBps));
    expect(rates(withPortRates(links(5e5), "switch"))).toEqual(rates(links()).map(() => 5e5));
    for (const unpaced of [withPortRates(links(5e5), "bmv2"), withPortRates(links(1e9), "switch")])
      expect(rates(unpaced)).toEqual(rates(links()));
  });

  it("are refused, with the link and the way out, where the kernel cannot", () => {
    const plan = (spec: TestbedSpec, allow: ("delay" | "rate")[], lines: string[] = []) =>
      planShapes(spec, { htb: false, tbf: false, netem: false }, new Set(allow), (line) => lines.push(line));
    expect(() => plan(links(undefined, 248_000), ["rate"])).toThrow(
      "error[P43105]: link h1-s1 has a delay of 248 us: this kernel has no netem",
    );
    try {
      plan(links(1e8), ["delay"]);
      expect.unreachable();
    } catch (error) {
      const [diagnostic] = (error as DiagnosticError).diagnostics;
      expect(diagnostic!.message).toContain("link h1-s1 has a rate of 100 Mbit/s: this kernel has neither");
      expect(diagnostic!.notes[0]!.message).toBe("without it: --allow-missing rate");
    }
    const lines: string[] = [];
    expect(plan(links(1e8, 1000), ["delay", "rate"], lines)).toEqual([
      { rateBps: undefined, delayNs: undefined },
      { rateBps: undefined, delayNs: undefined },
    ]);
    expect(lines).toHaveLength(2);
  });

  it("are nothing for 0, and for rates that no software switch comes near", () => {
    const lines: string[] = [];
    const shapes = planShapes(links(25e9, 0), all, new Set(), (line) => lines.push(line));
    expect(shapes).toEqual([
      { rateBps: undefined, delayNs: undefined },
      { rateBps: undefined, delayNs: undefined },
    ]);
    expect(lines).toEqual(["links of 25 Gbit/s are not shaped: that is more than this machine carries"]);
  });
});

describe("texts of other programs", () => {
  it("are addresses as iproute2 reads them", () => {
    expect(macText(0x02000000000an)).toBe("02:00:00:00:00:0a");
    expect(ipv6WithLength({ address: (0xfd00n << 112n) | 1n, length: 128 })).toBe("fd00::1/128");
  });

  it("are answers of simple_switch_CLI", () => {
    const stdout = "Obtaining JSON\nDone\nRuntimeCmd: r[1]= 5\nRuntimeCmd: r= 1, 2, 3\nRuntimeCmd: \n";
    expect(splitAnswers(stdout)).toEqual(["r[1]= 5", "r= 1, 2, 3", ""]);
    expect(splitAnswers(stdout).slice(0, 2).map(registerValues)).toEqual([[5n], [1n, 2n, 3n]]);
  });

  it("are cut where their kind changes", () => {
    const odd = (n: number) => n % 2 === 1;
    expect([...stretches([1, 3, 2, 5, 7], odd)]).toEqual([[1, 3], [2], [5, 7]]);
    expect([...stretches([], odd)]).toEqual([]);
  });
});

describe("the advice of doctor", () => {
  const NAMES: FindingName[] = [
    ...(["node", "root", "namespaces", "packet_sockets", "iproute2", "tc", "ethtool"] as const),
    ...(["htb", "tbf", "netem", "tun", "ping", "iperf3", "mininet"] as const),
    ...(["simple_switch_grpc", "simple_switch", "simple_switch_CLI", "p4c"] as const),
  ];
  const without = (...names: FindingName[]): Finding[] =>
    NAMES.map((name) => ({ name, ok: !names.includes(name), detail: "" }));
  const broken = (findings: Finding[]) =>
    advise(findings)
      .uses.filter(({ works }) => !works)
      .map(({ command, lacks }) => `${command}: ${lacks.join(", ")}`);

  it("is nothing where all is there", () => {
    const advice = advise(without());
    expect(advice.uses.every(({ works }) => works)).toBe(true);
    expect([advice.install, advice.notes]).toEqual([undefined, []]);
  });

  it("names what works and what does not", () => {
    expect(broken(without("simple_switch_grpc", "simple_switch_CLI", "tbf"))).toEqual([
      "p4loom net TOPOLOGY.json --engine bmv2: simple_switch_grpc",
      "p4loom grade --engine bmv2: simple_switch_grpc",
      "p4loom run FILE --engine bmv2: simple_switch_grpc",
      "registers, queues, link down on BMv2: simple_switch_CLI",
    ]);
    expect(broken(without("htb", "tbf"))).toEqual([
      "links with a rate (else --allow-missing rate): htb, tbf",
    ]);
  });

  it("lists grade and testbed, which need Node alone, and their real switches", () => {
    const works = (command: string, findings: Finding[]) =>
      advise(findings).uses.find((use) => use.command === command)?.works;
    const onlyNode = without(...NAMES.filter((name) => name !== "node"));
    expect(works("p4loom grade, lab", onlyNode)).toBe(true);
    expect(works("p4loom grade, lab", without("node"))).toBe(false);
    expect(broken(without("ethtool"))).toContain(
      "p4loom grade --engine switch, lab --engine testbed: ethtool",
    );
    expect(broken(onlyNode).filter((line) => line.startsWith("p4loom grade")).length).toBe(2);
  });

  it("does not guess what only root can try", () => {
    const user = advise(without("root", "namespaces", "packet_sockets", "htb", "tbf", "netem"));
    expect(user.notes).toEqual([
      "namespaces and interfaces need root: sudo p4loom doctor then shows what this machine has",
    ]);
    expect(advise(without("netem")).notes[0]).toContain("modprobe sch_netem");
  });

  it("is one line for Debian", () => {
    expect(advise(without("mininet", "iperf3", "ping", "tc", "iproute2", "ethtool")).install).toBe(
      "apt-get install --no-install-recommends ethtool iperf3 iproute2 iputils-ping mininet",
    );
  });
});
