/** What a unit needs of a stage beside its memory, and stages that keep count of what is used. */

import { actionBlocks } from "../memory/action-data.js";
import { attachedMemory, selectorMemory } from "../memory/attached.js";
import type { TablePlan } from "../memory/layout.js";
import type { Implementation, Unit } from "../model/model.js";
import { keyReads } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";

/** A memory that several units may share: counted once, and all its users are in one stage. */
export interface SharedMemory {
  readonly name: string;
  readonly kind: "counter" | "meter" | "register" | "profile";
  readonly srams: number;
  readonly mapRams: number;
  readonly statsAlus: number;
  readonly meterAlus: number;
}

export interface Demand {
  readonly logicalTables: number;
  readonly exactTables: number;
  readonly ternaryTables: number;
  readonly gateways: number;
  /** Hash bits beside those of the match, one number a group that must stay together. */
  readonly hashPieces: readonly number[];
  readonly hashDistribution: number;
  /** Container bytes on the exact crossbar, named so that tables can share them. */
  readonly exactBytes: readonly string[];
  readonly ternaryBytes: readonly string[];
  readonly actionBusBytes: number;
  readonly vliw: number;
  readonly statsAlus: number;
  readonly meterAlus: number;
  readonly shared: readonly SharedMemory[];
}

const HASH_SLICE_BITS = 16;
const SELECTOR_HASH_BITS = 14;
/** Hash bits that one hash distribution unit takes for an address. */
const ADDRESS_HASH_BITS = 23;
const GATEWAY_ROWS = 4;

export function demandOf(unit: Unit, plan: TablePlan, target: Target, phv: PhvLayout): Demand {
  const shared: SharedMemory[] = [];
  const pieces: number[] = [];
  let distribution = 0;
  let statsAlus = 0;
  let meterAlus = 0;
  for (const hash of unit.hashes) {
    distribution += Math.ceil(hash.bits / HASH_SLICE_BITS);
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
      pieces.push(ADDRESS_HASH_BITS);
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
      pieces.push(SELECTOR_HASH_BITS);
      if (implementation.selector.maxGroup > 120) distribution += 1;
    }
  }
  const gatewayRows = target.gateway.rows ?? GATEWAY_ROWS;
  const gateways =
    unit.condition !== undefined
      ? Math.ceil(unit.condition.rows / gatewayRows)
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
    exactBytes: ternary ? bytes.besides : [...bytes.key, ...bytes.besides],
    ternaryBytes: ternary ? bytes.key : [],
    actionBusBytes: plan.actionBytes,
    vliw: unit.condition !== undefined ? 0 : unit.actions.filter((action) => action.writes.length > 0).length,
    statsAlus,
    meterAlus,
    shared,
  };
}

function profileBlocks(unit: Unit, implementation: Implementation, plan: TablePlan, target: Target): number {
  if (unit.actions.length === 0 || plan.actionBytes === 0) return 0;
  let bytes = 1;
  while (bytes < Math.min(plan.actionBytes, 16)) bytes *= 2;
  if (plan.actionBytes > 16) bytes = Math.ceil(plan.actionBytes / 16) * 16;
  return actionBlocks(implementation.members, bytes, target.sram.depth);
}

function bytesOf(unit: Unit, phv: PhvLayout): { key: string[]; besides: string[] } {
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
  return { key, besides: collect(keyReads(unit)).filter((byte) => !known.has(byte)) };
}
