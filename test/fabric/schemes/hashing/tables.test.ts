/**
 * What a plan writes into a switch, by the meaning of its tables: for each ingress port, source and destination the same ports in the same
 * slots, with the same function and seed, as in its path model. The check of all paths is about that model.
 */
import { describe, expect, it } from "vitest";
import { LOCAL, UNREACHABLE } from "../../../../src/fabric/paths/index.js";
import { type FabricPlan, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { type Topology, withLinksDown } from "../../../../src/fabric/topology/index.js";
import type { ActionCall, Entity } from "../../../../src/toolchain/device/index.js";
import { findCrc } from "../../../../src/toolchain/hash/index.js";
import { build, messagesOf } from "../../topology/load.js";

const hashing = schemeNamed("hashing")!;
const planned = (topology: Topology, parameters: object) =>
  hashing.plan(topology, hashing.parameters.parse(parameters));

type Family = "ipv4" | "ipv6";

interface Route {
  readonly value: bigint;
  readonly length: number;
  readonly shift: bigint;
  readonly action: ActionCall;
}

/** The tables of a switch, by their short names. */
class Tables {
  /** Actions and groups by table and key. */
  readonly #exact = new Map<string, ActionCall | number>();
  /** Prefixes by table and class, the longest first. */
  readonly #prefixes = new Map<string, Route[]>();
  readonly #ports = new Map<number, number>();
  readonly #counts = new Map<string, number>();
  readonly groups = new Map<number, readonly number[]>();

  constructor(
    readonly topology: Topology,
    readonly node: number,
    plan: FabricPlan,
  ) {
    for (const { type, entity } of plan.switches.find((own) => own.node === node)!.updates) {
      if (type !== "insert") throw new Error("a plan inserts");
      if (entity.kind === "member") this.#addMember(entity.memberId, entity.action);
      else if (entity.kind === "group") {
        const ports = entity.members.map(({ memberId }) => this.#ports.get(memberId)!);
        const wanted = ports.map((port, i) => ({
          memberId: entity.members[i]!.memberId,
          weight: 1,
          watchPort: port,
        }));
        expect([entity.members, entity.maxSize]).toEqual([wanted, ports.length]);
        expect(this.groups.has(entity.groupId)).toBe(false);
        this.groups.set(entity.groupId, ports);
      } else if (entity.kind === "tableEntry") this.#addEntry(entity);
      else throw new Error(`a plan writes no ${entity.kind}`);
    }
    for (const list of this.#prefixes.values()) list.sort((a, b) => b.length - a.length);
  }

  #addMember(id: number, { action, params }: ActionCall): void {
    const port = Number(params["port"]);
    expect([this.#ports.has(id), action, params["mac"]]).toEqual([
      false,
      "FabricIngress.to_next_hop",
      this.#macBeyond(port),
    ]);
    this.#ports.set(id, port);
  }

  #addEntry({ table, match, action }: Extract<Entity, { kind: "tableEntry" }>): void {
    const name = table.replace("FabricIngress.", "");
    this.#counts.set(name, this.count(name) + 1);
    const [key, arrival] = match;
    const what = action?.kind === "group" ? action.groupId : (action as ActionCall);
    if (key?.kind === "exact") {
      expect(this.#exact.has(`${name} ${key.field} ${key.value}`)).toBe(false);
      this.#exact.set(`${name} ${key.field} ${key.value}`, what);
      return;
    }
    if (key?.kind !== "lpm" || typeof what === "number") throw new Error("a route of another shape");
    if (arrival !== undefined && (arrival.kind !== "exact" || arrival.field !== "meta.arrival"))
      throw new Error("another key");
    const place = `${name} ${key.field} ${arrival?.value ?? ""}`;
    const list = this.#prefixes.get(place) ?? [];
    this.#prefixes.set(place, list);
    const width = key.field.startsWith("hdr.ipv4.") ? 32 : 128;
    list.push({
      value: key.value,
      length: key.prefixLength,
      shift: BigInt(width - key.prefixLength),
      action: what,
    });
  }

  #macBeyond(port: number): bigint {
    return this.topology.nodes[this.topology.nodes[this.node]!.ports[port - 1]!.peer]!.mac;
  }

  count(table: string): number {
    return this.#counts.get(table) ?? 0;
  }

  get members(): number {
    return this.#ports.size;
  }

  #longest(place: string, address: bigint): ActionCall | undefined {
    const found = this.#prefixes.get(place)?.find(({ value, shift }) => address >> shift === value >> shift);
    return found?.action;
  }

  /** Function, seed and class that packets of an ingress port get. */
  hashOf(ingress: number): { function: number; seed: number; arrival: number } {
    const { action, params } = this.#exact.get(
      `hash_seed standard_metadata.ingress_port ${ingress}`,
    ) as ActionCall;
    if (action !== "FabricIngress.set_hash") throw new Error(action);
    return {
      function: Number(params["function"]),
      seed: Number(params["seed"]),
      arrival: Number(params["arrival"]),
    };
  }

  /** The slots for a packet of a class of its ingress port; a single port without a group; undefined: there is no route. */
  slotsFor(
    family: Family,
    arrival: number,
    source: bigint,
    destination: bigint,
  ): readonly number[] | undefined {
    const from = this.#longest(`${family}_sources hdr.${family}.src_addr `, source);
    const kind = arrival + Number(from?.params["arrival"] ?? 0n);
    const routes = `${family}_routes hdr.${family}.dst_addr`;
    const route = this.#longest(`${routes} `, destination) ?? this.#longest(`${routes} ${kind}`, destination);
    if (route === undefined) return undefined;
    const { action, params } = route;
    if (action === "FabricIngress.to_port") {
      const port = Number(params["port"]);
      if (params["mac"] !== this.#macBeyond(port)) throw new Error("another neighbour");
      return [port];
    }
    if (action !== "FabricIngress.to_group") throw new Error(action);
    return this.groups.get(this.#exact.get(`groups meta.next_hops ${Number(params["next_hops"])}`) as number);
  }
}

interface HashingValues {
  readonly functions: readonly { readonly name: string; readonly statements: readonly string[] }[];
  readonly classed: boolean;
  readonly sources: number;
  readonly groups: number;
  readonly members: number;
  readonly sizes: { readonly routes: number };
}
const valuesOf = (plan: FabricPlan, program: string) =>
  plan.programs.find(({ name }) => name === program)!.values as unknown as HashingValues;

const leafSpine = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });
const dual = build({ kind: "clos", pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 3 });
const mesh = build({
  kind: "spineless",
  wiring: "ring",
  blocks: 5,
  tors_per_block: 2,
  stage2_per_block: 2,
  stage3_per_block: 2,
  links_per_pair: 4,
  hosts_per_rack: 1,
});
const jellyfish = build({ kind: "jellyfish", switches: 6, degree: 3, hosts_per_switch: 1, seed: 3 });
const linkOf = (topology: Topology, name: string) =>
  topology.links.findIndex(({ a, b }) => [a, b].some(({ node }) => topology.nodes[node]!.name === name));
