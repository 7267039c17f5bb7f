/** `p4loom hash assign`: which function, seed and size of groups each switch of a topology has, and what the check of all paths finds. */
import { dirname } from "node:path";
import { claim, DiagnosticError, Diagnostics, defined, fail } from "../../base/index.js";
import { checkPaths, type PathCheck, representativePairs } from "../../fabric/paths/index.js";
import { type NamedSetting, SCHEMES, type Scheme } from "../../fabric/schemes/index.js";
import { buildTopology, nodeAt, type Topology, topologySchema } from "../../fabric/topology/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { readMapFile, readSource } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { settingsFile } from "../settings-file.js";
import type { HashSettings } from "./hash-options.js";
import type { HashReport } from "./report.js";

/** Correlated pairs that are shown. */
const MOST_SHOWN = 20;

/** @param names the topology's file */
export function assignReport(names: readonly string[], { set }: HashSettings): HashReport {
  const scheme = schemeWith("hashAssignment");
  const { topology, parameters } = subjectOf("assign", names, scheme, set);
  const { model, places, notes, placeOf } = scheme.hashAssignment!(
    topology,
    parameters.value,
    parameters.locate,
  );
  const check = checkPaths(topology, model, {
    pairs: representativePairs(topology),
    placeOf,
  });
  const { correlated, reuses, uneven, pairs } = check;
  const name = (node: number) => nodeAt(topology, node).name;
  const rows = correlated.map(({ path, first, second, hash, polarisedShare }) => ({
    path: path.join(" "),
    first: name(first.node),
    second: name(second.node),
    slots: [first.slots, second.slots],
    function: hash,
    polarised_share: Number(polarisedShare.toPrecision(6)),
  }));
  const alone = uneven.map(({ node, slots, hash, movedShare }) => ({
    switch: name(node),
    slots,
    function: hash,
    moved_share: Number(movedShare.toPrecision(6)),
  }));
  return {
    title: `Hash functions of ${topology.name}`,
    tables: [
      {
        title: "Assignment",
        header: ["place", "switches", "functions", "seeds", "slots of groups"],
        rows: places.map((place: NamedSetting) => [
          place.place,
          place.switches,
          place.functions.join(", "),
          place.seeds === 0 ? "none" : place.seeds,
          place.slots.join(", "),
        ]),
      },
      ...(rows.length === 0
        ? []
        : [
            {
              title: "Correlated choices",
              header: ["first", "second", "slots", "function", "polarised share", "path"],
              rows: rows
                .slice(0, MOST_SHOWN)
                .map((row) => [
                  row.first,
                  row.second,
                  row.slots.join(", "),
                  row.function,
                  row.polarised_share,
                  row.path,
                ]),
            },
          ]),
      ...(alone.length === 0
        ? []
        : [
            {
              title: "Groups that their function does not fill evenly, whatever was chosen before",
              header: ["switch", "slots", "function", "share that would have to move"],
              rows: alone
                .slice(0, MOST_SHOWN)
                .map((row) => [row.switch, row.slots, row.function, row.moved_share]),
            },
          ]),
      ...(reuses.length === 0
        ? []
        : [
            {
              title: claim("mixedColours"),
              header: ["function", "first", "again"],
              rows: reuses.map(({ hash, first, second }) => [hash, first, second]),
            },
          ]),
    ],
    notes: [...notes, ...verdictOf(check)],
    json: {
      topology: topology.name,
      note: notes[0],
      notes,
      places,
      correlated: rows,
      uneven: alone,
      reuses,
      pairs,
      drawn: check.drawn,
      compared: check.compared,
    },
  };
}

/** What the check found; "No choice depends" only where this is proved, otherwise what was compared or followed with drawn headers. */
function verdictOf({ correlated, uneven, drawn, compared, pairs }: PathCheck): string[] {
  const followed = `all paths of ${pairs} pairs of racks were followed, which represent all pairs`;
  const shown = (count: number) => (count > MOST_SHOWN ? `; the worst ${MOST_SHOWN} are shown` : "");
  const sentences: string[] = [];
  if (correlated.length > 0)
    sentences.push(`${correlated.length} pairs of switches are correlated${shown(correlated.length)}.`);
  // Where groups are uneven by their function alone, nothing reads as if all were well.
  else if (uneven.length > 0)
    sentences.push(`No two choices are correlated: ${followed}; but groups are uneven:`);
  else if (drawn.length === 0 && compared.length === 0)
    sentences.push(claim("independentChoices", { followed }));
  else sentences.push(claim("noDependenceFound", { followed }));
  if (uneven.length > 0)
    sentences.push(
      `${uneven.length} groups have a function with too few values for their slots${shown(uneven.length)}.`,
    );
  for (const { functions, headers, resolution } of drawn)
    sentences.push(
      `Not proved: ${functions.join(", ")} have too many values together, or are not affine. They were followed with ${headers} ` +
        `drawn headers, which do not show polarised shares up to ${resolution.toFixed(3)}.`,
    );
  const pairsOf = compared.map(({ first, second }) =>
    first === second ? `${first} with two seeds` : `${first} and ${second}`,
  );
  if (pairsOf.length > 0)
    sentences.push(
      `Not proved: that these are independent; drawn headers show no dependence: ${pairsOf.join("; ")}.`,
    );
  return sentences;
}

/** The scheme that has this part. */
export function schemeWith(part: "hashAssignment" | "pathmap"): Scheme {
  return defined(Object.values(SCHEMES).find((scheme) => scheme[part] !== undefined));
}

/** The topology of the file, and the parameters of the scheme. */
export function subjectOf(
  subject: string,
  names: readonly string[],
  { parameters }: Scheme,
  set: readonly string[],
) {
  if (names.length !== 1)
    fail(
      CODES.wrongValue,
      undefined,
      `hash ${subject}: ${names.length} files are named`,
      `name the topology's file, for example p4loom hash ${subject} examples/topologies/jupiter.yaml`,
    );
  const diagnostics = new Diagnostics();
  const document = loadDocument(settingsFile(set), parameters, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  return { topology: topologyOf(defined(names[0])), parameters: document };
}

function topologyOf(path: string): Topology {
  const file = readSource(path);
  const diagnostics = new Diagnostics();
  const document = loadDocument(file, topologySchema, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  return buildTopology(document.value, document.locate, ({ map }, of) =>
    readMapFile(map, dirname(file.path), of(["map"])),
  );
}
