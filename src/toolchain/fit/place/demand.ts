/** The resources of a stage that a unit needs in addition to its match memory. */

import { actionBlocks, resultBytesOf, roundedRam } from "../memory/action-data.js";
import { aluMemory, attachedMemory, selectorMemory } from "../memory/attached.js";
import type { ActionMemory, AluMemory } from "../memory/blocks.js";
import type { TablePlan } from "../memory/layout.js";
import { selectorHashBits, wordChoiceBits } from "../memory/selectors.js";
import type { Access, GatewayTests, Gress, HashUse, Implementation, Unit } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import type { Operand } from "./alu-operands.js";
import type { CrossbarUse } from "./crossbar.js";
import type { CrossbarByte } from "./crossbar-groups.js";
import type { Instructions } from "./instructions.js";
import { crossbarBytes, forEachBit, ternaryBytes } from "./key-bytes.js";
import type { TernaryByte } from "./ternary-crossbar.js";

/** A memory that several units can share. A stage has it once, and all units that use it are in one stage, unless stages may have copies. */
export interface SharedMemory {
  readonly name: string;
  readonly kind: "counter" | "meter" | "register" | "filter" | "profile";
  readonly srams: number;
  readonly mapRams: number;
  readonly statsAlus: number;
  readonly meterAlus: number;
  /** The same in the array of SRAM. */
  readonly alu: readonly AluMemory[];
  readonly action: readonly ActionMemory[];
}

/**
 * Whether each stage with units that use the memory, or with parts of one unit, may have a copy: controllers write all copies of a profile (p4c,
 * mau/table_placement.cpp, can_duplicate, which takes counters, too).
 */
export function isCopied({ kind }: Pick<SharedMemory, "kind">, { model }: Target): boolean {
  return model === "tofino" && kind === "profile";
}

/** Amounts of the resources of one stage. */
export interface Demand {
  readonly logicalTables: number;
  readonly exactTables: number;
  readonly ternaryTables: number;
  readonly gateways: number;
  /** Bytes of an exact key on the crossbar; its hash ways depend on the layout. */
  readonly matchBytes: readonly CrossbarByte[];
  /** What else is on the exact crossbar, in the order in which it is placed. */
  readonly crossbar: readonly CrossbarUse[];
  readonly ternaryBytes: readonly TernaryByte[];
  readonly actionBusBytes: number;
  /** Bytes that come to the bus with those in use, and that nothing else can have: the stage has room for them. */
  readonly actionBusBeside: number;
  /** Bytes of the bus for what ALUs give, once for all tables that use the memory. */
  readonly results: readonly { readonly memory: string; readonly bytes: number }[];
  readonly instructions: Instructions;
  readonly statsAlus: number;
  readonly meterAlus: number;
  readonly shared: readonly SharedMemory[];
}

/** Operands that an ALU takes at once. */
const ALU_OPERANDS = 2;

/**
 * By memory: the bits of the packet that its ALU works on, in all units: the crossbar has them together. Where these are more fields than an
 * ALU takes, and no unit has so many, they are those of the unit with the most bits: the compiler accepts such programs.
 */
export function operandsByMemory(units: readonly Unit[]): Map<string, readonly Access[]> {
  const calls = new Map<string, (readonly Access[])[]>();
  for (const { attached } of units)
    for (const { name, operands } of attached) calls.set(name, [...(calls.get(name) ?? []), operands]);
  const fieldsOf = (accesses: readonly Access[]) => new Set(accesses.map(({ field }) => field)).size;
  const bitsOf = (accesses: readonly Access[]) => accesses.reduce((sum, { width }) => sum + width, 0);
  const together = (lists: readonly (readonly Access[])[]) => {
    const all = lists.flat();
    if (fieldsOf(all) <= ALU_OPERANDS || lists.some((list) => fieldsOf(list) > ALU_OPERANDS)) return all;
    return lists.reduce((most, list) => (bitsOf(list) > bitsOf(most) ? list : most));
  };
  return new Map([...calls].map(([name, lists]) => [name, together(lists)]));
}