const withFailure = withLinksDown(leafSpine, [linkOf(leafSpine, "leaf0-2")]);
const withOneNic = withLinksDown(dual, [linkOf(dual, "host0-0-0")]);
const CHIP = [
  "rtag7/xor16",
  "crc-32/iscsi:bits=4-20",
  "crc16/0x8BB7",
  "rtag7/crc32-low",
  "CRC-16/XMODEM",
  "ideal",
];

const CASES: readonly [string, Topology, object][] = [
  ["a leaf-spine", leafSpine, {}],
  ["a leaf-spine with weights", leafSpine, { weights: [2, 1] }],
  ["a link that is down", withFailure, { design: "random", chip: CHIP }],
  ["two NICs", dual, { design: "per_stage" }],
  ["a NIC without its link", withOneNic, { design: "per_stage" }],
  ["drawn functions of a block", dual, { design: "per_stage", draw: true, seeds: "none" }],
  ["functions by port", dual, { design: "per_port" }],
  ["one function with seeds", dual, { design: "one", chip: "ideal", seeds: "switch" }],
  ["a mesh", mesh, { design: "recombining" }],
  ["a mesh with transit", mesh, { design: "coprime", routing: "transit", sizes: [16, 57] }],
  ["k shortest paths", jellyfish, { design: "random", routing: "k_shortest", k: 3 }],
  [
    "coprime sizes without stages",
    jellyfish,
    { design: "coprime", routing: "k_shortest", k: 3, group_members: 32 },
  ],
];

