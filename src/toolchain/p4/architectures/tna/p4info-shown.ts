/** What a TNA program shows in P4Info besides tables and actions: entries of `externs` before their ids are known. */
import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import type { p4info } from "../../../program/index.js";
import type { SymbolKind } from "../../emit/p4info-symbols.js";
import type { TypeRegistry } from "../../emit/p4info-types.js";
import type { ExternInstance } from "../../lower/ir.js";
import type { Annotation } from "../../syntax/ast.js";

type InstanceInit = MessageInitShape<typeof p4info.ExternInstanceSchema>;

/**
 * What stands in P4Info under one name. `message` is made when all ids are known; without it the name alone counts, from which aliases must
 * differ.
 */
export interface Shown {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly annotations: readonly Annotation[];
  readonly span?: ExternInstance["span"];
  readonly message?: (types: TypeRegistry) => NonNullable<InstanceInit["info"]>;
}

/** A message in the form in which P4Info holds it. */
export function packed<Desc extends DescMessage>(
  schema: Desc,
  init: MessageInitShape<Desc>,
): NonNullable<InstanceInit["info"]> {
  return anyPack(schema, create(schema, init));
}
