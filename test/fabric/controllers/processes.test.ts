/** It shows: the controller of docs/controllers.md does the same on the simulator, on our switch and on BMv2. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { transform } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, Random, SourceFile } from "../../../src/base/index.js";
import {
  type Clock,
  type Controller,
  ControllerHost,
  type SwitchSession,
} from "../../../src/fabric/controllers/index.js";
import { wallControlClock } from "../../../src/fabric/experiment/control-plane-on-testbed.js";
import { loadTimeline, runTimeline } from "../../../src/fabric/experiment/index.js";
import {
  type Channel,
  ControlChannel,
  controlClock,
  Simulation,
  SwitchNode,
  settle,
} from "../../../src/fabric/sim/packet/index.js";
import { startTestbed, testbedOf } from "../../../src/fabric/testbed/index.js";
import { buildTopology, nodeNamed, topologySchema } from "../../../src/fabric/topology/index.js";
import type { Device, Update } from "../../../src/toolchain/device/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { bmv2, dotted, leftoversOf, makeFolder, testbedOptions, whyNot } from "../testbed/machine.js";
import { NO_HOST } from "./no-hosts.js";

const topology = buildTopology(
  topologySchema.parse({
    name: "mover",
    kind: "graph",
    nodes: [
      { name: "s1", role: "tor" },
      ...[1, 2, 3, 4].map((n) => ({ name: `h${n}`, role: "host" as const })),
    ],
    links: [1, 2, 3, 4].map((n) => ({ a: `h${n}`, b: "s1" })),
  }),
);

async function moverOfDocs(): Promise<Controller> {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/controllers.md"), "utf8");
  const [block] = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]!);
  const { code } = await transform(block!.replace(/^import .*\n/gm, "").replace("export const", "const"), {
    loader: "ts",
    target: "es2022",
  });
  // The example's own lines, without imports and empty ones.
  const lines = block!.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("import"));
  expect(lines.length).toBeLessThanOrEqual(30);
  return new Function(`${code}; return mover;`)() as Controller;
}

function moverProgram(): Program {
  const path = join(import.meta.dirname, "mover.p4");
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile(path, readFileSync(path, "utf8")) }, diagnostics);
  if (result === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  return result.program;
}

const profile = "MoverIngress.members";
const STATE: Update[] = [
  ...[2, 3, 4].map(
    (port): Update => ({
      type: "insert",
      entity: {
        kind: "member",
        profile,
        memberId: port - 1,
        action: { action: "MoverIngress.to_port", params: { port: BigInt(port) } },
      },
    }),
  ),
  {
    type: "insert",
    entity: { kind: "group", profile, groupId: 1, members: [{ memberId: 1, weight: 1 }], maxSize: 4 },
  },
  {
    type: "insert",
    entity: {
      kind: "tableEntry",
      table: "MoverIngress.ways",
      match: [{ kind: "exact", field: "standard_metadata.ingress_port", value: 1n }],
      priority: 0,
      action: { kind: "group", groupId: 1 },
    },
  },
];

/** What a run needs of an engine. */
interface Rig {
  readonly clock: Clock;
  readonly session: SwitchSession;
  readonly device: Device;
  /** Sends this number of IPv4 packets into port 1. */
  send(packets: number): Promise<void>;
  /** Advances time until the condition holds; it is checked repeatedly. */
  until(condition: () => boolean): Promise<void>;
  /** Lets some control loops pass. */
  wait(ms: number): Promise<void>;
}

/** Loads the switch, and drives the controller through moves, a kill and a restart. Returns its log without times. */
async function actionsOn(rig: Rig): Promise<string[]> {
  const lines: string[] = [];
  const failures: Error[] = [];
  const host = new ControllerHost(
    [{ name: "mover", switches: [nodeNamed(topology, "s1")!.index], controller: await moverOfDocs() }],
    {
      topology,
      clock: rig.clock,
      session: () => rig.session,
      hostSession: () => NO_HOST,
      random: new Random(1),
      log: (line) => void lines.push(line.replace(/^\S+ /, "")),
      failed: (error) => void failures.push(error),
    },
  );
  const heard = (line: string, count: number) => async () => {
    await rig.until(() => {
      if (failures.length > 0) throw failures[0]!;
      return lines.filter((one) => one === `mover: ${line}`).length >= count;
    });
  };
  try {
    void host.startAll();
    await heard("port 2 is in use", 1)();
    await rig.send(150);
    await heard("moved to port 3", 1)();
    await rig.send(60);
    // Fewer than it takes: nothing happens.
    await rig.wait(100);
    await rig.send(60);
    await heard("moved to port 4", 1)();
    host.kill("mover");
    await rig.send(150);
    await rig.wait(100);
    void host.restart("mover");
    await heard("port 4 is in use", 1)();
    await rig.send(150);
    await heard("moved to port 2", 1)();
    return [...lines];
  } finally {
    host.killAll();
  }
}

const EXPECTED = [
  "mover: started",
  "mover: port 2 is in use",
  "mover: moved to port 3",
  "mover: moved to port 4",
  "mover: killed",
  "mover: started again (2)",
  "mover: port 4 is in use",
  "mover: moved to port 2",
];

