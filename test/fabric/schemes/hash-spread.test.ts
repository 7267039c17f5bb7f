/**
 * A CRC is linear over GF(2): what a tier can choose between is the rank of its hash's low bits. The fields
 * of the hash are read from the rendered programs.
 */

import { describe, expect, it } from "vitest";
import { SELECTOR_FIELDS } from "../../../src/base/packets/index.js";
import { ecmp } from "../../../src/fabric/schemes/ecmp/index.js";
import type { FabricPlan } from "../../../src/fabric/schemes/index.js";
import { prr } from "../../../src/fabric/schemes/prr/index.js";
import { renderPrograms } from "../../../src/toolchain/generate/index.js";
import { templates } from "../../toolchain/generate/load.js";
import { example } from "../topology/load.js";
import { crc, pack } from "./crc.js";

const WIDTHS: Readonly<Record<string, number>> = {
  flow_src: 128,
  flow_dst: 128,
  flow_protocol: 8,
  flow_src_port: 16,
  flow_dst_port: 16,
  up_seed: 16,
  down_seed: 16,
};

interface Hash {
  algorithm: "crc16" | "crc32";
  fields: { name: string; width: number }[];
}

/** By role and direction, for example `leaf down`. */
function hashesOf(plan: FabricPlan): Map<string, Hash> {
  return new Map(
    renderPrograms(templates, plan.programs).flatMap(({ file, text }) => {
      const selector = Number(/bit<(\d+)>\s+selector;/.exec(text)?.[1] ?? 0);
      const parts = text.split(/(?=action_selector\()/).slice(1);
      return parts.map((part): [string, Hash] => {
        const [, algorithm, way] = /HashAlgorithm\.(\w+), \d+, \d+\) (\w+)_members/.exec(part)!;
        const fields = [...part.matchAll(/meta\.(\w+)\s*: selector;/g)].map(([, name]) => ({
          name: name!,
          width: WIDTHS[name!] ?? selector,
        }));
        return [`${file.replace(".p4", "")} ${way}`, { algorithm: algorithm as Hash["algorithm"], fields }];
      });
    }),
  );
}

/** How the hash changes with each bit of the named fields, in the order of the names. */
function columns({ algorithm, fields }: Hash, names: readonly string[]): number[] {
  const zero = fields.map(({ width }) => ({ value: 0n, width }));
  const base = crc(algorithm, pack(zero));
  return names.flatMap((wanted) => {
    const at = fields.findIndex(({ name }) => name === wanted);
    return Array.from({ length: fields[at]!.width }, (_, bit) => {
      const input = zero.map((field, i) => (i === at ? { ...field, value: 1n << BigInt(bit) } : field));
      return (crc(algorithm, pack(input)) ^ base) >>> 0;
    });
  });
}

function rank(vectors: readonly number[]): number {
  const rest = [...vectors];
  let found = 0;
  for (let vector = rest.pop(); vector !== undefined; vector = rest.pop()) {
    if (vector === 0) continue;
    found++;
    const low = vector & -vector;
    for (let i = 0; i < rest.length; i++) if (rest[i]! & low) rest[i] = (rest[i]! ^ vector) >>> 0;
  }
  return found;
}

/** Bits that the paper's largest fabric chooses by: 8 leaves, 64 spines, 8 leaves again, a ToR of a pair. */
const BITS: Readonly<Record<string, number>> = { "tor up": 3, "leaf up": 6, "spine down": 3, "leaf down": 1 };
const CHOICES = Object.keys(BITS);

/** Three or four bits are fewer than the choices of a path have. */
const NARROW_FIELDS = [
  ["ttl", 3],
  ["ttl4", 4],
] as const;
const WIDE_FIELDS = SELECTOR_FIELDS.filter((field) => NARROW_FIELDS.every(([narrow]) => narrow !== field));

describe("PRR's selector", () => {
  it.each(WIDE_FIELDS)("in %s reaches every next hop of every tier with equal probability", (field) => {
    const hashes = hashesOf(prr.plan(example("clos"), prr.parameters.parse({ field })));
    for (const [role, hash] of hashes) {
      const bits = BITS[role]!;
      const low = columns(hash, ["selector"]).map((column) => column & (2 ** bits - 1));
      expect([role, rank(low)]).toEqual([role, bits]);
    }
  });

  it.each(NARROW_FIELDS)(
    "in %s, which has %i bits, reaches as many next hops of a tier as these bits give, or half",
    (field, width) => {
      const hashes = hashesOf(prr.plan(example("clos"), prr.parameters.parse({ field })));
      for (const [role, hash] of hashes) {
        const bits = BITS[role]!;
        const reached = rank(columns(hash, ["selector"]).map((column) => column & (2 ** bits - 1)));
        expect(reached, role).toBeGreaterThanOrEqual(Math.min(bits, width - 1));
        expect(reached, role).toBeLessThanOrEqual(width);
      }
    },
  );
});

/** All tiers' low bits side by side, as a function of the named fields. */
function joined(
  hashes: ReadonlyMap<string, Hash>,
  names: readonly string[],
  roles: readonly string[],
): number[] {
  let shift = 0;
  let result: number[] = [];
  for (const role of roles) {
    const own = columns(hashes.get(role)!, names).map((column) => column & (2 ** BITS[role]! - 1));
    result = own.map((column, i) => (result[i] ?? 0) | (column << shift));
    shift += BITS[role]!;
  }
  return result;
}

describe("tiers", () => {
  it("choose independently: ports alone decide all four choices of a path at once", () => {
    const hashes = hashesOf(ecmp.plan(example("clos"), ecmp.parameters.parse({})));
    const ports = ["flow_src_port", "flow_dst_port"];
    expect(rank(joined(hashes, ports, CHOICES))).toBe(3 + 6 + 3 + 1);
  });

  it("depend on each other where leaves hash up and down in the same way: the way up determines the way down", () => {
    const hash = { leaf: { down: { function: "crc32", order: "forward" } } };
    const hashes = hashesOf(ecmp.plan(example("clos"), ecmp.parameters.parse({ hash })));
    const ports = ["flow_src_port", "flow_dst_port"];
    expect(rank(joined(hashes, ports, ["leaf up", "leaf down"]))).toBe(6);
    const own = hashesOf(ecmp.plan(example("clos"), ecmp.parameters.parse({})));
    expect(rank(joined(own, ports, ["leaf up", "leaf down"]))).toBe(6 + 1);
  });

  it("are re-drawn independently by a flow label, while six bits of DSCP cannot do that", () => {
    const reach = (field: "dscp" | "flow_label") => {
      const hashes = hashesOf(prr.plan(example("clos"), prr.parameters.parse({ field })));
      return rank(joined(hashes, ["selector"], CHOICES));
    };
    expect(reach("flow_label")).toBe(3 + 6 + 3 + 1);
    expect(reach("dscp")).toBe(6);
  });
});
