/** Checks a file of the kind `localise`: its schemes have a path model, its network has links between switches. */

import { z } from "zod";
import { type Diagnostics, defined, type Locate, type SourceFile } from "../../../../base/index.js";
import { ExactWalker, elementsOf } from "../../../paths/index.js";
import { positiveDurationSchema, type Topology, topologySchema } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { fabricKeys, type SchemeRun, whole } from "../../experiment.js";
import type { CheckContext, SchemeUnit } from "../kind.js";
import { plansWithPaths } from "../plans-with-paths.js";

/** A scheme with one kind of failed element and one share of lost packets; or the coverage of all paths of a pair of hosts, or of all links. */
export interface LocaliseUnit extends SchemeUnit {
  readonly what: "ways" | "links" | LocaliseSettings["elements"][number];
  readonly loss: number;
}

export interface Localise {
  readonly source: SourceFile;
  readonly settings: LocaliseSettings;
  readonly topology: Topology;
  readonly units: readonly LocaliseUnit[];
}

/** Adds P45210 for a scheme without a path model, P45510 for a network without links between switches or without pairs. */
export function localiseOf(check: CheckContext<LocaliseSettings>): Localise {
  const { source, value, topology, locate, diagnostics } = check;
  const runs = plansWithPaths(check, value.selector);
  checkNetwork(topology, locate, diagnostics);
  for (const [i, what] of value.elements.entries()) {
    const have = elementsOf(topology).filter(({ kind }) => kind === what).length;
    if (have < value.faults)
      diagnostics.error(
        CODES.nothingToLocalise,
        locate(["elements", i]),
        `${value.faults} elements of the kind ${what} are to fail at once, and the topology has ${have}`,
        "leave this kind out, or let one element fail",
      );
  }
  const units = runs.flatMap((run): LocaliseUnit[] => {
    const unit = (what: LocaliseUnit["what"], loss: number): LocaliseUnit => ({
      scheme: run,
      name: loss === 0 ? `cover ${what}` : `${what} ${loss}`,
      steps: loss === 0 ? 1 : Math.ceil(1 / loss),
      what,
      loss,
    });
    return [
      unit("ways", 0),
      unit("links", 0),
      ...value.elements.flatMap((what) => value.loss.map((loss) => unit(what, loss))),
    ];
  });
  return { source, settings: value, topology, units };
}

/** Adds P45510 for a network without links between switches, or with one rack. */
export function checkNetwork(
  { nodes, links, racks }: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  if (
    !links.some(
      ({ a, b }) => defined(nodes[a.node]).role !== "host" && defined(nodes[b.node]).role !== "host",
    )
  )
    diagnostics.error(
      CODES.nothingToLocalise,
      locate(["topology"]),
      "the topology has no link between switches: there are no elements to distinguish",
    );
  else if (racks.length < 2)
    diagnostics.error(
      CODES.nothingToLocalise,
      locate(["topology"]),
      "all hosts are in one rack: no probe would cross a link between switches",
    );
}

/** Whether the selectors of a scheme determine the next hop everywhere. */
export function namesNextHops(topology: Topology, run: SchemeRun): boolean {
  return new ExactWalker(topology, run.plan.pathModel!()).isExact;
}

// The experiment file of the kind `localise`: the number of probes that find the element which loses packets, computed without packets.

const SHARE = "expected a share above 0 and at most 1";

/** Keys of the failures and of the confidence, for both kinds of localisation. */
export const searchKeys = {
  /** Kinds of elements that fail; one element fails in each run. */
  elements: z
    .array(z.enum(["switch", "link", "direction", "host_link"]))
    .min(1)
    .default(["switch", "link", "direction"]),
  /** Shares of the packets that the element loses. */
  loss: z
    .array(z.number({ error: SHARE }).gt(0, SHARE).max(1, SHARE))
    .min(1)
    .default([1]),
  /** Number of failures for each kind of element and each share. */
  failures: whole("a number of failures", 1, 1e6),
  /** An element is named when its confidence is at least this. */
  confidence: z
    .number()
    .gt(0.5, "expected a confidence above 0.5")
    .lt(1, "expected a confidence below 1")
    .default(0.99),
};

export const localiseSchema = z.strictObject({
  kind: z.literal("localise").optional(),
  name: fabricKeys.name,
  title: fabricKeys.title,
  seed: fabricKeys.seed,
  engine: z
    .literal("sim", { error: "expected sim: the kind localise has no packets; localise_packets has" })
    .default("sim"),
  topology: topologySchema,
  /** Header field that carries the selector. */
  selector: fabricKeys.selector,
  schemes: fabricKeys.schemes,
  ...searchKeys,
  /** Number of elements that fail at once, of one kind and with one share. */
  faults: z
    .union([z.literal(1), z.literal(2)], { error: "expected 1 or 2 elements that fail at once" })
    .default(1),
  /** Time between two probes of one host; all hosts send. */
  probe_interval: positiveDurationSchema.default(10_000_000),
  /** Maximum number of probes for one failure; without a name by then, it stays unnamed. */
  most_probes: whole("a number of probes", 1, 1e8).default(1_000_000),
  /** Number of pairs of hosts whose paths are covered for the figure of coverage. */
  cover_pairs: whole("a number of pairs", 1, 10_000).default(20),
  ip: z.union([z.literal(4), z.literal(6)], { error: "expected 4 or 6" }).default(4),
  sweep: fabricKeys.sweep,
  output: z.string().min(1).optional(),
});

export type LocaliseSettings = z.output<typeof localiseSchema>;