/**
 * Counts what a unit needs.
 * @param operands as `operandsByMemory` gives them
 */
export function demandOf(
  unit: Unit,
  plan: TablePlan,
  target: Target,
  { phv, operands: all }: { phv: PhvLayout; operands: ReadonlyMap<string, readonly Access[]> },
): Demand {
  const shared: SharedMemory[] = [];
  const crossbar: CrossbarUse[] = [];
  let statsAlus = 0;
  let meterAlus = 0;
  const bytesOf = (accesses: readonly Access[]) => crossbarBytes(accesses, unit.gress, phv);
  for (const attached of unit.attached) {
    if (attached.kind === "idle") continue;
    const stats = attached.kind === "counter" ? 1 : 0;
    const operands = operandsOf(all.get(attached.name) ?? attached.operands, unit.gress, phv);
    if (operands.length > 0) {
      const width = Math.max(1, Math.min(4, Math.ceil(attached.width / 8)));
      crossbar.push({
        kind: "alu",
        memory: attached.name,
        operands,
        width: attached.kind === "filter" ? 4 : width,
      });
    }
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
      alu: [aluMemory(attached, memory, false)],
      action: [],
    });
  }
  const { implementation } = unit;
  if (implementation !== undefined) {
    const { name } = implementation;
    const selector = selectorMemory(implementation, target);
    const action = profileMemory(unit, implementation, plan, target);
    const srams = selector.blocks + action.depth * action.width;
    const hasSelector = implementation.selector !== undefined;
    shared.push({
      name,
      kind: "profile",
      srams,
      mapRams: selector.mapRams,
      statsAlus: 0,
      meterAlus: hasSelector ? 1 : 0,
      alu:
        selector.blocks > 0
          ? [
              {
                name,
                kind: "selector",
                blocks: selector.blocks,
                colours: 0,
                hasResult: false,
                isDirect: false,
              },
            ]
          : [],
      action: action.depth === 0 ? [] : [{ ...action, ...(hasSelector ? { selector: name } : {}) }],
    });
    if (implementation.selector !== undefined)
      crossbar.push({
        kind: "selector",
        memory: implementation.name,
        bytes: bytesOf(implementation.selector.inputs),
        bits: selectorHashBits(implementation.selector, target),
      });
  }
  if (unit.condition !== undefined) {
    const { compared, tests, hashBits, gateways } = unit.condition;
    const bits = tests === undefined ? hashBits : hashBitsOf(tests, unit.gress, { phv, target });
    crossbar.push({ kind: "gateway", bytes: bytesOf(compared), bits, groups: gateways });
  }
  const distribution = distributionOf(unit, plan, { target, phv });
  crossbar.push(...distribution);
  // A table that only the hash matrix addresses runs through a gateway.
  const isHashed = unit.kind === "action" && (distribution.length > 0 || unit.usesRandom);
  const gateways = unit.condition?.gateways ?? (isHashed || plan.isGateway || plan.isAddressed ? 1 : 0);
  const ternary = plan.match === "ternary";
  const key = bytesOf(unit.key.map((part) => part.access));
  if (plan.isGateway)
    crossbar.unshift({
      kind: "gateway",
      bytes: key,
      bits: hashBitsOf({ equal: unit.key.map(({ access }) => access), pairs: [], rangeBits: 0 }, unit.gress, {
        phv,
        target,
      }),
      groups: 1,
    });
  const extra = unit.attached.some((attached) => attached.updatesAndReturns) ? 1 : 0;
  return {
    logicalTables: (unit.condition === undefined ? 1 : gateways) + extra,
    exactTables: plan.match === "exact" ? 1 : 0,
    ternaryTables: ternary ? 1 : 0,
    gateways,
    matchBytes: plan.match === "exact" ? key : [],
    crossbar,
    ternaryBytes: ternary ? ternaryBytes(unit, phv) : [],
    actionBusBytes: plan.bus.used,
    actionBusBeside: plan.bus.taken - plan.bus.used,
    results: unit.attached
      .filter(({ resultBytes }) => resultBytes > 0)
      .map(({ name, resultBytes, results }) => ({
        memory: name,
        bytes: resultBytesOf(results, unit.gress, phv) || resultBytes,
      })),
    instructions: {
      gress: unit.gress,
      actions:
        unit.condition !== undefined
          ? []
          : unit.actions.map(({ writes }) => [
              ...new Set(writes.flatMap((write) => phv.touchedBy(unit.gress, write)).map(({ id }) => id)),
            ]),
    },
    statsAlus,
    meterAlus,
    shared,
  };
}

