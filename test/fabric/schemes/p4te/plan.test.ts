/** The initial configuration of P4TE's switches (section 4.2.1, figure 5), its parameters, and the classes that hosts mark. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, Random, SourceFile } from "../../../../src/base/index.js";
import { CLIENT, restingHost } from "../../../../src/fabric/hosts/index.js";
import { type FabricPlan, hostPolicyOf, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { commonPrefix } from "../../../../src/fabric/schemes/p4te/routing-groups.js";
import {
  buildTopology,
  computeRoutes,
  nodeNamed,
  type Topology,
  type TopologyInput,
  topologySchema,
} from "../../../../src/fabric/topology/index.js";
import type { MeterConfig, Update } from "../../../../src/toolchain/device/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ManualClock } from "../../../toolchain/switch/golden.js";

const scheme = schemeNamed("p4te")!;
const built = (input: object): Topology => buildTopology(topologySchema.parse(input as TopologyInput));
const planOf = (topology: Topology, parameters: object = {}): FabricPlan =>
  scheme.plan(topology, scheme.parameters.parse(parameters));
const updatesOf = (topology: Topology, plan: FabricPlan, name: string): readonly Update[] =>
  plan.switches.find(({ node }) => node === nodeNamed(topology, name)!.index)!.updates;
const entitiesOf = (topology: Topology, plan: FabricPlan, name: string) =>
  updatesOf(topology, plan, name).map(({ entity }) => entity);
const valuesOf = (plan: FabricPlan, role: string) =>
  plan.programs.find(({ name }) => name === role)!.values as Record<string, unknown> & {
    readonly sizes: Record<string, number>;
    readonly directions: readonly Record<string, unknown>[];
  };

const GBPS10 = { rate: "10Gbps", delay: "1us" };
const leafSpine = (more: object = {}) =>
  built({
    kind: "leaf_spine",
    tors: 3,
    leaves: 2,
    homing: "single",
    hosts_per_rack: 2,
    host_link: { rate: "1Gbps", delay: "1us" },
    fabric_link: GBPS10,
    ...more,
  });
const clos = built({ kind: "clos", pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2 });

describe("meters (figure 5c and 5d)", () => {
  const topology = leafSpine();
  const tor = nodeNamed(topology, "tor0-0")!;
  interface Metered {
    readonly table: string;
    readonly key: readonly number[];
    readonly params: Readonly<Record<string, bigint>>;
    readonly config: MeterConfig;
  }
  /** Entries with their meters; each meter is written after its entry. */
  const meters = (parameters: object): Metered[] => {
    const found: Metered[] = [];
    const updates = updatesOf(topology, planOf(topology, parameters), "tor0-0");
    for (const [i, { type, entity }] of updates.entries()) {
      if (entity.kind !== "directMeter") continue;
      expect(type).toBe("modify");
      const before = updates[i - 1]!;
      expect(before.type).toBe("insert");
      if (before.entity.kind !== "tableEntry" || before.entity.action?.kind !== "action")
        throw new Error("no entry");
      const { table, match, priority, action } = before.entity;
      expect(entity.entry).toEqual({ kind: "tableEntry", table, match, priority });
      found.push({
        table,
        key: match.map((part) => (part.kind === "exact" ? Number(part.value) : -1)),
        params: action.params,
        config: entity.config!,
      });
    }
    return found;
  };
  const isHost = (port: number) => topology.nodes[tor.ports[port - 1]!.peer]!.role === "host";

  it.each([
    // Bytes per second of 1 and 10 Gbps.
    ["bytes", 125e6, 1250e6, 1518n],
    // Full frames of 1518 bytes per second.
    ["packets", 1e9 / 8 / 1518, 1e10 / 8 / 1518, 1n],
  ] as const)("have shares of each link's rate, in %s", (meter, slow, fast, least) => {
    const burst = 2e6;
    const found = meters({
      meter,
      cir: 0.75,
      pir: 0.95,
      burst: "2ms",
      classes: [
        { dscp: 3, share: 0.5, path: "queue", up_to: 1000 },
        { dscp: 7, share: 0.125, path: "utilization" },
      ],
    });
    const whole = (value: number) => BigInt(Math.round(value));
    const config = (committed: number, peak: number): MeterConfig => ({
      committedRate: whole(committed),
      committedBurst: whole((committed * burst) / 1e9),
      peakRate: whole(peak),
      peakBurst: whole((peak * burst) / 1e9),
    });
    const wanted = tor.ports.flatMap(({ number }): Metered[] => {
      const rate = isHost(number) ? slow : fast;
      const host = isHost(number) ? 1n : 0n;
      return [
        {
          table: "FabricEgress.link_rates",
          key: [number],
          params: { host },
          config: config(0.75 * rate, 0.95 * rate),
        },
        {
          table: "FabricIngress.class_rates",
          key: [number, 3],
          params: { large: 0n },
          config: config(0.5 * rate, 0.5 * rate),
        },
        {
          table: "FabricIngress.class_rates",
          key: [number, 7],
          params: { large: 1n },
          config: config(0.125 * rate, 0.125 * rate),
        },
      ];
    });
    expect(found).toEqual(wanted);
    // A burst of no time is a full packet at least.
    for (const { config } of meters({ meter, burst: "1ns" })) {
      expect(config.committedBurst).toBe(least);
      expect(config.peakBurst).toBe(least);
    }
  });

  it("without rate control the switch does not need to know where hosts are", () => {
    for (const { table, params } of meters({ rate_control: false }))
      if (table === "FabricEgress.link_rates") expect(params).toEqual({});
  });

  it("count packets where all links have a rate in packets, unless the parameters say something else", () => {
    const unitOf = (made: Topology, meter: string) => valuesOf(planOf(made, { meter }), "tor")["meterType"];
    const pps = { rate: "10Gbps", rate_pps: 1000, delay: "1us" };
    const inPackets = leafSpine({ host_link: pps, fabric_link: pps });
    const mixed = leafSpine({ fabric_link: pps });
    expect([unitOf(inPackets, "auto"), unitOf(mixed, "auto"), unitOf(topology, "auto")]).toEqual([
      "packets",
      "bytes",
      "bytes",
    ]);
    expect([unitOf(inPackets, "bytes"), unitOf(topology, "packets")]).toEqual(["bytes", "packets"]);
    const entity = entitiesOf(inPackets, planOf(inPackets, { cir: 0.5, burst: "1s" }), "tor0-0").find(
      ({ kind }) => kind === "directMeter",
    )!;
    expect(entity.kind === "directMeter" && entity.config!.committedRate).toBe(500n);
  });
});

