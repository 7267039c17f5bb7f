/** Programs and state of DRILL's switches: all of them choose for each packet; sets of next hops and components are planned. */

import { z } from "zod";
import { fail, type Locate } from "../../../base/index.js";
import type { Update } from "../../../toolchain/device/index.js";
import type { ProgramPlan } from "../../../toolchain/generate/index.js";
import { computeRoutes, type RoutingTable, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { call, exact, forward, routeUpdates, singlePort, tableEntry, tableSize } from "../fabric.js";
import { hashParameters } from "../hash-settings.js";
import type { FabricPlan, SwitchPlan } from "../scheme.js";
import { replicas } from "../wcmp/group.js";
import { type Component, type ComponentsTo, componentsOf } from "./components.js";
import type { DrillParameters } from "./parameters.js";

/** The decomposition looks at all pairs of racks. */
const MOST_RACKS = 128;
/** Values of a flow's hash that are divided among the components of a route, in proportion to their capacities. */
const MOST_SLOTS = 64;

const ecmpParameters = z.strictObject(hashParameters);

/** Throws DiagnosticError P45113 for a decomposition of more than 128 racks. */
export function planDrillSwitches(
  topology: Topology,
  { draws, memory, decompose }: DrillParameters,
  locate: Locate,
): Pick<FabricPlan, "programs" | "switches" | "notes"> {
  const { racks } = topology;
  if (decompose && racks.length > MOST_RACKS)
    fail(
      CODES.racksOfDecomposition,
      locate(["decompose"]) ?? locate([]),
      `DRILL's decomposition compares the paths of all pairs of racks, and there are ${racks.length} racks (at most ${MOST_RACKS})`,
      "write decompose: false, which takes all paths for symmetric",
    );
  const ecmp = planEcmpSwitches(topology, ecmpParameters.parse({}));
  const tables = computeRoutes(topology);
  const componentsTo = decompose ? componentsOf(topology, tables) : oneComponent(topology, tables);
  const looks = Array.from({ length: draws + memory }, (_, i) => ({
    name: `look_${i}`,
    remembers: i >= draws,
  }));
  const states = new Map(
    tables.map((table) => [table.node, new SwitchState(topology, table, looks, componentsTo)] as const),
  );
  const most = (count: (state: SwitchState) => number) =>
    tableSize(Math.max(...[...states.values()].map(count)));
  const sizes = {
    sets: most(({ sets }) => sets),
    candidates: most(({ candidates }) => candidates),
    slots: most(({ slots }) => slots),
    routes: most(({ routes }) => routes),
  };
  const divided = [...states.values()].reduce((sum, state) => sum + state.divided, 0);
  return {
    programs: ecmp.programs.map(({ name, values }): ProgramPlan => {
      const { sizes: own } = values as { readonly sizes: object };
      return {
        name,
        template: "drill/switch",
        values: {
          ...{ ...values, directions: [], bothDirections: false, routeActions: ["to_port", "to_links"] },
          ...{
            looks,
            draws,
            memory,
            decomposes: divided > 0,
            componentHash: name === "tor" ? "crc32" : "crc16",
          },
          sizes: { ...own, ...sizes },
        },
      };
    }),
    switches: ecmp.switches.map(({ node, program }): SwitchPlan => {
      return { node, program, updates: states.get(node)!.updates };
    }),
    notes: [
      `DRILL(${draws}, ${memory}): packets of a flow take different paths, and nothing puts them in order again: transport.reordering tolerates it.`,
      ...(divided === 0
        ? []
        : [
            `DRILL: paths differ, and the next hops of ${divided} routes are divided into components of symmetric paths; a flow stays in one.`,
          ]),
    ],
  };
}

/** All next hops of a route together. */
function oneComponent(topology: Topology, tables: readonly RoutingTable[]): ComponentsTo {
  const known = componentsOf(topology, tables);
  return (node, rack) => {
    const components = known(node, rack);
    if (components === undefined) return undefined;
    const ports = components.flatMap((one) => one.ports).sort((a, b) => a - b);
    return [{ ports, capacity: components.reduce((sum, one) => sum + one.capacity, 0) }];
  };
}

interface Look {
  readonly name: string;
}

/** Entries of a switch: routes, sets of next hops with a row a next hop in the tables of all looks, and slots of components. */
class SwitchState {
  readonly updates: Update[] = [];
  /** Number of sets, of rows of a look, of rows of slots, of routes, and of routes with several components. */
  sets = 0;
  candidates = 0;
  slots = 0;
  routes = 0;
  divided = 0;
  readonly #setOf = new Map<string, number>();
  readonly #dividedOf = new Map<string, { readonly set: number; readonly slots: number }>();

  constructor(
    private readonly topology: Topology,
    private readonly table: RoutingTable,
    private readonly looks: readonly Look[],
    componentsTo: ComponentsTo,
  ) {
    const routes = topology.racks.flatMap(({ index, ipv4, ipv6 }) => {
      const components = componentsTo(table.node, index);
      return components === undefined ? [] : [{ ipv4, ipv6, components }];
    });
    const actions = routes.map(({ ipv4, ipv6, components }) => ({
      ipv4,
      ipv6,
      action: this.#actionTo(components),
    }));
    // Hosts, and what else is more specific than a rack.
    const specific = table.routes.filter(({ ipv4 }) =>
      topology.racks.every((rack) => ipv4.length > rack.ipv4.length),
    );
    const own = { ...table, routes: specific };
    this.updates.push(
      ...routeUpdates(topology, own, (set) =>
        this.#linksTo(this.#set(table.hopSets[set]!.ports), table.hopSets[set]!.ports.length, 0),
      ),
      ...actions.flatMap(({ ipv4, ipv6, action }) =>
        Object.entries({ ipv4, ipv6 }).map(([family, { address, length }]) =>
          tableEntry(
            `${family}_routes`,
            [{ kind: "lpm", field: `hdr.${family}.dst_addr`, value: address, prefixLength: length }],
            { kind: "action", ...action },
          ),
        ),
      ),
    );
    this.routes = specific.length + actions.length;
  }

  #actionTo(components: readonly Component[]) {
    const [first] = components;
    if (components.length > 1) return this.#actionToDivided(components);
    const port = singlePort({ ports: first!.ports, direction: "up" });
    if (port !== undefined) return forward("to_port", this.topology, this.table.node, port);
    return this.#linksTo(this.#set(first!.ports), first!.ports.length, 0);
  }

  /** Routes with the same components share their slots. */
  #actionToDivided(components: readonly Component[]) {
    this.divided++;
    const counts = replicas(
      components.map(({ capacity }) => capacity),
      MOST_SLOTS,
    );
    const key = components.map(({ ports }, i) => `${counts[i]}x${ports.join(",")}`).join(" ");
    let known = this.#dividedOf.get(key);
    if (known === undefined) {
      const slots = components.flatMap(({ ports }, i) => Array.from({ length: counts[i]! }, () => ports));
      known = { set: this.sets++, slots: slots.length };
      this.#dividedOf.set(key, known);
      for (const [slot, ports] of slots.entries()) {
        const match = [exact("meta.next_hops", known.set), exact("meta.slot", slot)];
        const action = call("component", { next_hops: this.#set(ports), hops: ports.length });
        this.updates.push(tableEntry("components", match, { kind: "action", ...action }));
      }
      this.slots += slots.length;
    }
    return this.#linksTo(known.set, 0, known.slots);
  }

  #linksTo(set: number, hops: number, slots: number) {
    return call("to_links", { next_hops: set, hops, slots });
  }

  /** Number of a set of next hops; its rows are written once. */
  #set(ports: readonly number[]): number {
    const key = ports.join(",");
    let set = this.#setOf.get(key);
    if (set === undefined) {
      set = this.sets++;
      this.#setOf.set(key, set);
      for (const [draw, port] of ports.entries()) {
        const { params } = forward("to_port", this.topology, this.table.node, port);
        for (const { name } of this.looks) {
          const match = [exact("meta.next_hops", set), exact("meta.draw", draw)];
          this.updates.push(
            tableEntry(name, match, {
              kind: "action",
              ...call("candidate", params as Record<string, bigint>),
            }),
          );
        }
      }
      this.candidates += ports.length;
    }
    return set;
  }
}
