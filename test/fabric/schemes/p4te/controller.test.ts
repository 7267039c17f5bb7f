/**
 * The control plane of a P4TE switch (section 4.2.2, algorithm 3): events of ports in, routing groups of the embedded switch out. After each
 * single write the tables are such that a packet finds a port.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import type { ControllerContext, LinkEvent, SwitchEvent } from "../../../../src/fabric/controllers/index.js";
import {
  DeviceError,
  type DeviceEvent,
  type Entity,
  type Update,
} from "../../../../src/toolchain/device/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ManualClock } from "../../../toolchain/switch/golden.js";
import { planWith, topology, tor } from "./scenarios.js";

const DELTA = 10;
const QUEUE_GROUPS = 4;
/** The four upward ports. */
const PORTS = tor.ports
  .filter(({ peer }) => topology.nodes[peer]!.role === "leaf")
  .map(({ number }) => number);
const [A, B] = PORTS as [number, number];

type Groups = readonly (readonly number[])[];

const programs = new Map<string, ReturnType<typeof compiled>>();

function compiled(text: string) {
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("tor.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

async function boot(parameters: object = {}) {
  const plan = planWith({ delta: DELTA, queue_groups: QUEUE_GROUPS, ...parameters });
  const text = renderProgram(templates, plan.programs.find(({ name }) => name === "tor")!);
  if (!programs.has(text)) programs.set(text, compiled(text));
  const initial = plan.switches.find(({ node }) => node === tor.index)!.updates;
  const freshSwitch = async () => {
    const made = new Switch(programs.get(text)!, { clock: new ManualClock(), seed: 1, transmit: () => {} });
    await made.write(initial);
    return made;
  };
  let device = await freshSwitch();

  const entriesOf = async (table: string, isDefault = false) => {
    const query = { kind: "tableEntry" as const, table: `FabricIngress.${table}`, isDefault };
    const found = await device.read([query]);
    return found.filter(
      (entity): entity is Extract<Entity, { kind: "tableEntry" }> => entity.kind === "tableEntry",
    );
  };
  /** Ports by group, the best group first. */
  const groups = async (metric: "queue" | "rate"): Promise<Groups> => {
    const found = await device.read([{ kind: "group" }]);
    const list: number[][] = [];
    for (const entity of found)
      if (entity.kind === "group" && entity.profile === `FabricIngress.${metric}_members`)
        list[entity.groupId - 1] = entity.members.map(({ memberId }) => memberId).sort((a, b) => a - b);
    return list;
  };
  /** The group that packets of each family use: the one of the entry with the highest priority. */
  const best = async (metric: "queue" | "rate") => {
    const entries = await entriesOf(`up_by_${metric}`);
    const byKey = new Map<string, { priority: number; group: number }>();
    for (const { match, priority, action } of entries) {
      const key = match.map((part) => (part.kind === "ternary" ? `${part.value}/${part.mask}` : "")).join();
      if (action?.kind !== "group") throw new Error("an entry without a group");
      if (priority > (byKey.get(key)?.priority ?? -1)) byKey.set(key, { priority, group: action.groupId });
    }
    return [...byKey.values()].map(({ group }) => group);
  };
  const epoch = async () => {
    const [entry] = await entriesOf("flowlet_epoch", true);
    return entry?.action?.kind === "action" ? Number(entry.action.params["number"] ?? 1n) : undefined;
  };
  const colors = async () => {
    const entries = await entriesOf("port_utilizations");
    return new Map(
      entries.map(({ match: [port], action }) => [
        port?.kind === "exact" ? Number(port.value) : 0,
        action?.kind === "action" ? Number(action.params["color"]) : -1,
      ]),
    );
  };

  /** Ports that the test has taken down: with all of them down no packet has a way. */
  const down = new Set<number>();
  const batches: (readonly Update[])[] = [];
  let hold: Promise<void> | undefined;
  let refusal: Error | undefined;
  const write = async (updates: readonly Update[]) => {
    batches.push(updates);
    await hold;
    if (refusal !== undefined) throw refusal;
    const wasOpen = (await best("queue")).length > 0;
    for (const update of updates) {
      await device.write([update]);
      if (!wasOpen || down.size === PORTS.length) continue;
      for (const metric of ["queue", "rate"] as const) {
        const members = await groups(metric);
        const used = await best(metric);
        expect(used.length).toBe(2);
        for (const group of used) expect(members[group - 1]!.length).toBeGreaterThan(0);
      }
    }
  };
  let tell: (event: DeviceEvent) => void | Promise<void> = () => {};
  let links: (event: LinkEvent) => void | Promise<void> = () => {};
  let switches: (event: SwitchEvent) => void | Promise<void> = () => {};
  const log: string[] = [];
  let now = 0;
  const timers: { at: number; wake: () => void | Promise<void> }[] = [];
  const start = async (incarnation: number) => {
    const { controller } = plan.controllers!.find(({ name }) => name === "p4te-tor0-0")!;
    const context = {
      incarnation,
      topology,
      switches: [
        {
          node: tor,
          device: {
            write,
            read: (queries: Parameters<Switch["read"]>[0]) => device.read(queries),
            watch: (listener: typeof tell) => {
              tell = listener;
              return () => {};
            },
          },
        },
      ],
      clock: {
        now: () => now,
        at: (at: number, wake: () => void | Promise<void>) => {
          timers.push({ at, wake });
          return () => {};
        },
      },
      log: (text: string) => log.push(text),
      watchLinks: (listener: typeof links) => {
        links = listener;
        return () => {};
      },
      watchSwitches: (listener: typeof switches) => {
        switches = listener;
        return () => {};
      },
    } as unknown as ControllerContext;
    await controller.start(context);
  };
  await start(1);
  const event = (metadata: Record<string, number>) =>
    tell({
      kind: "packetIn",
      packet: {
        payload: new Uint8Array(),
        metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, BigInt(value)])),
      },
    });
  return {
    plan,
    groups,
    best,
    epoch,
    colors,
    batches,
    log,
    event,
    tell: (other: DeviceEvent) => tell(other),
    queue: (port: number, depth: number) => event({ port, queue_event: 1, queue_depth: depth }),
    rate: (port: number, color: number) => event({ port, rate_event: 1, color }),
    /** Passes time in milliseconds, with the timers that end meanwhile. */
    pass: async (ms: number) => {
      const end = now + ms * 1e6;
      for (;;) {
        timers.sort((a, b) => a.at - b.at);
        if (timers.length === 0 || timers[0]!.at > end) break;
        const { at, wake } = timers.shift()!;
        now = at;
        await wake();
      }
      now = end;
    },
    timers,
    link: async (port: number, up: boolean) => {
      if (up) down.delete(port);
      else down.add(port);
      await links({ switch: tor, port, link: topology.links[tor.ports[port - 1]!.link]!, up });
    },
    /** A new incarnation of the controller. */
    restart: () => start(2),
    /** A new process of the switch, which has the state of the plan. */
    reboot: async () => {
      await switches({ switch: tor, running: false });
      device = await freshSwitch();
      const before = batches.length;
      await switches({ switch: tor, running: true });
      return batches.slice(before);
    },
    /** Writes wait until the returned function is called. */
    slow: () => {
      let go = () => {};
      hold = new Promise<void>((resolve) => {
        go = () => {
          hold = undefined;
          resolve();
        };
      });
      return go;
    },
    refuse: (error: Error | undefined) => {
      refusal = error;
    },
  };
}

