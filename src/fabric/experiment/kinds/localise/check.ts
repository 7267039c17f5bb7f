/** Checks a file of the kind `localise`: its schemes have a path model, its network has links between switches. */
import type { Diagnostics, Locate, SourceFile } from "../../../../base/index.js";
import { ExactWalker } from "../../../paths/index.js";
import type { Topology } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import type { SchemeRun } from "../../experiment.js";
import type { CheckContext, SchemeUnit } from "../kind.js";
import { plansWithPaths } from "../plans-with-paths.js";
import type { LocaliseSettings } from "./schema.js";

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
  if (!links.some(({ a, b }) => nodes[a.node]!.role !== "host" && nodes[b.node]!.role !== "host"))
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