describe("clone sessions", () => {
  const sessions = (topology: Topology, name: string, parameters: object = {}) =>
    new Map(
      entitiesOf(topology, planOf(topology, parameters), name).flatMap((entity) =>
        entity.kind === "cloneSession"
          ? [[entity.sessionId, entity.replicas.map(({ port, instance }) => [port, instance])] as const]
          : [],
      ),
    );
  const CONTROL = [510, 1];
  const INGRESS = [509, 2];
  const topology = leafSpine();

  it("send events to the control plane, colours of upward ports to ingress too, and FACKs to each port", () => {
    const ports = nodeNamed(topology, "tor0-0")!.ports.map(({ number }) => number);
    const wanted = new Map<number, number[][]>([
      [1, [CONTROL]],
      [2, [CONTROL, INGRESS]],
      [3, [INGRESS]],
    ]);
    for (const port of ports) {
      wanted.set(4 * port, [[port, 3]]);
      wanted.set(4 * port + 1, [CONTROL, [port, 3]]);
      wanted.set(4 * port + 2, [CONTROL, INGRESS, [port, 3]]);
      wanted.set(4 * port + 3, [INGRESS, [port, 3]]);
    }
    expect(sessions(topology, "tor0-0")).toEqual(wanted);
    // Colours that do not age are not reported again.
    const kept = [...wanted].filter(([session]) => session % 4 !== 3);
    expect(sessions(topology, "tor0-0", { colour_age: "never" })).toEqual(new Map(kept));
  });

  it("have no copy for ingress at the top, nor where the controller writes colours", () => {
    const replicas = (name: string, parameters: object) =>
      [...sessions(topology, name, parameters).values()].flat();
    expect(replicas("leaf0-0", {})).not.toContainEqual(INGRESS);
    expect(replicas("tor0-0", { feedback: "controller" })).not.toContainEqual(INGRESS);
    expect(sessions(topology, "tor0-0", { rate_control: false })).toEqual(
      new Map([
        [1, [CONTROL]],
        [2, [CONTROL, INGRESS]],
        [3, [INGRESS]],
      ]),
    );
  });
});

