import { describe, expect, it } from "vitest";
import type { DiagnosticError } from "../../../src/base/index.js";
import type { Experiment, SchemeRun } from "../../../src/fabric/experiment/index.js";
import {
  equalSites,
  failureOfWord,
  placesOf,
  sitesOnPath,
} from "../../../src/fabric/experiment/kinds/failover/failures.js";
import { rowOf } from "../../../src/fabric/experiment/kinds/failover/results.js";
import { FailoverRig, FlowDrawer } from "../../../src/fabric/experiment/kinds/failover/rig.js";
import { expectedTries, successProbability } from "../../../src/fabric/schemes/closed-form.js";
import { mean } from "../../../src/fabric/statistics/index.js";
import { buildTopology, topologySchema } from "../../../src/fabric/topology/index.js";
import { allRuns, experimentWith, modelFabric } from "./model-fabric.js";

const SEED = 7;

function series(experiment: Experiment, label: string, failure?: string) {
  const scheme = experiment.schemes.find((one) => one.label === label)!;
  const all = allRuns(experiment, scheme, SEED);
  return failure === undefined ? all : all.filter((one) => one.failure.name === failure);
}

const schemeOf = (experiment: Experiment, label: string): SchemeRun =>
  experiment.schemes.find((one) => one.label === label)!;

describe("the failing element", () => {
  it("is drawn so that every flow that some failure hits is equally likely: one on both paths counts once", () => {
    // Two leaves, chosen by each direction at random: half of the flows cross one leaf, the other half both.
    const experiment = experimentWith({
      topology:
        "{ kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 8, host_link: { rate: 25Gbps, delay: 248us } }",
      schemes: "[none]",
      failures: "[leaf]",
    });
    const drawer = new FlowDrawer(experiment, modelFabric(experiment, experiment.schemes[0]!));
    const runs = 600;
    let shared = 0;
    for (let run = 0; run < runs; run++) {
      const { flow, paths } = drawer.draw(failureOfWord("leaf"), run, SEED);
      const [data, acks] = [paths.data, paths.acks].map(
        (path) => sitesOnPath(experiment.topology, path, failureOfWord("leaf").sites[0]!)[0]!,
      );
      if (data!.index === acks!.index) shared++;
      drawer.close(flow);
    }
    // A flow of two leaves is hit by two failures, one of one leaf by one: 1/3, standard deviation 0.02. If an element of
    // both paths counted twice, it would be 1/2.
    expect(shared / runs).toBeGreaterThan(0.26);
    expect(shared / runs).toBeLessThan(0.41);
  });
});

describe("failure sites", () => {
  const clos = (extra: string) =>
    experimentWith({
      topology: `{ kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 16${extra} }`,
    }).topology;

  it("count the equal-cost elements of each tier", () => {
    const topology = clos("");
    const counts = (["tor", "leaf", "spine", "link"] as const).map((failure) =>
      equalSites(topology, "inter_pod", failureOfWord(failure)),
    );
    expect(counts).toEqual([2, 4, 64, 8]);
    // Between racks of one pod the way is host, ToR, leaf, ToR, host.
    expect(equalSites(topology, "inter_rack", failureOfWord("leaf"))).toBe(4);
  });

  it("lie between the hosts that are farthest apart, where the file names no pairs", () => {
    const pairsOf = (topology: string, failures: string) =>
      experimentWith({ topology, failures }).settings.traffic.pairs;
    expect(pairsOf("{ kind: leaf_spine, tors: 4, leaves: 2 }", "[tor, leaf, link]")).toBe("inter_rack");
    expect(pairsOf("{ kind: leaf_spine, tors: 2, leaves: 2 }", "[tor]")).toBe("any");
    expect(
      pairsOf("{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2 }", "[spine]"),
    ).toBe("inter_pod");
  });

  it("count one ToR for hosts with one NIC, and all spines of a mesh", () => {
    expect(equalSites(clos(", homing: single"), "inter_pod", failureOfWord("tor"))).toBe(1);
    expect(equalSites(clos(", wiring: mesh"), "inter_pod", failureOfWord("spine"))).toBe(16);
  });

  it("are not counted where pairs of hosts differ", () => {
    expect(
      equalSites(clos(', missing_links: [["tor0-0", "leaf0-0"]]'), "inter_pod", failureOfWord("link")),
    ).toBeUndefined();
  });

  it("exist only for tiers that paths cross", () => {
    const topology = buildTopology(topologySchema.parse({ kind: "leaf_spine", tors: 4, leaves: 2 }));
    expect([...placesOf(topology, "inter_rack")!].sort()).toEqual(["host-tor", "leaf", "tor", "tor-leaf"]);
    expect(placesOf(topology, "inter_pod")).toBeUndefined();
  });
});

