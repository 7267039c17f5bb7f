/** The state of Dahu's switches before the first packet: port classes, groups, routes (sections 3 and 4.2), and what is refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Locate } from "../../../../src/base/index.js";
import { copyValues } from "../../../../src/fabric/schemes/dahu/copies.js";
import { type GroupKind, groupLayout } from "../../../../src/fabric/schemes/dahu/group-layout.js";
import { PortClasses } from "../../../../src/fabric/schemes/dahu/port-classes.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { switchesOf, type Topology, withLinksDown } from "../../../../src/fabric/topology/index.js";
import type { Match, Update } from "../../../../src/toolchain/device/index.js";
import { build, messagesOf } from "../../topology/load.js";

const dahu = schemeNamed("dahu")!;
const planned = (topology: Topology, parameters: object = {}) =>
  dahu.plan(topology, dahu.parameters.parse({ virtual_ports: 16, ...parameters }));
const hyperx = (...shape: number[]) => build({ kind: "hyperx", shape, hosts_per_switch: 1 });
const clos = build({ kind: "clos", pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2 });
const nowhere: Locate = () => undefined;
const classesOf = (topology: Topology) => new PortClasses(topology, topology.down ?? new Set());

/** Links of a switch to others that are up: bit and neighbour. */
const neighbours = (topology: Topology, node: number) =>
  topology.nodes[node]!.ports.flatMap(({ number, peer, link }) =>
    topology.nodes[peer]!.role === "host" || topology.down?.has(link) ? [] : [{ bit: number - 1, peer }],
  );

/** Links to the nearest switch of a rack, by node. */
function distances(topology: Topology, rack: number): number[] {
  const found = topology.nodes.map(() => Number.POSITIVE_INFINITY);
  let next = [...topology.racks[rack]!.switches];
  for (let links = 0; next.length > 0; links++) {
    for (const node of next) found[node] = links;
    next = next
      .flatMap((node) => neighbours(topology, node).map(({ peer }) => peer))
      .filter((node) => found[node] === Number.POSITIVE_INFINITY);
  }
  return found;
}

describe("port classes (section 4.2)", () => {
  it("are the ports that lead nearer, and those to neighbours that have another way", () => {
    const topologies = [hyperx(3, 2), clos, build({ kind: "jellyfish", switches: 7, degree: 3, seed: 2 })];
    fc.assert(
      fc.property(
        fc.constantFrom(...topologies),
        fc.uniqueArray(fc.nat(200), { maxLength: 6 }),
        (whole, cuts) => {
          const fabric = whole.links.filter(({ a, b }) =>
            [a, b].every(({ node }) => whole.nodes[node]!.role !== "host"),
          );
          const topology = withLinksDown(whole, [
            ...new Set(cuts.map((cut) => fabric[cut % fabric.length]!.index)),
          ]);
          const classes = classesOf(topology);
          for (const { index: rack } of topology.racks) {
            const distance = distances(topology, rack);
            for (const { index: node } of switchesOf(topology)) {
              const own = distance[node]!;
              expect(classes.distance(node, rack)).toBe(own);
              const leads = own > 0 && own < Number.POSITIVE_INFINITY;
              const nearer = neighbours(topology, node).filter(({ peer }) => distance[peer]! < own);
              expect(classes.shortest(node, rack)).toEqual(leads ? nearer.map(({ bit }) => bit) : []);
              const useful = neighbours(topology, node).filter(
                ({ peer }) =>
                  distance[peer] === 0 ||
                  neighbours(topology, peer).some(
                    (on) => on.peer !== node && distance[on.peer]! < distance[peer]!,
                  ),
              );
              expect(classes.further(node, rack)).toEqual(leads ? useful.map(({ bit }) => bit) : []);
            }
          }
        },
      ),
      { numRuns: 40, seed: 1 },
    );
  });
});