const others = (...gone: number[]) => PORTS.filter((port) => !gone.includes(port));

describe("the controller of a P4TE switch", () => {
  it("begins with all upward ports in the best group of both metrics (figure 5a), and writes nothing", async () => {
    const { groups, best, batches, epoch } = await boot();
    expect(await groups("queue")).toEqual([PORTS, [], [], []]);
    expect(await groups("rate")).toEqual([PORTS, [], []]);
    expect(await best("queue")).toEqual([1, 1]);
    expect(await best("rate")).toEqual([1, 1]);
    expect(await epoch()).toBe(1);
    expect(batches).toEqual([]);
  });

  it.each([
    [0, 1],
    [1, 1],
    [DELTA, 1],
    [DELTA + 1, 2],
    [2 * DELTA, 2],
    [2 * DELTA + 1, 3],
    [3 * DELTA + 1, 4],
    [4 * DELTA + 1, 4],
    [1e5, 4],
  ])(
    "moves a port with %i packets in its queue to group %i, of ranges of delta packets",
    async (depth, group) => {
      const { queue, groups } = await boot();
      await queue(A, 5 * DELTA);
      await queue(A, depth);
      const found = await groups("queue");
      expect(found.findIndex((ports) => ports.includes(A)) + 1).toBe(group);
      expect(found.flat().sort((a, b) => a - b)).toEqual(PORTS);
      expect(await groups("rate")).toEqual([PORTS, [], []]);
    },
  );

  it("moves a port to the group of its colour, and no port by another metric's event", async () => {
    const { rate, groups } = await boot();
    await rate(A, 2);
    await rate(B, 1);
    expect(await groups("rate")).toEqual([others(A, B), [B], [A]]);
    expect(await groups("queue")).toEqual([PORTS, [], [], []]);
    await rate(A, 0);
    expect(await groups("rate")).toEqual([others(B), [B], []]);
  });

  it("packets use the best group that has ports", async () => {
    const { queue, best, groups } = await boot();
    for (const port of others(B)) await queue(port, 2 * DELTA);
    expect(await best("queue")).toEqual([1, 1]);
    await queue(B, 3 * DELTA);
    expect(await groups("queue")).toEqual([[], others(B), [B], []]);
    expect(await best("queue")).toEqual([2, 2]);
    for (const port of others(B)) await queue(port, 9 * DELTA);
    expect(await best("queue")).toEqual([3, 3]);
  });

  it("takes both metrics of one event, and ignores other events and ports", async () => {
    const { event, tell, groups, batches } = await boot();
    await event({ port: A, queue_event: 2, queue_depth: 25, rate_event: 1, color: 1 });
    expect(await groups("queue")).toEqual([others(A), [], [A], []]);
    expect(await groups("rate")).toEqual([others(A), [A], []]);
    const before = batches.length;
    const toHost = tor.ports.find(({ peer }) => topology.nodes[peer]!.role === "host")!.number;
    await event({ port: toHost, queue_event: 1, queue_depth: 25 });
    await event({ port: B, queue_event: 0, queue_depth: 25, rate_event: 0, color: 2 });
    await event({});
    await tell({ kind: "portState", port: B, up: false });
    expect(batches.slice(before)).toEqual([]);
  });

  it("writes nothing for a port that stays in its group", async () => {
    const { queue, rate, batches } = await boot();
    await queue(A, 15);
    await rate(A, 0);
    const before = batches.length;
    await queue(A, 20);
    await rate(A, 0);
    expect(batches.length).toBe(before);
  });

  it("a port without a carrier is in no group; it returns to the best ones, since what was known of it is outdated", async () => {
    const { queue, rate, link, groups, log } = await boot();
    await queue(A, 100);
    await rate(A, 2);
    await link(A, false);
    expect(await groups("queue")).toEqual([others(A), [], [], []]);
    expect(await groups("rate")).toEqual([others(A), [], []]);
    await link(A, true);
    expect(await groups("queue")).toEqual([PORTS, [], [], []]);
    expect(await groups("rate")).toEqual([PORTS, [], []]);
    expect(log).toEqual([`port ${A} is down`, `port ${A} is up`]);
  });

  it("no event puts a port without a carrier into a group", async () => {
    const { queue, link, groups } = await boot();
    await link(A, false);
    await queue(A, 25);
    expect((await groups("queue")).flat()).toEqual(others(A));
  });

  it("all ports may be down; the first that returns is used again", async () => {
    const { link, groups, best } = await boot();
    for (const port of PORTS) await link(port, false);
    expect(await best("queue")).toEqual([]);
    expect((await groups("rate")).flat()).toEqual([]);
    await link(B, true);
    expect(await best("queue")).toEqual([1, 1]);
    expect(await groups("rate")).toEqual([[B], [], []]);
  });

  it("each change of a link begins a new epoch of flowlets, of 127; a link below does not", async () => {
    const { link, epoch, queue } = await boot();
    const toHost = tor.ports.find(({ peer }) => topology.nodes[peer]!.role === "host")!.number;
    await link(toHost, false);
    await link(toHost, true);
    await queue(A, 100);
    expect(await epoch()).toBe(1);
    await link(A, false);
    expect(await epoch()).toBe(2);
    await link(A, true);
    expect(await epoch()).toBe(3);
    for (let change = 0; change < 124; change++) await link(A, change % 2 === 1);
    expect(await epoch()).toBe(127);
    await link(B, false);
    expect(await epoch()).toBe(1);
  });

  it("a new incarnation learns groups and epoch from the switch", async () => {
    const { queue, rate, link, restart, groups, epoch, batches } = await boot();
    await queue(A, 25);
    await rate(B, 2);
    await link(B, false);
    await link(B, true);
    await rate(B, 1);
    await restart();
    const before = batches.length;
    // Nothing new: nothing to write.
    await queue(A, 25);
    await rate(B, 1);
    expect(batches.slice(before)).toEqual([]);
    await queue(A, 5);
    expect(await groups("queue")).toEqual([PORTS, [], [], []]);
    expect(await groups("rate")).toEqual([others(B), [B], []]);
    await link(A, false);
    expect(await epoch()).toBe(4);
  });

  it("a new incarnation puts a port that was down back, as soon as its link is up", async () => {
    const { link, restart, groups } = await boot();
    await link(A, false);
    await restart();
    await link(A, false);
    expect((await groups("queue")).flat()).toEqual(others(A));
    await link(A, true);
    expect(await groups("queue")).toEqual([PORTS, [], [], []]);
  });

  it("a switch that has come back has the state of its plan: only ports that are down have to leave it", async () => {
    const { queue, rate, link, reboot, groups, epoch } = await boot();
    await queue(A, 100);
    await rate(A, 2);
    expect(await reboot()).toEqual([]);
    expect(await groups("queue")).toEqual([PORTS, [], [], []]);
    await link(B, false);
    await queue(A, 25);
    await reboot();
    expect(await groups("queue")).toEqual([others(B), [], [], []]);
    expect(await groups("rate")).toEqual([others(B), [], []]);
    expect(await epoch()).toBe(1);
    await link(B, true);
    expect(await epoch()).toBe(2);
  });

  it("writes one batch at a time; of the events meanwhile the last of each port counts", async () => {
    const { slow, queue, groups, batches } = await boot();
    const go = slow();
    const first = queue(A, 15);
    for (const depth of [25, 35, 1, 25]) await queue(A, depth);
    await queue(B, 35);
    await queue(B, 1);
    expect(batches.length).toBe(1);
    go();
    await first;
    expect(batches.length).toBe(2);
    expect(await groups("queue")).toEqual([others(A), [], [A], []]);
  });

  it("does not fail where the switch has ended, and fails where it refuses a write", async () => {
    const { refuse, queue, reboot, groups } = await boot();
    refuse(new DeviceError("UNAVAILABLE", "the switch does not run"));
    await queue(A, 25);
    refuse(undefined);
    await reboot();
    await queue(B, 25);
    expect(await groups("queue")).toEqual([others(B), [], [B], []]);
    refuse(new DeviceError("INVALID_ARGUMENT", "no such group"));
    await expect(queue(A, 25)).rejects.toThrow("no such group");
    // The next event is written again.
    refuse(undefined);
    await queue(A, 35);
    expect((await groups("queue"))[3]).toEqual([A]);
  });

  it("a refusal of what was meant for the switch's earlier process is no failure", async () => {
    const { slow, refuse, queue, reboot, groups, batches } = await boot();
    const go = slow();
    const first = queue(A, 25);
    await reboot();
    refuse(new DeviceError("NOT_FOUND", "no such group"));
    go();
    await first;
    refuse(undefined);
    expect(batches.length).toBe(1);
    await queue(B, 25);
    expect(await groups("queue")).toEqual([others(B), [], [B], []]);
  });

  it("keeps every packet's way open through any events, and ends in the groups of the last ones", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("queue" as const), port: fc.constantFrom(...PORTS), value: fc.nat(60) }),
      fc.record({ kind: fc.constant("rate" as const), port: fc.constantFrom(...PORTS), value: fc.nat(2) }),
      fc.record({ kind: fc.constant("link" as const), port: fc.constantFrom(...PORTS), value: fc.nat(1) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const { queue, rate, link, groups } = await boot();
        const wanted = { queue: new Map<number, number>(), rate: new Map<number, number>() };
        const down = new Set<number>();
        for (const { kind, port, value } of steps) {
          if (kind === "link") {
            await link(port, value === 1);
            wanted.queue.delete(port);
            wanted.rate.delete(port);
            if (value === 1) down.delete(port);
            else down.add(port);
          } else if (kind === "rate") {
            await rate(port, value);
            wanted.rate.set(port, value);
          } else {
            await queue(port, value);
            wanted.queue.set(port, value <= DELTA ? 0 : value > 3 * DELTA ? 3 : Math.ceil(value / DELTA) - 1);
          }
        }
        for (const metric of ["queue", "rate"] as const) {
          const all = await groups(metric);
          for (const [group, ports] of all.entries())
            expect(ports).toEqual(
              PORTS.filter((port) => !down.has(port) && (wanted[metric].get(port) ?? 0) === group),
            );
        }
      }),
      { numRuns: 15, seed: 1 },
    );
  });
});

