/** A result as one JSON document. Names are those of the vendor's reports, as in `test/golden/fit`. */
import { defined, diagnosticToJson } from "../../../base/index.js";
import type { FitResult } from "../fit.js";
import { type Thread, threadOf, type Unit } from "../model/model.js";
import { containerName, FROM_PARSER, type PhvAllocation, TO_DEPARSER } from "../phv/allocation.js";
import { AT_END } from "../phv/lifetimes.js";
import { latencyCycles } from "../place/latency.js";
import type { Part } from "../place/placement.js";
import { limitsOf, RESOURCES } from "../place/stage.js";
import { type LatencyDocument, latencyJson, type PowerDocument } from "./latency.js";
import { type PardeDocument, pardeJson } from "./parde.js";

/** One table, action or condition in one stage; a split table has several. */
export interface TableReport {
  /** Unique in the program. */
  name: string;
  /** What the user wrote: the table's name, the action called, the condition or the statement. */
  label: string;
  gress: string;
  stage: number;
  min_stage: number;
  max_stage: number;
  match_kind: string;
  /** Name of the condition that is the table's gateway. */
  gateway: string | null;
  key_bits: number;
  entries_requested: number;
  entries_allocated: number;
  srams: number;
  tcams: number;
  map_rams: number;
  way_rams: readonly number[];
  entries_per_word: number;
  action_data_bytes: number;
  attached: readonly string[];
  source: { file: string; line: number; column: number } | null;
}

const placeOf = (unit: Unit): TableReport["source"] => placeAt(unit.source);

function placeAt(source: Unit["source"]): TableReport["source"] {
  return source === undefined
    ? null
    : { file: source.filename, line: source.line, column: source.column + 1 };
}

/** Kind of a part, in the words of the Tofino compiler's reports. */
export function matchKindOf(part: Part): string {
  const { unit, layout } = part;
  if (unit.condition !== undefined) return "gateway";
  if (layout.match === "exact") return "exact_match";
  if (layout.match === "ternary") return "ternary_match";
  return unit.attached.length > 0 || unit.hashes.length > 0 ? "hash_action" : "keyless";
}

/** All parts, by stage. */
export function tableReports(result: FitResult): TableReport[] {
  const { problem, placement, target } = result;
  const latest = Math.max(target.stages, result.stages) - 1;
  return [...placement.parts]
    .sort((a, b) => a.stage - b.stage || a.unit.id - b.unit.id)
    .map((part) => {
      const { unit, layout } = part;
      const demand = defined(problem.demands[unit.id]);
      // A register that continues in later stages takes none of the table's own stage.
      const spilled = new Set(
        placement.parts.map((other) => (other.unit === unit ? other.spill?.name : undefined)),
      );
      const own =
        part.spill === undefined ? demand.shared.filter(({ name }) => !spilled.has(name)) : [part.spill];
      return {
        name: unit.name,
        label: unit.label,
        gress: threadOf(unit),
        stage: part.stage,
        min_stage: defined(problem.graph.earliest[unit.id]),
        max_stage: latest - defined(problem.graph.below[unit.id]),
        match_kind: matchKindOf(part),
        gateway: part.gateway === undefined ? null : defined(result.model.units[part.gateway]).name,
        key_bits: unit.key.reduce((sum, key) => sum + key.access.width, 0),
        entries_requested: unit.kind === "match" ? unit.size : 1,
        entries_allocated: layout.entries,
        srams: layout.srams + own.reduce((sum, memory) => sum + memory.srams, 0),
        tcams: layout.tcams,
        map_rams: layout.mapRams + own.reduce((sum, memory) => sum + memory.mapRams, 0),
        way_rams: layout.wayRams,
        entries_per_word: layout.entriesPerWord,
        action_data_bytes: demand.actionBusBytes,
        attached: [
          ...unit.attached.map((a) => `${a.name} (${a.kind}${a.index === "direct" ? ", direct" : ""})`),
          ...(unit.implementation === undefined ? [] : [`${unit.implementation.name} (members)`]),
        ],
        source: placeOf(unit),
      };
    });
}