describe("the fabric", () => {
  const tableOf = (topology: Topology, plan: FabricPlan, node: string, table: string) =>
    entitiesOf(topology, plan, node).flatMap((entity) =>
      entity.kind === "tableEntry" && entity.table === `FabricIngress.${table}` ? [entity] : [],
    );

  it("knows the ports of hosts at the leaves of a fat tree, where these adapt rates", () => {
    const plan = planOf(clos);
    const keys = (name: string, parameters = {}) =>
      tableOf(clos, planOf(clos, parameters), name, "host_ports").map(({ match: [part] }) =>
        part?.kind === "exact" ? Number(part.value) : -1,
      );
    const hosts = nodeNamed(clos, "tor0-0")!.ports.filter(({ peer }) => clos.nodes[peer]!.role === "host");
    expect(keys("tor0-0")).toEqual(hosts.map(({ number }) => number));
    expect(keys("tor0-0", { rate_control: false })).toEqual([]);
    expect(keys("leaf0-0")).toEqual([]);
    const [tor, leaf] = ["tor", "leaf"].map((role) => valuesOf(plan, role)["keepsFlows"]);
    expect([tor, leaf]).toEqual([true, false]);
  });

  it("has a group of equal next hops downwards where a rack has two switches, and none above a single one", () => {
    const plan = planOf(clos);
    for (const { node, hopSets } of computeRoutes(clos)) {
      const { name } = clos.nodes[node]!;
      const choices = hopSets.filter(({ direction, ports }) => direction === "down" && ports.length > 1);
      const entities = entitiesOf(clos, plan, name);
      const ports = new Map(
        entities.flatMap((entity) =>
          entity.kind === "member" && entity.profile === "FabricIngress.down_members"
            ? [[entity.memberId, Number(entity.action.params["port"])] as const]
            : [],
        ),
      );
      const groups = entities.flatMap((entity) =>
        entity.kind === "group" && entity.profile === "FabricIngress.down_members" ? [entity] : [],
      );
      expect(groups.map(({ members }) => members.map(({ memberId }) => ports.get(memberId)))).toEqual(
        choices.map((hops) => hops.ports),
      );
      for (const { members, maxSize } of groups) {
        expect(maxSize).toBe(members.length);
        for (const { memberId, watchPort, weight } of members)
          expect([watchPort, weight]).toEqual([ports.get(memberId), 1]);
      }
      expect(tableOf(clos, plan, name, "down_groups").length).toBe(choices.length);
    }
    expect(valuesOf(plan, "leaf").directions.map(({ goesUp }) => goesUp)).toEqual([true, false]);
    const single = planOf(leafSpine());
    expect(valuesOf(single, "leaf").directions).toEqual([]);
    expect(valuesOf(single, "tor").directions.map(({ goesUp }) => goesUp)).toEqual([true]);
    expect(tableOf(leafSpine(), single, "leaf0-0", "hash_seed")).toEqual([]);
    expect(tableOf(leafSpine(), single, "tor0-0", "hash_seed").length).toBe(1);
  });

  it("sends up by the tables of groups, even by a single upward port, and names each port's neighbour", () => {
    for (const leaves of [1, 2]) {
      const topology = leafSpine({ leaves });
      const plan = planOf(topology);
      const routes = tableOf(topology, plan, "tor0-0", "ipv4_routes");
      const up = routes.filter(
        ({ action }) => action?.kind === "action" && action.action === "FabricIngress.to_uplinks",
      );
      // One default route.
      expect(up.map(({ match }) => match)).toEqual([[]]);
      const uplinks = tableOf(topology, plan, "tor0-0", "uplinks").map(({ match: [part], action }) => [
        part?.kind === "exact" ? Number(part.value) : -1,
        action?.kind === "action" ? action.params["mac"] : 0n,
      ]);
      const tor = nodeNamed(topology, "tor0-0")!;
      const wanted = tor.ports.flatMap(({ number, peer }) =>
        topology.nodes[peer]!.role === "leaf" ? [[number, topology.nodes[peer]!.mac]] : [],
      );
      expect(uplinks).toEqual(wanted);
      expect(tableOf(topology, plan, "leaf0-0", "uplinks")).toEqual([]);
      expect(plan.controllers!.map(({ name }) => name)).toEqual([
        "p4te-tor0-0",
        "p4te-tor0-1",
        "p4te-tor0-2",
      ]);
    }
  });

  it("matches the prefix of all hosts in both families", () => {
    const topology = leafSpine();
    const entries = tableOf(topology, planOf(topology), "tor0-0", "up_by_queue");
    expect(entries.length).toBe(2);
    const covers = (address: bigint) =>
      entries.filter(({ match: [part] }) => part?.kind === "ternary" && (address & part.mask) === part.value)
        .length;
    for (const { host } of topology.nodes)
      if (host !== undefined) expect([covers(host.ipv4), covers(host.ipv6)]).toEqual([1, 1]);
    expect([covers(0xc0a80001n), covers(1n << 120n)]).toEqual([0, 0]);
  });

  it("has the largest size of a role in each table, for switches that the embedded switch accepts", async () => {
    // 16 ports at a ToR, 17 routes at a leaf: each one more than a power of two allows.
    const topology = leafSpine({ tors: 17, leaves: 4, hosts_per_rack: 12 });
    const plan = planOf(topology, { queue_groups: 20 });
    const tor = valuesOf(plan, "tor");
    expect(tor["ports"]).toBeGreaterThan(16);
    expect(tor.sizes["classRates"]).toBeGreaterThanOrEqual(2 * 16);
    expect(valuesOf(plan, "leaf").sizes["routes"]).toBeGreaterThanOrEqual(17);
    // Groups of both families: of 20 ranges of depths, and of three colours.
    const [up] = tor.directions;
    expect(up!["queueGroups"]).toBeGreaterThanOrEqual(2 * 20);
    expect(up!["rateGroups"]).toBeGreaterThanOrEqual(2 * 3);
    for (const program of plan.programs) {
      const diagnostics = new Diagnostics();
      const text = renderProgram(templates, program);
      const result = compile({ file: new SourceFile(`${program.name}.p4`, text) }, diagnostics);
      diagnostics.throwIfErrors();
      const own = plan.switches.find((one) => one.program === program.name)!;
      const device = new Switch(result!.program, { clock: new ManualClock(), seed: 1, transmit: () => {} });
      await device.write(own.updates);
    }
  });

  it("rounds the gap of flowlets to microseconds, as many as 32 bits hold", () => {
    const gap = (text: string) => valuesOf(planOf(leafSpine(), { flowlet_gap: text }), "tor")["gap"];
    expect([gap("40ms"), gap("1500ns"), gap("1us"), gap("4294s")]).toEqual([40_000, 2, 1, 4_294_000_000]);
    for (const text of ["1ns", "999ns", "4295s", "5000s"])
      expect(() => gap(text), text).toThrow("expected a time from 1us to 4294s");
  });
});

