/** What a pipe shows without being asked: the value sets of its parsers, the metadata of ports, and the fields that snapshots capture. */
import { defined } from "../../../../base/index.js";
import { tofino } from "../../../program/index.js";
import { flatFields } from "../../emit/p4info-types.js";
import type { IrBlock, IrParser, IrPipe, IrProgram, IrType } from "../../lower/ir.js";
import { nameAnnotation } from "../../lower/ir-types.js";
import { forEachStmt, statesOfParser } from "../../lower/walk.js";
import type {
  ControlDeclaration,
  Parameter,
  ParserDeclaration,
  SourceUnit,
  StructLikeDeclaration,
} from "../../syntax/ast.js";
import { substitute, type Type } from "../../types/index.js";
import { pipesInOrder, prefixOf, usedValueSets } from "./p4info-scope.js";
import { packed, type Shown } from "./p4info-shown.js";

export function valueSets(program: IrProgram): Shown[] {
  return pipesInOrder(program).flatMap((pipe) =>
    pipe.blocks.flatMap((block) =>
      block.kind !== "parser"
        ? []
        : usedValueSets(block.body).map(
            (set): Shown => ({
              kind: "tnaValueSet",
              name: parserPrefix(pipe, block) + set.name,
              annotations: set.annotations,
              span: set.span,
              message: (types) =>
                packed(tofino.ValueSetSchema, { typeSpec: types.describe(set.element), size: set.size }),
            }),
          ),
    ),
  );
}

// ---------------------------------------------------------------- ports

const INTRINSIC = "ingress_intrinsic_metadata_t";
/** The name where the parser takes no intrinsic metadata. */
const NO_PARAMETER = "phase0_data";

/** Each ingress parser has an entry, with the type to which it unpacks what is known of the port. */
export function portMetadata(program: IrProgram, unit: SourceUnit): Shown[] {
  return pipesInOrder(program).flatMap((pipe) =>
    pipe.blocks.flatMap((block): Shown[] => {
      if (block.kind !== "parser" || block.role !== "ingressParser") return [];
      const { name } = block.body;
      const param = parametersOf(unit, "parser", name).find((one) => typeName(one.type) === INTRINSIC);
      const unpacked = unpackedType(block.body, unit);
      return [
        {
          kind: "tnaPortMetadata",
          name: portMetadataName(pipe, block),
          annotations: [],
          message: (types) =>
            packed(tofino.PortMetadataSchema, {
              keyName: param?.name.name ?? NO_PARAMETER,
              ...(unpacked === undefined ? {} : { typeSpec: types.describe(unpacked) }),
            }),
        },
      ];
    }),
  );
}

/** Which parsers each gress of a pipe with several chooses from. The names are the architecture's: the type of a parser can repeat. */
export function parserChoices(program: IrProgram): Shown[] {
  return pipesInOrder(program).flatMap((pipe) =>
    (["ingressParser", "egressParser"] as const).flatMap((role): Shown[] => {
      const choices = pipe.blocks.flatMap(({ body, slot, ...block }) =>
        slot === undefined || block.role !== role ? [] : [{ slot, typeName: body.name }],
      );
      const [first] = choices;
      if (first === undefined) return [];
      const name = prefixOf(pipe) + first.slot.group;
      return [
        {
          kind: "tnaParserChoices",
          name,
          annotations: [],
          message: () =>
            packed(tofino.ParserChoicesSchema, {
              pipe: pipe.name,
              direction: role === "egressParser" ? tofino.Direction.EGRESS : tofino.Direction.INGRESS,
              choices: choices.map(({ slot, typeName }) => ({
                archName: `${name}.${slot.parameter}`,
                typeName,
              })),
            }),
        },
      ];
    }),
  );
}

/** The name of the table of a parser's port metadata. */
export function portMetadataName(pipe: IrPipe, block: IrBlock): string {
  return `${parserPrefix(pipe, block)}${block.slot === undefined ? `${block.body.name}.` : ""}$PORT_METADATA`;
}

/** What precedes the names of a parser's value sets; of several parsers, the place, which begins with the switch's parameter. */
function parserPrefix(pipe: IrPipe, { slot }: IrBlock): string {
  return slot === undefined ? prefixOf(pipe) : `${pipe.parameter}.${slot.group}.${slot.parameter}.`;
}

