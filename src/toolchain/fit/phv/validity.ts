/**
 * The bits that tell the deparser what to send. The compiler puts them into lists of at most 32 in the order of its fields, those of values
 * for the deparser (where the chip has such) before those of headers, and each list stands together (p4c, backends/tofino/bf-p4c,
 * phv/make_clusters.cpp, pack_pov_bits).
 */
import type { FitModel, Gress } from "../model/model.js";
import type { Target } from "../target.js";

/** Bits of the longest list: those of the largest container. */
const LIST_BITS = 32;
const MIRROR = "deparser.mirror_type";

/** By bit, named by its field, or by the value for the deparser that it belongs to: the number of its list. */
export function validityLists(model: FitModel, gress: Gress, target: Target): ReadonlyMap<string, number> {
  const written = new Set(
    model.units
      .filter((unit) => unit.gress === gress)
      .flatMap(({ actions }) => actions.flatMap(({ writes }) => writes.map(({ field }) => field))),
  );
  // The kind of mirror of ingress always has one, because the compiler drops packets with a mirror that is switched off.
  const mirror =
    gress === "ingress" ? model.program.architecture?.pipes[0]?.ingress.fields[MIRROR] : undefined;
  const values = target.phv.deparser_validity_shared
    ? [...model.forDeparser].filter((field) => written.has(field) || field === mirror?.join("."))
    : [];
  const headers = [...model.headers.values()]
    .filter(({ name, metadata }) => !metadata && model.parser.isIn(gress, name))
    .map(({ name }) => `${name}.$valid$`);
  const others = [...written].filter((field) => field.endsWith("$"));
  const bits = [...new Set([...values, ...headers, ...others])];
  return new Map(bits.map((bit, at) => [bit, Math.floor(at / LIST_BITS)]));
}
