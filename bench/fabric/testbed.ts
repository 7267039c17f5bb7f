/**
 * Labs on real interfaces: the start time of 20 switches, and the throughput (TCP of iperf3) and round-trip time (ping) of
 * one switch between two hosts. Our switch, and BMv2 in the same run if simple_switch_grpc is on PATH or P4LOOM_BMV2
 * names it. Needs root and a build (`npm run build`).
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { schemeNamed } from "../../src/fabric/schemes/index.js";
import {
  type SwitchEngine,
  startTestbed,
  type Testbed,
  type TestbedSpec,
  testbedOf,
} from "../../src/fabric/testbed/index.js";
import { buildTopology, hostsOf, type Topology, topologySchema } from "../../src/fabric/topology/index.js";
import { loadTemplates, renderProgram } from "../../src/toolchain/generate/index.js";
import { textFolder } from "../../src/toolchain/loading/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import type { Measurement } from "../benchmark.js";

const root = join(import.meta.dirname, "../..");
const main = join(root, "dist/cli/main.js");
const SWITCHES = 20;
const TCP_SECONDS = 5;
const PINGS = 300;

interface Figures {
  startSeconds: number;
  tcpMbps: number;
  rttMicroseconds: number;
}

async function testbed(spec: TestbedSpec, engine: SwitchEngine, folder: string): Promise<Testbed> {
  const bmv2 = process.env["P4LOOM_BMV2"];
  return await startTestbed(spec, {
    network: "netns",
    engine,
    folder,
    ...(bmv2 === undefined ? {} : { bmv2 }),
    p4loom: [process.execPath, main],
    logLevel: "warn",
    allowMissing: new Set(),
    log: () => {},
    stop: new AbortController().signal,
  });
}

/** Switches in a ring, each linked to the next. */
function ring(): TestbedSpec {
  const numbers = Array.from({ length: SWITCHES }, (_, i) => i + 1);
  return {
    name: "ring",
    hosts: [],
    switches: numbers.map((n) => ({
      name: `s${n}`,
      deviceId: BigInt(n),
      ports: [1, 2].map((number) => ({ number, interface: `s${n}-eth${number}` })),
    })),
    links: numbers.map((n) => {
      const next = (n % SWITCHES) + 1;
      return {
        a: { node: `s${n}`, interface: `s${n}-eth2` },
        b: { node: `s${next}`, interface: `s${next}-eth1` },
      };
    }),
  };
}

async function load(running: Testbed, topology: Topology): Promise<void> {
  const scheme = schemeNamed("ecmp")!;
  const plan = scheme.plan(topology, scheme.parameters.parse({}));
  const templates = loadTemplates(textFolder(join(root, "templates")));
  for (const { node, program, updates } of plan.switches) {
    const text = renderProgram(templates, plan.programs.find(({ name }) => name === program)!);
    const result = compile({ file: new SourceFile(`${program}.p4`, text) }, new Diagnostics());
    const { device } = running.switches.get(topology.nodes[node]!.name)!;
    await device.load(result!.program);
    await device.write(updates);
  }
}

async function measure(engine: SwitchEngine, folder: string): Promise<Figures> {
  const begun = performance.now();
  const many = await testbed(ring(), engine, folder);
  const startSeconds = (performance.now() - begun) / 1000;
  await many.close();

  const nodes = [
    { name: "s1", role: "switch" },
    { name: "h1", role: "host" },
    { name: "h2", role: "host" },
  ];
  const links = ["h1", "h2"].map((a) => ({ a, b: "s1" }));
  const topology = buildTopology(topologySchema.parse({ kind: "graph", nodes, links }));
  const one = await testbed(testbedOf(topology, { rateScale: 0, delayScale: 0 }), engine, folder);
  try {
    await load(one, topology);
    const { ipv4 } = hostsOf(topology)[1]!.host!;
    const address = [24n, 16n, 8n, 0n].map((shift) => (ipv4 >> shift) & 0xffn).join(".");
    const [h1, h2] = ["h1", "h2"].map((name) => one.hosts.get(name)!);
    const ping = await h1!.exec(["ping", "-c", String(PINGS), "-i", "0.01", "-q", address]);
    const rtt = Number(/= [\d.]+\/([\d.]+)\//.exec(ping.stdout)![1]);
    const server = h2!.spawn(["iperf3", "-s", "-1", "--forceflush"]);
    await new Promise<void>(
      (resolve) => void server.onLine((line) => line.includes("listening") && resolve()),
    );
    const client = await h1!.exec(["iperf3", "-J", "-c", address, "-t", String(TCP_SECONDS)]);
    const { end } = JSON.parse(client.stdout) as { end: { sum_received: { bits_per_second: number } } };
    const tcpMbps = end.sum_received.bits_per_second / 1e6;
    return { startSeconds, tcpMbps, rttMicroseconds: 1000 * rtt };
  } finally {
    await one.close();
  }
}

export async function run(report: (measurement: Measurement) => void): Promise<void> {
  if (!existsSync(main)) throw new Error(`${main} is not there: npm run build`);
  const folder = mkdtempSync(join(tmpdir(), "p4loom-bench-"));
  try {
    const ours = await measure("switch", folder);
    const rival = await measure("bmv2", folder).catch((error: Error) => {
      if (error.message.includes("P43103")) return undefined;
      throw error;
    });
    const line = (name: string, unit: string, key: keyof Figures): void =>
      report({
        name: `testbed/${name}`,
        unit,
        value: ours[key],
        ...(rival === undefined ? {} : { rival: { name: "simple_switch_grpc", value: rival[key] } }),
      });
    line(`start-${SWITCHES}-switches`, "s", "startSeconds");
    line("tcp", "Mbit/s", "tcpMbps");
    line("ping", "us", "rttMicroseconds");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
