/**
 * Compares the kernel's TCP on a testbed with ours in the simulator: the same flows at the same times over the same bottleneck, their
 * completion times side by side. One of our switches between two hosts paces the bottleneck, so that packets wait in its
 * queue. Needs root and a build (`npm run build`). The block `kernel` of docs/transport.md shows all of it.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Diagnostics, Random, SourceFile } from "../../src/base/index.js";
import { schemeNamed } from "../../src/fabric/schemes/index.js";
import type { CongestionControlName } from "../../src/fabric/sim/packet/index.js";
import { ascending, quantile } from "../../src/fabric/statistics/index.js";
import { type RunningHost, startTestbed, type Testbed, testbedOf } from "../../src/fabric/testbed/index.js";
import { buildTopology, hostsOf, type Topology, topologySchema } from "../../src/fabric/topology/index.js";
import { loadTemplates, renderProgram } from "../../src/toolchain/generate/index.js";
import { textFolder } from "../../src/toolchain/loading/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { FRAME, runChain, SEGMENT } from "../../test/fabric/sim/congestion/chain.js";
import type { Benchmark, Measurement } from "../benchmark.js";

const root = join(import.meta.dirname, "../..");
const main = join(root, "dist/cli/main.js");
const program = join(import.meta.dirname, "transport/kernel-flows.ts");

const RATE = 10e6;
/** Packets; about 73 ms. */
const QUEUE = 60;
const PORT = 5201;
const FLOWS = 300;
/** Flows before them that are not counted: the programs on the hosts are compiled, and the queue is not empty any more. */
const FIRST_FLOWS = 20;
const LOAD = 0.6;
/** Sizes in full segments, and their shares. */
const SIZES = [
  { name: "10 segments", segments: 10, share: 0.5 },
  { name: "40 segments", segments: 40, share: 0.35 },
  { name: "150 segments", segments: 150, share: 0.15 },
] as const;
/** With timestamps (RFC 7323), over Ethernet. */
const KERNEL_SEGMENT = 1448;
const KERNEL_FRAME = 1514;
const NS_PER_S = 1e9;
const SECONDS_AFTER = 8;
const PERCENTILES = [10, 25, 50, 75, 90, 99] as const;

interface Flow {
  readonly startNs: number;
  readonly size: (typeof SIZES)[number];
  readonly port: number;
}

/** Poisson arrivals; by itself the sum of all takes {@link LOAD} of the bottleneck. */
function drawFlows(): Flow[] {
  const random = new Random("kernel flows");
  const mean = SIZES.reduce((sum, { segments, share }) => sum + segments * share, 0);
  const gap = (mean * KERNEL_FRAME * 8 * NS_PER_S) / (RATE * LOAD);
  let at = 0.2 * NS_PER_S;
  return Array.from({ length: FIRST_FLOWS + FLOWS }, (_, i) => {
    at += random.exponential(gap);
    let draw = random.float();
    const size = SIZES.find(({ share }) => (draw -= share) < 0) ?? SIZES[0];
    return { startNs: Math.round(at), size, port: 20_000 + i };
  });
}

/**
 * The same flows in the simulator, with the round trip that the testbed has without load. Completion times in ms;
 * Infinity: not completed.
 */
function simulate(control: CongestionControlName, flows: readonly Flow[], rttNs: number): number[] {
  const result = runChain({
    hops: 1,
    rate: (RATE * FRAME) / KERNEL_FRAME,
    accessRate: 1e9,
    delay: Math.round(rttNs / 2),
    queue: QUEUE,
    flows: flows.map(({ startNs, size }) => ({
      control,
      from: 0,
      to: 1,
      delay: 0,
      bytes: size.segments * SEGMENT,
      startNs,
    })),
    warmUpNs: 0,
    untilNs: flows.at(-1)!.startNs + SECONDS_AFTER * NS_PER_S,
    transport: { delayedAck: { segments: 2, timeout: 40e6 } },
  });
  return result.flows.map(({ fctNs }) => (fctNs < 0 ? Number.POSITIVE_INFINITY : fctNs / 1e6));
}

/** The flows by the kernel's TCP. */
async function measure(
  h1: RunningHost,
  h2: RunningHost,
  address: string,
  flows: readonly Flow[],
): Promise<number[]> {
  const tsx = [process.execPath, "--import", "tsx", program];
  const begun = new Map<number, number>();
  const ended = new Map<number, number>();
  const server = h2.spawn([...tsx, "receive", `${PORT}`]);
  await new Promise<void>((resolve) => {
    server.onLine((line) => {
      const said = JSON.parse(line) as { listening?: number; port: number; at: number };
      if (said.listening !== undefined) resolve();
      else ended.set(said.port, said.at);
    });
  });
  const client = h1.spawn([...tsx, "send", address, `${PORT}`]);
  client.onLine((line) => {
    const said = JSON.parse(line) as { port: number; at?: number };
    if (said.at !== undefined) begun.set(said.port, said.at);
  });
  const list = flows.map(({ startNs, size, port }) => ({
    at: startNs,
    port,
    bytes: size.segments * KERNEL_SEGMENT,
  }));
  client.write(JSON.stringify(list));
  const limit = Date.now() + (flows.at(-1)!.startNs / NS_PER_S + SECONDS_AFTER) * 1000;
  while (ended.size < flows.length && Date.now() < limit)
    await new Promise((resolve) => setTimeout(resolve, 100));
  await client.kill();
  await server.kill();
  return flows.map(({ port }) => {
    const [from, to] = [begun.get(port), ended.get(port)];
    return from === undefined || to === undefined ? Number.POSITIVE_INFINITY : (to - from) / 1e6;
  });
}

