/** Clove: paths of pairs of hosts and their independence of ports, flowlets, weights after marks, what transports hear of marks, its plan. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { CLIENT, type PathChooser, restingHost } from "../../../../src/fabric/hosts/index.js";
import { WeightedPaths } from "../../../../src/fabric/schemes/clove/weighted-paths.js";
import { hostPolicyOf, SelectorPaths, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { build, example } from "../../topology/load.js";

const scheme = schemeNamed("clove")!;
const fabric = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });

const planOf = (parameters: object = {}, topology: Topology = fabric) =>
  scheme.plan(topology, scheme.parameters.parse(parameters));

/** A policy whose clock is moved by hand. */
function hostOf(parameters: object = {}) {
  const clock = { ns: 0, now: () => clock.ns, at: () => () => {} };
  return { clock, policy: hostPolicyOf(planOf(parameters).hosts, { ...restingHost(), clock }) };
}

const addressOf = (name: string) => nodeNamed(fabric, name)!.host!.ipv4;
const flow = (from: string, to: string, srcPort = 1000) => ({
  src: addressOf(from),
  dst: addressOf(to),
  protocol: 6,
  srcPort,
  dstPort: 80,
});
const rules = { feedback: "ecn", relayNs: 40, reduction: 1 / 3, memoryNs: 80 } as const;
const rounded = ({ weights }: WeightedPaths) => [...weights].map((weight) => Number(weight.toFixed(4)));

describe("the NICs of a host", () => {
  it("are hashed from addresses and selector, without ports, and all are used", () => {
    const { policy } = hostOf();
    const nics = (srcPort: number) =>
      Array.from({ length: 64 }, (_, value) => policy.nic(flow("host0-0-0", "host0-1-0", srcPort), value, 2));
    expect(nics(1)).toEqual(nics(999));
    expect(nics(1).reduce((sum, nic) => sum + nic, 0)).toBeGreaterThan(16);
    expect(nics(1).reduce((sum, nic) => sum + nic, 0)).toBeLessThan(48);
    expect(policy.nic(flow("host0-0-0", "host0-1-0"), 5, 1)).toBe(0);
  });
});

describe("the paths of two hosts", () => {
  it.each([["clos"], ["leaf-spine"]])("in %s are different, and those of all flows between them", (name) => {
    const topology = example(name);
    const plan = planOf({}, topology);
    const paths = new SelectorPaths(topology, plan.pathModel!(), plan.hosts);
    const hosts = topology.nodes.filter(({ host }) => host !== undefined);
    for (const version of [4, 6] as const) {
      const lists = plan.hosts[`ipv${version}`] as number[][][];
      for (const [i, j] of [
        [0, hosts.length - 1],
        [hosts.length - 1, 1],
      ] as const) {
        const selectors = lists[i]![j]!;
        const linksOf = (selector: number, protocol: number, sourcePort: number) =>
          paths
            .pathOf(
              {
                source: hosts[i]!.index,
                destination: hosts[j]!.index,
                version,
                protocol,
                sourcePort,
                destinationPort: 80,
              },
              selector,
            )!
            .links.join(" ");
        expect(selectors).toHaveLength(4);
        expect(new Set(selectors.map((selector) => linksOf(selector, 6, 1))).size).toBe(4);
        for (const selector of selectors) expect(linksOf(selector, 17, 999)).toBe(linksOf(selector, 6, 1));
      }
      expect(lists[0]![0]).toEqual([]);
    }
  });

  it("share as few links as they can: those of a leaf-spine only the hosts' own", () => {
    const plan = planOf({ paths: 3 });
    const paths = new SelectorPaths(fabric, plan.pathModel!(), plan.hosts);
    const [source, destination] = ["host0-0-0", "host0-1-1"].map((name) => nodeNamed(fabric, name)!.index);
    const hosts = fabric.nodes.filter(({ host }) => host !== undefined).map(({ index }) => index);
    const selectors = (plan.hosts["ipv4"] as number[][][])[hosts.indexOf(source!)]![
      hosts.indexOf(destination!)
    ]!;
    expect(selectors).toHaveLength(3);
    const ends = { source: source!, destination: destination!, version: 4 as const, protocol: 6 };
    const inner = selectors.flatMap((selector) =>
      paths.pathOf({ ...ends, sourcePort: 1, destinationPort: 2 }, selector)!.links.slice(1, -1),
    );
    expect(new Set(inner).size).toBe(6);
  });

  it("are one in a rack, and one with one probe", () => {
    const [first, second] = (planOf().hosts["ipv4"] as number[][][])[0]!.slice(1);
    expect([first!.length, second!.length]).toEqual([1, 4]);
    expect((planOf({ probes: 1 }).hosts["ipv4"] as number[][][])[0]![2]).toEqual([0]);
  });
});

