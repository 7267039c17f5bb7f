/**
 * Checks a placement: order, distances, conflicts, shared memories, sizes, and all resources of all stages. It counts
 * the amounts from the assignment itself, not from the sums that the placement kept.
 */
import { attachedMemory } from "../memory/attached.js";
import { entriesToPlace, type Placement, type Problem, stageCount, stageRanges } from "./placement.js";
import {
  hashGroupsFit,
  limitsOf,
  noCounts,
  RESOURCES,
  type Resource,
  type ResourceCounts,
  tcamUnitsFit,
} from "./stage.js";

/** All violations, one sentence each; empty when the placement holds. */
export function verifyPlacement(problem: Problem, placement: Placement): string[] {
  const { model, graph, target, conflicts, demands } = problem;
  const wrong: string[] = [];
  const units = model.units;
  const { first, last } = stageRanges(placement, units.length);
  const failed = new Set(placement.unplaced.map((entry) => entry.unit.id));
  const name = (id: number) => units[id]!.name;

  for (const unit of units) {
    if (failed.has(unit.id)) continue;
    if (first[unit.id] === -1) wrong.push(`${unit.name} is in no stage`);
    if (unit.kind !== "match") continue;
    const parts = placement.parts.filter((part) => part.unit.id === unit.id);
    const entries = parts.reduce((sum, part) => sum + part.entries, 0);
    const wanted = entriesToPlace(unit);
    if (entries < wanted) wrong.push(`${unit.name} has room for ${entries} of ${wanted} entries`);
    for (const part of parts) {
      if (part.layout.entries < part.entries && unit.key.every((k) => k.kind !== "range")) {
        wrong.push(`${unit.name} in stage ${part.stage} holds fewer entries than the part states`);
      }
    }
  }
  for (const edge of graph.edges) {
    if (failed.has(edge.from) || failed.has(edge.to)) continue;
    if (first[edge.to]! < last[edge.from]! + edge.distance) {
      wrong.push(`${name(edge.to)} (${edge.kind}) is too early after ${name(edge.from)}`);
    }
  }
  const stages = stageCount(placement.parts);
  const limits = limitsOf(target);
  for (let stage = 0; stage < stages; stage++) {
    const here = placement.parts.filter((part) => part.stage === stage);
    const counts = noCounts();
    const exactBytes = new Set<string>();
    const ternaryBytes = new Set<string>();
    const shared = new Set<string>();
    const pieces: number[] = [];
    const tcamUnits = new Map<number, number>();
    const gateways = new Set<number>();
    for (const part of here) {
      const { id } = part.unit;
      if (part.spill !== undefined) {
        counts.srams += part.spill.srams;
        counts.map_rams += part.spill.mapRams;
        counts.meter_alus++;
        counts.logical_tables++;
        continue;
      }
      const demand = demands[id]!;
      const { layout } = part;
      addCounts(counts, {
        srams: layout.blocks.match + layout.blocks.action + layout.blocks.indirection + layout.blocks.direct,
        tcams: layout.tcams,
        map_rams: layout.mapRams,
        gateways: demand.gateways,
        logical_tables: demand.logicalTables,
        hash_dist_units: demand.hashDistribution,
        meter_alus: demand.meterAlus,
        stats_alus: demand.statsAlus,
        vliw_slots: demand.vliw,
        action_bus_bytes: demand.actionBusBytes,
        exact_tables: demand.exactTables,
        ternary_tables: demand.ternaryTables,
      });
      for (const byte of demand.exactBytes) exactBytes.add(byte);
      for (const byte of demand.ternaryBytes) ternaryBytes.add(byte);
      pieces.push(...demand.hashPieces);
      if (layout.hashBits > 0) pieces.push(layout.hashBits);
      if (layout.tcamWidth > 0) {
        tcamUnits.set(
          layout.tcamWidth,
          (tcamUnits.get(layout.tcamWidth) ?? 0) + layout.tcams / layout.tcamWidth,
        );
      }
      const spilled = placement.parts.filter((other) => other.unit.id === id && other.spill !== undefined);
      for (const memory of demand.shared) {
        if (shared.has(memory.name) || spilled.some((other) => other.spill!.name === memory.name)) continue;
        shared.add(memory.name);
        addCounts(counts, {
          srams: memory.srams,
          map_rams: memory.mapRams,
          meter_alus: memory.meterAlus,
          stats_alus: memory.statsAlus,
        });
      }
      if (part.gateway !== undefined) {
        const condition = part.gateway;
        if (gateways.has(condition)) wrong.push(`${name(condition)} is the gateway of two tables`);
        gateways.add(condition);
        if (!here.some((other) => other.unit.id === condition)) {
          wrong.push(`${name(condition)} is the gateway of ${part.unit.name} but in another stage`);
        }
        if (!model.flow.successors(condition).includes(id)) {
          wrong.push(`${name(condition)} does not lead to ${part.unit.name}`);
        }
        counts.logical_tables--;
        if (demand.gateways > 0) counts.gateways--;
      }
    }
    counts.hash_bits = pieces.reduce((sum, bits) => sum + bits, 0);
    counts.xbar_bytes_exact = exactBytes.size;
    counts.xbar_bytes_ternary = ternaryBytes.size;
    for (const resource of RESOURCES) {
      const limit = limits[resource];
      if (limit !== null && counts[resource] > limit) {
        wrong.push(`stage ${stage} uses ${counts[resource]} of ${limit} ${resource}`);
      }
      if (counts[resource] !== placement.stages[stage]?.[resource]) {
        wrong.push(
          `stage ${stage} has ${counts[resource]} ${resource}, the placement states ${placement.stages[stage]?.[resource]}`,
        );
      }
    }
    const { hash_groups: groups, hash_group_bits: bits } = target.per_stage;
    if (groups !== null && bits !== null && !hashGroupsFit(pieces, groups, bits)) {
      wrong.push(`stage ${stage}: hash bits do not fit the groups`);
    }
    const { columns, blocks } = target.tcam;
    if (columns !== null && !tcamUnitsFit(tcamUnits, columns, Math.floor(blocks / columns))) {
      wrong.push(`stage ${stage}: TCAM blocks do not fit the columns`);
    }
    for (const part of here) {
      for (const other of here) {
        if (part.unit.id < other.unit.id && conflicts[part.unit.id]!.has(other.unit.id)) {
          wrong.push(`${part.unit.name} and ${other.unit.name} write one container in stage ${stage}`);
        }
      }
    }
  }
  for (const group of problem.companions) {
    const places = new Set(group.filter((id) => !failed.has(id)).map((id) => first[id]));
    if (places.size > 1) {
      wrong.push(`${group.map(name).join(", ")} share a memory but not a stage`);
    }
  }
  for (const unit of units) {
    for (const attached of unit.attached) {
      if (attached.index === "direct") continue;
      const { blocks } = attachedMemory(attached, attached.size, target);
      const memory = demands[unit.id]!.shared.find((entry) => entry.name === attached.name);
      if (memory === undefined || memory.srams < blocks) wrong.push(`${attached.name} has too few blocks`);
    }
  }
  return wrong;
}

function addCounts(counts: ResourceCounts, more: Partial<Record<Resource, number>>): void {
  for (const [name, value] of Object.entries(more)) counts[name as Resource] += value;
}