describe("port groups of a switch", () => {
  const layoutsOf = (topology: Topology, kind: GroupKind) => {
    const classes = classesOf(topology);
    return switchesOf(topology).map(({ index }) => ({
      node: index,
      all: neighbours(topology, index).map(({ bit }) => bit),
      classes,
      ...groupLayout(classes, index, kind, nowhere),
    }));
  };

  it("one: all ports to switches", () => {
    for (const { all, members, groupOf } of layoutsOf(clos, "one")) {
      expect(members).toEqual([all]);
      expect(groupOf).toEqual(clos.racks.map(() => 0));
    }
  });

  it("offset_dimensions: the ports along the dimensions in which the destination differs; the last group has all", () => {
    const topology = hyperx(3, 2, 2);
    for (const { node, all, members, groupOf } of layoutsOf(topology, "offset_dimensions")) {
      expect(members.length).toBe(8);
      expect(members.at(-1)).toEqual(all);
      const here = topology.nodes[node]!.coordinates!;
      const differing = (other: number) =>
        [0, 1, 2].filter((d) => topology.nodes[other]!.coordinates![d] !== here[d]);
      for (const { index, switches } of topology.racks) {
        if (switches[0] === node) continue;
        const wanted = differing(switches[0]!);
        const along = neighbours(topology, node).filter(({ peer }) => wanted.includes(differing(peer)[0]!));
        expect(members[groupOf[index]!]).toEqual(along.map(({ bit }) => bit));
      }
    }
  });

  it("next_hops: the ports of shortest paths, once for each set; the last group has all", () => {
    for (const topology of [clos, hyperx(3, 3)])
      for (const { node, all, classes, members, groupOf } of layoutsOf(topology, "next_hops")) {
        const sets = new Set<string>();
        for (const { index, switches } of topology.racks) {
          if (switches.includes(node)) continue;
          expect(members[groupOf[index]!]).toEqual(classes.shortest(node, index));
          sets.add(classes.shortest(node, index).join(" "));
        }
        expect(members.length).toBe(sets.size + 1);
        expect(members.at(-1)).toEqual(all);
      }
  });

  it("are at most 64 (section 5)", () => {
    const asked: unknown[] = [];
    const locate: Locate = (path) => void asked.push(path);
    // (n - 1)^2 sets of two ports, 2 (n - 1) of one, and the group of all.
    const nextHops = (n: number) =>
      groupLayout(classesOf(hyperx(n, n)), 0, "next_hops", locate).members.length;
    expect(nextHops(8)).toBe(49 + 14 + 1);
    expect(messagesOf(() => nextHops(9))).toContain(
      'error[P45412]: "switch0-0" would need 81 port groups: a switch has 64\nnote: write `port_groups: one`',
    );
    const dimensions = (count: number) =>
      groupLayout(classesOf(hyperx(...Array<number>(count).fill(2))), 0, "offset_dimensions", locate).members
        .length;
    expect(dimensions(6)).toBe(64);
    expect(messagesOf(() => dimensions(7))).toContain("would need 128 port groups");
    expect(asked).toEqual([["port_groups"], ["deroutes"], ["port_groups"], ["deroutes"]]);
  });

  it("of offset dimensions need coordinates", () => {
    expect(messagesOf(() => planned(clos, { port_groups: "offset_dimensions" }))).toMatch(
      /error\[P45411\]: port_groups: offset_dimensions needs a HyperX; switches of ".*" have no coordinates/,
    );
  });

  it("are one with deroutes, and by next hops without, unless the parameters say something else", () => {
    const groups = (parameters: object) =>
      (planned(hyperx(3, 3), parameters).programs[0]!.values as { groups: number }).groups;
    // Four sets of two ports, four of one, and the group of all.
    expect([groups({ deroutes: 1 }), groups({ deroutes: 0 })]).toEqual([1, 9]);
    expect(groups({ deroutes: 0, port_groups: "one" })).toBe(1);
    expect(groups({ deroutes: 2, port_groups: "offset_dimensions" })).toBe(4);
  });
});

interface Entry {
  readonly match: readonly Match[];
  readonly priority: number;
  readonly action: string;
  readonly params: Readonly<Record<string, bigint>>;
}