/**
 * Bits that a gateway sees through the hash matrix (p4c, mau/gateway.cpp, compute_offsets): what is compared by order, and what is compared
 * with constants beyond the bytes that it sees. Each part of a container's byte takes one of these, even where two parts are in one byte,
 * the widest first.
 */
export function hashBitsOf(
  { equal, pairs, rangeBits }: GatewayTests,
  gress: Gress,
  { phv, target }: { phv: PhvLayout; target: Target },
): number {
  const { bytes } = target.gateway;
  if (bytes === null) return rangeBits;
  const paired = new Set(crossbarBytes(pairs, gress, phv).map(({ name }) => name));
  const parts: number[] = [];
  for (const access of equal) {
    const bits = new Map<string, number>();
    forEachBit(access, gress, phv, ({ id }, at) => {
      const byte = `${id}:${at >> 3}`;
      if (!paired.has(byte)) bits.set(byte, (bits.get(byte) ?? 0) + 1);
    });
    parts.push(...bits.values());
  }
  const free = Math.max(0, bytes - paired.size);
  return (
    rangeBits +
    parts
      .sort((a, b) => b - a)
      .slice(free)
      .reduce((sum, width) => sum + width, 0)
  );
}

function profileMemory(
  unit: Unit,
  { members }: Implementation,
  plan: TablePlan,
  target: Target,
): ActionMemory {
  if (unit.actions.length === 0) return { depth: 0, width: 1 };
  const bytes = roundedRam(plan.actionBytes, target);
  const width = Math.max(1, Math.ceil((8 * bytes) / target.sram.width));
  return { depth: actionBlocks(members, bytes, target) / width, width };
}

/** Units of hash distribution: 16 bits each of what an action takes of hashes, and an address for each kind of memory. */
function distributionOf(
  unit: Unit,
  plan: TablePlan,
  { target, phv }: { target: Target; phv: PhvLayout },
): CrossbarUse[] {
  const { distribution_bits: most, address_bits: widest } = target.hash;
  const bytesOf = (accesses: readonly Access[]) => crossbarBytes(accesses, unit.gress, phv);
  const list: CrossbarUse[] = [];
  const add = (to: string, hashes: readonly HashUse[], bits: number) =>
    list.push({
      kind: "distribution",
      key: `${to} ${bits} ${hashes.map(keyOf).join(" ")}${hashes.some(({ isDeclared }) => isDeclared) ? ` of ${unit.name}` : ""}`,
      bytes: bytesOf(hashes.flatMap(({ inputs }) => inputs)),
      bits,
    });
  const addressed = unit.attached.filter(({ index }) => index === "field" || index === "hash");
  const addresses = new Set(
    addressed
      .filter(({ index }) => index === "hash")
      .map(({ address: { algorithm = "", inputs } }) => `${algorithm} ${inputsOf({ inputs })}`),
  );
  const values = unit.hashes.filter((hash) => !addresses.has(keyOf(hash)));
  let open: HashUse[] = [];
  let bits = 0;
  let part = 0;
  const flush = () => {
    if (bits > 0) add(`value ${part++ % 2}`, open, bits);
    [open, bits] = [[], 0];
  };
  for (const hash of values) {
    let rest = hash.bits;
    while (rest > 0) {
      const here = most === null ? rest : Math.min(rest, most - bits);
      open.push(hash);
      bits += here;
      rest -= here;
      if (most === null || bits >= most) flush();
    }
  }
  flush();
  for (const { kind, address, width, counts } of addressed) {
    const use: HashUse = { algorithm: "address", ...address };
    const wide = widest === null ? address.bits : Math.min(address.bits, widest);
    add(kind === "counter" ? `statistics ${counts}` : `${kind} ${width}`, [use], wide);
    // The colours of a meter are counters, too.
    if (kind === "meter" || kind === "filter") add("colours", [use], wide);
  }
  if (plan.isAddressed) {
    const inputs = unit.key.map(({ access }) => access);
    const use: HashUse = { algorithm: "address", bits: plan.keyBytes.bits, inputs };
    const direct = unit.attached.filter(({ index }) => index === "direct");
    const memories = direct.flatMap(({ kind }) =>
      kind === "counter" ? ["statistics"] : kind === "register" ? [kind] : [kind, "colours"],
    );
    for (const memory of [...(plan.ramBytes > 0 ? ["data"] : []), ...memories])
      add(`${memory} of ${unit.name}`, [use], use.bits);
  }
  const chosenBy = wordChoiceBits(unit.implementation, target);
  if (chosenBy > 0)
    add(
      "members",
      [{ algorithm: "selector", bits: 0, inputs: unit.implementation?.selector?.inputs ?? [] }],
      chosenBy,
    );
  return list;
}