function unpackedType(parser: IrParser, unit: SourceUnit): Type | undefined {
  let found: IrType | undefined;
  for (const state of statesOfParser(parser))
    forEachStmt(state.body, (stmt) => {
      if (stmt.kind === "extern" && stmt.name === "port_metadata_unpack") found ??= stmt.result?.type;
    });
  if (found?.kind === "bits") return { kind: found.signed ? "int" : "bit", width: found.width };
  return found?.kind === "struct" || found?.kind === "header" ? declaredType(unit, found.name) : undefined;
}

function declaredType(unit: SourceUnit, name: string): Type | undefined {
  const declaration = unit.declarations.find(
    (one): one is StructLikeDeclaration =>
      (one.kind === "struct" || one.kind === "header") && one.name.name === name,
  );
  if (declaration === undefined) return undefined;
  const fields = declaration.fields.flatMap((field) => {
    const type = field.type ?? field.typeExpression.type;
    return type === undefined ? [] : [{ name: field.name.name, type }];
  });
  return { kind: declaration.kind as "struct" | "header", declaration, args: [], fields };
}

// ---------------------------------------------------------------- snapshots

/** The fields that each ingress and egress can see. A field of one name has one number in the whole program. */
export function snapshots(program: IrProgram, unit: SourceUnit): Shown[] {
  const ids = new Map<string, number>();
  const all = pipesInOrder(program).flatMap((pipe) => snapshotsOf(pipe, unit, ids));
  // The open compiler writes the egress first more often than not: its order is that of addresses.
  return all.reverse();
}

function snapshotsOf(pipe: IrPipe, unit: SourceUnit, ids: Map<string, number>): Shown[] {
  return (["ingress", "egress"] as const).flatMap((role): Shown[] => {
    const block = pipe.blocks.find((one) => one.role === role);
    if (block === undefined) return [];
    const { name } = block.body;
    const fields: { id: number; name: string; bitwidth: number }[] = [];
    for (const [index, param] of parametersOf(unit, "control", name).entries())
      if (param.type !== undefined)
        visit(substitute(param.type, block.types), param.name.name, index === 0, (path, bitwidth) => {
          const id = ids.get(path) ?? ids.size + 1;
          ids.set(path, id);
          fields.push({ id, name: path, bitwidth });
        });
    return [
      {
        kind: "tnaSnapshot",
        name: `${prefixOf(pipe)}${name}.${name}`,
        annotations: [],
        message: () =>
          packed(tofino.SnapshotSchema, {
            pipe: pipe.name,
            direction: role === "egress" ? tofino.Direction.EGRESS : tofino.Direction.INGRESS,
            fields: fields.sort((a, b) => a.id - b.id),
          }),
      },
    ];
  });
}

type Add = (path: string, bitwidth: number) => void;

/** Numbers alone; of a header also its validity where `withValidity`. */
function visit(type: Type, path: string, withValidity: boolean, add: Add): void {
  switch (type.kind) {
    case "bit":
    case "int":
      add(path, type.width);
      break;
    case "serializableEnum":
    case "newType":
      visit(type.underlying, path, withValidity, add);
      break;
    case "stack":
      for (let i = 0; i < type.size; i++) visit(type.element, `${path}$${i}`, withValidity, add);
      break;
    case "header":
      if (withValidity) add(`${path}.$valid`, 1);
      for (const one of flatFields(type)) visit(one.type, `${path}.${one.name}`, withValidity, add);
      break;
    case "struct":
    case "headerUnion":
      for (const [index, one] of type.fields.entries()) {
        const own = nameAnnotation(type.declaration.fields[index]?.annotations ?? []) ?? one.name;
        visit(one.type, `${path}.${own}`, withValidity, add);
      }
      break;
    default:
  }
}

// ---------------------------------------------------------------- declarations

/** The parameters of a parser or control of the program, with the user's names and types. */
function parametersOf(unit: SourceUnit, kind: "parser" | "control", name: string): readonly Parameter[] {
  const found = unit.declarations.find(
    (one): one is ParserDeclaration | ControlDeclaration => one.kind === kind && one.name.name === name,
  );
  return defined(found).params;
}

function typeName(type: Type | undefined): string | undefined {
  return type?.kind === "header" || type?.kind === "struct" ? type.declaration.name.name : undefined;
}
