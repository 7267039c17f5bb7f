/** A route or waypoints in, a selector out, whose packets take that way; and lists that are no route. */
import { describe, expect, it } from "vitest";
import { emptyFlows } from "../../../../src/fabric/paths/index.js";
import { SelectorPaths, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { headerCosts } from "../../../../src/fabric/schemes/pecmp/route.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { PacketWalk } from "../../paths/packet-walk.js";
import { build, example, messagesOf } from "../../topology/load.js";

interface Row {
  readonly route: readonly string[];
  readonly selector: number;
  readonly nic: number;
}

function routeOf(topology: Topology, name: string, parameters: object, list: string): Row {
  const scheme = schemeNamed(name)!;
  const nodes = list.split(" ").map((one) => nodeNamed(topology, one)!.index);
  const own = scheme.parameters.parse(parameters);
  return scheme.route!(topology, own, nodes, () => undefined).rows[0] as Row;
}

/** Names of the nodes that a packet with the selector visits. */
async function walked(topology: Topology, name: string, parameters: object, { route, selector, nic }: Row) {
  const scheme = schemeNamed(name)!;
  const walk = new PacketWalk(topology, scheme.plan(topology, scheme.parameters.parse(parameters)));
  const columns = emptyFlows(1, 6);
  columns.source[0] = nodeNamed(topology, route[0]!)!.index;
  columns.destination[0] = nodeNamed(topology, route.at(-1)!)!.index;
  columns.sourcePort[0] = 4000;
  const links = await walk.linksOf(
    { ...columns, selector: Uint32Array.of(selector), nic: Uint8Array.of(nic) },
    0,
  );
  const ends = links.map((link) => {
    const { a, b } = topology.links[link >> 1]!;
    return topology.nodes[(link & 1) === 0 ? b.node : a.node]!.name;
  });
  return [route[0], ...ends];
}

const mesh = build({
  ...{ kind: "clos", wiring: "mesh", homing: "single", hosts_per_rack: 1 },
  ...{ pods: 2, tors_per_pod: 2, leaves_per_pod: 3, spines_per_plane: 4 },
});
const hops = { control: "hops", field: "flow_label" };

describe("the selector of a route", () => {
  it.each([
    ["waypoints", "host0-0-0 spine2 leaf1-1 host1-1-0"],
    ["a whole route", "host0-0-0 tor0-0 leaf0-2 spine3 leaf1-0 tor1-1 host1-1-0"],
    ["no waypoint", "host0-1-0 host1-0-0"],
  ])("%s", async (_, list) => {
    const row = routeOf(mesh, "pecmp", hops, list);
    const visited = await walked(mesh, "pecmp", hops, row);
    expect(visited).toEqual(row.route);
    const wanted = list.split(" ");
    expect(visited.filter((name) => wanted.includes(name!))).toEqual(wanted);
  });

  it("leads through a middlebox on a graph without tiers", async () => {
    const topology = example("dring");
    const row = routeOf(topology, "multiroute", {}, "host0-0-0 switch1-0 host2-0-0");
    expect(await walked(topology, "multiroute", {}, row)).toEqual(row.route);
    expect(row.route).toContain("switch1-0");
    const scheme = schemeNamed("multiroute")!;
    const plan = scheme.plan(topology, scheme.parameters.parse({}));
    const paths = new SelectorPaths(topology, plan.pathModel!(), plan.hosts);
    const [source, destination] = ["host0-0-0", "host2-0-0"].map((name) => nodeNamed(topology, name)!.index);
    const flow = { source: source!, destination: destination!, version: 6, protocol: 6 } as const;
    const path = paths.pathOf({ ...flow, sourcePort: 1, destinationPort: 2 }, row.selector)!;
    expect(path.nodes.map((node) => topology.nodes[node]!.name)).toEqual(row.route);
  });

  it.each([
    ["pecmp", hops, "host0-0-0 leaf0-1 leaf0-2 host1-0-0", 'passes "leaf0-2" after "leaf0-1"'],
    ["pecmp", hops, "host0-0-0 leaf1-0 spine0 host1-0-0", 'passes "spine0" after "leaf1-0"'],
    ["pecmp", {}, "host0-0-0 host1-0-0", "control: offset has no selectors"],
    ["multiroute", {}, "host0-0-0 spine0 spine1 host1-0-0", "note: selector 1: tor0-0"],
  ])("%s %o: %s is refused", (name, parameters, list, words) => {
    const message = messagesOf(() => routeOf(mesh, name, parameters, list));
    expect(message).toContain("error[P45542]");
    expect(message).toContain(words);
  });
});

describe("header costs", () => {
  it("are those of the headers that other ways add", () => {
    const bytes = (hops: number) => headerCosts("flow_label", 18, hops).map((cost) => cost.bytes);
    expect(bytes(5)).toEqual([0, 40 + 8 + 80, 40, 100, 200]);
    expect(bytes(7)).toEqual([0, 40 + 8 + 112, 40 + 8 + 32, 140, 280]);
    expect(headerCosts("vlan", 12, 3)[0]).toMatchObject({ bits: 12, bytes: 4 });
  });
});
