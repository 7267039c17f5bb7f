/** The pragmas of containers (`pa_*`), which may stand anywhere in a program and name fields by their text. */
import type { bmv2 } from "../../../../program/index.js";
import { sourceInfo } from "../../../emit/source-info.js";
import type { Annotation, Declaration, SourceUnit } from "../../../syntax/ast.js";

/** Those of the whole program, in the order of the text. */
export function phvPragmas(unit: SourceUnit): bmv2.PhvPragma[] {
  return unit.declarations.flatMap(annotationsOf).flatMap((one) => {
    if (!one.name.startsWith("pa_")) return [];
    const text = one.body.kind === "unstructured" ? one.body.text : "";
    const args = text
      .split(/[,\s]+/)
      .map((arg) => arg.replaceAll('"', ""))
      .filter((arg) => arg !== "");
    return [{ name: one.name, args, ...sourceInfo(one.span) }];
  });
}

/** The annotations of a declaration and of what it declares. */
function annotationsOf(declaration: Declaration): Annotation[] {
  const own = [...declaration.annotations];
  switch (declaration.kind) {
    case "struct":
    case "header":
    case "headerUnion":
      return [...own, ...declaration.fields.flatMap((field) => field.annotations)];
    case "parser":
      return [
        ...own,
        ...(declaration.body?.locals ?? []).flatMap(annotationsOf),
        ...(declaration.body?.states ?? []).flatMap((state) => state.annotations),
      ];
    case "control":
      return [...own, ...(declaration.body?.locals ?? []).flatMap(annotationsOf)];
    default:
      return own;
  }
}
