/**
 * The bits that tell the deparser what to send. The compiler puts them into lists of at most 32 in the order of its fields, those of values
 * for the deparser (where the chip has such) before those of headers, and each list stands together (p4c, backends/tofino/bf-p4c,
 * phv/make_clusters.cpp, pack_pov_bits).
 */
import type { FitModel, Gress } from "../model/model.js";
import type { Target } from "../target.js";

/** Bits of the longest list: those of the largest container. */
const LIST_BITS = 32;
/** Bits of a list that two containers hold, and of the first of these. */
const MOST_IN_TWO = 24;
const FIRST_OF_TWO = 16;
const MIRROR = "deparser.mirror_type";

/** By bit, named by its field, or by the value for the deparser that it belongs to: the number of its list. */
export function validityLists(model: FitModel, gress: Gress, target: Target): ReadonlyMap<string, number> {
  const written = writtenIn(model, gress);
  const values = valuesOf(model, gress, target, written);
  const headers = [...model.headers.values()]
    .filter(({ name, metadata }) => !metadata && model.parser.isIn(gress, name))
    .map(({ name }) => `${name}.$valid$`);
  const others = [...written].filter((field) => field.endsWith("$"));
  const bits = [...new Set([...values, ...headers, ...others])];
  return new Map(bits.map((bit, at) => [bit, Math.floor(at / LIST_BITS)]));
}

/**
 * By bit, as `validityLists` names it, of a chip whose values for the deparser have one: the number of its container. A list of 17 to 24 bits
 * has one of 16 and one of eight, any other list has one (measured: all public designs that the compiler placed for a Tofino 2). A bit that is
 * copied from another or to another is in no list (p4c, phv/make_clusters.cpp, FindComplexValidityBits), so it stands apart.
 */
export function validityContainers(
  model: FitModel,
  gress: Gress,
  target: Target,
): ReadonlyMap<string, number> {
  const written = writtenIn(model, gress);
  const carried = new Set(
    [...model.headers.values()]
      .filter(({ name, metadata }) => !metadata && model.parser.isCarried(gress, name))
      .filter(({ name }) => model.parser.isSent(gress, name))
      .map(({ name }) => name),
  );
  // In the order in which the compiler comes to them: in the parser, or else in the tables.
  const parsed = [...model.parser.inOrder].filter((name) => carried.has(name));
  const copied = copiedBits(model);
  const bits = new Set([
    ...valuesOf(model, gress, target, written),
    ...parsed.map((name) => `${name}.$valid$`),
    ...[...written].filter((field) => field.endsWith(".$valid$")),
    ...[...carried].map((name) => `${name}.$valid$`),
  ]);
  const listed = [...bits].filter((bit) => !copied.has(bit));
  // The bits of checksums are in no list, and go where a container of eight has room.
  const begun = isInTwo(listed.length) ? listed.length : Math.ceil(listed.length / LIST_BITS) * LIST_BITS;
  const checks = [...written].filter((field) => field.endsWith("$") && !bits.has(field));
  return new Map([
    ...listed.map((bit, at) => [bit, containerOf(at, listed.length)] as const),
    ...checks.map((bit, at) => [bit, (begun + at) >> 3] as const),
  ]);
}

/** Bits that are copied from another or to another. */
export function copiedBits(model: FitModel): ReadonlySet<string> {
  return new Set(
    model.units.flatMap(({ actions }) =>
      actions.flatMap(({ operations }) =>
        operations
          .filter(({ write, sources }) => write.field.endsWith("$") && sources.length > 0)
          .flatMap(({ write, sources }) => [write.field, ...sources.map(({ field }) => field)]),
      ),
    ),
  );
}

/** The first byte of a container: it is its number. */
function containerOf(at: number, count: number): number {
  const list = Math.floor(at / LIST_BITS);
  const isSecond = isInTwo(count - list * LIST_BITS) && at - list * LIST_BITS >= FIRST_OF_TWO;
  return (list * LIST_BITS + (isSecond ? FIRST_OF_TWO : 0)) >> 3;
}

const isInTwo = (bits: number): boolean => bits > FIRST_OF_TWO && bits <= MOST_IN_TWO;

/** Fields that tables of a gress write. */
function writtenIn(model: FitModel, gress: Gress): ReadonlySet<string> {
  return new Set(
    model.units
      .filter((unit) => unit.gress === gress)
      .flatMap(({ actions }) => actions.flatMap(({ writes }) => writes.map(({ field }) => field))),
  );
}

/** Values for the deparser that have a bit, in the order in which tables write them. */
function valuesOf(model: FitModel, gress: Gress, target: Target, written: ReadonlySet<string>): string[] {
  if (!target.phv.deparser_validity_shared) return [];
  // The kind of mirror of ingress always has one, because the compiler drops packets with a mirror that is switched off.
  const mirror =
    gress === "ingress" ? model.program.architecture?.pipes[0]?.ingress.fields[MIRROR] : undefined;
  const all = mirror === undefined ? written : new Set([mirror.join("."), ...written]);
  return [...all].filter((field) => model.forDeparser.has(field));
}