/** The document that `--json` prints. */
export interface FitDocument {
  program: string;
  target: string;
  verdict: string;
  method: string;
  /** Stages of what is placed; tables in `unplaced` are not in them. */
  stages: { total: number; ingress: number; egress: number; ghost?: number };
  /** The highest lower bound: no placement has fewer stages. */
  at_least_stages: number;
  device_stages: number;
  exceeds_device_stages: boolean;
  critical_path: number;
  critical_tables: string[];
  bounds: readonly object[];
  tables: TableReport[];
  per_stage_resources: object[];
  per_stage_limits: object;
  /** Cycles through all stages, an estimate from the dependencies between neighbouring stages. */
  latency_cycles: number | null;
  greedy: object | null;
  unplaced: { table: string; resource: string; detail: string }[];
  phv: object;
  /** Left out for a program whose parsers are not counted. */
  parde?: PardeDocument;
  latency?: LatencyDocument[];
  power?: PowerDocument;
  diagnostics: object[];
}

/** Stages up to the last one that has a table of a thread. */
export function threadStages(result: FitResult, thread: Thread): number {
  return result.placement.parts.reduce(
    (count, part) => (threadOf(part.unit) === thread ? Math.max(count, part.stage + 1) : count),
    0,
  );
}

/** Containers with the bits of fields in them; a stage of null: the parser or the deparser. */
function allocationJson({ containers, bypasses, unallocated }: PhvAllocation): object {
  return {
    containers: containers.map((container) => ({
      name: containerName(container),
      kind: container.kind,
      size: container.size,
      group: container.group,
      gress: container.gress,
      slices: container.slices.map(({ field, lo, width, at, live }) => ({
        field,
        field_bits: `${lo + width - 1}:${lo}`,
        container_bits: `${at + width - 1}:${at}`,
        from_stage: live.from === FROM_PARSER || live.from === AT_END ? null : live.from,
        to_stage: live.to === TO_DEPARSER ? null : live.to,
      })),
    })),
    bypasses: bypasses.map(({ gress, header, firstByte, bytes }) => ({
      gress,
      header,
      first_byte: firstByte,
      bytes,
    })),
    unallocated: unallocated.map(({ gress, fields, rule, detail, source }) => ({
      gress,
      fields,
      rule,
      detail,
      source: placeAt(source),
    })),
  };
}

/** The whole result. */
export function toJson(result: FitResult): FitDocument {
  const { placement, target, problem, phv } = result;
  const sizes = [8, 16, 32] as const;
  const total = sizes.reduce((sum, size) => sum + target.phv.containers[size] * size, 0);
  const use = (which: typeof phv.packed) =>
    Object.fromEntries(
      sizes.map((size) => [
        `${size}b`,
        {
          containers: which[size].containers,
          bits: which[size].bits,
          bits_ingress: which[size].bitsIngress,
          bits_egress: which[size].bitsEgress,
        },
      ]),
    );
  const bits = sizes.reduce((sum, size) => sum + phv.packed[size].bits, 0);
  const parde = pardeJson(result);
  return {
    program: result.model.name,
    target: target.name,
    verdict: result.verdict,
    method: placement.method,
    stages: {
      total: result.stages,
      ingress: threadStages(result, "ingress"),
      egress: threadStages(result, "egress"),
      ...(result.model.ghostFields.length > 0 && { ghost: threadStages(result, "ghost") }),
    },
    at_least_stages: result.bounds[0]?.stages ?? 0,
    device_stages: target.stages,
    exceeds_device_stages: result.stages > target.stages,
    critical_path: problem.graph.criticalPath,
    critical_tables: problem.graph.criticalUnits.map((id) => defined(result.model.units[id]).name),
    bounds: result.bounds,
    tables: tableReports(result),
    per_stage_resources: placement.stages.map((counts, stage) => ({ stage, ...counts })),
    per_stage_limits: Object.fromEntries(RESOURCES.map((name) => [name, limitsOf(target)[name]])),
    latency_cycles: latencyCycles(result.problem, placement) ?? null,
    greedy: result.greedy ?? null,
    unplaced: placement.unplaced.map((entry) => ({
      table: entry.unit.name,
      resource: entry.resource,
      detail: entry.detail,
    })),
    phv: {
      ...use(phv.packed),
      overall_phv_usage: { bits, bits_percent: Math.round((1000 * bits) / total) / 10 },
      tagalong: use(phv.tagalong),
      naive: {
        containers_8b: phv.naive[8],
        containers_16b: phv.naive[16],
        containers_32b: phv.naive[32],
        bits: phv.naive.bits,
      },
      exceeded: phv.exceeded,
      ...(phv.allocation === undefined ? {} : { allocation: allocationJson(phv.allocation) }),
    },
    ...(parde === undefined ? {} : { parde }),
    ...latencyJson(result),
    diagnostics: result.diagnostics.map((diagnostic) => diagnosticToJson(diagnostic)),
  };
}
