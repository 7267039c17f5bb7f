/** RePaC's hosts and controllers: algorithm 1, remapped buckets, and switches that are probed and named. */
import { describe, expect, it } from "vitest";
import { DiagnosticError, formatDiagnostic, type Json, Random } from "../../../../src/base/index.js";
import type { ControllerContext, LinkEvent, SwitchEvent } from "../../../../src/fabric/controllers/index.js";
import { CLIENT, type HostContext, restingHost } from "../../../../src/fabric/hosts/index.js";
import { rackRoutes } from "../../../../src/fabric/paths/index.js";
import { bucketController } from "../../../../src/fabric/schemes/repac/bucket-controller.js";
import { repac } from "../../../../src/fabric/schemes/repac/index.js";
import { MarkChooser } from "../../../../src/fabric/schemes/repac/marks.js";
import { nicHash } from "../../../../src/fabric/schemes/repac/nic-hash.js";
import { repacParameters } from "../../../../src/fabric/schemes/repac/parameters.js";
import { destinations, pathmapController } from "../../../../src/fabric/schemes/repac/pathmap-controller.js";
import type { Device, Entity, Update } from "../../../../src/toolchain/device/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { LEAF, leafOf } from "./leaf.js";

const FLOW = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };
const linear = leafOf("crc32");

describe("hosts", () => {
  const hostAt = (own: object = {}) => {
    let now = 0;
    const context: HostContext = { ...restingHost(), clock: { now: () => now, at: () => () => {} } };
    const plan = repac.plan(
      linear.topology,
      repacParameters.parse({ field: "dscp", marking_period: "1s", ...own }),
    );
    const policy = repac.hosts(plan.hosts, context);
    const chooser = policy.open(FLOW, new Random("host"), CLIENT);
    return { policy, chooser, pass: (ns: number) => (now += ns) };
  };
  const seen = { selector: 0, echo: 0 };

  it("mark at the second retransmission of a segment, by a change that moves every hop", () => {
    const { chooser } = hostAt();
    expect(chooser.onTimeout(1)).toEqual([0]);
    const [mark] = chooser.onTimeout(2);
    expect(mark).not.toBe(0);
    expect(chooser.selector).toBe(mark);
    const marks = new MarkChooser({
      ...linear.map,
      control: { ...linear.map.control, portBits: 0 },
      hops: linear.map.hops.map((hop) => ({ ...hop, offsets: hop.offsets.slice(6) })),
    });
    expect(marks.changed(mark!)).toBe(linear.map.hops.length);
    // Again lost: another mark.
    expect([0, mark]).not.toContain(chooser.onTimeout(3)[0]);
  });

  it("do not mark where an acknowledgement came between two losses", () => {
    const { chooser } = hostAt();
    for (let i = 0; i < 10; i++) {
      expect(chooser.onFastRetransmit!()).toEqual([0]);
      chooser.onAck(seen);
    }
    chooser.onFastRetransmit!();
    expect(chooser.onTimeout(1)[0]).not.toBe(0);
  });

  it("end the marking period, and begin another one", () => {
    const { chooser, pass } = hostAt();
    chooser.onTimeout(1);
    chooser.onTimeout(2);
    chooser.onAck(seen);
    pass(0.999e9);
    expect(chooser.selector).not.toBe(0);
    pass(0.001e9);
    expect(chooser.selector).toBe(0);
    chooser.onTimeout(1);
    expect(chooser.onTimeout(2)[0]).not.toBe(0);
  });

  it("mark acknowledgements when the same data come for the third time, if they are asked to", () => {
    for (const [receiver, marks] of [
      ["marks", true],
      ["stays", false],
    ] as const) {
      const { chooser } = hostAt({ receiver });
      chooser.onData(seen, false);
      expect(chooser.onData(seen, true)).toEqual([0]);
      expect(chooser.onData(seen, true)[0] !== 0).toBe(marks);
    }
  });

  it("stay without marks, and until they get the probed pathmap", () => {
    const stays = hostAt({ failover: "none" }).chooser;
    const { policy, chooser } = hostAt({ pathmap: "probed" });
    for (const end of [stays, chooser])
      for (const attempt of [1, 2, 3]) expect(end.onTimeout(attempt)).toEqual([0]);
    expect(policy.needs).toEqual(["messages"]);
    const map = JSON.parse(
      JSON.stringify({ ...linear.map, control: { ...linear.map.control, portBits: 0 } }),
    ) as Json;
    policy.onMessage!({ pathmap: map });
    expect(chooser.onTimeout(4)[0]).not.toBe(0);
    expect(() => policy.onMessage!({ pathmap: 3 })).toThrow(DiagnosticError);
  });

  it("take the source port and the selector that a planner has assigned", () => {
    const { policy } = hostAt({ planning: true });
    expect(policy.needs).toEqual(["assignments", "source-ports"]);
    const end = { ...CLIENT, assignment: { sourcePort: 61501, selector: 5 } };
    expect(policy.sourcePort!(FLOW, end, new Random(1))).toBe(61501);
    expect(policy.open(FLOW, new Random(1), end).selector).toBe(5);
    expect(policy.sourcePort!(FLOW, CLIENT, new Random(1))).toBe(3);
  });

  it("choose a NIC by the bucket of the flow, as switches choose a next hop", () => {
    const { policy } = hostAt({ buckets: 16 });
    const taken = new Map<number, Set<number>>();
    const byHash = new Set<number>();
    for (let srcPort = 1; srcPort <= 400; srcPort++) {
      const flow = { ...FLOW, srcPort };
      const nic = policy.nic!(flow, 0, 3);
      const bucket = nicHash(flow, 0) % 16;
      taken.set(bucket, (taken.get(bucket) ?? new Set()).add(nic));
      if (nic !== nicHash(flow, 0) % 3) byHash.add(srcPort);
    }
    // Sixteen buckets over three NICs: each bucket has one NIC, the remainder of its number.
    expect([...taken].map(([bucket, nics]) => [...nics].join() === String(bucket % 3))).toEqual(
      Array(16).fill(true),
    );
    expect(byHash.size).toBeGreaterThan(0);
  });
});