describe("networks without P4TE's tiers", () => {
  const graph = (
    nodes: readonly (readonly [string, string])[],
    links: readonly (readonly [string, string])[],
  ) =>
    built({
      kind: "graph",
      nodes: nodes.map(([name, role]) => ({ name, role })),
      links: links.map(([a, b]) => ({ a, b })),
    });
  const HOSTS = [
    ["h1", "host"],
    ["h2", "host"],
  ] as const;

  it.each([
    [
      "a switch in no tier",
      graph(
        [["s1", "switch"], ...HOSTS],
        [
          ["h1", "s1"],
          ["h2", "s1"],
        ],
      ),
      /P45000\]: P4TE needs a network of two or three tiers, and "s1" is in none/,
    ],
    [
      "no upward port",
      graph(
        [["t1", "tor"], ["t2", "tor"], ...HOSTS],
        [
          ["h1", "t1"],
          ["h2", "t2"],
        ],
      ),
      /P45000\]: P4TE needs a network of two or three tiers, and no switch has an upward port/,
    ],
    [
      "upward ports that do not lead everywhere",
      graph(
        [
          ["t1", "tor"],
          ["t2", "tor"],
          ["t3", "tor"],
          ["l1", "leaf"],
          ["l2", "leaf"],
          ...HOSTS,
          ["h3", "host"],
        ],
        [
          ["h1", "t1"],
          ["h2", "t2"],
          ["h3", "t3"],
          ["t1", "l1"],
          ["t1", "l2"],
          ["t2", "l1"],
          ["t3", "l2"],
        ],
      ),
      /P45001\]: "t1" reaches some destinations by ports 2 and others by 3/,
    ],
  ])("are refused: %s", (_what, topology, message) => {
    const asked: unknown[][] = [];
    const plan = () =>
      scheme.plan(topology, scheme.parameters.parse({}), (...place) => {
        asked.push(place);
        return undefined;
      });
    expect(plan).toThrow(message);
    // At the key of the scheme, or else at its value.
    expect(asked).toEqual([[[], true], [[]]]);
  });

  it("a single rack needs no upward ports", () => {
    const topology = graph(
      [["t1", "tor"], ...HOSTS],
      [
        ["h1", "t1"],
        ["h2", "t1"],
      ],
    );
    expect(planOf(topology).controllers).toEqual([]);
  });
});

