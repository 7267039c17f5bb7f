/** Failures that are drawn: their names, what they inject, what a run then measures, and wrong descriptions. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadExperiment, runExperiment } from "../../../../src/fabric/experiment/index.js";
import {
  drawKey,
  equalSites,
  isPartial,
  isSingleCut,
  sitesOnPath,
} from "../../../../src/fabric/experiment/kinds/failover/failures.js";
import { rowOf } from "../../../../src/fabric/experiment/kinds/failover/results.js";
import { FailoverRig, FlowDrawer } from "../../../../src/fabric/experiment/kinds/failover/rig.js";
import { nodeNamed } from "../../../../src/fabric/topology/index.js";
import { build } from "../../topology/load.js";
import { experimentWith, modelFabric } from "../model-fabric.js";

const SEED = 7;

const failuresOf = (failures: string, more: Record<string, string | number> = {}) =>
  experimentWith({ failures: `[${failures}]`, schemes: "[pecmp]", ...more });

describe("a description of a failure", () => {
  it.each([
    ["leaf", "leaf", "leaf"],
    ["link", "link", "ToR-leaf link"],
    ["{ tier: leaf, loss: 10% }", "leaf 10% loss", "leaf, 10% loss"],
    ["{ link: tor-leaf }", "tor-leaf", "ToR-leaf link"],
    ["{ link: tor-leaf, direction: up }", "tor-leaf up", "ToR-leaf link up"],
    ["{ link: host-tor }", "host-tor", "host-ToR link"],
    ["{ tier: [leaf, leaf] }", "leaf + leaf", "leaf and leaf"],
    ["{ tier: spine, link: leaf-spine }", "spine + leaf-spine", "spine and leaf-spine link"],
    ["{ link: tor-leaf, kind: down }", "tor-leaf down", "ToR-leaf link, down"],
    ["{ tier: leaf, kind: kill }", "leaf kill", "leaf, kill"],
    ["{ tier: leaf, rate: 10% }", "leaf 10% rate", "leaf, 10% rate"],
    ["{ tier: leaf, name: gray, corruption: 0.5 }", "gray", "gray"],
    [
      "{ tier: leaf, delay: 1ms, flap: { period: 10ms } }",
      "leaf 1000us delay flapping",
      "leaf, 1000us delay flapping",
    ],
  ])("%s is called %s", (text, name, title) => {
    const [failure] = failuresOf(text).failures;
    expect([failure!.name, failure!.title]).toEqual([name, title]);
  });

  it("without a tier is one on the way of the flow, but not the only switch of a host", () => {
    const topology = build({ kind: "jellyfish", switches: 6, degree: 3, hosts_per_switch: 1 });
    const node = (name: string) => nodeNamed(topology, name)!.index;
    const path = ["host0-0", "switch0", "switch3", "switch5", "host5-0"].map(node);
    expect(sitesOnPath(topology, path, { kind: "tier", role: "switch" })).toEqual([
      { kind: "node", index: node("switch3") },
    ]);
  });

  it("has the same draws of flows and elements whatever its effect, and as its word", () => {
    const keys = failuresOf(
      "leaf, { tier: leaf, loss: 10% }, link, { link: tor-leaf, loss: 1% }",
    ).failures.map(drawKey);
    expect(keys).toEqual(["leaf", "leaf", "link", "link"]);
  });

  it("has a closed form for one element that loses everything, and is observed where packets pass", () => {
    const { failures, topology } = failuresOf(
      "{ link: host-tor }, { link: leaf-spine }, { tier: leaf, loss: 10% }, { link: tor-leaf, direction: up }, { tier: [leaf, leaf] }, { tier: leaf, flap: { period: 1ms } }",
    );
    expect(failures.map(isSingleCut)).toEqual([true, true, false, false, false, false]);
    expect(failures.map(isPartial)).toEqual([false, false, true, false, false, true]);
    // Two NICs a host; 4 leaves with 4 spines each.
    expect(failures.map((one) => equalSites(topology, "inter_pod", one))).toEqual([
      2,
      16,
      ...Array(4).fill(undefined),
    ]);
  });

  it.each([
    ["{ loss: 10% }", "P43031", "a failure without an element"],
    ["{ tier: leaf, direction: up }", "P43032", "a switch has no direction"],
    ["{ tier: leaf, kind: down }", "P43037", "a fault of whole links"],
    ["{ link: tor-leaf, kind: silent, loss: 1% }", "P43037", "contradict each other"],
    ["{ tier: leaf, loss: 0 }", "P43029", "has no effect"],
    ["{ tier: leaf, flap: { period: 0s } }", "P43035", "the period is 0 ns"],
    [
      "{ tier: [leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf] }",
      "P43004",
      "failures[0].tier: expected a list of at most 8, got a list of 9",
    ],
    ["{ tier: [] }", "P43004", "failures[0].tier: expected at least 1 element, got an empty list"],
    ["{ tier: leaf, kind: kill, match: { protocol: tcp } }", "P43037", "a fault of whole switches"],
    ["{ tier: [leaf, lef] }", "P43004", "expected one of tor, leaf, spine, switch"],
    ["{ tier: lef }", "P43004", "expected one of tor, leaf, spine, switch, or a list of these"],
    ["leaf, { tier: leaf }", "P43007", 'failure "leaf" is listed twice'],
    ["{ link: switch-switch, direction: up }", "P43032", "neither of which is above the other"],
    ["switch", "P43009", "switch"],
    ["{ tier: leaf, match: { src: hots } }", "P43014", 'no host is called "hots"'],
  ])("%s is refused", (failures, code, words) => {
    const diagnostics = new Diagnostics();
    const text = `name: x
topology: { kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4 }
schemes: [none]
runs: 1
failures: [${failures}]
`;
    expect(loadExperiment(new SourceFile("f.yaml", text), diagnostics)).toBeUndefined();
    const [message] = diagnostics.list.map(formatDiagnostic);
    expect(message).toMatch(/^f\.yaml:5:\d+: /);
    expect(message).toContain(`error[${code}]`);
    expect(message).toContain(words);
  });

  it("that is listed twice may have a name of its own, which a word cannot have", () => {
    const noteOf = (failures: string) => {
      const diagnostics = new Diagnostics();
      const text = `name: x
topology: { kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4 }
schemes: [none]
runs: 1
failures: [${failures}]
`;
      loadExperiment(new SourceFile("f.yaml", text), diagnostics);
      return diagnostics.list[0]!.notes.map(({ message }) => message);
    };
    expect(noteOf("leaf, { tier: leaf }")).toEqual([
      "give one of the two a name of its own: { name: ..., ... }",
    ]);
    expect(noteOf("leaf, leaf")).toEqual([]);
  });
});

describe("what a failure strikes", () => {
  it.each([
    [
      "{ tier: [leaf, leaf, leaf, leaf, leaf] }",
      "the failure names 5 of leaf; a path has at most 2, and a flow with its acknowledgements at most 4: name leaf at most 4 times",
    ],
    [
      "{ tier: spine, link: [leaf-spine, leaf-spine, leaf-spine], direction: up }",
      "the failure names 3 of leaf-spine; a path has at most 1, and a flow with its acknowledgements at most 2: name leaf-spine at most 2 times",
    ],
  ])("is refused at its place where no flow crosses that many elements: %s", (text, note) => {
    const experiment = failuresOf(`spine, ${text}`);
    const fabric = modelFabric(experiment, experiment.schemes[0]!);
    const drawer = new FlowDrawer(experiment, fabric, (run, end) => run.fork(end), 300);
    let thrown: unknown;
    try {
      drawer.draw(experiment.failures[1]!, 0, SEED);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(DiagnosticError);
    const [diagnostic] = (thrown as DiagnosticError).diagnostics;
    expect(diagnostic).toMatchObject({ code: "P43009", notes: [{ message: note }] });
    expect(formatDiagnostic(diagnostic!)).toMatch(/^test\.yaml:5:19: /);
    expect(diagnostic!.message).toMatch(
      /none of \d+ flows of traffic\.pairs: inter_pod crosses all its elements/,
    );
  });

  it("is another element for each of several, on the way of the flow", () => {
    const experiment = failuresOf("{ tier: [leaf, leaf, spine] }");
    const drawer = new FlowDrawer(experiment, modelFabric(experiment, experiment.schemes[0]!));
    for (let run = 0; run < 30; run++) {
      const { flow, paths, elements } = drawer.draw(experiment.failures[0]!, run, SEED);
      drawer.close(flow);
      const roles = elements.map(({ index }) => experiment.topology.nodes[index]!.role);
      expect(roles).toEqual(["leaf", "leaf", "spine"]);
      expect(elements[0]!.index).not.toBe(elements[1]!.index);
      const onWay = [...paths.data, ...paths.acks];
      for (const { index } of elements) expect(onWay).toContain(index);
    }
  });

  it("is one direction of a link where the file says so: the way that the flow's packets take there", () => {
    for (const direction of ["up", "down"]) {
      const experiment = failuresOf(`{ link: tor-leaf, direction: ${direction} }`);
      const drawer = new FlowDrawer(experiment, modelFabric(experiment, experiment.schemes[0]!));
      for (let run = 0; run < 20; run++) {
        const { flow, paths, elements } = drawer.draw(experiment.failures[0]!, run, SEED);
        drawer.close(flow);
        const [element] = elements;
        const { a, b } = experiment.topology.links[element!.index]!;
        const [from, to] = direction === "up" ? [a.node, b.node] : [b.node, a.node];
        const hops = [paths.data, paths.acks].flatMap((path) =>
          path.slice(1).map((node, i) => `${path[i]} ${node}`),
        );
        expect(hops).toContain(`${from} ${to}`);
        expect(element).toMatchObject({ kind: "link", ways: direction === "up" ? "out" : "in" });
      }
    }
  });

  it("recovers at the first re-path of P-ECMP, be it a direction, a host's link or a link of a spine", () => {
    const experiment = failuresOf(
      "{ link: tor-leaf, direction: up }, { link: tor-leaf, direction: down }, { link: host-tor }, { link: leaf-spine }",
    );
    const rig = new FailoverRig(experiment, modelFabric(experiment, experiment.schemes[0]!));
    for (const failure of experiment.failures)
      for (let run = 0; run < 25; run++) expect(rig.run(failure, run, SEED).timeouts, failure.name).toBe(1);
  });
});

describe("a switch that is killed", () => {
  it("is lost to flows as one that is silent, and is there again in the next run", () => {
    const experiment = failuresOf("leaf, { tier: leaf, kind: kill }", { schemes: "[prr]" });
    const [scheme] = experiment.schemes;
    const fabric = modelFabric(experiment, scheme!);
    const rig = new FailoverRig(experiment, fabric);
    const [silent, killed] = experiment.failures.map((failure) =>
      Array.from({ length: 10 }, (_, run) => rig.run(failure, run, SEED)),
    );
    expect(killed).toEqual(silent);
    expect(fabric.network.channels.some((channel) => channel.failed)).toBe(false);
  });

  it("takes its controllers' connections with it, and gets its program and its state back after the run", async () => {
    const experiment = experimentWith({
      topology: "{ kind: leaf_spine, tors: 2, leaves: 2, homing: single }",
      failures: "[{ tier: leaf, kind: kill }]",
      schemes: "[pecmp]",
      control_plane: "{ recompute_routes: true }",
      runs: 3,
    });
    const out = mkdtempSync(join(tmpdir(), "p4loom-kill-"));
    const { rows } = await runExperiment(experiment, { out });
    expect(rows[0]).toMatchObject({ failure: "leaf kill", runs: 3, recovered: 1, first_try_success: 1 });
    rmSync(out, { recursive: true });
  });
});

describe("a failure that lets packets pass", () => {
  it("is observed for a fixed time: its timeouts are counted, hard failures have none", () => {
    const experiment = failuresOf("leaf, { tier: leaf, loss: 60% }", {
      observation: "400ms",
      schemes: "[none]",
      give_up: "1s",
    });
    const [scheme] = experiment.schemes;
    const fabric = modelFabric(experiment, scheme!);
    const rig = new FailoverRig(experiment, fabric);
    const rows = experiment.failures.map((failure) => {
      const samples = Array.from({ length: 20 }, (_, run) => rig.run(failure, run, SEED));
      return rowOf(experiment, { scheme: scheme!, failure, samples, example: undefined });
    });
    expect(rows[0]!.timeouts_per_flow).toBeNull();
    // The RTO is 6 ms and doubles: 6, 18, 42, 90, 186, 378 ms are the most in 400 ms without an acknowledgement.
    expect(rows[1]!.timeouts_per_flow).toBeGreaterThan(2);
    expect(rows[1]!.theory_p50_ms).toBeNull();
    expect(fabric.network.channels.some((channel) => channel.failed)).toBe(false);
  });

  it("flaps: a flow times out again in each period", () => {
    const experiment = failuresOf("{ tier: leaf, flap: { period: 100ms, duty: 20% } }", {
      schemes: "[none]",
      observation: "1s",
    });
    const [scheme] = experiment.schemes;
    const rig = new FailoverRig(experiment, modelFabric(experiment, scheme!));
    for (let run = 0; run < 5; run++) {
      const { timeouts, recoveryMs } = rig.run(experiment.failures[0]!, run, SEED);
      // Off for 20 ms in every 100 ms: RTOs of 6 and 12 ms fall into it, the next retransmission gets through.
      expect(timeouts).toBeGreaterThanOrEqual(20);
      expect(timeouts).toBeLessThanOrEqual(30);
      expect(recoveryMs).toBeLessThan(1000);
    }
  });

  it("gives every scheme the same draws of lost packets, and repeats", () => {
    const experiment = failuresOf("{ tier: leaf, loss: 30% }", { observation: "100ms" });
    const run = () => {
      const rig = new FailoverRig(experiment, modelFabric(experiment, experiment.schemes[0]!));
      return [0, 1, 2, 3].map((number) => rig.run(experiment.failures[0]!, number, SEED));
    };
    expect(run()).toEqual(run());
  });
});
