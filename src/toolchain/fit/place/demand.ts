/** The resources of a stage that a unit needs in addition to its match memory. */

import { actionBlocks, roundedRam } from "../memory/action-data.js";
import { attachedMemory, hasWideGroups, selectorMemory } from "../memory/attached.js";
import type { TablePlan } from "../memory/layout.js";
import type { Implementation, Unit } from "../model/model.js";
import { keyReads } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";

/** A memory that several units can share. It is counted once, and all units that use it are in one stage. */
export interface SharedMemory {
  readonly name: string;
  readonly kind: "counter" | "meter" | "register" | "profile";
  readonly srams: number;
  readonly mapRams: number;
  readonly statsAlus: number;
  readonly meterAlus: number;
}

/** Amounts of the resources of one stage. */
export interface Demand {
  readonly logicalTables: number;
  readonly exactTables: number;
  readonly ternaryTables: number;
  readonly gateways: number;
  /** Hash bits in addition to those of the match; the bits of each number are in one hash group. */
  readonly hashPieces: readonly number[];
  readonly hashDistribution: number;
  /** Container bytes on the exact crossbar, by name: tables of a stage share equal ones. */
  readonly exactBytes: readonly string[];
  readonly ternaryBytes: readonly string[];
  readonly actionBusBytes: number;
  readonly vliw: number;
  readonly statsAlus: number;
  readonly meterAlus: number;
  readonly shared: readonly SharedMemory[];
}

/** Counts what a unit needs. */
export function demandOf(unit: Unit, plan: TablePlan, target: Target, phv: PhvLayout): Demand {
  const shared: SharedMemory[] = [];
  const pieces: number[] = [];
  let distribution = 0;
  let statsAlus = 0;
  let meterAlus = 0;
  for (const hash of unit.hashes) {
    distribution +=
      target.hash.distribution_bits === null ? 1 : Math.ceil(hash.bits / target.hash.distribution_bits);
    pieces.push(hash.bits);
  }
  for (const attached of unit.attached) {
    if (attached.kind === "idle") continue;
    const stats = attached.kind === "counter" ? 1 : 0;
    if (attached.index === "direct") {
      statsAlus += stats;
      meterAlus += 1 - stats;
      continue;
    }
    const memory = attachedMemory(attached, attached.size, target);
    shared.push({
      name: attached.name,
      kind: attached.kind,
      srams: memory.blocks,
      mapRams: memory.mapRams,
      statsAlus: stats,
      meterAlus: 1 - stats,
    });
    if (attached.index === "field") {
      distribution += 1;
      pieces.push(target.hash.address_bits ?? 0);
    }
  }
  const { implementation } = unit;
  if (implementation !== undefined) {
    const selector = selectorMemory(implementation, target);
    shared.push({
      name: implementation.name,
      kind: "profile",
      srams: selector.blocks + profileBlocks(unit, implementation, plan, target),
      mapRams: selector.mapRams,
      statsAlus: 0,
      meterAlus: implementation.selector === undefined ? 0 : 1,
    });
    if (implementation.selector !== undefined) {
      pieces.push(target.selector.hash_bits ?? 0);
      if (hasWideGroups(implementation, target)) distribution += 1;
    }
  }
  const gateways =
    unit.condition !== undefined
      ? unit.condition.gateways
      : unit.kind === "action" && (unit.hashes.length > 0 || unit.attached.length > 0 || unit.usesRandom)
        ? 1
        : 0;
  const bytes = bytesOf(unit, phv);
  const ternary = plan.match === "ternary";
  const extra = unit.attached.some((attached) => attached.updatesAndReturns) ? 1 : 0;
  return {
    logicalTables: (unit.condition === undefined ? 1 : gateways) + extra,
    exactTables: plan.match === "exact" ? 1 : 0,
    ternaryTables: ternary ? 1 : 0,
    gateways,
    hashPieces: pieces,
    hashDistribution: distribution,
    exactBytes: ternary ? bytes.others : [...bytes.key, ...bytes.others],
    ternaryBytes: ternary ? bytes.key : [],
    actionBusBytes: plan.actionBytes,
    vliw: unit.condition !== undefined ? 0 : unit.actions.filter((action) => action.writes.length > 0).length,
    statsAlus,
    meterAlus,
    shared,
  };
}

function profileBlocks(unit: Unit, implementation: Implementation, plan: TablePlan, target: Target): number {
  if (unit.actions.length === 0) return 0;
  return actionBlocks(implementation.members, roundedRam(plan.actionBytes, target), target);
}

function bytesOf(unit: Unit, phv: PhvLayout): { key: string[]; others: string[] } {
  const collect = (accesses: ReturnType<typeof keyReads>): string[] => {
    const bytes = new Set<string>();
    for (const access of accesses) {
      for (const container of phv.touchedBy(unit.gress, access)) {
        let position = container.slices.reduce((sum, slice) => sum + slice.width, 0);
        for (const slice of container.slices) {
          position -= slice.width;
          if (slice.field !== access.field) continue;
          const low = Math.max(slice.lo, access.lo);
          const high = Math.min(slice.lo + slice.width, access.lo + access.width);
          for (let bit = low; bit < high; bit += 1) {
            bytes.add(`${container.id}:${(position + bit - slice.lo) >> 3}`);
          }
        }
      }
    }
    return [...bytes].sort();
  };
  const key = collect(unit.key.map((part) => part.access));
  const known = new Set(key);
  return { key, others: collect(keyReads(unit)).filter((byte) => !known.has(byte)) };
}
