/** A Linux sender obeys P4TE's fake acknowledgements: its rate before and after the meters say that it sends too much. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { type RunningHost, startTestbed } from "../../../src/fabric/testbed/index.js";
import { buildTopology, topologySchema } from "../../../src/fabric/topology/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import { renderProgram } from "../../../src/toolchain/generate/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { templates } from "../../toolchain/generate/load.js";
import { makeFolder, testbedOptions, whyNot } from "./machine.js";
import { twoHosts } from "./two-hosts.js";

/** Two hosts at one leaf, with the addresses of the testbed; another leaf and a spine make two tiers. */
const topology = buildTopology(
  topologySchema.parse({
    kind: "leaf_spine",
    name: "two",
    tors: 2,
    leaves: 1,
    homing: "single",
    hosts_per_rack: 2,
    host_link: { rate: "10Gbps" },
    fabric_link: { rate: "10Gbps" },
  }),
);
const SHORT_FLOW_TOS = "8";
const MACS = [0x020000000001n, 0x020000000002n];

function meter(table: string, match: readonly [string, number][], rate: bigint): Update {
  return {
    type: "modify",
    entity: {
      kind: "directMeter",
      entry: {
        kind: "tableEntry",
        table,
        match: match.map(([field, value]) => ({ kind: "exact", field, value: BigInt(value) })),
        priority: 0,
      },
      config: { committedRate: rate, committedBurst: 2000n, peakRate: rate, peakBurst: 2000n },
    },
  };
}

/** The plan of the leaf, with the MAC addresses of the testbed's hosts at ports 1 and 2. */
function stateOf(updates: readonly Update[], ports: readonly number[]): Update[] {
  return updates.map((update) => {
    const { entity } = update;
    if (entity.kind !== "tableEntry" || entity.action?.kind !== "action") return update;
    const { params } = entity.action;
    const mac = MACS[ports.indexOf(Number(params["port"]))];
    if (mac === undefined || params["mac"] === undefined) return update;
    return { ...update, entity: { ...entity, action: { ...entity.action, params: { ...params, mac } } } };
  });
}

/** The place of FACKs that make the window smaller in the counter `fake_acks`. */
const DECREASE = 2;

/** Megabits per second of the seconds from `from` to `to`. */
function rateOf(json: string, from: number, to: number): number {
  const { intervals } = JSON.parse(json) as {
    intervals: { sum: { start: number; bits_per_second: number } }[];
  };
  const own = intervals.map(({ sum }) => sum).filter(({ start }) => start >= from - 0.1 && start < to - 0.1);
  return own.reduce((all, { bits_per_second }) => all + bits_per_second, 0) / own.length / 1e6;
}

/** Windows in bytes that the kernel of a host may send, of its connection with most data, at 20 times within a second. */
async function windowsOf(host: RunningHost): Promise<number[]> {
  const windows: number[] = [];
  for (let i = 0; i < 20; i++) {
    const { stdout } = await host.exec(["ss", "-tinH", "dport", "=", ":5201"]);
    windows.push(Math.max(...[...stdout.matchAll(/snd_wnd:(\d+)/g)].map(([, bytes]) => Number(bytes))));
    await sleep(50);
  }
  return windows;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** What the sender did: its rate in Mb/s and the window in bytes that it obeyed. */
interface Sending {
  readonly rate: number;
  readonly window: number;
}

async function measure(
  engine: "switch" | "bmv2",
  parameters: object,
): Promise<{ before: Sending; after: Sending; decreases: number }> {
  const scheme = schemeNamed("p4te")!;
  const plan = scheme.plan(topology, scheme.parameters.parse({ rate_window: 20_000, ...parameters }));
  const own = plan.switches[0]!;
  const text = renderProgram(templates, plan.programs.find(({ name }) => name === own.program)!);
  const diagnostics = new Diagnostics();
  const program = compile({ file: new SourceFile("tor.p4", text) }, diagnostics)!.program;
  diagnostics.throwIfErrors();
  const options = await testbedOptions("netns", engine, makeFolder());
  const testbed = await startTestbed(twoHosts("fack"), options);
  try {
    const { device } = testbed.switches.get("s1")!;
    await device.load(program);
    const hosts = [1, 2].map((n) => topology.nodes.find(({ name }) => name === `host0-0-${n - 1}`)!);
    const addresses = new Map(hosts.map((host, i) => [host.host!.ipv4, (10n << 24n) + BigInt(i + 1)]));
    const updates = stateOf(own.updates, [1, 2]).map((update): Update => {
      const { entity } = update;
      if (entity.kind !== "tableEntry") return update;
      const match = entity.match.map((part) =>
        part.kind === "lpm" && addresses.has(part.value) && part.prefixLength === 32
          ? { ...part, value: addresses.get(part.value)! }
          : part,
      );
      return { ...update, entity: { ...entity, match } };
    });
    await device.write(updates);
    const [h1, h2] = ["h1", "h2"].map((name) => testbed.hosts.get(name)!);
    for (const [host, peer, mac] of [
      [h1!, "10.0.0.2", "02:00:00:00:00:02"],
      [h2!, "10.0.0.1", "02:00:00:00:00:01"],
    ] as const)
      await host.exec(["ip", "neigh", "replace", peer, "lladdr", mac, "dev", "eth0"]);
    const server = h2!.spawn(["iperf3", "-s", "-1"]);
    await sleep(1000);
    const running = h1!.exec(["iperf3", "-c", "10.0.0.2", "-t", "8", "-i", "1", "-J", "-S", SHORT_FLOW_TOS]);
    await sleep(2000);
    const windowsBefore = await windowsOf(h1!);
    await device.write([
      meter(
        "FabricIngress.class_rates",
        [
          ["standard_metadata.ingress_port", 1],
          ["meta.class", 2],
        ],
        1000n,
      ),
      meter("FabricEgress.link_rates", [["standard_metadata.egress_port", 2]], 1000n),
    ]);
    await sleep(500);
    const windowsAfter = await windowsOf(h1!);
    const { stdout } = await running;
    void server;
    const [facks] = await device.read([
      { kind: "counter", counter: "FabricEgress.fake_acks", index: DECREASE },
    ]);
    const decreases = facks?.kind === "counter" ? Number(facks.data.packets) : 0;
    return {
      before: { rate: rateOf(stdout, 1, 3), window: median(windowsBefore) },
      after: { rate: rateOf(stdout, 5, 8), window: median(windowsAfter) },
      decreases,
    };
  } finally {
    await testbed.close();
  }
}

const ENGINES = (["switch", "bmv2"] as const).map((engine) => ({
  engine,
  reason: whyNot("netns", engine, ["iperf3"]),
}));

describe.each(ENGINES)("a Linux sender on $engine", ({ engine, reason }) => {
  it.skipIf(reason !== undefined)(
    `sends less after FACKs ${reason ?? ""}`,
    async () => {
      const { before, after, decreases } = await measure(engine, {});
      expect(decreases).toBeGreaterThan(100);
      expect(after.window).toBeLessThan(0.1 * before.window);
      expect(after.rate).toBeLessThan(before.rate);
    },
    60_000,
  );
});
