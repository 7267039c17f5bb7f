/**
 * Copies of whole headers that the front end makes where the arguments of a control overlap (`c.apply(hdr.h.f, hdr)`): it gives the
 * parameter storage of its own. The compiler copies field by field, so that its copy propagation and its dead code elimination remove
 * what no statement between changes (p4c, backends/tofino/bf-p4c/midend/copy_header.cpp).
 */
import { defined } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { actionsOf, type Editing, isPrivate } from "./graph.js";

/** Writes copies from and to headers that no parser and no deparser names as copies of fields. True when there are some. */
export function expandHeaderCopies(editing: Editing, pipeline: bmv2.Pipeline): boolean {
  let found = false;
  for (const table of pipeline.tables)
    for (const action of actionsOf(editing, table)) {
      // Numbers of primitives are the targets of jumps.
      if (!isPrivate(editing, action) || action.primitives.some(({ op }) => op.startsWith("_jump"))) continue;
      action.primitives = action.primitives.flatMap((primitive) => {
        const fields = copiedFields(editing, primitive);
        found ||= fields !== undefined;
        return fields ?? [primitive];
      });
    }
  return found;
}

function copiedFields(
  { headerFields, localHeaders }: Editing,
  { op, parameters, source_info }: bmv2.Primitive,
): bmv2.Primitive[] | undefined {
  const [target, value] = parameters;
  if (op !== "assign_header" || target?.type !== "header" || value?.type !== "header") return undefined;
  if (!localHeaders.has(target.value) && !localHeaders.has(value.value)) return undefined;
  const names = [...defined(headerFields.get(target.value)), "$valid$"];
  return names.map((name) => ({
    op: "assign",
    parameters: [
      { type: "field", value: [target.value, name] },
      { type: "field", value: [value.value, name] },
    ],
    ...(source_info === undefined ? {} : { source_info }),
  }));
}

/** Removes assignments of a field to itself. True when there were some. */
export function removeSelfCopies(editing: Editing, pipeline: bmv2.Pipeline): boolean {
  let changed = false;
  for (const table of pipeline.tables)
    for (const action of actionsOf(editing, table)) {
      if (action.primitives.some(({ op }) => op.startsWith("_jump"))) continue;
      const kept = action.primitives.filter(({ op, parameters: [target, value] }) => {
        if (op !== "assign" || target?.type !== "field" || value?.type !== "field") return true;
        return target.value.join(".") !== value.value.join(".");
      });
      changed ||= kept.length < action.primitives.length;
      action.primitives = kept;
    }
  return changed;
}

/**
 * What a primitive does to headers as wholes: fields that it may change in a way that no destination states, and fields that it may
 * read. An element of a stack stands for the whole stack.
 */
export function wholeHeaders(
  { headerFields }: Editing,
  { op, parameters }: bmv2.Primitive,
): { readonly sets: readonly string[]; readonly reads: readonly string[] } {
  const named = parameters.flatMap((value) =>
    value.type === "header" || value.type === "header_stack" || value.type === "header_union"
      ? [String(value.value)]
      : [],
  );
  if (named.length === 0) return NOTHING;
  if (op === "add_header" || op === "remove_header")
    return { sets: named.map((name) => `${name}.$valid$`), reads: [] };
  const all = [...headerFields].flatMap(([header, fields]) =>
    named.some((name) => header === name || header.startsWith(`${name}[`) || header.startsWith(`${name}.`))
      ? [...fields.map((field) => `${header}.${field}`), `${header}.$valid$`]
      : [],
  );
  return { sets: all, reads: all };
}

const NOTHING = { sets: [], reads: [] } as const;
