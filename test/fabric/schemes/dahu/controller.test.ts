/** The software of one switch beside the switch: epochs, failed links, feedback, a new life. Virtual time, the embedded switch. */
import { describe, expect, it } from "vitest";
import { Diagnostics, Random, SourceFile } from "../../../../src/base/index.js";
import type { ControllerContext, LinkEvent, SwitchEvent } from "../../../../src/fabric/controllers/index.js";
import { dahu } from "../../../../src/fabric/schemes/dahu/index.js";
import { type MapKind, virtualPortMap } from "../../../../src/fabric/schemes/dahu/virtual-port-map.js";
import { buildTopology, nodeNamed, topologySchema } from "../../../../src/fabric/topology/index.js";
import type { Entity } from "../../../../src/toolchain/device/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { frameOf } from "../frames.js";
import { countedFrame } from "./scenarios.js";

const MS = 1e6;
/** A link carries 1250 bytes in an epoch. */
const LINK = { rate: "1Mbps", delay: "1us" };
const topology = buildTopology(
  topologySchema.parse({
    kind: "hyperx",
    name: "slow",
    shape: [3, 3],
    hosts_per_switch: 2,
    host_link: LINK,
    fabric_link: LINK,
  }),
);
const node = nodeNamed(topology, "switch1-1")!;
const host = nodeNamed(topology, "host1-1-0")!;
const near = nodeNamed(topology, "host1-2-0")!;
const portTo = (name: string) =>
  node.ports.find(({ peer }) => peer === nodeNamed(topology, name)!.index)!.number;
const direct = portTo("switch1-2");

/** A clock that is turned by hand. */
class Clock {
  time = 0;
  readonly #timers: { at: number; call: () => void }[] = [];

  at(at: number, call: () => void): () => void {
    const timer = { at: Math.max(at, this.time), call };
    this.#timers.push(timer);
    return () => this.#timers.splice(this.#timers.indexOf(timer), 1);
  }

  async pass(ns: number): Promise<void> {
    const end = this.time + ns;
    for (;;) {
      await settled();
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.time = next.at;
      next.call();
    }
    this.time = end;
    await settled();
  }
}

/** Promises of reads and writes take a few turns each. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

const programText = new Map<string, ReturnType<typeof compileText>>();

function compileText(text: string) {
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("switch.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

async function boot(parameters: object = {}) {
  const plan = dahu.plan(topology, dahu.parameters.parse({ virtual_ports: 64, ...parameters }));
  const text = renderProgram(templates, plan.programs[0]!);
  if (!programText.has(text)) programText.set(text, compileText(text));
  const clock = new Clock();
  const sent: { port: number; frame: Uint8Array }[] = [];
  const device = new Switch(programText.get(text)!, {
    clock: { now: () => clock.time, at: (time, call) => clock.at(time, call) },
    seed: 1,
    cpuPort: 510,
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  await device.write(plan.switches.find((own) => own.node === node.index)!.updates);
  const { controller } = plan.controllers!.find(({ name }) => name === "dahu-switch1-1")!;
  let links: (event: LinkEvent) => void | Promise<void> = () => {};
  let switches: (event: SwitchEvent) => void | Promise<void> = () => {};
  const contextOf = (incarnation: number) =>
    ({
      name: "dahu-switch1-1",
      incarnation,
      topology,
      switches: [{ node, device }],
      clock: {
        now: () => clock.time,
        at: (time: number, call: () => void) => clock.at(time, call),
        every: (ns: number, call: (missed: number) => void) => {
          const tick = () => {
            call(0);
            clock.at(clock.time + ns, tick);
          };
          return clock.at(clock.time + ns, tick);
        },
      },
      random: new Random(1),
      log: () => {},
      watchLinks: (listener: typeof links) => {
        links = listener;
        return () => {};
      },
      watchSwitches: (listener: typeof switches) => {
        switches = listener;
        return () => {};
      },
    }) as unknown as ControllerContext;
  void controller.start(contextOf(1));
  const flow = (number: number) => ({
    src: host.host!.ipv4,
    dst: near.host!.ipv4,
    protocol: 6,
    srcPort: 3000 + number,
    dstPort: 80,
  });
  return {
    clock,
    device,
    flow,
    sent,
    restart: () => controller.start(contextOf(2)),
    linkIs: (port: number, up: boolean, at = node) =>
      links({ switch: at, port, link: topology.links[at.ports[port - 1]!.link]!, up }),
    returned: () => switches({ switch: node, running: true }),
    /** So many packets of 54 bytes of different flows to the neighbour's host; the ports that they leave by. */
    send(count: number, deroutes = 0, ingress = 1): number[] {
      sent.length = 0;
      for (let number = 0; number < count; number++)
        device.receive(ingress, countedFrame(flow(number), "ipv4", "dscp", deroutes));
      return sent.map(({ port }) => port);
    },
    async read(kind: "selectors" | "destinations" | "port_groups", key: number) {
      const found = await device.read([{ kind: "tableEntry", table: `FabricIngress.${kind}` }]);
      const entry = found.find(
        (entity): entity is Extract<Entity, { kind: "tableEntry" }> =>
          entity.kind === "tableEntry" &&
          entity.match[0]?.kind === "exact" &&
          Number(entity.match[0].value) === key,
      );
      return entry?.action?.kind === "action" ? entry.action.params : {};
    },
    /** Bits by virtual port of group 0; all copies of the map are equal. */
    async map(): Promise<number[]> {
      const { map: kind = "register" } = parameters as { map?: MapKind };
      const maps = kind === "register" ? [virtualPortMap(kind, 64, true)] : virtualPortCopies();
      const found = await Promise.all(
        maps.map(async (map) => {
          const bits: number[] = [];
          for (const entity of await device.read([map.query])) {
            const entry = map.entry(entity);
            if (entry?.group === 0) bits[entry.virtualPort] = entry.bit;
          }
          return bits;
        }),
      );
      for (const copy of found) expect(copy).toEqual(found[0]);
      return found[0]!;
    },
  };
}