function keyOf(hash: HashUse): string {
  return `${hash.algorithm} ${inputsOf(hash)}`;
}

function inputsOf({ inputs }: Pick<HashUse, "inputs">): string {
  return inputs.map(({ field, lo, width }) => `${field}[${lo}+${width}]`).join();
}

/** Bits of one operand of an ALU: those of a word of Tofino 2 that is no pair. */
const ALU_BITS = 64;

/** What an ALU works on: each field, or each part of a field that no other part holds. */
function operandsOf(operands: readonly Access[], gress: Gress, phv: PhvLayout): Operand[] {
  const holds = (a: Access, b: Access) =>
    a.field === b.field && a.lo <= b.lo && b.lo + b.width <= a.lo + a.width;
  const parts = operands.filter(
    (part, at) =>
      !operands.some((other, i) => i !== at && holds(other, part) && (i < at || !holds(part, other))),
  );
  return parts.flatMap((part) => {
    const access = { ...part, width: Math.min(part.width, ALU_BITS) };
    const found = crossbarBytes([access], gress, phv);
    const bytes = phv.isAllocated === true ? inOrder(found, access, gress, phv) : found;
    if (bytes.length === 0) return [];
    // A byte before the last one that is not full would leave a gap.
    const isWhole = bytes.length === Math.ceil(access.width / 8);
    return [{ bytes, bits: access.width, isAlone: isWhole && isAlone(access, gress, phv) }];
  });
}

/** The bytes in the order of the bits that they hold, as an ALU takes them (p4c, mau/tofino/input_xbar.cpp, setup_stateful_search_bus). */
function inOrder(
  bytes: readonly CrossbarByte[],
  access: Access,
  gress: Gress,
  phv: PhvLayout,
): readonly CrossbarByte[] {
  const first = new Map<string, number>();
  forEachBit(access, gress, phv, ({ id }, at, bit) => {
    const name = `${id}:${at >> 3}`;
    first.set(name, Math.min(first.get(name) ?? bit, bit));
  });
  return [...bytes].sort((a, b) => (first.get(a.name) ?? 0) - (first.get(b.name) ?? 0));
}

/**
 * The bits begin at a byte of their container, and its bytes that hold them have no other bits, at any time (p4c, mau/input_xbar.cpp,
 * non_zero_bits).
 */
function isAlone(access: Access, gress: Gress, phv: PhvLayout): boolean {
  return phv.touchedBy(gress, access).every((container) => {
    const own = new Set<number>();
    forEachBit(access, gress, phv, ({ id }, at) => id === container.id && own.add(at));
    const first = Math.min(...own);
    const end = Math.ceil((Math.max(...own) + 1) / 8);
    return (
      first % 8 === 0 &&
      container.slices.every(({ at, width }) =>
        Array.from({ length: width }, (_, i) => at + i).every(
          (bit) => bit < first || bit >= 8 * end || own.has(bit),
        ),
      )
    );
  });
}
