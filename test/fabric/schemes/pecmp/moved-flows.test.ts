/** Which flows an update moves: a flow that does not count as moved takes the same way under both versions, whatever the hash. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticError, Random } from "../../../../src/base/index.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import type { SelectorLayout } from "../../../../src/fabric/schemes/pecmp/layout.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import {
  type MovedFlows,
  MovedRoutes,
  movedFlowsSchema,
  TargetComparison,
} from "../../../../src/fabric/schemes/pecmp/update/moved-flows.js";
import type { UpdateSpec } from "../../../../src/fabric/schemes/pecmp/update/parameters.js";
import { SwitchStates } from "../../../../src/fabric/schemes/pecmp/update/switch-states.js";
import { type Target, targetOf } from "../../../../src/fabric/schemes/pecmp/update/target.js";
import { hostsOf, nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { build } from "../../topology/load.js";
import { flowBetween, ModelFabric } from "../model-fabric.js";

const CLOS = build({
  kind: "clos",
  pods: 2,
  tors_per_pod: 2,
  leaves_per_pod: 3,
  spines_per_plane: 2,
  hosts_per_rack: 2,
});
const DUAL = build({ kind: "leaf_spine", tors: 4, leaves: 4, homing: "dual", hosts_per_rack: 2 });

/** Both states of an update, for hosts and as switches that packets walk through. */
function updateOf(
  topology: Topology,
  control: "offset" | "hops" | "both",
  before: UpdateSpec,
  after: UpdateSpec,
) {
  const parameters = pecmpParameters.parse({
    ...{ version_bit: "overall", offsets: "primes", field: "flow_label", control },
    update: { mode: "transaction" },
  });
  const plan = pecmp.plan(topology, parameters);
  const layout = plan.hosts["layout"] as SelectorLayout;
  const targets = [before, after].map((spec) => targetOf(topology, parameters, layout, spec));
  const [old, fresh] = targets as [Target, Target];
  const seedOf = (node: number) => plan.switches.find((own) => own.node === node)!.updates[0]!;
  const fabrics = (["tier", "switch"] as const).map((scope) =>
    targets.map((target) => {
      const states = new SwitchStates([target, target], layout, seedOf);
      const switches = plan.switches.map((own) => ({
        ...own,
        updates: states.of(own.node, []).map((entity) => ({ type: "insert" as const, entity })),
      }));
      return new ModelFabric(topology, { ...plan, switches } as FabricPlan, layout, scope);
    }),
  );
  const comparison = new TargetComparison(topology, layout, old, fresh);
  return { layout, comparison, fabrics };
}

function anySpec(topology: Topology): fc.Arbitrary<UpdateSpec> {
  const inner = topology.links.flatMap(({ a, b }) => {
    const [from, to] = [topology.nodes[a.node]!, topology.nodes[b.node]!];
    return from.role === "host" ? [] : [[from.name, to.name] as [string, string]];
  });
  const leaves = topology.nodes.filter(({ role }) => role === "leaf").map(({ name }) => name);
  return fc.oneof(
    fc.constant({}),
    fc.constantFrom(...leaves).map((leaf) => ({ without: [leaf] })),
    fc.constantFrom(...inner).map((link) => ({ without: [link] })),
    fc
      .tuple(fc.constantFrom(...inner), fc.integer({ min: 2, max: 3 }))
      .map(([[from, to], weight]) => ({ weights: [[from, to, weight]] as [string, string, number][] })),
    fc.constantFrom("prr" as const, "none" as const).map((failover) => ({ failover })),
  );
}

/** Undefined where the update needs more values of the selector than the programs read. */
function fitting<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof DiagnosticError && error.diagnostics[0]!.code === "P45502") return undefined;
    throw error;
  }
}

describe("a flow that an update does not move", () => {
  it.each([
    ["Clos, offsets", CLOS, "offset"],
    ["Clos, offsets and next hops", CLOS, "both"],
    ["dual-homed, offsets", DUAL, "offset"],
    ["dual-homed, offsets and next hops", DUAL, "both"],
  ] as const)("takes the same way before and after: %s", (_name, topology, control) => {
    const hosts = hostsOf(topology);
    let [moved, kept] = [0, 0];
    fc.assert(
      fc.property(anySpec(topology), anySpec(topology), fc.integer(), (before, after, seed) => {
        const update = fitting(() => updateOf(topology, control, before, after));
        fc.pre(update !== undefined);
        const { layout, comparison, fabrics } = update!;
        const random = new Random(seed);
        for (let i = 0; i < 40; i++) {
          const [from, to] = [random.pick(hosts), random.pick(hosts)];
          if (from === to) continue;
          const flow = flowBetween(topology, from.name, to.name, random);
          // The version bit is the highest one, and both versions of these switches are equal.
          const selector = random.int(2 ** (layout.bits - 1));
          const routes = new MovedRoutes(movedFlowsSchema.parse(comparison.of(from.index)));
          if (routes.moves(flow, layout, selector)) {
            moved++;
            continue;
          }
          kept++;
          for (const [old, fresh] of fabrics)
            expect(fresh!.walk(flow, selector)).toEqual(old!.walk(flow, selector));
        }
      }),
      { numRuns: 30 },
    );
    // Otherwise the property would say nothing.
    expect(kept).toBeGreaterThan(100);
    expect(moved).toBeGreaterThan(100);
  });
});

describe("an update moves", () => {
  const flowsOf = (topology: Topology, control: "offset" | "hops" | "both", spec: UpdateSpec, host: string) =>
    updateOf(topology, control, {}, spec).comparison.of(nodeNamed(topology, host)!.index);
  const NONE: MovedFlows = { others: {}, to: [] };

  it("no flow where only the hosts' rules change", () => {
    expect(flowsOf(DUAL, "offset", { failover: "prr" }, "host0-0-0")).toEqual(NONE);
  });

  it("only flows to the rack whose link goes out of service, and those that leave it", () => {
    const tor = nodeNamed(CLOS, "tor1-1")!.index;
    const rack = CLOS.racks.find(({ switches }) => switches.includes(tor))!;
    const own = CLOS.nodes[rack.hosts[0]!]!.name;
    const spec: UpdateSpec = { without: [["tor1-1", "leaf1-0"]] };
    const far = flowsOf(CLOS, "offset", spec, hostsOf(CLOS)[0]!.name);
    expect(far.others).toEqual({});
    expect(far.to).toEqual([
      {
        racks: [[String(rack.ipv4.address), rack.ipv4.length, String(rack.ipv6.address), rack.ipv6.length]],
        selectors: "all",
      },
    ]);
    // Flows within the rack do not leave the switch.
    expect(flowsOf(CLOS, "offset", spec, own)).toMatchObject({ others: "all", to: [{ selectors: {} }] });
  });

  it("only flows on other next hops' rows, where the selector names the next hop", () => {
    const { others, to } = flowsOf(DUAL, "hops", { without: ["leaf0-3"] }, hostsOf(DUAL)[0]!.name);
    const [{ tor } = {}] = [others, ...to.map(({ selectors }) => selectors)].filter(
      (set) => set !== "all" && set.tor !== undefined,
    ) as { tor?: number[] }[];
    // Row 0 is the hash, rows 1 to 3 name leaves that stay, row 4 names the last leaf; then the rows begin again.
    expect(tor).toEqual([0, 4, 5, 6, 7]);
  });
});