describe("weights", () => {
  it("lose a third by a mark, which the other paths share, at most once in half a round trip", () => {
    const paths = new WeightedPaths([5, 6, 7, 8], rules);
    paths.report(6, 100);
    expect(rounded(paths)).toEqual([0.2778, 0.1667, 0.2778, 0.2778]);
    paths.report(6, 139);
    expect(rounded(paths)[1]).toBe(0.1667);
    paths.report(6, 140);
    expect(rounded(paths)).toEqual([0.2963, 0.1111, 0.2963, 0.2963]);
  });

  it("go only to paths that do not count as congested, and stay if there are none", () => {
    const paths = new WeightedPaths([5, 6, 7], rules);
    paths.report(5, 0);
    paths.report(6, 79);
    expect(rounded(paths)).toEqual([0.2222, 0.2593, 0.5185]);
    expect(paths.isCongested(79)).toBe(false);
    paths.report(7, 79);
    expect(rounded(paths)).toEqual([0.2222, 0.2593, 0.5185]);
    expect(paths.isCongested(79)).toBe(true);
    expect(paths.isCongested(80)).toBe(false);
    paths.report(9, 200);
    expect(rounded(paths)).toEqual([0.2222, 0.2593, 0.5185]);
  });

  it("are the shares of flowlets, without bursts", () => {
    const paths = new WeightedPaths([0, 1], { ...rules, reduction: 0.5 });
    paths.report(0, 0);
    const taken = Array.from({ length: 12 }, () => paths.next(new Random(1)));
    expect(rounded(paths)).toEqual([0.25, 0.75]);
    for (let i = 0; i < 12; i += 4)
      expect(taken.slice(i, i + 4).filter((path) => path === 0)).toHaveLength(1);
  });
});

describe("a sender", () => {
  const send = (path: PathChooser, nowNs: number) => path.selectorFor!({ position: 0, bytes: 1440, nowNs });

  it("stays on its path until a pause longer than the gap, and counts the changes", () => {
    const { policy } = hostOf({ rtt: "100us" });
    const path = policy.open(flow("host0-0-0", "host0-1-0"), new Random(1), CLIENT);
    const first = send(path, 0);
    expect([send(path, 100_000), send(path, 200_000)]).toEqual([first, first]);
    expect(path.repaths).toBe(0);
    expect(send(path, 300_001)).not.toBe(first);
    expect(path.repaths).toBe(1);
  });

  it("stays on its path at a timeout that is not longer than the gap", () => {
    const { policy, clock } = hostOf({ rtt: "100us", flowlet_gap: 10_000 });
    const path = policy.open(flow("host0-0-0", "host0-1-0"), new Random(1), CLIENT);
    const first = send(path, 0);
    clock.ns = 200e6;
    expect(path.onTimeout(1)).toEqual([first]);
    clock.ns += 1e9 + 1;
    expect(path.onTimeout(2)).not.toEqual([first]);
  });

  it("shares weights and turns with the other flows of its host to the same one", () => {
    const { policy, clock } = hostOf({ rtt: "100us" });
    const open = (port: number) => policy.open(flow("host0-0-0", "host0-1-0", port), new Random(1), CLIENT);
    expect(new Set([1, 2, 3, 4].map((port) => open(port).selector)).size).toBe(4);
    const marked = open(5);
    for (let i = 0; i < 20; i++) {
      clock.ns += 50_000;
      marked.onAck({ selector: 0, echo: marked.selector, marked: true });
    }
    const later = Array.from({ length: 30 }, (_, i) => open(10 + i).selector);
    expect(later.filter((selector) => selector === marked.selector).length).toBeLessThan(2);
    const other = policy.open(flow("host0-0-0", "host0-2-0"), new Random(1), CLIENT);
    expect(later.length).toBe(30);
    expect(other.masksMarks).toBe(true);
  });

  it("keeps marks from its transport while a path is left that has none", () => {
    const { policy, clock } = hostOf({ rtt: "100us", paths: 2 });
    const path = policy.open(flow("host0-0-0", "host0-1-0"), new Random(1), CLIENT);
    const other = policy.open(flow("host0-0-0", "host0-1-0", 7), new Random(1), CLIENT);
    path.onAck({ selector: 0, echo: path.selector, marked: true });
    expect(path.masksMarks).toBe(true);
    path.onAck({ selector: 0, echo: other.selector, marked: true });
    expect([path.masksMarks, other.masksMarks]).toEqual([false, false]);
    clock.ns = 100_000;
    expect(path.masksMarks).toBe(true);
    const { policy: open } = hostOf({ mask: false });
    expect(open.open(flow("host0-0-0", "host0-1-0"), new Random(1), CLIENT).masksMarks).toBe(false);
  });

  it("draws the paths of flowlets without feedback, and hears no marks", () => {
    const { policy } = hostOf({ feedback: "none" });
    const random = new Random(3);
    const starts = Array.from(
      { length: 40 },
      (_, i) => policy.open(flow("host0-0-0", "host0-1-0", i), random, CLIENT).selector,
    );
    expect(new Set(starts).size).toBe(4);
    expect(starts.slice(0, 4)).not.toEqual(starts.slice(4, 8));
    expect([policy.ecn, policy.needs]).toEqual([false, ["packets"]]);
  });

  it("has selector 0 to hosts that the description does not name", () => {
    const unknown = { ...flow("host0-0-0", "host0-1-0"), dst: 1n };
    const path = hostOf().policy.open(unknown, new Random(1), CLIENT);
    expect([path.selector, path.onTimeout(1), path.onData({ selector: 0, echo: 0 }, false)]).toEqual([
      0,
      [0],
      [0],
    ]);
  });
});

