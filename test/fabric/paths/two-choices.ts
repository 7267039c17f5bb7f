/** A network small enough to count: t chooses m0 or m1, which choose e0 or e1, which lead to d. The host x is at t, y at d. */
import {
  type HashModel,
  LOCAL,
  type PathModel,
  type PortChoice,
  UNREACHABLE,
} from "../../../src/fabric/paths/index.js";
import { nodeNamed } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";

export const topology = build({
  kind: "graph",
  nodes: [
    ...["t", "m0", "m1", "e0", "e1", "d"].map((name) => ({ name, role: "switch" as const })),
    ...["x", "y"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    ["t", "m0"],
    ["t", "m1"],
    ["m0", "e0"],
    ["m0", "e1"],
    ["m1", "e0"],
    ["m1", "e1"],
    ["e0", "d"],
    ["e1", "d"],
    ["x", "t"],
    ["y", "d"],
  ].map(([a, b]) => ({ a: a!, b: b! })),
});

export const node = (name: string) => nodeNamed(topology, name)!;
const port = (from: string, to: string) =>
  node(from).ports.find(({ peer }) => peer === node(to).index)!.number;
const rackOf = (host: string) => node(host).host!.rack;
/** Racks of x and y. */
export const [FROM, TO] = [rackOf("x"), rackOf("y")];

/** A choice of a switch. */
export interface Use {
  /** Index of the hash function; 0 where it is left out. */
  hash?: number;
  seed?: number;
  /** Next switches by slot. */
  slots: readonly string[];
}

/** The paths to y: t chooses by `t`, both m0 and m1 by `m`. */
export function modelOf(t: Use, m: Use, hashes: readonly HashModel[]): PathModel {
  const choice = (name: string, { hash = 0, seed = 0, slots }: Use): PortChoice => ({
    hash,
    seed,
    rows: [slots.map((to) => port(name, to))],
  });
  const uses: [string, Use][] = [
    ["t", t],
    ["m0", m],
    ["m1", m],
    ["e0", { slots: ["d"] }],
    ["e1", { slots: ["d"] }],
    ["d", { slots: [] }],
  ];
  const switches = uses.map(([name, use]) => {
    const next = new Int32Array(topology.racks.length).fill(UNREACHABLE);
    if (name === "d") next[TO] = LOCAL;
    else next[TO] = 0;
    return { node: node(name).index, classes: 1, next, choices: name === "d" ? [] : [choice(name, use)] };
  });
  return { hashes, switches: switches.sort((a, b) => a.node - b.node) };
}