/** The copy of each hash as a map of its own. */
function virtualPortCopies() {
  const first = virtualPortMap("copies", 64, true);
  return Array.from({ length: 32 }, (_, copy) => ({
    query: { kind: "tableEntry" as const, table: `FabricIngress.virtual_ports_${copy}` },
    entry: first.entry,
  }));
}

const rack = near.host!.rack;
const SHORTEST = 1n;
const ALL = 0n;
const FURTHER = 2n;

describe("the software of a Dahu switch", () => {
  it("allows further ports at 80 % of the shortest paths, and takes them back below", async () => {
    const { clock, send, read } = await boot();
    await clock.pass(10 * MS);
    // 18 packets of 54 bytes are 972 of 1250 bytes, 19 are 1026.
    expect(new Set(send(18))).toEqual(new Set([direct]));
    await clock.pass(10 * MS);
    expect((await read("selectors", rack))["bitmap"]).toBe(SHORTEST);
    send(19);
    await clock.pass(10 * MS);
    expect((await read("selectors", rack))["bitmap"]).toBe(ALL);
    expect(new Set(send(60)).size).toBe(4);
    await clock.pass(20 * MS);
    expect((await read("selectors", rack))["bitmap"]).toBe(SHORTEST);
  });

  it.each(["register", "copies"] as const)(
    "moves virtual ports from the port with most traffic to the one with least, map in %s",
    async (kind) => {
      const { clock, send, map } = await boot({ threshold: 1, map: kind });
      const before = await map();
      await clock.pass(10 * MS);
      send(20);
      await clock.pass(10 * MS);
      const after = await map();
      const moved = after.flatMap((port, at) =>
        port === before[at] ? [] : [{ from: before[at], to: port }],
      );
      expect(moved.length).toBeGreaterThan(0);
      for (const { from, to } of moved) {
        expect(from).toBe(direct - 1);
        expect(to).not.toBe(direct - 1);
      }
    },
  );

  it("remaps the virtual ports of a port that is down at once, and no others", async () => {
    const { clock, send, map, read, linkIs } = await boot({ threshold: 0 });
    const before = await map();
    const ports = send(200);
    await linkIs(direct, false);
    await clock.pass(0.1 * MS);
    const after = await map();
    expect(after).not.toContain(direct - 1);
    for (const [at, port] of before.entries()) if (port !== direct - 1) expect(after[at]).toBe(port);
    for (const [flow, port] of send(200).entries())
      if (ports[flow] !== direct) expect(port).toBe(ports[flow]);
      else expect(port).not.toBe(direct);
    // The shortest way is a link longer now.
    await clock.pass(1 * MS);
    const { shortest } = await read("destinations", rack);
    expect(shortest! & (1n << BigInt(direct - 1))).toBe(0n);
    await linkIs(direct, true);
    await clock.pass(1 * MS);
    expect((await read("destinations", rack))["shortest"]).toBe(1n << BigInt(direct - 1));
  });

  it("denies a port to the destinations behind a link that failed elsewhere, and leaves the virtual ports", async () => {
    const { clock, read, map, linkIs } = await boot({ threshold: 0 });
    const far = nodeNamed(topology, "host2-2-0")!.host!.rack;
    const other = nodeNamed(topology, "switch2-1")!;
    const before = await map();
    const port = other.ports.find(({ peer }) => peer === nodeNamed(topology, "switch2-2")!.index)!.number;
    await linkIs(port, false, other);
    await clock.pass(0.5 * MS);
    const both = (1n << BigInt(portTo("switch2-1") - 1)) | (1n << BigInt(portTo("switch1-2") - 1));
    expect((await read("destinations", far))["shortest"]).toBe(both);
    await clock.pass(0.6 * MS);
    expect((await read("destinations", far))["shortest"]).toBe(1n << BigInt(portTo("switch1-2") - 1));
    expect(await map()).toEqual(before);
  });

  it("notifies the neighbour that derouted to it where its own shortest paths are full, and not twice in half of the hold", async () => {
    const { clock, device, flow, send, sent } = await boot({ feedback: true, deroutes: 2 });
    await clock.pass(10 * MS);
    const frames = () => sent.filter(({ frame }) => frame[12] === 0x88);
    const from = portTo("switch2-1");
    // One deroute in the upper four bits of the DSCP, and the bit of the last switch behind it.
    const derouted = frameOf({ family: "ipv4", flow: flow(0), field: "dscp", selector: 0b000110 });
    const arrive = () => device.receive(from, derouted.slice());
    arrive();
    await clock.pass(1 * MS);
    expect(frames()).toEqual([]);
    send(30);
    await clock.pass(10 * MS);
    arrive();
    arrive();
    await clock.pass(1 * MS);
    expect(frames().map(({ port }) => port)).toEqual([from]);
    expect([...frames()[0]!.frame.subarray(16, 18)]).toEqual([rack >> 8, rack & 0xff]);
  });

  it("holds a port for a destination after feedback, for 5 ms", async () => {
    const { clock, device, read } = await boot({ feedback: true, threshold: 0 });
    const from = portTo("switch2-1");
    const frame = new Uint8Array(18);
    frame.set([0x88, 0xb6, 0, 0, rack >> 8, rack & 0xff], 12);
    expect((await read("selectors", rack))["bitmap"]).toBe(ALL);
    device.receive(from, frame);
    await clock.pass(1 * MS);
    const bit = 1n << BigInt(from - 1);
    expect((await read("selectors", rack))["bitmap"]).toBe(FURTHER);
    expect((await read("destinations", rack))["further"]! & bit).toBe(0n);
    await clock.pass(5 * MS);
    expect((await read("selectors", rack))["bitmap"]).toBe(ALL);
    expect((await read("destinations", rack))["further"]! & bit).toBe(bit);
  });

  it.each(["register", "copies"] as const)(
    "learns the map of its earlier life, and writes it again to a switch that has come back, map in %s",
    async (kind) => {
      const { clock, map, linkIs, restart, returned, read } = await boot({ map: kind });
      await linkIs(direct, false);
      await clock.pass(2 * MS);
      const before = await map();
      void restart();
      await clock.pass(0.1 * MS);
      expect(await map()).toEqual(before);
      // The new incarnation is notified of the link again.
      await linkIs(direct, false);
      await clock.pass(2 * MS);
      expect(await map()).not.toContain(direct - 1);
      await returned();
      await clock.pass(2 * MS);
      expect(await map()).not.toContain(direct - 1);
      expect((await read("port_groups", 0))["members"]! & (1n << BigInt(direct - 1))).toBe(0n);
    },
  );
});