describe("parameters", () => {
  const classes = (...list: readonly (readonly [number, number | undefined])[]) => ({
    classes: list.map(([dscp, up_to]) => ({ dscp, share: 0.25, path: "queue", up_to })),
  });
  it.each([
    [{ cir: 0.96, pir: 0.95 }, ["cir"], "expected a committed rate of at most the peak rate 0.95, got 0.96"],
    [{ cir: 0.95, pir: 0.95 }, undefined, ""],
    [{ rate_window: 2 ** 31 }, ["rate_window"], "expected less than 2 GiB"],
    [{ rate_window: 2 ** 31 - 1 }, undefined, ""],
    [
      classes([3, 10], [3, undefined]),
      ["classes", 1, "dscp"],
      "expected a DSCP that no other class has, got 3 again",
    ],
    [
      classes([3, 10], [4, 20]),
      ["classes", 1, "up_to"],
      "expected no bound: the last class has all larger flows",
    ],
    [classes([3, undefined], [4, undefined]), ["classes", 0], "expected up_to: only the last class has none"],
    [
      classes([3, 10], [4, 10], [5, undefined]),
      ["classes", 1, "up_to"],
      "expected more than the 10 bytes of the class before",
    ],
    [classes([3, 10], [4, 11], [5, undefined]), undefined, ""],
    [classes([3, undefined]), undefined, ""],
    [classes(), ["classes"], "expected at least one class"],
    [classes([0, undefined]), ["classes", 0, "dscp"], "expected a DSCP from 1 to 15"],
    [{ decrease: 16 }, ["decrease"], "expected a shift from 1 to 15"],
  ] as const)("%j: %j", (parameters, path, message) => {
    const result = scheme.parameters.safeParse(parameters);
    expect(result.success).toBe(path === undefined);
    if (result.error === undefined) return;
    expect(result.error.issues.map((issue) => [issue.path, issue.message])).toEqual([[path, message]]);
  });

  it("say in a note what a reader has to know", () => {
    const notes = (parameters: object) => planOf(leafSpine(), parameters).notes!.slice(0, -1);
    expect(notes({ rate_control: false })).toEqual(["P4TE without rate adaptation."]);
    expect(notes({})).toEqual([
      "P4TE: the leaf keeps a smaller window in the acknowledgements of 5000 bytes.",
    ]);
    expect(notes({ hold_window: false })).toEqual([
      "P4TE: a FACK changes the window until the next acknowledgement.",
    ]);
  });
});

it("hosts mark the packets of a flow with the DSCP of the first class for its size", () => {
  const { hosts } = planOf(leafSpine(), {
    classes: [
      { dscp: 3, share: 0.5, path: "queue", up_to: 1000 },
      { dscp: 5, share: 0.25, path: "queue", up_to: 2000 },
      { dscp: 7, share: 0.25, path: "utilization" },
    ],
  });
  const policy = hostPolicyOf(hosts, restingHost());
  const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };
  const dscp = (bytes: number | undefined) =>
    policy.open(flow, new Random(1), { ...CLIENT, ...(bytes === undefined ? {} : { bytes }) }).selector;
  expect([1, 1000, 1001, 2000, 2001, 1e12].map(dscp)).toEqual([3, 3, 5, 5, 7, 7]);
  expect(dscp(undefined)).toBe(0);
  const nics = new Set(Array.from({ length: 60 }, (_, i) => policy.nic({ ...flow, srcPort: i }, 0, 3)));
  expect(nics).toEqual(new Set([0, 1, 2]));
});

it("the common prefix is the longest one that covers all", () => {
  const prefix = fc.tuple(fc.integer({ min: 0, max: 32 }), fc.nat(0xffffffff)).map(([length, bits]) => {
    const free = BigInt(32 - length);
    return { address: (BigInt(bits >>> 0) >> free) << free, length };
  });
  const top = (address: bigint, length: number) => address >> BigInt(32 - length);
  const near = fc.tuple(prefix, fc.integer({ min: 0, max: 32 })).map(([{ address }, keep]) => ({
    address:
      ((0x0a010203n >> BigInt(32 - keep)) << BigInt(32 - keep)) |
      (address & ((1n << BigInt(32 - keep)) - 1n)),
    length: 32,
  }));
  fc.assert(
    fc.property(fc.array(fc.oneof(prefix, near), { minLength: 1, maxLength: 5 }), (list) => {
      const { address, length } = commonPrefix(list, 32);
      const covers = (bits: number) =>
        list.every((one) => one.length >= bits && top(one.address, bits) === top(list[0]!.address, bits));
      expect(covers(length)).toBe(true);
      if (length < 32) expect(covers(length + 1)).toBe(false);
      expect(address).toBe(top(list[0]!.address, length) << BigInt(32 - length));
    }),
    { numRuns: 300, seed: 1 },
  );
  expect(commonPrefix([], 32)).toEqual({ address: 0n, length: 0 });
});
