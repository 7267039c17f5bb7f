/** The parts of a scheme that a lab runs in addition to programs and entries, over switches that note what is asked of them. */
import { expect, it } from "vitest";
import { schemeInLab } from "../../../src/course/lab-server/scheme-in-lab.js";
import type { Controller, ControllerPlan } from "../../../src/fabric/controllers/index.js";
import type { MachineSettings, SchemeRun } from "../../../src/fabric/experiment/index.js";
import type { FabricPlan } from "../../../src/fabric/schemes/index.js";
import { type Host, Simulation, type SwitchNode } from "../../../src/fabric/sim/packet/index.js";
import { buildTopology, nodeNamed, topologySchema } from "../../../src/fabric/topology/index.js";
import type { Device } from "../../../src/toolchain/device/index.js";
import { MS, NotingSwitch } from "../../fabric/controllers/bench.js";

const TOPOLOGY = buildTopology(
  topologySchema.parse({
    kind: "graph",
    nodes: [
      ...["h1", "h2"].map((name) => ({ name, role: "host" })),
      ...["a", "b"].map((name) => ({ name, role: "switch" })),
    ],
    links: [
      { a: "h1", b: "a", queue_packets: 9 },
      { a: "a", b: "b", rate_pps: 1000 },
      { a: "b", b: "h2" },
    ],
  }),
);
const [A, B] = [nodeNamed(TOPOLOGY, "a")!.index, nodeNamed(TOPOLOGY, "b")!.index];
const MACHINE: MachineSettings = {
  queues: { packets: 50, bytes: 6000 },
  control_channel: { delay: 5 * MS, processing: 0, local_delay: 1 * MS },
};

function schemeOf(plan: Partial<FabricPlan>) {
  const hosts = () => ({ open: () => ({}), nic: () => 0, onMessage: (said: unknown) => ({ said }) });
  const run = { label: "mine", plan: { field: "dscp", switches: [], ...plan }, hosts };
  return schemeInLab(TOPOLOGY, run as unknown as SchemeRun, MACHINE);
}

/** A device that notes its settings. */
function noting() {
  const asked: unknown[][] = [];
  const note =
    (what: string) =>
    async (...given: unknown[]) =>
      void asked.push([what, ...given]);
  const settings = {
    setQueueDepth: note("depth"),
    setQueueRate: note("rate"),
    setGenerators: note("generators"),
  };
  return { asked, device: { name: "a", settings } as unknown as Device };
}

it("sets queues of the links of a switch first, then the settings of its scheme, and starts its packet generators", async () => {
  const own = [{ kind: "queueDepth" as const, packets: 3 }];
  const generators = [{ name: "probes" }] as never;
  const scheme = schemeOf({
    switches: [
      { node: A, program: "p", updates: [], settings: own, generators },
      { node: B, program: "p", updates: [] },
    ],
  });
  const a = noting();
  await scheme.configure("a", a.device);
  expect(a.asked).toEqual([
    ["depth", 9, { port: 1 }],
    ["rate", 1000, { port: 2 }],
    ["depth", 3, undefined],
  ]);
  a.asked.length = 0;
  await scheme.complete("a", a.device);
  expect(a.asked).toEqual([["generators", generators]]);
  const b = noting();
  await scheme.configure("b", b.device);
  await scheme.complete("b", b.device);
  expect(b.asked).toEqual([["rate", 1000, { port: 1 }]]);
});

it("leaves a switch alone that its scheme does not plan, but for the queues of its links", async () => {
  const { asked, device } = noting();
  const scheme = schemeOf({});
  await scheme.configure("b", device);
  await scheme.complete("b", device);
  expect(asked).toEqual([["rate", 1000, { port: 1 }]]);
});

it("has the queues of the file, the policy of its hosts, and writes a selector where the scheme has it", () => {
  const scheme = schemeOf({ field: "ttl" });
  expect(scheme.queues).toEqual(MACHINE.queues);
  expect(scheme.policy({} as never).onMessage!("x" as never)).toEqual({ said: "x" });
  expect(scheme.codec.headersOf(7)).not.toEqual(schemeOf({ field: "dscp" }).codec.headersOf(7));
  expect(scheme.codec.selectorOf(scheme.codec.headersOf(7))).toBe(7);
});

it("gives way to promises of controllers", async () => {
  let ran = false;
  setImmediate(() => {
    ran = true;
  });
  await schemeOf({}).turn();
  expect(ran).toBe(true);
});

