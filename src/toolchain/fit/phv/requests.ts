/**
 * What the `pa_*` pragmas of a program ask of its fields, by the rules of p4c, backends/tofino/bf-p4c/phv/pragma.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { fieldsNamed } from "../model/fields-named.js";
import type { FitModel, Gress } from "../model/model.js";
import type { Target } from "../target.js";
import type { ContainerSize } from "./pack.js";

/**
 * `normal`: for all uses. `mocha`: tables only set it whole. `dark`: moreover unknown to parser, deparser and match. `tagalong`: for
 * parser and deparser alone.
 */
export type ContainerKind = "normal" | "mocha" | "dark" | "tagalong";

/** What the pragmas ask of one field in one gress. */
interface FieldRequest {
  /** `@pa_container_size`: the sizes of its containers; one size is that of all of them. */
  readonly sizes?: readonly ContainerSize[];
  /** `@pa_container_type`. */
  readonly kind?: ContainerKind;
  /** `@pa_solitary`: no other field in its containers. */
  readonly isSolitary?: boolean;
  /** `@pa_no_overlay` without a second field: nothing else at another time in its containers. */
  readonly hasOwnPlace?: boolean;
  /** `@pa_atomic`: in one container. */
  readonly isAtomic?: boolean;
  /** `@pa_no_init`: the program writes it before it reads it, whatever the control flow says. */
  readonly isSetFirst?: boolean;
  readonly source?: bmv2.SourceInfo | undefined;
}

export interface PhvRequests {
  of(gress: Gress, field: string): FieldRequest | undefined;
  /** `@pa_mutually_exclusive`: no packet has both, so they may share a place. */
  excludes(gress: Gress, a: string, b: string): boolean;
  /** `@pa_no_overlay` of two or more fields. */
  keepsApart(gress: Gress, a: string, b: string): boolean;
  /** `@pa_no_pack` of two or more fields: they are not in one container. */
  parts(gress: Gress, a: string, b: string): boolean;
  /** `@pa_auto_init_metadata`: values of metadata begin as zero. Else what no table wrote may be anything, as in P4-16. */
  readonly zeroesMetadata: boolean;
}

export const NO_REQUESTS: PhvRequests = {
  of: () => undefined,
  excludes: () => false,
  keepsApart: () => false,
  parts: () => false,
  zeroesMetadata: false,
};

/** A pragma that is not obeyed, and why. */
export interface PassedOver {
  readonly text: string;
  readonly reason: string;
  readonly source: bmv2.SourceInfo | undefined;
}

const SIZES: readonly number[] = [8, 16, 32];
const KINDS: readonly string[] = ["normal", "mocha", "dark"];

/** Reads the pragmas of a program for the fields of its model. */
export function readRequests(
  model: FitModel,
  target: Target,
): { requests: PhvRequests; passedOver: PassedOver[] } {
  // An allocation asks these a million times: names are not joined.
  const byField = { ingress: new Map<string, FieldRequest>(), egress: new Map<string, FieldRequest>() };
  const exclusive: Pairs = { ingress: new Map(), egress: new Map() };
  const apart: Pairs = { ingress: new Map(), egress: new Map() };
  const parted: Pairs = { ingress: new Map(), egress: new Map() };
  const passedOver: PassedOver[] = [];
  for (const pragma of model.phvPragmas) {
    const { name, args, source_info: source } = pragma;
    if (name === ZEROES) continue;
    const [gress, ...rest] = args;
    const refuse = (reason: string) =>
      passedOver.push({ text: `@${name}(${args.join(", ")})`, reason, source });
    if (!OBEYED.has(name)) refuse("fit does not follow it");
    else if (gress !== "ingress" && gress !== "egress") refuse("it names neither ingress nor egress");
    else {
      const values = rest.filter((arg) => SIZES.includes(Number(arg)) || KINDS.includes(arg));
      const names = rest.filter((arg) => !values.includes(arg));
      const found = names.map((one) => fieldsNamed(model, gress, one));
      const missing = names.find((_, i) => found[i]!.length === 0);
      const reason =
        missing === undefined
          ? unable(model, target, { name, fields: found.flat(), values })
          : `${gress} has no field ${missing}`;
      if (reason !== undefined) refuse(reason);
      else if (name === "pa_mutually_exclusive") pairs(exclusive[gress], found);
      else if (name === "pa_no_overlay" && found.length > 1) pairs(apart[gress], found);
      else if (name === "pa_no_pack") pairs(parted[gress], found);
      else
        for (const field of found.flat()) {
          const width = model.fields.get(field)?.width ?? 1;
          const before = byField[gress].get(field);
          byField[gress].set(field, { ...before, ...requestOf(name, values, width), source });
        }
    }
  }
  const requests: PhvRequests = {
    of: (gress, field) => byField[gress].get(field),
    excludes: (gress, a, b) => exclusive[gress].get(a)?.has(b) === true,
    keepsApart: (gress, a, b) => apart[gress].get(a)?.has(b) === true,
    parts: (gress, a, b) => parted[gress].get(a)?.has(b) === true,
    zeroesMetadata: model.phvPragmas.some(({ name }) => name === ZEROES),
  };
  return { requests, passedOver };
}

