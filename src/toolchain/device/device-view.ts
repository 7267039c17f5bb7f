/**
 * A program as its device sees it. P4Info gives values of translated types (`@p4runtime_translation`) as a
 * controller sees them: as strings, or as numbers of another width. The BMv2 JSON has the widths that the
 * device works with.
 */
import { clone, create } from "@bufbuild/protobuf";
import {
  type Bmv2Program,
  type P4Info,
  type Program,
  p4info as p4infoMessages,
  p4types,
} from "../program/index.js";

type Slot = { bitwidth: number; typeName?: p4types.P4NamedType | undefined };

/** Widths of the device's fields by header instance and field name. */
class FieldWidths {
  readonly #types: ReadonlyMap<string, ReadonlyMap<string, number | "*">>;
  readonly #instances: ReadonlyMap<string, string>;

  constructor(readonly bmv2: Bmv2Program) {
    this.#types = new Map(
      bmv2.header_types.map(({ name, fields }) => [
        name,
        new Map(fields.map(([field, width]) => [field, width])),
      ]),
    );
    this.#instances = new Map(bmv2.headers.map(({ name, header_type }) => [name, header_type]));
  }

  of(header: string, field: string): number | undefined {
    const width = this.#types.get(this.#instances.get(header) ?? "")?.get(field);
    return width === "*" ? undefined : width;
  }
}

/** Width in the device of each translated type that the program uses, by name. */
export function typeWidths({ p4info, bmv2 }: Program): Map<string, number> {
  const found = new Map<string, number>();
  const newTypes = p4info.typeInfo?.newTypes ?? {};
  const use = (name: string | undefined, width: number | "*" | undefined): void => {
    if (name === undefined || typeof width !== "number") return;
    if (newTypes[name]?.representation.case !== "translatedType") return;
    found.set(name, Math.min(width, found.get(name) ?? width));
  };
  for (const { preamble, params } of p4info.actions) {
    const action = bmv2.actions.find(({ name }) => name === preamble?.name);
    for (const [i, param] of params.entries()) use(param.typeName?.name, action?.runtime_data[i]?.bitwidth);
  }
  const widths = new FieldWidths(bmv2);
  const tables = new Map(bmv2.pipelines.flatMap((p) => p.tables).map((table) => [table.name, table]));
  for (const { preamble, matchFields } of p4info.tables) {
    const key = tables.get(preamble?.name ?? "")?.key ?? [];
    for (const [i, field] of matchFields.entries()) {
      const target = key[i]?.target;
      use(field.typeName?.name, Array.isArray(target) ? widths.of(...target) : undefined);
    }
  }
  for (const { metadata } of p4info.controllerPacketMetadata) {
    // BMv2 JSON does not say which header is the controller's: it is the one with these fields
    const names = metadata.map(({ name }) => name).join(" ");
    const header = bmv2.header_types.find(({ fields }) => fields.map(([name]) => name).join(" ") === names);
    for (const [i, field] of metadata.entries()) use(field.typeName?.name, header?.fields[i]?.[1]);
  }
  for (const { preamble, typeSpec } of p4info.digests) {
    const list = bmv2.learn_lists.find(({ name }) => name === preamble?.name);
    for (const [i, member] of digestMembers(p4info, typeSpec).entries()) {
      const element = list?.elements[i];
      if (element?.type !== "field" || member.typeSpec.case !== "newType") continue;
      use(member.typeSpec.value.name, widths.of(...element.value));
    }
  }
  return found;
}

function digestMembers(
  p4info: P4Info,
  spec: p4types.P4DataTypeSpec | undefined,
): readonly p4types.P4DataTypeSpec[] {
  const type = spec?.typeSpec;
  if (type?.case === "tuple") return type.value.members;
  if (type?.case !== "struct") return spec === undefined ? [] : [spec];
  const members = p4info.typeInfo?.structs[type.value.name]?.members ?? [];
  return members.map((member) => member.typeSpec ?? create(p4types.P4DataTypeSpecSchema));
}

/** The program with the device's own widths in its P4Info, no type translated; itself where none is. */
export function deviceView(program: Program): Program {
  const types = Object.values(program.p4info.typeInfo?.newTypes ?? {});
  if (!types.some((type) => type.representation.case === "translatedType")) return program;
  const p4info = clone(p4infoMessages.P4InfoSchema, program.p4info);
  const widths = typeWidths(program);
  const slots: Slot[] = [
    ...p4info.actions.flatMap(({ params }) => params),
    ...p4info.tables.flatMap(({ matchFields }) => matchFields),
    ...p4info.valueSets.flatMap(({ match }) => match),
    ...p4info.controllerPacketMetadata.flatMap(({ metadata }) => metadata),
  ];
  for (const slot of slots) slot.bitwidth = widths.get(slot.typeName?.name ?? "") ?? slot.bitwidth;
  for (const [name, type] of Object.entries(p4info.typeInfo?.newTypes ?? {})) {
    const width = widths.get(name);
    if (type.representation.case !== "translatedType" || width === undefined) continue;
    const value = create(p4types.P4BitstringLikeTypeSpecSchema, {
      typeSpec: { case: "bit", value: { bitwidth: width } },
    });
    type.representation = {
      case: "originalType",
      value: create(p4types.P4DataTypeSpecSchema, { typeSpec: { case: "bitstring", value } }),
    };
  }
  return { bmv2: program.bmv2, p4info };
}