describe("the controller that writes colours (feedback: controller)", () => {
  const FEEDBACK = { feedback: "controller", truncate: false, hold_window: false };

  it("begins with green ports, and writes the colour of each event", async () => {
    const { colors, rate, groups } = await boot(FEEDBACK);
    expect(await colors()).toEqual(new Map(PORTS.map((port) => [port, 0])));
    await rate(A, 1);
    await rate(B, 2);
    expect(await colors()).toEqual(new Map(PORTS.map((port) => [port, port === A ? 1 : port === B ? 2 : 0])));
    expect(await groups("rate")).toEqual([others(A, B), [A], [B]]);
  });

  it("writes a colour once, and no colour for events of queues", async () => {
    const { rate, queue, batches } = await boot(FEEDBACK);
    const statusWrites = () =>
      batches
        .flat()
        .filter(({ entity }) => entity.kind === "tableEntry" && /utilizations$/.test(entity.table)).length;
    await rate(A, 1);
    await rate(A, 1);
    await queue(A, 100);
    await rate(B, 0);
    expect(statusWrites()).toBe(1);
  });

  it("a port whose link has changed is green", async () => {
    const { colors, rate, link } = await boot(FEEDBACK);
    await rate(A, 2);
    await link(A, false);
    expect((await colors()).get(A)).toBe(0);
  });

  it("a new incarnation writes what it knows by the groups; a switch that has come back is green", async () => {
    const { colors, rate, restart, reboot } = await boot(FEEDBACK);
    await rate(A, 2);
    await restart();
    await rate(B, 1);
    expect((await colors()).get(A)).toBe(2);
    expect((await colors()).get(B)).toBe(1);
    expect(await reboot()).toEqual([]);
    await rate(A, 1);
    expect(await colors()).toEqual(new Map(PORTS.map((port) => [port, port === A ? 1 : 0])));
  });

  it("forgets the colour of a port that no packet has crossed for `colour_age`", async () => {
    const { colors, rate, event, pass, groups, timers } = await boot({ ...FEEDBACK, colour_age: "100ms" });
    await rate(A, 1);
    await rate(B, 2);
    await pass(60);
    // A report without a change: packets cross the port.
    await event({ port: A, color: 1 });
    await pass(39);
    expect([(await colors()).get(A), (await colors()).get(B)]).toEqual([1, 2]);
    await pass(1);
    expect([(await colors()).get(A), (await colors()).get(B)]).toEqual([1, 0]);
    await pass(60);
    expect([(await colors()).get(A), (await colors()).get(B)]).toEqual([0, 0]);
    // Algorithm 3 has no ageing: the groups stay.
    expect(await groups("rate")).toEqual([others(A, B), [A], [B]]);
    expect(timers).toEqual([]);
    // The next report counts again.
    await rate(B, 1);
    expect((await colors()).get(B)).toBe(1);
    await pass(100);
    expect((await colors()).get(B)).toBe(0);
  });

  it("keeps the colour with colour_age: never, and after a restart forgets it by its own clock", async () => {
    const kept = await boot(FEEDBACK);
    await kept.rate(A, 1);
    await kept.pass(1e9);
    expect((await kept.colors()).get(A)).toBe(1);
    expect(kept.timers).toEqual([]);

    const { colors, rate, restart, pass } = await boot({ ...FEEDBACK, colour_age: "100ms" });
    await rate(A, 2);
    await restart();
    await pass(99);
    expect((await colors()).get(A)).toBe(2);
    await pass(1);
    expect((await colors()).get(A)).toBe(0);
  });

  it("without this parameter the switch has no table of colours", async () => {
    const { plan, rate, batches } = await boot();
    await rate(A, 1);
    expect(
      JSON.stringify(batches, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
    ).not.toMatch(/port_utilizations/);
    const entities = plan.switches.flatMap(({ updates }) => updates.map(({ entity }) => entity));
    expect(entities.some((one) => one.kind === "tableEntry" && /port_utilizations/.test(one.table))).toBe(
      false,
    );
  });
});