describe("the state of a switch", () => {
  const entries = (updates: readonly Update[], table: string): Entry[] =>
    updates.flatMap(({ entity }) => {
      if (entity.kind !== "tableEntry" || entity.table !== `FabricIngress.${table}`) return [];
      if (entity.action?.kind !== "action") throw new Error("an entry without an action");
      const { action, params } = entity.action;
      return [{ match: entity.match, priority: entity.priority, action, params }];
    });
  const clos2 = build({
    kind: "clos",
    pods: 2,
    tors_per_pod: 2,
    leaves_per_pod: 2,
    spines_per_plane: 2,
    hosts_per_rack: 2,
  });
  /** A host has one of its two links. */
  const withOneNic = withLinksDown(clos2, [
    clos2.links.findIndex(({ a, b }) => [a, b].some(({ node }) => clos2.nodes[node]!.name === "host0-0-1")),
  ]);

  it.each([
    ["a HyperX", hyperx(3, 2)],
    ["racks with two switches", clos2],
    ["a NIC without its link", withOneNic],
  ])(
    "has routes to own hosts, to the racks of other switches, and the neighbour of each port: %s",
    (_name, topology) => {
      for (const { node, updates } of planned(topology).switches) {
        const { ports } = topology.nodes[node]!;
        for (const [family, width] of [
          ["ipv4", 32],
          ["ipv6", 128],
        ] as const) {
          const wanted = topology.racks.flatMap((rack): Entry[] => {
            const key = (value: bigint, prefixLength: number): Match[] => [
              { kind: "lpm", field: `hdr.${family}.dst_addr`, value, prefixLength },
            ];
            if (!rack.switches.includes(node))
              return [
                {
                  match: key(rack[family].address, rack[family].length),
                  priority: 0,
                  action: "FabricIngress.to_destination",
                  params: { destination: BigInt(rack.index) },
                },
              ];
            return rack.hosts.flatMap((host) => {
              const port = ports.find(({ peer, link }) => peer === host && !topology.down?.has(link));
              if (port === undefined) return [];
              const { host: address, mac } = topology.nodes[host]!;
              return [
                {
                  match: key(address![family], width),
                  priority: 0,
                  action: "FabricIngress.to_port",
                  params: { port: BigInt(port.number), mac },
                },
              ];
            });
          });
          expect(entries(updates, `${family}_routes`)).toEqual(wanted);
        }
        expect(entries(updates, "next_hops").map(({ match, params }) => [match, params])).toEqual(
          ports
            .filter(({ peer }) => topology.nodes[peer]!.role !== "host")
            .map(({ number, peer }) => [
              [{ kind: "exact", field: "meta.choice", value: BigInt(number - 1) }],
              { port: BigInt(number), mac: topology.nodes[peer]!.mac },
            ]),
        );
      }
    },
  );

  it("fits into the programs", () => {
    // 17 racks of 17 switches: one more than a power of two allows.
    const topology = build({ kind: "hyperx", shape: [17], hosts_per_switch: 1 });
    const { programs, switches } = planned(topology);
    const { sizes } = programs[0]!.values as { sizes: { routes: number; destinations: number } };
    expect(entries(switches[0]!.updates, "ipv4_routes").length).toBeLessThanOrEqual(sizes.routes);
    expect(entries(switches[0]!.updates, "destinations").length).toBeLessThanOrEqual(sizes.destinations);
    expect(sizes.destinations).toBeGreaterThanOrEqual(17);
  });

  it.each([
    [{ map: "register", retry: false }, 2],
    [{ map: "register", retry: true }, 3],
    [{ map: "copies", retry: false }, 3],
    [{ map: "copies", retry: true }, 5],
  ])("has a polynomial of its own for each CRC, odd, of no other switch: %o", (parameters, count) => {
    const { switches } = planned(hyperx(3, 3), parameters);
    const seen = new Set<bigint>();
    for (const { settings } of switches) {
      expect(settings!.map((own) => own.kind === "crc" && own.calculation)).toEqual([...Array(count).keys()]);
      for (const own of settings!) {
        if (own.kind !== "crc") throw new Error("no CRC");
        expect(own.parameters.polynomial & 1n).toBe(1n);
        expect([own.width, own.parameters.initial]).toEqual([32, 0xffffffffn]);
        seen.add(own.parameters.polynomial);
      }
    }
    expect(seen.size).toBe(9 * count);
  });

  it("tries spare ports in orders of which each port begins as many", () => {
    const topology = hyperx(3, 3);
    for (const { node, updates } of planned(topology, { map: "copies" }).switches) {
      const all = neighbours(topology, node).map(({ bit }) => bit);
      const orders = new Map<number, { priority: number; port: number }[]>();
      for (const { match, priority, params } of entries(updates, "spare_ports")) {
        const [order, mask] = match;
        if (order?.kind !== "exact" || mask?.kind !== "ternary") throw new Error("another key");
        const port = Number(params["port"]);
        expect([mask.value, mask.mask]).toEqual([1n << BigInt(port), 1n << BigInt(port)]);
        const list = orders.get(Number(order.value)) ?? [];
        orders.set(Number(order.value), list);
        list.push({ priority, port });
      }
      // One for each value of the hash, which has as many as the bitmap has bits.
      expect([...orders.keys()]).toEqual([...Array(8).keys()]);
      const firsts = new Map<number, number>();
      for (const list of orders.values()) {
        list.sort((a, b) => b.priority - a.priority);
        expect(list.map(({ port }) => port).sort((a, b) => a - b)).toEqual(all);
        expect(new Set(list.map(({ priority }) => priority)).size).toBe(all.length);
        firsts.set(list[0]!.port, (firsts.get(list[0]!.port) ?? 0) + 1);
      }
      expect([...firsts.values()]).toEqual(all.map(() => 2));
    }
  });

  it("counts packets where all links have a rate in packets", () => {
    const unitOf = (host: object, fabric: object) => {
      const rate = { rate: "10Gbps", delay: "1us" };
      const topology = build({
        kind: "hyperx",
        shape: [2],
        hosts_per_switch: 1,
        host_link: { ...rate, ...host },
        fabric_link: { ...rate, ...fabric },
      } as Parameters<typeof build>[0]);
      return JSON.stringify(planned(topology).programs[0]!.values).includes('"packets"');
    };
    const pps = { rate_pps: 1000 };
    expect([unitOf(pps, pps), unitOf(pps, {}), unitOf({}, pps)]).toEqual([true, false, false]);
  });
});