async function counted(device: Device): Promise<bigint[]> {
  const read = device.read([{ kind: "counter", counter: "MoverIngress.sent" }]);
  return (await read).map((entity) => (entity.kind === "counter" ? entity.data.packets : -1n));
}

describe("the controller of docs/controllers.md", () => {
  it("moves on the simulator", async () => {
    const simulation = new Simulation({ turn: () => new Promise((done) => setImmediate(done)) });
    const node = new SwitchNode(simulation, { name: "s1", seed: 1, queuePackets: 1000, queueBytes: 1e6 });
    const left: number[] = [];
    for (const port of [1, 2, 3, 4]) {
      const wire = { options: { rate: 0 }, send: () => void left.push(port) };
      node.attach(port, wire as unknown as Channel);
    }
    const channel = new ControlChannel(simulation, node.device, { delay: 1e6 }, node);
    await settle(
      simulation,
      channel.load(moverProgram()).then(() => channel.write(STATE)),
    );
    const frame = new Uint8Array(64);
    frame.set([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]);
    const wait = async (ms: number) => await simulation.runAsync(simulation.now + ms * 1e6);
    const log = await actionsOn({
      clock: controlClock(simulation),
      session: { device: channel, watchState: (listener) => channel.watchState(listener) },
      device: channel,
      send: async (packets) => {
        for (let i = 0; i < packets; i++)
          simulation.at(simulation.now + 1000 * i, () => node.receive(1, frame.slice()));
        await wait(1);
      },
      until: async (condition) => {
        for (let i = 0; !condition(); i++) {
          expect(i).toBeLessThan(1000);
          await wait(1);
        }
      },
      wait,
    });
    expect(log).toEqual(EXPECTED);
    // The packets left by the ports in the log.
    const sent = [2, 3, 4].map((port) => left.filter((one) => one === port).length);
    expect(sent).toEqual([150, 120, 300]);
    expect((await settle(simulation, counted(channel))).slice(2, 5)).toEqual([150n, 120n, 300n]);
  });

  for (const engine of ["switch", "bmv2"] as const) {
    const reason = whyNot("netns", engine, ["ping"]);
    const title = engine === "bmv2" ? "BMv2" : "our switch as a process";
    describe.skipIf(reason !== undefined)(`on ${title}${reason === undefined ? "" : ` (${reason})`}`, () => {
      let id = "";
      afterAll(() => {
        if (id !== "") expect(leftoversOf(id)).toEqual([]);
      });

      it("does the same", async () => {
        const testbed = await startTestbed(
          testbedOf(topology, { rateScale: 0, delayScale: 0 }),
          await testbedOptions("netns", engine, makeFolder()),
        );
        ({ id } = testbed);
        try {
          const real = testbed.switches.get("s1")!;
          await real.device.load(moverProgram());
          await real.device.write(STATE);
          const target = dotted(nodeNamed(topology, "h2")!.host!.ipv4);
          const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
          const log = await actionsOn({
            clock: wallControlClock(),
            session: { device: real.device, watchState: (listener) => real.watchState(listener) },
            device: real.device,
            send: async (packets) => {
              // No host answers: ping ends when it has sent all, one every 2 ms.
              const argv = ["ping", "-q", "-n", "-c", `${packets}`, "-i", "0.002", "-W", "0.1", target];
              await testbed.hosts.get("h1")!.exec(argv, { timeoutMs: 30_000 });
            },
            until: async (condition) => {
              for (let i = 0; !condition(); i++) {
                expect(i).toBeLessThan(3000);
                await wait(10);
              }
            },
            wait,
          });
          expect(log).toEqual(EXPECTED);
          expect((await counted(real.device)).slice(2, 5).every((packets) => packets > 100n)).toBe(true);
        } finally {
          await testbed.close();
        }
      });

      it("routes are recomputed around a link that only other switches can avoid", async () => {
        const text = `name: around
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 1 }
schemes: [ecmp]
control_plane: { recompute_routes: true }
transport: { rto_margin: 60ms }
flows: [{ from: host0-0-0, to: host0-1-0, count: 6 }]
faults: [{ at: 1s, kind: down, link: [tor0-1, leaf0-0] }]
duration: 4s
`;
        const diagnostics = new Diagnostics();
        const timeline = loadTimeline(new SourceFile("around.yaml", text), diagnostics)!;
        expect(diagnostics.list).toEqual([]);
        const { rows, logs } = await runTimeline(timeline, {
          engine,
          testbed: { allowMissing: new Set(["delay", "rate"]), ...(bmv2 === undefined ? {} : { bmv2 }) },
        });
        for (const { recovered, bytes } of rows) {
          expect(recovered).toBe(true);
          expect(bytes).toBeGreaterThan(0);
        }
        const log = logs[0]!.lines.map((line) => line.split(" routes: ")[1]!);
        expect(log).toContain("port 2 of tor0-1 is down");
        expect(log).toContain("port 2 of leaf0-0 is down");
        expect(log.at(-2)).toMatch(
          /^routes without tor0-1 - leaf0-0: \d+ updates and \d+ removals on 3 switches$/,
        );
        expect(log.at(-1)).toBe("stopped");
      });
    });
  }
});
