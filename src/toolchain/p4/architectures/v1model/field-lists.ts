/**
 * The lists of metadata fields that clone, resubmit and recirculate keep. A field belongs to the lists that its
 * `@field_list(1, 2)` names. The annotation can also be on a field whose type is a struct, or on the declaration of
 * a struct: then it holds for every field inside, however deep. As in p4c, which flattens the metadata first, the
 * outermost annotation decides.
 */

import { elementAt, field as fieldPlace, variable } from "../../lower/build.js";
import { isZeroWidth } from "../../lower/fold.js";
import type { AggregateType, Expr } from "../../lower/ir.js";
import type { Annotation } from "../../syntax/ast.js";
import type { V1model } from "./view.js";

/** The fields of every list, by the number of the list; lists and fields in the order in which the fields are declared. */
export function fieldLists(program: Pick<V1model, "metadata">): Map<number, Expr[]> {
  const lists = new Map<number, Expr[]>();
  const { type } = program.metadata;
  if (type.kind === "struct") collect(variable(program.metadata), type, declared(type), lists);
  return lists;
}

/** Adds the fields below `place` to their lists; `outer` are the lists that something around it names. */
function collect(
  place: Expr,
  type: AggregateType,
  outer: readonly number[] | undefined,
  lists: Map<number, Expr[]>,
): void {
  for (const field of type.fields) {
    const inside = fieldPlace(place, field.name);
    const own = outer ?? listsOf(field.annotations);
    if (field.type.kind === "struct") collect(inside, field.type, declared(field.type) ?? own, lists);
    else for (const index of own ?? []) lists.set(index, [...(lists.get(index) ?? []), ...scalarsOf(inside)]);
  }
}

/** The lists that the declaration of a struct names. */
function declared(type: AggregateType): readonly number[] | undefined {
  return listsOf(type.annotations ?? []);
}

/** The numbers in the first `@field_list`; undefined when there is none. */
function listsOf(annotations: readonly Annotation[]): readonly number[] | undefined {
  const body = annotations.find((annotation) => annotation.name === "field_list")?.body;
  if (body?.kind !== "unstructured" && body?.kind !== "expressions") return undefined;
  const numbers = (body.values ?? []).flatMap(({ constant }) =>
    constant?.kind === "integer" ? [Number(constant.value)] : [],
  );
  return [...new Set(numbers)];
}

/** The scalars that a field of the metadata holds: it can be a header, a union or a stack. */
function scalarsOf(place: Expr): Expr[] {
  const { type } = place;
  if (type.kind === "stack")
    return Array.from({ length: type.size }, (_, index) => scalarsOf(elementAt(place, index))).flat();
  if (type.kind === "struct" || type.kind === "header" || type.kind === "union")
    return type.fields.flatMap((field) => scalarsOf(fieldPlace(place, field.name)));
  return isZeroWidth(place) ? [] : [place];
}