describe("the plan", () => {
  it("marks only with feedback, and says what hosts do", () => {
    const ecn = planOf({ threshold: 20 });
    expect(
      ecn.programs.every(({ values }) => JSON.stringify(values).includes('"ecn":{"threshold":20}')),
    ).toBe(true);
    expect(ecn.notes![0]).toMatch(
      /pause of 80 us; a path loses 0.333 .* at most once in 40 us; .* only while all paths/,
    );
    expect(planOf({ mask: false }).notes![0]).toMatch(/hears of all marks/);
    const none = planOf({ feedback: "none" });
    expect(JSON.stringify(none.programs)).not.toContain('"ecn"');
    expect(none.notes![0]).toMatch(/^Edge-Flowlet/);
  });

  it("has the settings' defaults where they are left out", () => {
    expect(planOf()).toMatchObject({
      hosts: { relayNs: 40_000, memoryNs: 80_000, reduction: 1 / 3, masks: true },
    });
  });

  it("says how few paths some hosts have, and that many values take time", () => {
    expect(planOf().notes).toHaveLength(2);
    expect(planOf({ probes: 1, paths: 64 }).notes![2]).toMatch(
      /^Clove knows 1 of at most 64 paths .*: 1 values of dscp led/,
    );
    expect(planOf({ paths: 64 }).notes![2]).toMatch(/^Clove knows 4 of at most 64 paths/);
    const rack = build({ kind: "leaf_spine", tors: 1, leaves: 1, homing: "single", hosts_per_rack: 9 });
    expect(planOf({}, rack).notes).toHaveLength(2);
    const larger = build({ kind: "leaf_spine", tors: 1, leaves: 1, homing: "single", hosts_per_rack: 12 });
    expect(planOf({ field: "flow_label", probes: 4096, paths: 1 }, larger).notes![2]).toMatch(
      /followed 1,081,344 values, 4096 between/,
    );
  });

  it("is the same again, and its hosts are plain JSON", () => {
    expect(planOf().hosts).toEqual(planOf().hosts);
    expect(JSON.parse(JSON.stringify(planOf().hosts))).toEqual(planOf().hosts);
  });

  it("refuses wrong settings, and descriptions that are not whole", () => {
    for (const wrong of [
      { reduction: 0 },
      { reduction: 1 },
      { relay: -1 },
      { rtt: "0us" },
      { paths: 65 },
      { probes: 0 },
      { feedback: "int" },
      { memory: 0 },
      { memory: 0, mask: true },
      ...[{ threshold: 20 }, { relay: 0.5 }, { memory: 1 }, { reduction: 0.5 }, { mask: false }].map(
        (unused) => ({ feedback: "none", ...unused }),
      ),
    ])
      expect(() => scheme.parameters.parse(wrong)).toThrow();
    expect(planOf({ memory: 0, mask: false }).hosts).toMatchObject({ memoryNs: 0, masks: false });
    expect(() => hostPolicyOf({ ...planOf().hosts, gapNs: -1 }, restingHost())).toThrow(/P42210.*gapNs/s);
  });
});