describe("failover runs", () => {
  it("do not depend on each other, and repeat", () => {
    const experiment = experimentWith();
    const scheme = schemeOf(experiment, "prr");
    const inOrder = new FailoverRig(experiment, modelFabric(experiment, scheme));
    const runs = [0, 1, 2, 3, 4, 5].map((run) => inOrder.run(failureOfWord("tor"), run, SEED));
    const other = new FailoverRig(experiment, modelFabric(experiment, scheme));
    other.run(failureOfWord("spine"), 9, SEED);
    for (const run of [5, 3, 0]) expect(other.run(failureOfWord("tor"), run, SEED)).toEqual(runs[run]);
    expect(new Set(runs.map((sample) => sample.recoveryMs)).size).toBeGreaterThan(3);
    expect(other.run(failureOfWord("tor"), 0, SEED + 1)).not.toEqual(runs[0]);
  });

  it("leave the network as they found it", () => {
    const experiment = experimentWith();
    const scheme = schemeOf(experiment, "pecmp");
    const fabric = modelFabric(experiment, scheme);
    const rig = new FailoverRig(experiment, fabric);
    for (let run = 0; run < 10; run++) rig.run(failureOfWord("link"), run, SEED);
    expect(fabric.network.channels.some((channel) => channel.failed)).toBe(false);
    expect(fabric.network.channels.every((channel) => channel.backlog.packets === 0)).toBe(true);
    for (const host of fabric.hosts()) expect(host.stats.rejected).toBe(0);
  });

  it("draw other flows where one crosses no site: hosts of one rack, whose flows meet no leaf", () => {
    const experiment = experimentWith({
      topology: "{ kind: leaf_spine, tors: 4, leaves: 4, hosts_per_rack: 2 }",
      traffic: "{ pairs: any }",
      failures: "[tor, leaf, link]",
      schemes: "[pecmp]",
    });
    for (const { samples } of series(experiment, "pecmp")) {
      expect(samples.length).toBe(40);
      expect(samples.every(({ timeouts }) => timeouts === 1)).toBe(true);
    }
  });

  it("show a flow on its path before, and on another one after", () => {
    const experiment = experimentWith();
    const { example } = series(experiment, "pecmp", "leaf")[0]!;
    expect(example!.before.length).toBe(7);
    expect(example!.before).toContain(example!.failedNode);
    expect(example!.after!.length).toBe(7);
    expect(example!.after).not.toContain(example!.failedNode);
    expect(example!.failed).toMatch(/^leaf/);
    expect(series(experiment, "none", "leaf")[0]!.example!.after).toBeUndefined();
  });

  it("show the link that failed, on the path before and not on the one after", () => {
    const experiment = experimentWith({ schemes: "[pecmp]", failures: "[link]" });
    const rig = new FailoverRig(experiment, modelFabric(experiment, schemeOf(experiment, "pecmp")));
    const { before, after, failedNode, failedLink } = rig.show(experiment.failures[0]!, 20, SEED)!;
    const { a, b } = experiment.topology.links[failedLink!]!;
    const crosses = (path: readonly number[]) =>
      path.some((node, i) => [a.node, b.node].includes(node) && [a.node, b.node].includes(path[i + 1]!));
    expect([failedNode, crosses(before), crosses(after!)]).toEqual([undefined, true, false]);
  });

  it("end with the error of a switch that does not start again", async () => {
    const experiment = experimentWith({ schemes: "[pecmp]", failures: "[{ tier: leaf, kind: kill }]" });
    const fabric = modelFabric(experiment, schemeOf(experiment, "pecmp"));
    const restart = () => Promise.reject(new Error("no power"));
    const rig = new FailoverRig(experiment, fabric, { kill: () => {}, restart, control: new Map() });
    const steps = rig.runSteps(experiment.failures[0]!, 0, SEED);
    const run = async () => {
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        fabric.network.simulation.run(step.value);
        await new Promise(setImmediate);
      }
    };
    await expect(run()).rejects.toThrow("no power");
  });

  it("say so when the failure comes before the first acknowledgement", () => {
    const experiment = experimentWith({ failure_time: "100us" });
    const scheme = schemeOf(experiment, "none");
    const rig = new FailoverRig(experiment, modelFabric(experiment, scheme));
    try {
      rig.run(failureOfWord("tor"), 0, SEED);
      expect.unreachable();
    } catch (error) {
      expect((error as DiagnosticError).diagnostics[0]).toMatchObject({
        code: "P43010",
        message: "no acknowledgement arrived within failure_time, 0.1 ms",
      });
    }
  });
});

