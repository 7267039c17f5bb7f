/**
 * Rules that a P4Info keeps beyond its field types (P4Runtime spec 6): ids unique over all kinds and of the
 * right prefix, names and aliases unique within a kind, references that resolve, sane widths and sizes.
 */

import { Diagnostics, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import {
  type MatchField,
  MatchField_MatchType,
  P4Ids_Prefix,
  type Preamble,
} from "./generated/p4/config/v1/p4info_pb.js";
import type { P4DataTypeSpec, P4NamedType } from "./generated/p4/config/v1/p4types_pb.js";
import type { P4Info } from "./message.js";

type Described = { preamble?: Preamble | undefined };

/** Adds an error (P41006 ids and names, P41007 references, P41008 values) per broken rule; true if there is none. */
export function validateP4Info(
  p4info: P4Info,
  diagnostics: Diagnostics = new Diagnostics(),
  span?: Span,
): boolean {
  const before = diagnostics.errorCount;
  const error = (code: string, message: string): void => diagnostics.error(code, span, message);
  checkIdentity(p4info, error);
  const ids = idsByKind(p4info);
  checkActions(p4info, error);
  checkTables(p4info, ids, error);
  checkResources(p4info, ids, error);
  checkTypeNames(p4info, error);
  return diagnostics.errorCount === before;
}

type Report = (code: string, message: string) => void;

/** Kind, its objects, and the highest byte of their ids. */
function kinds(p4info: P4Info): [kind: string, objects: readonly Described[], prefix: number | undefined][] {
  return [
    ["table", p4info.tables, P4Ids_Prefix.TABLE],
    ["action", p4info.actions, P4Ids_Prefix.ACTION],
    ["action profile", p4info.actionProfiles, P4Ids_Prefix.ACTION_PROFILE],
    ["counter", p4info.counters, P4Ids_Prefix.COUNTER],
    ["direct counter", p4info.directCounters, P4Ids_Prefix.DIRECT_COUNTER],
    ["meter", p4info.meters, P4Ids_Prefix.METER],
    ["direct meter", p4info.directMeters, P4Ids_Prefix.DIRECT_METER],
    ["controller header", p4info.controllerPacketMetadata, P4Ids_Prefix.CONTROLLER_HEADER],
    ["value set", p4info.valueSets, P4Ids_Prefix.VALUE_SET],
    ["register", p4info.registers, P4Ids_Prefix.REGISTER],
    ["digest", p4info.digests, P4Ids_Prefix.DIGEST],
    ...p4info.externs.map((e): [string, readonly Described[], number] => [
      `extern ${e.externTypeName}`,
      e.instances,
      e.externTypeId,
    ]),
  ];
}

type Ids = ReadonlyMap<string, ReadonlySet<number>>;

/** The ids of the extern instances of the architecture whose ids say what they are. */
function externIds(p4info: P4Info): ReadonlySet<number> {
  return new Set(
    p4info.externs.flatMap(({ externTypeId, instances }) =>
      instances.map(({ preamble }) => preamble?.id ?? 0).filter((id) => externTypeId === id >>> 24),
    ),
  );
}

function idsByKind(p4info: P4Info): Ids {
  return new Map(kinds(p4info).map(([kind, list]) => [kind, new Set(list.map((o) => o.preamble?.id ?? 0))]));
}

const hex = (id: number): string => `0x${id.toString(16).padStart(8, "0")}`;

function checkIdentity(p4info: P4Info, error: Report): void {
  const owners = new Map<number, string>();
  for (const [kind, objects, prefix] of kinds(p4info)) {
    const names = new Set<string>();
    const aliases = new Set<string>();
    for (const { preamble } of objects) {
      const { id, name, alias } = preamble ?? { id: 0, name: "", alias: "" };
      const what = `${kind} "${name}"`;
      if (name === "") error(CODES.identity, `${kind} ${hex(id)} has no name`);
      else if (names.has(name)) error(CODES.identity, `two objects of kind ${kind} are named "${name}"`);
      if (alias !== "" && aliases.has(alias)) {
        error(CODES.identity, `two objects of kind ${kind} have the alias "${alias}"`);
      }
      names.add(name);
      aliases.add(alias);
      const owner = owners.get(id);
      if (id === 0) error(CODES.identity, `${what} has no id`);
      else if (owner !== undefined) error(CODES.identity, `${what} and ${owner} have the same id ${hex(id)}`);
      else if (prefix !== undefined && id >>> 24 !== prefix) {
        error(
          CODES.identity,
          `${what}: id ${hex(id)} should begin with 0x${prefix.toString(16).padStart(2, "0")}`,
        );
      }
      owners.set(id, what);
    }
  }
}

/** No program has wider values; their masks would exhaust the memory. */
const MAX_BITWIDTH = 1 << 20;

function checkSlots(
  what: string,
  slots: readonly { id: number; name: string; bitwidth: number; typeName?: P4NamedType | undefined }[],
  error: Report,
): void {
  const ids = new Set<number>();
  const names = new Set<string>();
  for (const { id, name, bitwidth, typeName } of slots) {
    if (id === 0) error(CODES.identity, `${what}: "${name}" has no id`);
    else if (ids.has(id)) error(CODES.identity, `${what}: id ${id} is used twice`);
    if (names.has(name)) error(CODES.identity, `${what}: the name "${name}" is used twice`);
    if (bitwidth > MAX_BITWIDTH) {
      error(CODES.value, `${what}: "${name}" is ${bitwidth} bits wide; the maximum is ${MAX_BITWIDTH}`);
    }
    if (bitwidth < 0 || (bitwidth === 0 && typeName === undefined)) {
      error(CODES.value, `${what}: "${name}" is ${bitwidth} bits wide; the minimum is 1`);
    }
    ids.add(id);
    names.add(name);
  }
}

function checkFields(what: string, fields: readonly MatchField[], error: Report): void {
  checkSlots(what, fields, error);
  for (const field of fields) {
    const { match } = field;
    if (match.case === undefined || match.value === MatchField_MatchType.UNSPECIFIED) {
      error(CODES.value, `${what}: field "${field.name}" has no match type`);
    }
  }
}

function checkActions(p4info: P4Info, error: Report): void {
  for (const action of p4info.actions) {
    checkSlots(`action "${action.preamble?.name ?? ""}"`, action.params, error);
  }
}

function checkTables(p4info: P4Info, ids: Ids, error: Report): void {
  const actions = new Map(p4info.actions.map((a) => [a.preamble?.id ?? 0, a]));
  const externs = externIds(p4info);
  const profiles = new Map(p4info.actionProfiles.map((p) => [p.preamble?.id ?? 0, p]));
  for (const table of p4info.tables) {
    const id = table.preamble?.id ?? 0;
    const what = `table "${table.preamble?.name ?? ""}"`;
    checkFields(what, table.matchFields, error);
    const own = new Set<number>();
    for (const ref of table.actionRefs) {
      if (!actions.has(ref.id))
        error(CODES.reference, `${what} refers to action ${hex(ref.id)}, which does not exist`);
      if (own.has(ref.id)) error(CODES.identity, `${what} lists action ${hex(ref.id)} twice`);
      own.add(ref.id);
    }
    const constant = table.constDefaultActionId;
    if (constant !== 0 && !own.has(constant)) {
      error(CODES.reference, `${what}: its constant default action ${hex(constant)} is none of its actions`);
    }
    const initial = table.initialDefaultAction;
    if (initial !== undefined) {
      const params = new Set(actions.get(initial.actionId)?.params.map((p) => p.id));
      if (!own.has(initial.actionId)) {
        error(
          CODES.reference,
          `${what}: its initial default action ${hex(initial.actionId)} is none of its actions`,
        );
      } else if (constant !== 0 && constant !== initial.actionId) {
        error(CODES.reference, `${what}: constant and initial default action differ`);
      } else {
        for (const argument of initial.arguments) {
          if (!params.delete(argument.paramId)) {
            error(
              CODES.reference,
              `${what}: the initial default action has no parameter ${argument.paramId}`,
            );
          }
        }
        if (params.size > 0 && initial.arguments.length > 0) {
          error(CODES.reference, `${what}: arguments of the initial default action are missing`);
        }
      }
    }
    const implementation = table.implementationId;
    if (implementation !== 0 && !externs.has(implementation)) {
      const profile = profiles.get(implementation);
      if (profile === undefined) {
        error(
          CODES.reference,
          `${what} refers to action profile ${hex(implementation)}, which does not exist`,
        );
      } else if (!profile.tableIds.includes(id)) {
        error(
          CODES.reference,
          `${what} uses action profile "${profile.preamble?.name}", which does not list it`,
        );
      }
    }
    for (const resource of table.directResourceIds) {
      const standard = ids.get("direct counter")?.has(resource) || ids.get("direct meter")?.has(resource);
      if (!standard && !externs.has(resource)) {
        error(CODES.reference, `${what} refers to direct resource ${hex(resource)}, which does not exist`);
      }
    }
    if (table.size < 0n) error(CODES.value, `${what} has the negative size ${table.size}`);
  }
}

function checkResources(p4info: P4Info, ids: Ids, error: Report): void {
  const tables = new Map(p4info.tables.map((t) => [t.preamble?.id ?? 0, t]));
  for (const profile of p4info.actionProfiles) {
    const what = `action profile "${profile.preamble?.name ?? ""}"`;
    for (const id of profile.tableIds) {
      if (!ids.get("table")?.has(id))
        error(CODES.reference, `${what} refers to table ${hex(id)}, which does not exist`);
    }
    if (profile.size < 0n) error(CODES.value, `${what} has the negative size ${profile.size}`);
    if (profile.maxGroupSize < 0) error(CODES.value, `${what}: max_group_size is ${profile.maxGroupSize}`);
    if (!profile.withSelector && profile.maxGroupSize !== 0) {
      error(CODES.value, `${what} has no selector, so max_group_size must be 0, not ${profile.maxGroupSize}`);
    }
  }
  for (const [kind, list] of [
    ["direct counter", p4info.directCounters],
    ["direct meter", p4info.directMeters],
  ] as const) {
    for (const resource of list) {
      const what = `${kind} "${resource.preamble?.name ?? ""}"`;
      const table = tables.get(resource.directTableId);
      if (table === undefined) {
        error(
          CODES.reference,
          `${what} refers to table ${hex(resource.directTableId)}, which does not exist`,
        );
      } else if (!table.directResourceIds.includes(resource.preamble?.id ?? 0)) {
        error(CODES.reference, `${what} belongs to table "${table.preamble?.name}", which does not list it`);
      }
    }
  }
  for (const [kind, list] of [
    ["counter", p4info.counters],
    ["meter", p4info.meters],
    ["register", p4info.registers],
    ["value set", p4info.valueSets],
  ] as const) {
    for (const { preamble, size } of list) {
      if (size < 0) error(CODES.value, `${kind} "${preamble?.name ?? ""}" has the negative size ${size}`);
    }
  }
  for (const set of p4info.valueSets)
    checkFields(`value set "${set.preamble?.name ?? ""}"`, set.match, error);
  for (const header of p4info.controllerPacketMetadata) {
    checkSlots(`controller header "${header.preamble?.name ?? ""}"`, header.metadata, error);
  }
}

/** Every named type that digests and registers use must be described. */
function checkTypeNames(p4info: P4Info, error: Report): void {
  const types = p4info.typeInfo;
  const done = new Set<string>();
  const visit = (what: string, spec: P4DataTypeSpec | undefined): void => {
    const type = spec?.typeSpec;
    if (type === undefined || type.case === undefined) {
      error(CODES.value, `${what} has no type`);
      return;
    }
    const need = (map: string, name: string, found: boolean): boolean => {
      if (!found) error(CODES.reference, `${what} uses ${map} "${name}", which type_info does not describe`);
      const key = `${map} ${name}`;
      return found && !done.has(key) && done.add(key) !== undefined;
    };
    switch (type.case) {
      case "tuple":
        for (const member of type.value.members) visit(what, member);
        break;
      case "struct": {
        const { name } = type.value;
        const struct = types?.structs[name];
        if (need("struct", name, struct !== undefined)) {
          for (const member of struct!.members) visit(`${what}: member "${member.name}"`, member.typeSpec);
        }
        break;
      }
      case "newType": {
        const { name } = type.value;
        const representation = types?.newTypes[name]?.representation;
        if (need("type", name, representation !== undefined) && representation?.case === "originalType") {
          visit(what, representation.value);
        }
        break;
      }
      case "header":
        need("header", type.value.name, types?.headers[type.value.name] !== undefined);
        break;
      case "headerUnion":
        need("header union", type.value.name, types?.headerUnions[type.value.name] !== undefined);
        break;
      case "enum":
        need("enum", type.value.name, types?.enums[type.value.name] !== undefined);
        break;
      case "serializableEnum":
        need("enum", type.value.name, types?.serializableEnums[type.value.name] !== undefined);
        break;
      default:
    }
  };
  for (const digest of p4info.digests) visit(`digest "${digest.preamble?.name ?? ""}"`, digest.typeSpec);
  for (const register of p4info.registers)
    visit(`register "${register.preamble?.name ?? ""}"`, register.typeSpec);
}
