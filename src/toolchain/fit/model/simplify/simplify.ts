/**
 * What the compiler's front end removes before it places tables: conditions with a known result, copies of results and of fields,
 * and statements whose value nothing reads. The JSON for software switches still has them.
 */
import type { bmv2 } from "../../../program/index.js";
import { foldConditions } from "./conditions.js";
import { joinInActions, joinResults } from "./copies.js";
import { type Editing, fieldsIn, matchedBy, partsOf, readOutside } from "./graph.js";
import { expandHeaderCopies, removeSelfCopies } from "./headers.js";
import { removeDead } from "./liveness.js";
import { splitPieces } from "./pieces.js";
import { propagateCopies } from "./propagation.js";
import { removeZeros } from "./zeros.js";

/** Rounds until nothing changes; each removes something, so that this is only a guard. */
const MAX_ROUNDS = 10_000;

/**
 * Simplifies the pipelines of a program in place.
 * @param hasValidity values for the deparser have a bit that says that they were written
 */
export function simplifyProgram(editing: Editing, hasValidity: boolean): void {
  const signed = signedFields(editing.program);
  for (const pipeline of editing.program.pipelines) {
    let rounds = 0;
    const copied = expandHeaderCopies(editing, pipeline);
    joinResults(editing, pipeline);
    joinInActions(editing, pipeline);
    propagateCopies(editing, pipeline);
    for (;;) {
      const folded = foldConditions(editing, pipeline, { signed, byRange: false });
      const swept = removeDead(editing, pipeline, liveAtEnd(editing, pipeline));
      // What is removed can leave a field unchanged between a copy of its header and the copy back.
      if (copied) propagateCopies(editing, pipeline);
      const unchanged = copied && removeSelfCopies(editing, pipeline);
      if ((!folded && !swept && !unchanged) || rounds++ > MAX_ROUNDS) break;
    }
    if (removeZeros(editing, pipeline, liveAtEnd(editing, pipeline), hasValidity))
      while (removeDead(editing, pipeline, liveAtEnd(editing, pipeline)) && rounds++ < MAX_ROUNDS);
    // What only such a condition reads stays computed.
    foldConditions(editing, pipeline, { signed, byRange: true });
    splitPieces(editing, pipeline, liveAtEnd(editing, pipeline), hasValidity);
  }
}

function signedFields({ headers, header_types: types }: bmv2.Bmv2Program): ReadonlySet<string> {
  const fieldsOf = new Map(types.map(({ name, fields }) => [name, fields]));
  return new Set(
    headers.flatMap(({ name, header_type: type }) =>
      (fieldsOf.get(type) ?? []).flatMap(([field, , signed]) =>
        signed === true ? [`${name}.${field}`] : [],
      ),
    ),
  );
}

/** Fields that something reads after the pipeline: the deparser, the hardware, the other gress. */
function liveAtEnd({ program, headerFields, localHeaders }: Editing, pipeline: bmv2.Pipeline): Set<string> {
  const live = readOutside(program);
  // Of the headers of a Tofino's program, those that a deparser sends.
  const sent = program.architecture && new Set(program.deparsers.flatMap(({ order }) => order));
  for (const [header, fields] of headerFields)
    if (!localHeaders.has(header) && sent?.has(header) !== false)
      for (const field of [...fields, "$valid$"]) live.add(`${header}.${field}`);
  const others = program.pipelines.filter((other) => other !== pipeline);
  const ids = new Set(others.flatMap(({ tables }) => tables.flatMap(({ action_ids }) => action_ids)));
  const primitives = [...program.actions.filter(({ id }) => ids.has(id)), ...program.deparsers].flatMap(
    (one) => one.primitives ?? [],
  );
  for (const primitive of primitives)
    for (const field of partsOf({ program }, primitive).reads) live.add(field);
  for (const other of others) {
    for (const table of other.tables) for (const field of matchedBy(other, table)) live.add(field);
    for (const { expression } of other.conditionals) fieldsIn(expression, live);
  }
  return live;
}
