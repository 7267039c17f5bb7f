/**
 * How the switches of a role hash in a direction: function, order of the fields, seed, and which switches share the seed.
 *
 * The seed of a CRC only flips bits of the result. So two choices on one path with the same function use
 * the same bits, and the first determines the second (polarisation): if a leaf hashed upwards and downwards in the same way, the
 * spine would determine the ToR of the destination. Therefore each choice on a path has a function of its own by default.
 */
import { z } from "zod";
import { Random } from "../../base/index.js";
import type { Update } from "../../toolchain/device/index.js";
import type { HashChoice } from "../../toolchain/generate/index.js";
import {
  type HopSet,
  type Role,
  switchesOf,
  type Topology,
  type TopologyNode,
  tierOf,
} from "../topology/index.js";
import { call, ingressName } from "./fabric.js";

/** Direction of a choice between several next hops. */
export type Direction = "up" | "down";
export const DIRECTIONS: readonly Direction[] = ["up", "down"];

type SwitchRole = Exclude<Role, "host">;

/** Which switches share a hash seed. */
const SEED_SCOPES = ["tier", "switch"] as const;

const choiceSchema = z.strictObject({
  function: z.enum(["crc16", "crc32", "xor16", "csum16"]).optional(),
  order: z.enum(["forward", "reversed"]).optional(),
  /** Replaces `hash_seed` and `seed_scope`. */
  seed: z.number().int().min(0).optional(),
  scope: z.enum(SEED_SCOPES).optional(),
});

const roleSchema = z.strictObject({ up: choiceSchema.optional(), down: choiceSchema.optional() });

/** The parameters of a scheme whose switches hash. */
export const hashParameters = {
  hash_seed: z.number().int().min(0).default(1),
  /** Switches that share a seed. */
  seed_scope: z.enum(SEED_SCOPES).default("tier"),
  /** Settings that differ from the defaults, by role and direction. */
  hash: z
    .strictObject({
      tor: roleSchema.optional(),
      leaf: roleSchema.optional(),
      spine: roleSchema.optional(),
      switch: roleSchema.optional(),
    })
    .default({}),
};

const hashSchema = z.strictObject(hashParameters);
export type HashParameters = z.output<typeof hashSchema>;

/** Four functions for the four choices of an inter-pod path; switches without a tier count as leaves. */
const DEFAULTS: Readonly<Record<SwitchRole, Readonly<Record<Direction, HashChoice>>>> = {
  tor: { up: hash("crc32", "reversed"), down: hash("crc16", "reversed") },
  leaf: { up: hash("crc32", "forward"), down: hash("crc16", "reversed") },
  spine: { up: hash("crc32", "forward"), down: hash("crc16", "forward") },
  switch: { up: hash("crc32", "forward"), down: hash("crc16", "reversed") },
};

function hash(algorithm: HashChoice["algorithm"], order: HashChoice["order"]): HashChoice {
  return { algorithm, order };
}

/** The hash of the switches of a role in a direction. */
export function hashOf({ hash }: HashParameters, role: Role, direction: Direction): HashChoice {
  const standard = DEFAULTS[role as SwitchRole][direction];
  const own = hash[role as SwitchRole]?.[direction];
  return { algorithm: own?.function ?? standard.algorithm, order: own?.order ?? standard.order };
}

/** Whether all switches of each tier hash alike in each direction. */
export function hashesByTier({ hash, seed_scope }: HashParameters): boolean {
  const scopes = Object.values(hash).flatMap((role) => DIRECTIONS.map((way) => role?.[way]?.scope));
  return seed_scope === "tier" && !scopes.includes("switch");
}

/** Direction of a choice; hosts' parallel links count as down, but a switch does not choose between them. */
export function directionOf(hops: HopSet): Direction {
  return hops.direction === "up" ? "up" : "down";
}

/** The seed of a switch in a direction: 16 bits drawn for its tier or for itself. */
export function seedOf(node: TopologyNode, parameters: HashParameters, direction: Direction): number {
  const own = parameters.hash[node.role as SwitchRole]?.[direction];
  const scope = own?.scope ?? parameters.seed_scope;
  const label = scope === "tier" ? node.role : node.name;
  const random = new Random(own?.seed ?? parameters.hash_seed).fork(`hash seed ${label}`);
  return random.uint32() & 0xffff;
}

/** Writes the switch's hash seeds: for each direction 16 bits drawn for its tier or for itself. */
export function seedUpdate(
  node: TopologyNode,
  parameters: HashParameters,
  directions: readonly Direction[],
): Update {
  const seeds = directions.map((direction) => [direction, seedOf(node, parameters, direction)] as const);
  return {
    type: "modify",
    entity: {
      kind: "tableEntry",
      table: ingressName("hash_seed"),
      match: [],
      priority: 0,
      isDefault: true,
      action: { kind: "action", ...call("set_hash_seed", Object.fromEntries(seeds)) },
    },
  };
}

/**
 * Notes on roles whose switches are in several stages, as in a fabric of five stages: they hash alike, so on a path through two of them
 * the first choice determines the second (ATC 2022, section 2).
 */
export function sharedStageNotes(topology: Topology): string[] {
  const stages = new Map<Role, Set<number>>();
  for (const node of switchesOf(topology)) {
    if (node.role === "switch") continue;
    stages.set(node.role, (stages.get(node.role) ?? new Set()).add(tierOf(node)));
  }
  return [...stages].flatMap(([role, own]) =>
    own.size < 2
      ? []
      : [
          `The stages ${[...own].sort((a, b) => a - b).join(" and ")} have the role ${role}, and so one hash function for each direction: the choice of one determines that of the next (polarisation). \`p4loom hash assign\` assigns functions by stage.`,
        ],
  );
}
