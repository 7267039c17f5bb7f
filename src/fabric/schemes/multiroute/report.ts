/** `p4loom generate multiroute --report`: the number of routes of pairs of racks, their cost, and the failures that no route avoids. */
import { z } from "zod";
import { formatTable } from "../../../base/index.js";
import type { Topology } from "../../topology/index.js";
import { bitsFor } from "../pecmp/selectors.js";
import type { ReportText, SchemeReport } from "../scheme.js";
import { onlyPort, rowsOfChoice, type SwitchChoices, switchChoices } from "./choices.js";
import { elementsOf, packTrees, type TreePath, type Trees } from "./trees.js";

const options = z.strictObject({
  paths: z.number().int().min(2).max(64).default(4),
  /** Maximum number of lines of the second table. */
  elements: z.number().int().min(0).default(10),
});

/** Number of selectors of the widest field that the programs read. */
const MOST_SELECTORS = 2 ** 15 - 1;

export const multirouteReport: SchemeReport = {
  topologies: [],
  options,
  make: (subject, given): ReportText => {
    const topology = subject as Topology;
    const { paths, elements } = given as z.output<typeof options>;
    const trees = packTrees(topology, { paths, selectors: MOST_SELECTORS });
    const row = summary(topology, trees);
    const cuts = unavoidable(topology, trees);
    const shown = cuts.slice(0, elements);
    const lines = [
      formatTable(
        Object.keys(row).map((key) => key.replaceAll("_", " ")),
        [Object.values(row)],
      ),
    ];
    if (cuts.length === 0)
      lines.push(
        "",
        "Every single failure of a switch or link between two racks is avoided by another route.",
      );
    else
      lines.push(
        "",
        "No route avoids these elements for this number of pairs of racks:",
        formatTable(
          ["switch or link", "pairs"],
          shown.map(({ element, pairs }) => [element, pairs]),
        ),
      );
    if (cuts.length > shown.length) lines.push(`and ${cuts.length - shown.length} more`);
    return { rows: [{ ...row, unavoidable: cuts }], text: lines.join("\n") };
  },
};

function summary(topology: Topology, trees: Trees) {
  const routes = pairsOf(trees);
  const numbers = routes.map((list) => list.length);
  const links = routes.flat().map(({ ports }) => ports.length);
  const switches = switchChoices(topology, trees, topology);
  const most = (count: (own: SwitchChoices) => number) => Math.max(...switches.map(count));
  return {
    topology: topology.name,
    pairs: routes.length,
    fewest_routes: Math.min(...numbers),
    mean_routes: rounded(sum(numbers) / numbers.length),
    most_routes: Math.max(...numbers),
    mean_links: rounded(sum(links) / links.length),
    most_links: Math.max(...links),
    selectors: trees.selectors,
    bits: bitsFor(trees.selectors + 1),
    groups: most(({ choices }) => groupsOf(choices).size),
    rows: most(
      ({ choices }) => choices.filter((own) => onlyPort(own) === undefined).length * (trees.selectors + 1),
    ),
  };
}

/** Different groups of ports of a switch. */
function groupsOf(choices: SwitchChoices["choices"]): Set<string> {
  return new Set(
    choices
      .filter((own) => onlyPort(own) === undefined)
      .flatMap((own) => rowsOfChoice(own).map((ports) => `${own.direction} ${ports}`)),
  );
}

/** Routes by pair of different racks. */
function pairsOf(trees: Trees): (readonly TreePath[])[] {
  return trees.to.flatMap(({ from }, to) => from.filter((_, rack) => rack !== to));
}

/** Elements that all routes of a pair cross, except the only switch of a rack; those of the most pairs first. */
function unavoidable(topology: Topology, trees: Trees): { element: string; pairs: number }[] {
  const { nodes, links, racks } = topology;
  const counts = new Map<number, number>();
  for (const [to, { from }] of trees.to.entries())
    for (const [rack, routes] of from.entries()) {
      const [one, ...others] = routes.map((route) => elementsOf(topology, route));
      const own = [rack, to].flatMap((end) =>
        racks[end]!.switches.length === 1 ? racks[end]!.switches : [],
      );
      for (const element of one ?? [])
        if (!own.includes(element) && others.every((other) => other.includes(element)))
          counts.set(element, (counts.get(element) ?? 0) + 1);
    }
  const nameOf = (element: number) => {
    if (element >= 0) return nodes[element]!.name;
    const { a, b } = links[~element]!;
    return `${nodes[a.node]!.name} - ${nodes[b.node]!.name}`;
  };
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .map(([element, pairs]) => ({ element: nameOf(element), pairs }));
}

function sum(list: readonly number[]): number {
  return list.reduce((total, one) => total + one, 0);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
