/**
 * Two faults at once: the named pairs have the true one with the confidence, and are no more than those of an exact posterior, which
 * is computed here from the probes alone: every pair of elements, its two shares integrated by quadrature.
 */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../../src/base/index.js";
import { searchFor } from "../../../../../src/fabric/experiment/kinds/localise/outcome.js";
import { CoverProbes } from "../../../../../src/fabric/experiment/kinds/localise/probes.js";
import {
  ExactWalker,
  elementsOf,
  Localiser,
  type NetworkElement,
  RouteFinder,
  Twins,
} from "../../../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../../../src/fabric/schemes/index.js";
import type { Topology } from "../../../../../src/fabric/topology/index.js";
import { build } from "../../../topology/load.js";

const CONFIDENCE = 0.99;
const NOISE = 1e-9;

interface Probe {
  readonly links: readonly number[];
  readonly arrived: boolean;
}

/** Points of the log-uniform prior of a share, from 1e-4 to 1. */
const POINTS = 40;
const SHARES = Array.from({ length: POINTS }, (_, i) => 1e-4 ** (1 - (i + 0.5) / POINTS));

/** The pairs that together have the confidence, by their posterior over all pairs of elements that lost probes have crossed. */
function exactSets(topology: Topology, probes: readonly Probe[]): { a: NetworkElement; b: NetworkElement }[] {
  const crosses = ({ kind, number }: NetworkElement, link: number): boolean => {
    const { a, b } = topology.links[link >> 1]!;
    if (kind === "switch") return ((link & 1) === 0 ? b : a).node === number;
    return number === (kind === "link" || kind === "host_link" ? link >> 1 : link);
  };
  const all = elementsOf(topology);
  const ofKind = (kind: string) => all.filter((one) => one.kind === kind).length;
  const lost = probes.filter(({ arrived }) => !arrived);
  const suspects = all
    .filter((element) => lost.some(({ links }) => links.some((link) => crosses(element, link))))
    .map((element) => ({
      element,
      prior: Math.log(1 / ofKind(element.kind)),
      met: probes.map(({ links }) => links.some((link) => crosses(element, link))),
    }));
  const linkOf = ({ kind, number }: NetworkElement) =>
    kind === "switch" ? -1 - number : kind === "link" || kind === "host_link" ? number : number >> 1;
  const found: { a: NetworkElement; b: NetworkElement; log: number }[] = [];
  for (const [i, one] of suspects.entries())
    for (const other of suspects.slice(i + 1)) {
      if (linkOf(one.element) === linkOf(other.element)) continue;
      // Numbers of probes: lost or arrived, by which of both they cross.
      const counts = [0, 0, 0, 0, 0, 0, 0, 0];
      for (const [k, { arrived }] of probes.entries())
        counts[(arrived ? 4 : 0) + (one.met[k] ? 1 : 0) + (other.met[k] ? 2 : 0)]!++;
      // Each of two faulty elements loses at least one probe of its own: else there is one fault.
      if (counts[1]! + counts[3]! === 0 || counts[2]! + counts[3]! === 0) continue;
      if (counts[0]! > 0) continue;
      const logs = SHARES.flatMap((p) =>
        SHARES.map((q) => {
          const both = p + q - p * q;
          const term = (count: number, chance: number) => (count === 0 ? 0 : count * Math.log(chance));
          return (
            term(counts[1]!, p) +
            term(counts[2]!, q) +
            term(counts[3]!, both) +
            term(counts[5]!, 1 - p) +
            term(counts[6]!, 1 - q) +
            term(counts[7]!, 1 - both)
          );
        }),
      );
      const best = Math.max(...logs);
      const mean = best + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - best), 0) / logs.length);
      found.push({
        a: one.element,
        b: other.element,
        log: one.prior + other.prior + mean + counts[0]! * Math.log(NOISE),
      });
    }
  found.sort((x, y) => y.log - x.log);
  const sum = found.reduce((total, { log }) => total + Math.exp(log - found[0]!.log), 0);
  let share = 0;
  return found.filter(({ log }) => {
    const isIn = share < CONFIDENCE;
    share += Math.exp(log - found[0]!.log) / sum;
    return isIn;
  });
}

const TOPOLOGIES = [
  ["fat tree", build({ kind: "fat_tree", k: 4 })],
  [
    "three pods",
    build({
      kind: "clos",
      pods: 3,
      tors_per_pod: 2,
      leaves_per_pod: 2,
      spines_per_plane: 3,
      hosts_per_rack: 3,
    }),
  ],
  ["dual-homed", build({ kind: "leaf_spine", tors: 4, leaves: 4, homing: "dual", hosts_per_rack: 3 })],
] as const;

const isOf = (pair: readonly NetworkElement[], failed: readonly NetworkElement[]) =>
  failed.every((one) => pair.some(({ kind, number }) => kind === one.kind && number === one.number));

describe.each(TOPOLOGIES)("two faults in a %s", (_name, topology) => {
  const scheme = schemeNamed("pecmp")!;
  const parameters = scheme.parameters.parse({ control: "both", field: "dscp_flow_label" });
  const model = scheme.plan(topology, parameters).pathModel!();
  const pool = new CoverProbes(new RouteFinder(topology, new ExactWalker(topology, model)), new Random(5));
  const twins = new Twins(topology, model, false);
  const elements = elementsOf(topology);

  it.each([1, 0.2])("that lose a share of %f of the packets", { timeout: 120_000 }, async (loss) => {
    let [named, missing, larger] = [0, 0, 0];
    for (let draw = 0; draw < 17; draw++) {
      const random = new Random(`two ${loss} ${draw}`);
      // Links of hosts among them.
      const kind = random.pick(["link", "direction", "switch", "link", "direction", "host_link"] as const);
      const candidates = elements.filter((one) => one.kind === kind);
      const failed = random.shuffle([...candidates]).slice(0, 2);
      const localiser = new Localiser(twins, { confidence: CONFIDENCE });
      const probes: Probe[] = [];
      const add = localiser.add.bind(localiser);
      localiser.add = (links, arrived) => {
        probes.push({ links: Array.from(links), arrived });
        add(links, arrived);
      };
      const routes = pool.routes(random);
      const { finding } = await searchFor(
        topology,
        failed.map((element) => ({ element, loss })),
        {
          ...{ localiser, random: random.fork("loss"), most: 4000, faults: 2 },
          next: (suspects) => routes(suspects).links,
        },
      );
      if (finding.kind !== "several") continue;
      named++;
      if (!finding.sets.some((set) => isOf(set.elements, failed))) missing++;
      const exact = exactSets(topology, probes);
      if (finding.sets.length > exact.length) larger++;
    }
    // A switch whose link fails, too, and both directions of a link look like one fault.
    expect(named).toBeGreaterThanOrEqual(16);
    expect(missing).toBeLessThanOrEqual(1);
    expect(larger).toBe(0);
  });
});