async function start(leaf: ReturnType<typeof leafOf>): Promise<Switch> {
  const device = new Switch(undefined, {
    name: LEAF,
    clock: { now: () => 0, at: () => () => {} },
    seed: 1,
    cpuPort: 510,
    transmit: () => {},
  });
  await device.load(leaf.program);
  await device.write(leaf.updates);
  return device;
}

/** A context of the leaf alone. */
function contextOf(device: Device, own: Partial<ControllerContext> = {}): ControllerContext {
  return {
    topology: linear.topology,
    switches: [{ node: linear.node, device }],
    hosts: [],
    random: new Random("controller"),
    clock: { now: () => 0, sleep: () => new Promise(() => {}), at: () => () => {} },
    log: () => {},
    ...own,
  } as unknown as ControllerContext;
}

it("a failed next hop loses its buckets to the others, and gets them back", async () => {
  const device = await start(linear);
  let link: (event: LinkEvent) => void = () => {};
  let running: (event: SwitchEvent) => void | Promise<void> = () => {};
  const timers: (() => void | Promise<void>)[] = [];
  const lines: string[] = [];
  const times: number[] = [];
  const controller = bucketController({
    groups: linear.fabric.groups,
    buckets: linear.fabric.buckets,
    detectionNs: 7,
  });
  await controller.start(
    contextOf(device, {
      log: (line) => lines.push(line),
      watchLinks: (listener) => {
        link = listener;
        return () => {};
      },
      watchSwitches: (listener) => {
        running = listener;
        return () => {};
      },
      clock: {
        at: (time: number, fn: () => void) => {
          times.push(time);
          timers.push(fn);
          return () => {};
        },
        now: () => 100,
      } as unknown as ControllerContext["clock"],
    }),
  );
  const groups = async () =>
    (await device.read([{ kind: "group", profile: "FabricIngress.up_members" }])) as Extract<
      Entity,
      { kind: "group" }
    >[];
  const before = await groups();
  const tell = async (up: boolean) => {
    link({ switch: linear.node, port: linear.ports[1]!, up } as LinkEvent);
    await timers.pop()!();
  };
  await tell(false);
  expect(times).toEqual([107]);
  const after = await groups();
  const failed = before[1]!.members[0]!.memberId;
  expect(after.filter(({ members }) => members.some(({ memberId }) => memberId === failed))).toEqual([]);
  // Four next hops, eight buckets: those of the failed one are cut into three entries each.
  expect(after.map(({ members }) => members.length)).toEqual([1, 3, 1, 1, 1, 3, 1, 1]);
  // The entries of a remapped bucket watch their ports. A bucket of one next hop waits for the controller.
  for (const { members } of [...before, ...after])
    expect(members.every(({ watchPort }) => (watchPort !== undefined) === members.length > 1)).toBe(true);
  await tell(true);
  expect(await groups()).toEqual(before);
  expect(lines).toEqual([
    `${LEAF}: 2 buckets remapped, down: ${linear.ports[1]}`,
    `${LEAF}: 2 buckets remapped, all ports up`,
  ]);
  // A switch that comes back has the state of its plan.
  await tell(false);
  await device.write(
    linear.updates.filter(isGroup).map(({ entity }): Update => ({ type: "modify", entity })),
  );
  await running({ switch: linear.node, running: true });
  expect(await groups()).toEqual(after);
});

function isGroup({ entity }: Update): boolean {
  return entity.kind === "group" && entity.profile === "FabricIngress.up_members";
}

describe("the pathmap by probes", () => {
  const collect = async (leaf: ReturnType<typeof leafOf>) => {
    const device = await start(leaf);
    const told: unknown[] = [];
    const host = { ask: async (message: unknown) => void told.push(message) };
    const { topology, fabric, map } = linear;
    const routes = destinations(topology, (node) =>
      rackRoutes(topology, fabric.tables.find((table) => table.node === node)!),
    );
    const controller = pathmapController({ computed: map, groups: fabric.groups, destination: routes });
    try {
      await controller.prepare!(
        contextOf(device, { hosts: [host, host] as unknown as ControllerContext["hosts"] }),
      );
      return { told, message: "" };
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      return { told, message: error.diagnostics.map(formatDiagnostic).join("\n") };
    }
  };

  it("is the computed one, and the hosts get it", async () => {
    const { told, message } = await collect(linear);
    expect(message).toBe("");
    expect(told).toHaveLength(2);
    const { hops } = (told[0] as { pathmap: typeof linear.map }).pathmap;
    for (const [i, hop] of hops.entries()) {
      const size = Math.max(...hop.sizes);
      const own = linear.map.hops[i]!;
      expect(hop.offsets.map((offset) => offset % size)).toEqual(own.offsets.map((offset) => offset % size));
    }
  });

  it("names a switch that is not linear", async () => {
    const { told, message } = await collect(leafOf("csum16"));
    expect(message).toMatch(
      /P45305.*the choice of leaf0-0 on the way up is not linear\nnote: for source \d+/,
    );
    expect(told).toEqual([]);
  });

  it("names a switch that differs", async () => {
    const { message } = await collect(leafOf("crc16"));
    expect(message).toContain("leaf up do not hash as planned: leaf0-0 moves by");
  });
});