describe.each([
  ["dscp over IPv4", {}],
  ["vlan over IPv4", { selector: "vlan" }],
  ["flow label over IPv6", { selector: "flow_label", traffic: "{ ip: 6 }" }],
  ["DSCP and flow label over IPv6", { selector: "dscp_flow_label", traffic: "{ ip: 6 }" }],
])("P-ECMP, %s", (_, keys) => {
  it("recovers on the first re-path, whatever failed", () => {
    const experiment = experimentWith({ ...keys, runs: 60 });
    for (const { samples, failure } of series(experiment, "pecmp")) {
      expect(samples.length, failure.name).toBe(60);
      for (const { timeouts, recoveryMs, rttMs } of samples) {
        expect(timeouts).toBe(1);
        expect(recoveryMs).toBeGreaterThan(5);
        expect(recoveryMs).toBeLessThan(5 + 2 * rttMs);
      }
    }
  });
});

describe("P-ECMP with other windows and control", () => {
  it("recovers on the first re-path with many segments in flight", () => {
    const experiment = experimentWith({ runs: 30, transport: "{ window_segments: 16 }" });
    for (const { samples } of series(experiment, "pecmp"))
      expect(samples.every((sample) => sample.timeouts === 1)).toBe(true);
  });

  it("recovers on the first re-path under control of next hops as well", () => {
    const experiment = experimentWith({
      runs: 30,
      selector: "flow_label",
      traffic: "{ ip: 6 }",
      schemes: "[{ scheme: pecmp, control: both }]",
    });
    for (const { samples } of series(experiment, "pecmp"))
      expect(samples.every((sample) => sample.timeouts === 1)).toBe(true);
  });

  it("recovers on the first re-path under control of next hops alone", () => {
    const experiment = experimentWith({
      runs: 150,
      selector: "flow_label",
      traffic: "{ ip: 6 }",
      schemes: "[{ scheme: pecmp, control: hops }]",
    });
    for (const { samples, failure } of series(experiment, "pecmp"))
      expect(samples.filter((sample) => sample.timeouts !== 1).length, failure.name).toBe(0);
  });

  it.each(["offset", "both"])("recovers in time where links are missing, control: %s", (control) => {
    const experiment = experimentWith({
      runs: 250,
      topology: `{ kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4,
        missing_links: [[tor0-0, leaf0-1], [tor1-2, leaf1-3]], host_link: { rate: 25Gbps, delay: 248us } }`,
      selector: "flow_label",
      traffic: "{ ip: 6 }",
      give_up: "60s",
      schemes: `[{ scheme: pecmp, control: ${control} }]`,
    });
    for (const { samples, failure } of series(experiment, "pecmp"))
      expect(samples.filter((sample) => !Number.isFinite(sample.recoveryMs)).length, failure.name).toBe(0);
  });

  it("does not always when both directions shift together", () => {
    const experiment = experimentWith({ runs: 100, schemes: "[{ scheme: pecmp, failover: shift }]" });
    const [tor] = series(experiment, "pecmp", "tor");
    const firstTry = tor!.samples.filter((sample) => sample.timeouts === 1).length / 100;
    expect(firstTry).toBeLessThan(0.6);
  });
});

