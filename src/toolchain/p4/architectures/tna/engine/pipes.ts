/** Where the switch finds the intrinsic metadata of a pipe. */
import type { bmv2 } from "../../../../program/index.js";
import type { Layout } from "../../../emit/layout.js";
import { field, variable } from "../../../lower/build.js";
import type { IrPipe } from "../../../lower/ir.js";

/** Storage of the lowered program that the switch reads and writes, by gress. */
const INTRINSIC = {
  ingress: ["tm", "parser", "deparser"],
  egress: ["parser", "deparser", "port"],
} as const;

export function pipeInfo(
  layout: Layout,
  pipe: IrPipe,
  { ingress, egress, ghost }: Omit<bmv2.PipeInfo, "name">,
): bmv2.PipeInfo {
  const fields = ghost && ghostFields(layout, pipe);
  return {
    name: pipe.name,
    ingress: { ...ingress, fields: fieldsOf(layout, pipe, "ingress") },
    egress: { ...egress, fields: fieldsOf(layout, pipe, "egress") },
    ...(ghost === undefined || fields === undefined ? {} : { ghost: { ...ghost, fields } }),
  };
}

function ghostFields(layout: Layout, pipe: IrPipe): Record<string, bmv2.FieldRef> {
  const home = pipe.storage.get("ghost.intrinsic");
  if (home === undefined || !("fields" in home.type)) return {};
  return Object.fromEntries(
    home.type.fields.map(({ name }) => [name, layout.field(field(variable(home), name))]),
  );
}

function fieldsOf(layout: Layout, pipe: IrPipe, gress: "ingress" | "egress"): Record<string, bmv2.FieldRef> {
  const found: Record<string, bmv2.FieldRef> = {};
  for (const part of INTRINSIC[gress]) {
    const home = pipe.storage.get(`${gress}.${part}`);
    if (home?.type.kind !== "struct") continue;
    for (const { name } of home.type.fields)
      found[`${part}.${name}`] = layout.field(field(variable(home), name));
  }
  return found;
}
