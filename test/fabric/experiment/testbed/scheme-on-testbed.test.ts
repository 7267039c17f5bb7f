/** A scheme on a testbed: what switches and hosts are told, and how faults name the testbed's links. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  agentSeed,
  Journal,
  SchemeOnTestbed,
} from "../../../../src/fabric/experiment/testbed/scheme-on-testbed.js";
import { testbedOf } from "../../../../src/fabric/testbed/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import { fakeTestbed, smallExperiment } from "./fake-testbed.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-scheme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Setting {
  readonly keys?: Readonly<Record<string, string>>;
  readonly engine?: "switch" | "bmv2";
  readonly direct?: boolean;
  /** Position in the file. */
  readonly scheme?: number;
  readonly settings?: object[];
  readonly queues?: boolean;
  readonly starts?: boolean;
}

function schemeOnTestbed({
  keys = {},
  engine = "switch",
  direct = false,
  scheme = 0,
  ...more
}: Setting = {}) {
  const experiment = smallExperiment(keys);
  const fake = fakeTestbed(experiment, more);
  const own = experiment.schemes[scheme]!;
  const journal = new Journal(mkdtempSync(join(folder, "run-")));
  const stop = new AbortController();
  const programs = new Map(own.plan.programs.map(({ name }) => [name, { name } as unknown as Program]));
  const run = { engine, testbed: fake.testbed, journal, seed: 7, stop: stop.signal };
  const on = new SchemeOnTestbed(run, experiment, own, programs, direct);
  const host = experiment.topology.nodes.find((node) => node.host !== undefined)!;
  return { on, ...fake, experiment, own, journal, stop, host };
}

describe("a switch of a scheme", () => {
  it("gets its program, the sizes of its queues, and its state, in this order", async () => {
    const { on, own, of, experiment, journal } = schemeOnTestbed({ keys: { queues: "{ packets: 77 }" } });
    await on.configure();
    for (const { node, program, updates } of own.plan.switches) {
      const told = of(experiment.topology.nodes[node]!.name);
      expect(told.map(([what]) => what)).toEqual(["load", "depth", "write", "generators"]);
      expect(told.slice(0, 2)).toEqual([
        ["load", { name: program }],
        ["depth", 77],
      ]);
      expect(told[2]).toEqual(["write", updates]);
    }
    expect(journal.facts).toEqual([
      "Queues of 77 packets a port were set by the P4Runtime connection; queues.bytes has no counterpart.",
    ]);
  });

  it("gets the limits of the queues of its links after the sizes of all", async () => {
    const links =
      "[{ a: h, b: x, queue_packets: 9 }, { a: g, b: x, rate_pps: 500 }, { a: x, b: z }, { a: z, b: y }, { a: i, b: y }]";
    const nodes = ["h", "g", "i", "x", "y", "z"].map(
      (name) => `{ name: ${name}, role: ${name < "w" ? "host" : "switch"} }`,
    );
    const topology = `{ kind: graph, nodes: [${nodes.join(", ")}], links: ${links} }`;
    const keys = { topology, failures: "[switch]", schemes: "[ecmp]", traffic: "{ pairs: any }" };
    const { on, of, experiment } = schemeOnTestbed({ keys });
    await on.configure();
    expect(of("x").slice(1, 4)).toEqual([
      ["depth", experiment.settings.queues.packets],
      ["depth", 9, { port: 1 }],
      ["rate", 500, { port: 2 }],
    ]);
  });

  it("says how queues were set, and that they were not where the switch has no such setting", async () => {
    const bmv2 = schemeOnTestbed({ engine: "bmv2" });
    await bmv2.on.configure();
    expect(bmv2.journal.facts).toEqual([expect.stringContaining("were set by Thrift (simple_switch_CLI)")]);
    const none = schemeOnTestbed({ queues: false });
    await none.on.configure();
    expect(none.journal.facts).toEqual([
      "The queues of the switches keep their default sizes, which cannot be changed.",
    ]);
  });
});

describe("faults on a testbed", () => {
  it("take a link down by the interface of a switch, and by the name of a host", async () => {
    const { on, of, experiment } = schemeOnTestbed();
    const { links } = testbedOf(experiment.topology);
    const isSwitch = (name: string) =>
      experiment.topology.nodes.some((node) => node.name === name && node.host === undefined);
    for (const [index, { a, b }] of links.entries()) {
      await on.faultyTestbed.setCarrier(index, false);
      const end = (one: typeof a) => (isSwitch(one.node) ? one.interface : one.node);
      expect(of("testbed").at(-1)).toEqual(["link", end(a), end(b), false]);
      await on.faultyTestbed.setDelay(index, "b", 5);
      expect(of("testbed").at(-1)).toEqual(["delay", b.node, b.interface, 5]);
    }
    expect(links.some(({ a, b }) => isSwitch(a.node) !== isSwitch(b.node))).toBe(true);
  });

  it("end a switch, and give it program and state again, with what the fault adds first", async () => {
    const { on, of, own, experiment } = schemeOnTestbed();
    const { node, updates } = own.plan.switches[0]!;
    const { name } = experiment.topology.nodes[node]!;
    await on.faultyTestbed.kill(node);
    const more = [{ type: "insert" } as unknown as Update];
    await on.faultyTestbed.restart(node, more);
    expect(of(name).map(([what]) => what)).toEqual([
      "kill",
      "restart",
      "load",
      "depth",
      "write",
      "generators",
    ]);
    expect(of(name)[4]).toEqual(["write", [...more, ...updates]]);
    expect(on.faultyTestbed.device(node)).toBe(on.device(node));
    expect(on.switch(node).name).toBe(name);
  });
});