describe("the closed form of P-ECMP", () => {
  const theory = (keys: Record<string, string>, scheme: string) => {
    const experiment = experimentWith({ schemes: `[{ scheme: pecmp${scheme} }]`, ...keys });
    const [run] = experiment.schemes;
    const samples = [{ recoveryMs: 6, timeouts: 1, rttMs: 1 }];
    return experiment.failures.map(
      (failure) =>
        rowOf(experiment, { scheme: run!, failure, samples, example: undefined }).theory_first_try_success,
    );
  };
  const clos = "kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4";
  const wide = { selector: "flow_label", traffic: "{ ip: 6 }" };
  const none = [null, null, null, null];

  it("holds for offsets in an even fabric, in planes and in a mesh", () => {
    expect(theory({}, "")).toEqual([1, 1, 1, 1]);
    expect(theory({ topology: `{ ${clos}, wiring: mesh }` }, "")).toEqual([1, 1, 1, 1]);
    expect(theory(wide, ", control: both")).toEqual([1, 1, 1, 1]);
  });

  it("holds for one copy and a receiver that waits for duplicates", () => {
    const [tor, leaf] = theory({}, ", failover: prr");
    expect(tor).toBeCloseTo(0.5, 5);
    // 3/7 + 3/7 * 2/3 + 1/7 * 1/2, for four leaves.
    expect(leaf).toBeCloseTo(11 / 14, 5);
  });

  it("says nothing elsewhere", () => {
    expect(theory({ topology: `{ ${clos}, homing: single }` }, "")).toEqual([null, 1, 1, 1]);
    const uneven = `{ ${clos}, missing_links: [[tor0-0, leaf0-1], [tor1-2, leaf1-3]] }`;
    expect(theory({ ...wide, topology: uneven }, "")).toEqual(none);
    expect(theory({}, ", seed_scope: switch")).toEqual(none);
    expect(theory({}, ", failover: shift")).toEqual(none);
    expect(theory({ transport: "{ window_segments: 4 }" }, ", failover: prr")).toEqual(none);
    expect(theory(wide, ", control: hops")).toEqual(none);
    expect(theory(wide, ", weights: [[tor0-0, leaf0-0, 2]]")).toEqual(none);
  });
});

describe("PRR", () => {
  it("misses its first try as often as chance says, in every tier", () => {
    const runs = 900;
    const experiment = experimentWith({ runs, selector: "flow_label", traffic: "{ ip: 6 }" });
    for (const { samples, failure } of series(experiment, "prr")) {
      const n = equalSites(experiment.topology, "inter_pod", failure)!;
      const p = successProbability(n);
      const deviation = Math.sqrt((p * (1 - p)) / runs);
      const firstTry = samples.filter((sample) => sample.timeouts === 1).length / runs;
      expect(Math.abs(firstTry - p), failure.name).toBeLessThan(3.5 * deviation);
      const tries = mean(samples.map((sample) => sample.timeouts));
      expect(Math.abs(tries / expectedTries(n) - 1), failure.name).toBeLessThan(0.12);
    }
  });
});

describe("no re-pathing", () => {
  it("never recovers", () => {
    const experiment = experimentWith({ runs: 5 });
    for (const { samples } of series(experiment, "none"))
      for (const { recoveryMs, timeouts } of samples) {
        expect(recoveryMs).toBe(Number.POSITIVE_INFINITY);
        // 6, 12, ... 768 ms take 1.5 s, then one a second.
        expect(timeouts).toBe(26);
      }
  });
});