const ZEROES = "pa_auto_init_metadata";

const OBEYED: ReadonlySet<string> = new Set([
  "pa_container_size",
  "pa_container_type",
  "pa_solitary",
  "pa_no_overlay",
  "pa_no_pack",
  "pa_mutually_exclusive",
  "pa_atomic",
  "pa_no_init",
]);

const MAX_BITS = 32;
const sizeOf = (bits: number): ContainerSize => (bits > 16 ? 32 : bits > 8 ? 16 : 8);

function requestOf(name: string, values: readonly string[], width: number): FieldRequest {
  switch (name) {
    case "pa_container_size":
      return { sizes: values.map((value) => Number(value) as ContainerSize) };
    case "pa_container_type":
      return { kind: values[0] as ContainerKind };
    case "pa_solitary":
      return { isSolitary: true };
    case "pa_atomic":
      return { isAtomic: true, sizes: [sizeOf(width)] };
    case "pa_no_overlay":
      return { hasOwnPlace: true };
    default:
      return { isSetFirst: true };
  }
}

/** Why the pragma cannot be obeyed for the fields. */
function unable(
  model: FitModel,
  target: Target,
  { name, fields, values }: { name: string; fields: readonly string[]; values: readonly string[] },
): string | undefined {
  const kind = values.find((value) => value === "mocha" || value === "dark");
  if (kind !== undefined && (target.phv.arrangement?.[kind as "mocha" | "dark"][8] ?? 0) === 0)
    return `${target.name} has no ${kind} containers`;
  if (fields.length === 0) return "it names no field";
  const moved = fields.find((field) => model.aliases.has(field));
  if (moved !== undefined) return `${moved} stands in ${defined(model.aliases.get(moved))} from the start`;
  const infos = fields.flatMap((field) => model.fields.get(field) ?? []);
  if (name === "pa_container_size" && !values.some((value) => SIZES.includes(Number(value))))
    return "it gives no size of 8, 16 or 32";
  if (name === "pa_container_type" && !values.some((value) => KINDS.includes(value)))
    return "it gives no kind of container";
  const inBytes = name === "pa_solitary" || name === "pa_container_size" || name === "pa_atomic";
  const broken = infos.find(({ metadata, offset, width }) => !metadata && (offset % 8 > 0 || width % 8 > 0));
  if (inBytes && broken !== undefined) return `${broken.name} has no bytes of its own in its header`;
  if (name === "pa_atomic" && infos.some(({ width }) => width > MAX_BITS))
    return "a container has 32 bits at most";
  return undefined;
}

/** Pairs of fields of a gress, each from both sides. */
type Pairs = Record<Gress, Map<string, Set<string>>>;

/** Each field of one name with each field of another. */
function pairs(into: Map<string, Set<string>>, found: readonly (readonly string[])[]): void {
  for (const [i, list] of found.entries())
    for (const a of list)
      for (const b of found.filter((_, at) => at !== i).flat())
        into.set(a, (into.get(a) ?? new Set()).add(b));
}