/** The scheme's controllers over noting switches, in virtual time. */
function controlled(plans: readonly (Partial<ControllerPlan> & { controller: Controller })[]) {
  const simulation = new Simulation({ turn: () => new Promise((resolve) => setImmediate(resolve)) });
  const [requests, lines, failures]: [string[], string[], string[]] = [[], [], []];
  const switches = new Map(
    ["a", "b"].map((name) => {
      const made = new NotingSwitch(name, (text) => requests.push(`${simulation.now / MS} ${name} ${text}`));
      return [name, Object.assign(made, { device: made })];
    }),
  );
  const host = (name: string) => ({ name, policy: { onMessage: (said: unknown) => ({ [name]: said }) } });
  const scheme = schemeOf({
    switches: [A, B].map((node) => ({ node, program: "p", updates: [] })),
    controllers: plans.map((plan, i) => ({ name: `c${i}`, switches: [A, B], ...plan })),
  });
  const control = scheme.control({
    ...{ simulation, seed: 1 },
    switch: (name) => switches.get(name) as unknown as SwitchNode,
    host: (name) => host(name) as unknown as Host,
    log: (line) => void lines.push(line),
    failed: (message) => void failures.push(message),
  });
  const run = async (ms: number) => void (await simulation.runAsync(simulation.now + ms * MS));
  return { control, run, requests, lines, failures, switches };
}

it("has no control plane where the scheme has no controllers", () => {
  const none = {} as never;
  expect(schemeOf({}).control(none)).toBeUndefined();
  expect(schemeOf({ controllers: [] }).control(none)).toBeUndefined();
});

it("starts controllers whose messages take the delay of their place, and writes their lines into the lab", async () => {
  const controller: Controller = {
    start: async ({ device, log }) => {
      await device("a").read([]);
      log("read");
    },
  };
  const { control, run, requests, lines } = controlled([
    { controller },
    { controller, place: "switch", switches: [A] },
  ]);
  let ready = false;
  void control!.ready.then(() => {
    ready = true;
  });
  await run(20);
  expect(requests).toEqual(["1 a read", "5 a read"]);
  expect(lines.map((line) => line.slice(line.indexOf("c")))).toEqual([
    ...["c0: started", "c1: started"],
    ...["c1: read", "c0: read"],
  ]);
  expect(ready).toBe(true);
  control!.close();
});

it("tells controllers of switches that stop and run again, and refuses requests meanwhile", async () => {
  const seen: string[] = [];
  const { control, run } = controlled([
    {
      controller: {
        start: ({ watchSwitches, device, clock }) => {
          watchSwitches(({ switch: { name }, running }) => void seen.push(`${name} ${running}`));
          clock.every(20 * MS, async () => {
            await device("a")
              .read([])
              .then(
                () => seen.push("read"),
                (error: { code: string }) => seen.push(error.code),
              );
          });
        },
      },
    },
  ]);
  await run(1);
  control!.switchRuns("a", false);
  await run(30);
  control!.switchRuns("a", true);
  await run(30);
  expect(seen).toEqual(["a false", "UNAVAILABLE", "a true", "read"]);
  control!.switchRuns("h1", false);
  control!.close();
});

it("passes messages between controllers and the policies of hosts, over the management network", async () => {
  const seen: unknown[] = [];
  const { control, run } = controlled([
    {
      controller: {
        start: async ({ watchHosts, host, clock }) => {
          watchHosts((event) => void seen.push([clock.now() / MS, event.host.name, event.message]));
          const said = await host("h2").ask("hello");
          seen.push([clock.now() / MS, said]);
        },
      },
    },
  ]);
  await run(2);
  control!.tell("h1", { text: 1 });
  control!.tell("a", { text: 2 });
  await run(20);
  expect(seen).toEqual([
    [7, "h1", { text: 1 }],
    [10, { h2: "hello" }],
  ]);
  control!.close();
});

it("ends all controllers when one fails, and says why once", async () => {
  const ticks: number[] = [];
  const { control, run, failures } = controlled([
    {
      controller: {
        start: ({ clock }) => {
          clock.at(3 * MS, () => {
            throw new Error("no such route");
          });
        },
      },
    },
    { controller: { start: ({ clock }) => void clock.every(MS, () => void ticks.push(clock.now() / MS)) } },
  ]);
  await run(10);
  expect(failures).toEqual([expect.stringContaining("no such route")]);
  expect(ticks.length).toBeLessThanOrEqual(3);
  control!.close();
});

it("is ready, with the reason, where a controller fails at its start; an error that is none of its own is thrown", async () => {
  const { control, run, failures } = controlled([
    {
      controller: {
        prepare: () => {
          throw new Error("no licence");
        },
        start: () => {},
      },
    },
  ]);
  await run(10);
  await control!.ready;
  expect(failures).toEqual([expect.stringContaining("no licence")]);
});

it("ends its controllers with the lab", async () => {
  const ticks: number[] = [];
  const { control, run } = controlled([
    { controller: { start: ({ clock }) => void clock.every(MS, () => void ticks.push(clock.now() / MS)) } },
  ]);
  await run(2);
  control!.close();
  await run(5);
  expect(ticks).toEqual([1, 2]);
});
