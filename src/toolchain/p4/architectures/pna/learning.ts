/**
 * Entries that packets add (`add_entry` in the default action of a table with `add_on_miss`). The call keeps the key that was not found and the
 * values of the new entry's action in fields; after the main control the switch adds an entry for each call whose flag is set.
 */
import { defined, fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import { bool, field, number } from "../../lower/build.js";
import {
  controlsOf,
  type Expr,
  type IrAction,
  type IrControl,
  type IrProgram,
  type IrTable,
  type Stmt,
  type StmtOf,
} from "../../lower/ir.js";
import { bits, totalWidth } from "../../lower/ir-types.js";
import { assign, local, toBits } from "../../lower/plain-values.js";
import { forEachStmt, mapBlocks } from "../../lower/walk.js";
import type { NamedFields } from "../../portable/bmv2-program.js";

const lists = new WeakMap<IrProgram, NamedFields[]>();

/** The fields that the switch reads, a list a call: the flag, the profile of the expire time, the key, the values of the action. */
export function learnedEntries(program: IrProgram): readonly NamedFields[] {
  return lists.get(program) ?? [];
}

export function keepLearned(program: IrProgram): void {
  const made: NamedFields[] = [];
  lists.set(program, made);
  for (const control of controlsOf(program, ["control"])) {
    for (const table of control.tables)
      if (
        table.properties.some(
          ({ name, value }) => name === "add_on_miss" && value.kind === "bool" && value.value,
        )
      )
        ownDefault(program, control, table, made);
    // What made these calls are the tables' own actions now; no other table may have the action (`checks.ts`).
    control.actions = control.actions.filter(({ body }) => !addsEntries(body));
  }
}

function addsEntries(body: Stmt[]): boolean {
  let found = false;
  forEachStmt(body, (stmt) => {
    found ||= stmt.kind === "extern" && stmt.name === "add_entry";
  });
  return found;
}

/** The table gets a default action of its own, since the call means this table. */
function ownDefault(program: IrProgram, control: IrControl, table: IrTable, made: NamedFields[]): void {
  const { action } = table.defaultAction;
  // The action may change what the table looked for: its key is kept before.
  const keys: Stmt[] = [];
  const body = (list: Stmt[]): Stmt[] =>
    list.flatMap((stmt) => {
      const inner = mapBlocks(stmt, body);
      return inner.kind === "extern" && inner.name === "add_entry"
        ? kept(program, table, { call: inner, keys }, made)
        : [inner];
    });
  const before = made.length;
  const changed = body(action.body);
  const own: IrAction = { ...action, body: [...keys, ...changed] };
  if (made.length === before) return;
  control.actions.push(own);
  table.actions = table.actions.map((one) => (one.action === action ? { ...one, action: own } : one));
  table.defaultAction = { ...table.defaultAction, action: own };
}

/** What a call becomes; what keeps the key for it goes to `keys`. */
function kept(
  program: IrProgram,
  table: IrTable,
  { call, keys }: { call: StmtOf<"extern">; keys: Stmt[] },
  made: NamedFields[],
): Stmt[] {
  const { args, result, span } = call;
  const [name, params, profile] = args;
  const target = name?.kind === "string" ? actionOf(table, name.value) : undefined;
  if (target === undefined)
    return fail(
      CODES.valueNotConstant,
      span,
      `add_entry names no action of ${table.name}`,
      `its actions are ${table.actions.map(({ action }) => action.name).join(", ")}`,
    );
  const values = [...table.keys.map(({ expression }) => expression), ...partsOf(params)];
  if (values.length !== table.keys.length + target.params.length)
    fail(
      CODES.valueNotConstant,
      span,
      `add_entry gives ${values.length - table.keys.length} values for ${target.name}, which has ${target.params.length} parameters`,
    );
  const flag = local(program, "adds", bits(1), span);
  const time = local(program, "adds_for", bits(8), span);
  const fields = values.map((value) => local(program, "added", bits(totalWidth(value.type)), span));
  made.push({ name: `add_entry ${table.name} ${target.name}`, fields: [flag, time, ...fields] });
  const stored = values.map((value, i) => assign(defined(fields[i]), toBits(value), span));
  keys.push(...stored.slice(0, table.keys.length));
  return [
    assign(flag, number(1n, bits(1), span), span),
    ...(profile === undefined ? [] : [assign(time, toBits(profile), span)]),
    ...stored.slice(table.keys.length),
    ...(result === undefined ? [] : [assign(result, bool(true, span), span)]),
  ];
}

function actionOf({ actions }: IrTable, name: string): IrAction | undefined {
  return actions.find(({ action }) => action.name === name || action.name.endsWith(`.${name}`))?.action;
}

/** The values of the parameters, which come as one number, a list or a struct. */
function partsOf(params: Expr | undefined): Expr[] {
  if (params === undefined) return [];
  if (params.kind === "aggregate") return params.elements;
  const { type, span } = params;
  return type.kind === "struct" ? type.fields.map((one) => field(params, one.name, span)) : [params];
}