async function startSwitch(topology: Topology, folder: string): Promise<Testbed> {
  const testbed = await startTestbed(testbedOf(topology), {
    network: "netns",
    engine: "switch",
    folder,
    p4loom: [process.execPath, main],
    logLevel: "warn",
    allowMissing: new Set(["delay"]),
    log: () => {},
    stop: new AbortController().signal,
  });
  const scheme = schemeNamed("ecmp")!;
  const plan = scheme.plan(topology, scheme.parameters.parse({}));
  const templates = loadTemplates(textFolder(join(root, "templates")));
  for (const { node, program, updates } of plan.switches) {
    const text = renderProgram(templates, plan.programs.find(({ name }) => name === program)!);
    const result = compile({ file: new SourceFile(`${program}.p4`, text) }, new Diagnostics());
    const { device } = testbed.switches.get(topology.nodes[node]!.name)!;
    await device.load(result!.program);
    await device.write(updates);
    await device.settings!.setQueueDepth(QUEUE);
  }
  return testbed;
}

/** Reports the figures of one control and size, and under how much load of the machine they were measured. */
function compare(
  report: (measurement: Measurement) => void,
  control: string,
  size: (typeof SIZES)[number],
  flows: readonly Flow[],
  kernel: readonly number[],
  ours: readonly number[],
  load: number,
): void {
  const ofSize = (values: readonly number[]) =>
    ascending(values.filter((_, i) => i >= FIRST_FLOWS && flows[i]!.size === size));
  const [theirs, own] = [ofSize(kernel), ofSize(ours)];
  const more = { flows: own.length, load_of_machine: Number(load.toFixed(1)) };
  for (const percent of PERCENTILES) {
    const [value, rival] = [quantile(own, percent / 100), quantile(theirs, percent / 100)];
    report({
      name: `transport-kernel/${control}, ${size.name}, p${percent}`,
      unit: "ms",
      value,
      rival: { name: "kernel", value: rival },
      more,
    });
  }
}

export const run: Benchmark = async (report) => {
  if (process.getuid?.() !== 0) {
    console.error("transport-kernel: skipped; it needs root");
    return;
  }
  if (!existsSync(main)) throw new Error(`${main} is not there: npm run build`);
  const folder = mkdtempSync(join(tmpdir(), "p4loom-bench-"));
  const nodes = [
    { name: "s1", role: "switch" },
    { name: "h1", role: "host" },
    { name: "h2", role: "host" },
  ];
  const links = [
    { a: "h1", b: "s1", rate: "100Gbps" },
    { a: "h2", b: "s1", rate: `${RATE / 1e6}Mbps` },
  ];
  const topology = buildTopology(topologySchema.parse({ kind: "graph", nodes, links }));
  const testbed = await startSwitch(topology, folder);
  try {
    const [h1, h2] = ["h1", "h2"].map((name) => testbed.hosts.get(name)!) as [RunningHost, RunningHost];
    const { ipv4 } = hostsOf(topology)[1]!.host!;
    const address = [24n, 16n, 8n, 0n].map((shift) => (ipv4 >> shift) & 0xffn).join(".");
    const ping = await h1.exec(["ping", "-c", "100", "-i", "0.02", "-q", address]);
    const rttNs = Number(/= [\d.]+\/([\d.]+)\//.exec(ping.stdout)![1]) * 1e6;
    const offered = await h1.exec(["sysctl", "-n", "net.ipv4.tcp_available_congestion_control"]);
    const flows = drawFlows();
    for (const control of ["reno", "cubic", "dctcp", "bbr"] as const) {
      if (!offered.stdout.split(/\s+/).includes(control)) {
        console.error(`transport-kernel: this kernel offers no ${control}`);
        continue;
      }
      for (const host of [h1, h2])
        for (const setting of [`tcp_congestion_control=${control}`, "tcp_no_metrics_save=1"])
          await host.exec(["sysctl", "-w", `net.ipv4.${setting}`]);
      const kernel = await measure(h1, h2, address, flows);
      const load = loadavg()[0]!;
      const ours = simulate(control, flows, rttNs);
      for (const size of SIZES) compare(report, control, size, flows, kernel, ours, load);
      const [theirLost, ourLost] = [kernel, ours].map(
        (values) => values.filter((value) => !Number.isFinite(value)).length,
      );
      console.error(
        `transport-kernel: ${control}: round trip ${(rttNs / 1e6).toFixed(2)} ms; not completed: ${theirLost} of the ` +
          `kernel's flows, ${ourLost} of ours; load of the machine ${load.toFixed(1)}`,
      );
    }
  } finally {
    await testbed.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
