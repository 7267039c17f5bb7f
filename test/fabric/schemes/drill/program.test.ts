/** DRILL's compiled program: the shortest of the queues that it looks at, the memory, components of symmetric paths; its plan, and what is refused. */
import { describe, expect, it } from "vitest";
import { drill } from "../../../../src/fabric/schemes/registry.js";
import { nodeNamed, withLinksDown } from "../../../../src/fabric/topology/index.js";
import { build, messagesOf } from "../../topology/load.js";
import { fabric, segment, start } from "./bench.js";
import { portsOfSet, routeOf } from "./packet-script.js";

const UPLINKS = [3, 4, 5, 6];

/** How many of 400 packets of one flow, which arrive at one instant, leave by each uplink. */
function counts(parameters: object): number[] {
  const tor = start("tor0-0", parameters, fabric, 1000);
  for (let i = 0; i < 400; i++) tor.device.receive(1, segment("host0-0-0", "host0-1-0"));
  tor.clock.advance(1e12);
  const found = UPLINKS.map((port) => tor.sent.filter((one) => one.port === port).length);
  expect(found.reduce((a, b) => a + b, 0)).toBe(400);
  return found;
}
const spread = (all: readonly number[]) => Math.max(...all) - Math.min(...all);

describe("a switch", () => {
  it("fills all queues alike where it looks at nearly all of them, and better with two draws, or a memory, than with one", () => {
    const [all, two, memory, one] = [
      { draws: 8, memory: 1 },
      { draws: 2, memory: 1 },
      { draws: 1, memory: 1 },
      { draws: 1, memory: 0 },
    ].map((parameters) => spread(counts(parameters)));
    expect(all).toBeLessThanOrEqual(2);
    expect(two).toBeLessThanOrEqual(4);
    expect(one).toBeGreaterThan(2 * two!);
    expect(one).toBeGreaterThan(2 * memory!);
  });

  it.each(UPLINKS)("takes the remembered port %i while no other queue is shorter", async (port) => {
    const tor = start("tor0-0", {}, fabric, 1);
    const { params } = routeOf(tor.own.updates, nodeNamed(fabric, "host0-1-0")!.host!.ipv4)!;
    const ports = portsOfSet(tor.own.updates, params["next_hops"]!);
    expect(ports).toEqual(UPLINKS);
    for (const other of ports) tor.write("queued", other, other === port ? 0 : 9);
    tor.write("FabricIngress.last", Number(params["next_hops"]), ports.indexOf(port));
    for (let i = 0; i < 9; i++) tor.device.receive(1, segment("host0-0-0", "host0-1-0", 1000 + i));
    tor.clock.advance(1e12);
    expect(tor.sent.map((one) => one.port)).toEqual(Array.from({ length: 9 }, () => port));
  });

  it("counts what still waits when a packet leaves, and not what goes to a host before that", async () => {
    const tor = start("tor0-0", {}, fabric, 1);
    for (let i = 0; i < 5; i++) tor.device.receive(1, segment("host0-0-1", "host0-0-0"));
    expect(await tor.register("queued", 1)).toBe(0);
    while (tor.sent.length < 2) tor.clock.advance(tor.clock.time + 1e5);
    expect(await tor.register("queued", 1)).toBe(3);
  });
});

describe("components", () => {
  const linkBetween = (a: string, b: string) =>
    fabric.links.findIndex((link) => {
      const names = [link.a, link.b].map(({ node }) => fabric.nodes[node]!.name);
      return names.includes(a) && names.includes(b);
    });
  const cut = withLinksDown(fabric, [linkBetween("tor0-2", "leaf0-0")]);

  it("a link less to one rack divides the paths to all racks: the other traffic of its leaf is less", () => {
    const tor = start("tor0-0", {}, cut);
    const slotsTo = (rack: number) =>
      routeOf(tor.own.updates, nodeNamed(cut, `host0-${rack}-0`)!.host!.ipv4)!.params;
    // One path of four by the leaf without the link; three of three to the rack that lost it.
    expect(slotsTo(1)["slots"]).toBe(4n);
    expect(slotsTo(2)["slots"]).toBe(0n);
    expect(portsOfSet(tor.own.updates, slotsTo(2)["next_hops"]!)).toEqual([4, 5, 6]);
    expect(tor.plan.notes!.join(" ")).toMatch(/divided into components/);
  });

  it("a flow stays in its component, and packets take all of its ports; flows take components by their capacity", () => {
    const tor = start("tor0-0", {}, cut, 1e9);
    let alone = 0;
    for (let srcPort = 1000; srcPort < 1200; srcPort++) {
      tor.sent.length = 0;
      for (let i = 0; i < 30; i++) tor.device.receive(1, segment("host0-0-0", "host0-1-0", srcPort));
      tor.clock.advance(tor.clock.time + 1e9);
      const ports = [...new Set(tor.sent.map((one) => one.port))].sort();
      expect([[3], [4, 5, 6]]).toContainEqual(ports);
      if (ports.length === 1) alone++;
    }
    // A quarter of 200 flows, four standard deviations.
    expect(alone).toBeGreaterThan(25);
    expect(alone).toBeLessThan(75);
  });

  it("without decomposition all next hops are one set", () => {
    const tor = start("tor0-0", { decompose: false }, cut);
    const { params } = routeOf(tor.own.updates, nodeNamed(cut, "host0-1-0")!.host!.ipv4)!;
    expect(params["slots"]).toBe(0n);
    expect(portsOfSet(tor.own.updates, params["next_hops"]!)).toEqual(UPLINKS);
  });

  it("a symmetric fabric is one component, and its program has no table of them", () => {
    const { plan } = start("tor0-0");
    expect(plan.notes).toHaveLength(1);
    for (const { values } of plan.programs) expect(values).toMatchObject({ decomposes: false });
  });
});

it("refuses to decompose more racks than it can compare", () => {
  const wide = build({ kind: "leaf_spine", tors: 129, leaves: 2, homing: "single", hosts_per_rack: 1 });
  const plan = (parameters: object) => drill.plan(wide, drill.parameters.parse(parameters));
  expect(messagesOf(() => plan({}))).toMatch(/P45113.*there are 129 racks \(at most 128\)/);
});