describe("the agent of a host", () => {
  it("is started once with the host's addresses, its NICs, and the policy of the scheme", async () => {
    const { on, of, own, host, experiment } = schemeOnTestbed();
    const [one, other] = await Promise.all([on.agent(host.index), on.agent(host.index)]);
    expect(one).toBe(other);
    expect(of(host.name)).toHaveLength(1);
    const [what, request] = of(host.name)[0] as [
      string,
      { nics: { name: string }[]; rateBps?: number; seed: number },
    ];
    expect([what, request]).toEqual([
      "start",
      expect.objectContaining({ name: host.name, field: own.plan.field, policy: own.plan.hosts }),
    ]);
    expect(request.nics.map(({ name }) => name)).toEqual(host.ports.map(({ number }) => `eth${number - 1}`));
    expect(request.seed).toBe(agentSeed(7, host.name));
    // All links of the host together: the kernel sends no faster.
    const rates = host.ports.map(({ link }) => experiment.topology.links[link]!.rateBps);
    expect(request.rateBps).toBe(rates.reduce((sum, rate) => sum + rate, 0));
    expect(request).not.toHaveProperty("direct");
  });

  it("of a host that sends without it has no rate, and offers ECN where TCP is told to", async () => {
    const requestOf = async (transport: string) => {
      const { on, of, host } = schemeOnTestbed({ direct: true, scheme: 1, keys: { transport } });
      await on.agent(host.index);
      return of(host.name)[0]![1];
    };
    const off = await requestOf("{}");
    expect(off).toMatchObject({ direct: true, ecn: false });
    expect(off).not.toHaveProperty("rateBps");
    expect(await requestOf("{ protocol: tcp, ecn: classic }")).toMatchObject({ direct: true, ecn: true });
    expect(await requestOf("{ protocol: tcp, ecn: off }")).toMatchObject({ direct: true, ecn: false });
  });

  it("has no rate where one of its links is too fast for the kernel to pace", async () => {
    const links =
      "[{ a: h, b: x, rate: 1Gbps }, { a: h, b: y, rate: 40Gbps }, { a: x, b: z }, { a: y, b: z }, { a: z, b: w }, { a: g, b: w }]";
    const nodes = ["h", "g", "w", "x", "y", "z"].map(
      (name) => `{ name: ${name}, role: ${name < "w" ? "host" : "switch"} }`,
    );
    const topology = `{ kind: graph, nodes: [${nodes.join(", ")}], links: ${links} }`;
    const keys = { topology, failures: "[switch]", schemes: "[ecmp]", traffic: "{ pairs: any }" };
    const { on, of, host } = schemeOnTestbed({ keys });
    await on.agent(host.index);
    expect(of(host.name)[0]![1]).not.toHaveProperty("rateBps");
  });

  it("has seeds that differ by host and by run", () => {
    expect(agentSeed(7, "h1")).toBe(agentSeed(7, "h1"));
    expect(new Set([agentSeed(7, "h1"), agentSeed(7, "h2"), agentSeed(8, "h1")]).size).toBe(3);
  });

  it("reports settings of the kernel that are not as they should be, each once", async () => {
    const settings = [
      { name: "tcp_a", wanted: "1", effective: "1" },
      { name: "tcp_b", wanted: "1", effective: "0" },
      { name: "tcp_c", wanted: "1", effective: null },
    ];
    const { on, journal, experiment } = schemeOnTestbed({ settings });
    for (const node of experiment.topology.nodes) if (node.host !== undefined) await on.agent(node.index);
    expect(journal.facts).toEqual([
      "The hosts' tcp_b should be 1, but it is 0.",
      "The hosts' tcp_c should be 1, but this kernel has no such setting.",
    ]);
  });

  it("listens once at a port, with the congestion control that the first request names", async () => {
    const { on, of, host } = schemeOnTestbed();
    await Promise.all([on.listen(host.index, 5201, "bbr"), on.listen(host.index, 5201, "bbr")]);
    await on.listen(host.index, 5202);
    expect(of(host.name).slice(1)).toEqual([
      ["listen", { port: 5201, congestion: "bbr" }],
      ["listen", { port: 5202 }],
    ]);
  });

  it("is stopped at the end, whether or not another one could start", async () => {
    const { on, of, host } = schemeOnTestbed();
    await on.agent(host.index);
    await on.close();
    expect(of(host.name).map(([what]) => what)).toEqual(["start", "stop"]);
    const broken = schemeOnTestbed({ starts: false });
    await expect(broken.on.agent(broken.host.index)).rejects.toThrow("P43170");
    await broken.on.close();
    expect(broken.of(broken.host.name).map(([what]) => what)).toEqual(["start"]);
  });
});

describe("a run of a scheme", () => {
  it("is stopped with the whole run", () => {
    const { on, stop } = schemeOnTestbed();
    expect(on.run.stop.aborted).toBe(false);
    stop.abort(new Error("enough"));
    expect(on.run.stop.reason).toMatchObject({ message: "enough" });
  });
});