describe("the tables of a switch", () => {
  it.each(CASES)("send as the path model says: %s", (_name, topology, parameters) => {
    const plan = planned(topology, parameters);
    const model = plan.pathModel!();
    const { racks, nodes, down } = topology;
    for (const own of model.switches) {
      const tables = new Tables(topology, own.node, plan);
      const node = nodes[own.node]!;
      const { functions } = valuesOf(plan, plan.switches.find((one) => one.node === own.node)!.program);
      const tried = new Set<string>();
      for (const { number: ingress } of node.ports) {
        const hash = tables.hashOf(ingress);
        // Ports of a kind are alike.
        const kind = own.portClass?.[ingress] ?? 0;
        const key = `${kind} ${hash.function} ${hash.seed} ${hash.arrival}`;
        if (tried.has(key)) continue;
        tried.add(key);
        for (const source of racks) {
          const first = (kind + (own.sourceClass?.[source.index] ?? 0)) * racks.length;
          const sender = nodes[source.hosts[0]!]!.host!;
          const found: unknown[] = [];
          const wanted: unknown[] = [];
          for (const family of ["ipv4", "ipv6"] as const)
            for (const { index: to, hosts } of racks)
              for (const index of hosts) {
                const host = nodes[index]!;
                const slots = tables.slotsFor(family, hash.arrival, sender[family], host.host![family]);
                const next = own.next[first + to]!;
                const local = node.ports.find((one) => one.peer === index && !down?.has(one.link));
                const choice = own.choices[next];
                if (next === LOCAL) wanted.push(local === undefined ? undefined : [local.number]);
                else wanted.push(next === UNREACHABLE ? undefined : Array.from(choice!.rows[0]!));
                found.push(slots);
                if (choice === undefined || choice.rows[0]!.length === 1) continue;
                found.push(functions[hash.function]!.name, hash.seed);
                wanted.push(model.hashes[choice.hash]!.name, choice.seed);
              }
          expect(found).toEqual(wanted);
        }
      }
      expect(tried.size).toBeLessThanOrEqual(2);
    }
  });

  it.each(CASES)("fit into the programs: %s", (_name, topology, parameters) => {
    const plan = planned(topology, parameters);
    for (const { node, program } of plan.switches) {
      const tables = new Tables(topology, node, plan);
      const values = valuesOf(plan, program);
      expect(tables.count("ipv4_routes")).toBe(tables.count("ipv6_routes"));
      expect(tables.count("ipv4_routes")).toBeLessThanOrEqual(values.sizes.routes);
      expect(tables.groups.size).toBe(tables.count("groups"));
      expect(tables.groups.size).toBeLessThanOrEqual(values.groups);
      expect(tables.members).toBeLessThanOrEqual(values.members);
      expect(tables.count("ipv4_sources")).toBeLessThanOrEqual(values.sources);
      // Equal groups are one.
      const groups = [...tables.groups.values()].map(String);
      expect(new Set(groups).size).toBe(groups.length);
    }
  });

  it("tell classes apart only where routes differ by them", () => {
    const classed = (topology: Topology, parameters: object) => {
      const { classed: routes, sources } = valuesOf(
        planned(topology, parameters),
        planned(topology, parameters).programs[0]!.name,
      );
      return [routes, sources > 0];
    };
    expect(classed(dual, { design: "per_port" })).toEqual([false, false]);
    expect(classed(mesh, { design: "per_port", routing: "transit" })).toEqual([true, true]);
    expect(classed(jellyfish, { design: "one", routing: "k_shortest" })).toEqual([true, true]);
  });

  it("have one route for a pod with the same next hops, and one for each rack otherwise", () => {
    const plan = planned(dual, {});
    // A spine leads to two pods; a ToR's own hosts have routes of their own.
    for (const { index, role } of dual.nodes)
      if (role === "spine") expect(new Tables(dual, index, plan).count("ipv4_routes")).toBe(2);
  });
});

