/** The page of kinds that need a fabric: parameters below the kind's own parts, then the data that the reader can unfold. */
import { escapeMarkup } from "../../../base/index.js";
import type { Topology } from "../../topology/index.js";
import type { ControllerFault } from "../control-plane-faults.js";
import type { EngineName, FabricExperiment } from "../experiment.js";
import { effectName, elementName, type Fault } from "../faults/fault.js";
import type { SweepResults } from "../results.js";
import type { SchemeRun } from "../scheme-run.js";
import { wireText } from "../wire.js";
import { rowsCsv } from "./csv.js";
import { keyColumns, pageTable, SCROLLS } from "./table.js";
import type { Page, Parts } from "./view.js";

/** What a kind adds to the page. */
export interface FabricParts {
  /** One paragraph of HTML below the title. */
  readonly lead?: string;
  readonly parts: Parts;
  /** Lines of the table of parameters in addition to those of all kinds. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Further data that the reader can unfold. */
  readonly data?: readonly (readonly [title: string, text: string])[];
}

export function fabricPage<E extends FabricExperiment, U, O, R extends object>(
  results: SweepResults<E, U, O, R>,
  { parts, facts, data = [], ...lead }: FabricParts,
): Page {
  const { seed, engine, programs, points } = results;
  const { settings, schemes, source } = points[0]!.experiment;
  const { packets, bytes, ecn_threshold } = settings.queues;
  const marks = ecn_threshold === undefined ? "" : `, marks from ${ecn_threshold} packets`;
  const parameters: (readonly [string, string])[] = [
    ["experiment, seed, engine", `${settings.name}, ${seed}, ${engine}`],
    ["topology", flatten(settings.topology).join(", ")],
    ["selector field", settings.selector],
    ...schemes.map(({ label, parameters: own }) => [`scheme ${label}`, flatten(own).join(", ")] as const),
    ...facts,
    ["transport", flatten({ ...settings.transport }).join(", ")],
    ["queues", `${packets} packets, ${bytes} bytes a port${marks}`],
    ...(engine === "sim" ? [["wire", wireText(settings.wire)] as const] : []),
    ["control channel", `${settings.control_channel.delay / 1e6} ms each way`],
  ];
  const unfolded: (readonly [string, string])[] = [
    ["Result table as CSV", rowsCsv(results.rows)],
    ...data,
    ["Experiment file", source.text],
    ...programs.map(({ file, text }) => [`Generated program ${file}`, text] as const),
  ];
  const lines = parameters.map(
    (cells) => `<tr>${cells.map((text) => `<td>${escapeMarkup(text)}</td>`).join("")}</tr>`,
  );
  return {
    style: "light",
    ...lead,
    parts: [
      ...parts,
      { heading: "Parameters", html: `<table class="parameters"><tbody>${lines.join("")}</tbody></table>` },
      { heading: "Data" },
      ...unfolded.map(([title, content]) => ({ unfold: { title, content } })),
    ],
  };
}

/** The page of a sweep whose kind has no parts of its own: its rows as a table. */
export function rowsPage<E extends FabricExperiment, U, O, R extends object>(
  results: SweepResults<E, U, O, R>,
): Page {
  const { keys, seeds, points } = results;
  const rows = results.rows;
  const isWord = (key: string) =>
    rows.some((row) => typeof ((row as Readonly<Record<string, unknown>>)[key] ?? 0) !== "number");
  const table = { columns: keyColumns(rows, isWord), lines: rows, box: SCROLLS };
  return fabricPage(results, {
    parts: [{ heading: "Results", html: pageTable(table) }],
    facts: [
      ["swept keys", keys.join(", ") || "none"],
      ["points, seeds", `${points.length}, ${seeds.length}`],
    ],
  });
}

/** One point under one seed. */
export interface Run<E, O, R> {
  readonly engine: EngineName;
  readonly experiment: E;
  /** Of its units, in their order. */
  readonly outcomes: readonly O[];
  readonly rows: readonly R[];
}

/** Undefined for several points or seeds. */
export function onlyRun<E, U, O, R>(results: SweepResults<E, U, O, R>): Run<E, O, R> | undefined {
  const { points, seeds, engine, rows } = results;
  const [point] = points;
  if (point === undefined || points.length > 1 || seeds.length > 1) return undefined;
  const { experiment, units } = point;
  return { engine, experiment, outcomes: units.flatMap(({ outcomes }) => outcomes), rows };
}

/** `key: value` for each value that is not empty, with rates and times in the units of the file. */
export function flatten(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = prefix + key;
    if (inner === undefined) return [];
    if (Array.isArray(inner)) return inner.length === 0 ? [] : [`${name}: ${inner.length}`];
    if (typeof inner === "object" && inner !== null) return flatten(inner, `${name}.`);
    if (key === "rate") return [`${name}: ${inner / 1e9} Gbps`];
    if (key === "delay") return [`${name}: ${inner / 1e3} us`];
    if (/^rto_|_time$|^duration$|^interval$|timeout$|^time_wait$/.test(key))
      return [`${name}: ${inner / 1e6} ms`];
    return [`${name}: ${inner}`];
  });
}

/** Title of the scheme with this label. */
export function schemeTitle(schemes: readonly SchemeRun[], label: string): string {
  return schemes.find((scheme) => scheme.label === label)?.title ?? label;
}

interface WithFaults {
  readonly faults: readonly Fault[];
  readonly controllerFaults: readonly ControllerFault[];
  readonly topology: Topology;
}

/** The faults of an experiment: when, and what. */
export function faultLines({
  faults,
  controllerFaults,
  topology,
}: WithFaults): (readonly [when: string, what: string])[] {
  return [
    ...faults.map((fault) => {
      const until = fault.until === undefined ? "" : ` to ${fault.until / 1e6} ms`;
      const what = `${elementName(topology, fault.element)}, ${effectName(fault)}`;
      return [`${fault.at / 1e6} ms${until}`, what] as const;
    }),
    ...controllerFaults.map(
      ({ at, controller, kind }) => [`${at / 1e6} ms`, `controller ${controller}, ${kind}`] as const,
    ),
  ];
}