describe("what is refused", () => {
  it("counters of virtual ports, which only flow runs have, with the reason", () => {
    const { error, success } = dahu.parameters.safeParse({ counters: "virtual_ports" });
    expect([success, (error as { issues: { message: string }[] } | undefined)?.issues[0]?.message]).toEqual([
      false,
      "expected members: compiled switches have no counters of virtual ports (512 KB a switch, section 3.1 of the paper); runs of the kind fluid have them",
    ]);
    expect(dahu.parameters.parse({})).toMatchObject({ counters: "members" });
  });

  const refused = (parameters: object) => messagesOf(() => planned(hyperx(3, 3), parameters));

  it.each([8, 24, 65_535, 1])("%i virtual ports: a hash has whole bits", (virtual_ports) => {
    expect(refused({ virtual_ports })).toContain(
      `error[P45414]: ${virtual_ports} virtual ports: the number must be`,
    );
  });

  it("more deroutes than the field counts, and feedback without a bit for it", () => {
    expect(() => planned(hyperx(3, 3), { field: "ttl", deroutes: 7 })).not.toThrow();
    expect(refused({ field: "ttl", deroutes: 8 })).toContain(
      "error[P45415]: 8 deroutes: the field ttl can count to 7",
    );
    for (const field of ["dscp", "vlan"])
      expect(() => planned(hyperx(3, 3), { field, deroutes: 15, feedback: true })).not.toThrow();
    expect(refused({ field: "ttl", feedback: true })).toContain(
      "error[P45415]: feedback needs one more bit than the deroute count, and the field ttl has none left",
    );
  });

  it("more ports than a bitmap has bits", () => {
    const widest = (hosts_per_switch: number) => build({ kind: "hyperx", shape: [2], hosts_per_switch });
    expect(() => planned(widest(127))).not.toThrow();
    expect(messagesOf(() => planned(widest(128)))).toMatch(
      /error\[P45413\]: "switch\d" has 129 ports: a bitmap of allowed ports has 128/,
    );
  });
});

it("copies of the map get hash k = start + k step in two instructions of two operands (section 3.2)", () => {
  const { sums, hashes, draws, bits } = copyValues(8, ["first", "second"], "step");
  expect(hashes).toBe(32);
  for (const [start, drawn] of [
    [5, 11],
    [1000, 77],
  ] as const) {
    const values = new Map<string, number>();
    for (const round of [0, 1]) {
      values.set(`meta.virtual_port_${16 * round}`, start + round);
      values.set(`meta.drawn_${round}`, drawn + 3 * round);
    }
    const read = (text: string, before: ReadonlyMap<string, number>) =>
      /^\d+$/.test(text) ? Number(text) : before.get(text)!;
    // Instructions of a list run at the same time: each field is written once, and read as it was before.
    for (const list of sums) {
      const before = new Map(values);
      const written = new Set<string>();
      for (const line of list) {
        const [, into, a, operator, b] = /^(\S+) = (\S+) (<<|\+|-) (\S+)$/.exec(line)!;
        expect(written.has(into!)).toBe(false);
        written.add(into!);
        const [x, y] = [read(a!, before), read(b!, before)];
        values.set(into!, operator === "<<" ? x * 2 ** y : operator === "+" ? x + y : x - y);
      }
    }
    for (const round of [0, 1])
      for (let k = 0; k < 16; k++)
        expect(values.get(`meta.virtual_port_${16 * round + k}`)).toBe(
          start + round + k * (2 * (drawn + 3 * round) + 1),
        );
  }
  expect(draws).toEqual([
    { field: "virtual_port_0", inputs: "first" },
    { field: "drawn_0", inputs: "step" },
    { field: "virtual_port_16", inputs: "second" },
    { field: "drawn_1", inputs: "first" },
  ]);
  expect(bits[3]).toEqual({ bit: 3, port: 4, mask: "8w0x8", others: "8w0xf7" });
});