describe("custom CRCs", () => {
  it("are set by their number among those of a width, with the parameters of the catalogue", () => {
    const chip = ["CRC-16/XMODEM", "rtag7/xor16", "CRC-32/ISCSI", "rtag7/crc16-ccitt", "crc32/0x741B8CD7"];
    const plan = planned(dual, { design: "random", chip });
    for (const { program, settings } of plan.switches) {
      const counts = { 16: 0, 32: 0 };
      const wanted = valuesOf(plan, program).functions.flatMap(({ name }) => {
        const crc = name.startsWith("crc32/0x")
          ? { width: 32, poly: 0x741b8cd7, init: 0xffffffff, xorout: 0, refin: false, refout: false }
          : findCrc(name === "rtag7/crc16-ccitt" ? "CRC-16/IBM-3740" : name);
        if (crc === undefined) return [];
        const width = crc.width as 16 | 32;
        return [
          {
            kind: "crc",
            calculation: counts[width]++,
            width,
            parameters: {
              polynomial: BigInt(crc.poly),
              initial: BigInt(crc.init),
              finalXor: BigInt(crc.xorout),
              reflectData: crc.refin,
              reflectRemainder: crc.refout,
            },
          },
        ];
      });
      expect(settings ?? []).toEqual(wanted);
    }
  });

  it("are no setting of a switch without them", () => {
    for (const own of planned(dual, {}).switches)
      expect(Object.hasOwn(own, "settings")).toBe(own.settings !== undefined);
    expect(
      planned(dual, { chip: ["rtag7/xor16"], design: "one" }).switches.every((own) => !("settings" in own)),
    ).toBe(true);
  });
});

describe("the limits of a chip", () => {
  // A ToR has one group of four upward ports.
  const refused = (parameters: object) =>
    messagesOf(() => planned(leafSpine, { design: "one", ...parameters }));

  it("are the number of groups, and of their members", () => {
    expect(() => planned(leafSpine, { design: "one", chip_groups: 1, chip_members: 4 })).not.toThrow();
    expect(refused({ chip_members: 3 })).toMatch(
      /error\[P45207\]: the groups of tor0-0 need 4 members, and the chip has 3\nnote: .*group_members: 96/,
    );
    expect(refused({ weights: [2, 1], chip_members: 5 })).toContain(
      "the groups of tor0-0 need 6 members, and the chip has 5",
    );
  });

  it("count groups of the same next hops once for each size", () => {
    // From the own block and in transit a switch of the third stage has groups of other sizes.
    const limited = (chip_groups: number) => () =>
      planned(mesh, { design: "coprime", routing: "transit", sizes: [16, 57], chip_groups });
    const most = Math.max(
      ...mesh.nodes.flatMap(({ index, role }) =>
        role === "host"
          ? []
          : [
              new Tables(
                mesh,
                index,
                planned(mesh, { design: "coprime", routing: "transit", sizes: [16, 57] }),
              ).groups.size,
            ],
      ),
    );
    expect(limited(most)).not.toThrow();
    expect(messagesOf(limited(most - 1))).toContain(`needs ${most} groups, and the chip has ${most - 1}`);
  });
});
