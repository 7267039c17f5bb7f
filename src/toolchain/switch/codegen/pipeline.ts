/** Ingress and egress as functions `NAME(s)`: tables and conditionals in the order of the control graph. */
import { defined } from "../../../base/index.js";
import { type bmv2, bmv2Number } from "../../program/index.js";
import { ownPlace } from "../state/own-state.js";
import { fieldKind, type KeyShape, keyShape } from "../tables/shape.js";
import { mayExit, type Resources } from "./action.js";
import { Emitter } from "./emitter.js";
import { ExpressionWriter, Unsupported, unionValid } from "./expression.js";
import { writeGraph } from "./graph.js";
import { recordPlace } from "./lookup.js";
import { NumberWriter, type StoredWords, word } from "./number.js";
import { StoreWriter } from "./store.js";
import type { TracePoints } from "./trace-points.js";

/** Maximum number of joins of one control that a packet passes; only a program that loops forever has more. */
const MAX_JUMPS = 1 << 20;

export interface PipelineContext {
  readonly resources: Resources;
  readonly actions: ReadonlyMap<number, bmv2.Bmv2Action>;
  /** Number of an action's name, the same for all actions of that name. */
  readonly actionNumbers: ReadonlyMap<string, number>;
  /** Place of a table in the state's list `T`, of a profile in `Q`, of a meter array in `M`. */
  readonly tables: ReadonlyMap<string, number>;
  readonly profiles: ReadonlyMap<string, number>;
  readonly meters: ReadonlyMap<string, bmv2.MeterArray>;
  /** Keys of the tables, in the order of the state's list. */
  readonly shapes: readonly KeyShape[];
  /** A key of an invalid header counts as 0. */
  readonly guarded: boolean;
  /** Words of an entry's record: its action and parameters, or the member or group it names. */
  recordWords(table: bmv2.Bmv2Table): number;
  /** Words of a member's record: its action and parameters. */
  profileWords(profile: string): number;
  /** Function that hashes for the profile's selector. */
  selectorHash(profile: string): string;
}

export function tableShape(resources: Resources, table: bmv2.Bmv2Table): KeyShape {
  const expressions = new ExpressionWriter({
    layout: resources.layout,
    numbers: new NumberWriter(new Emitter()),
  });
  return keyShape(
    table.key.map((key, i) => {
      const { range } = keyNumber(expressions, key);
      const target = typeof key.target === "string" ? key.target : key.target.join(".");
      return {
        name: key.name ?? (target || String(i)),
        kind: fieldKind(key.match_type),
        width: range.width,
      };
    }),
  );
}

/** The key part as stored words; with its guard (a header's validity), under which it counts as 0. */
function keyNumber(expressions: ExpressionWriter, key: bmv2.TableKey): StoredWords {
  if (typeof key.target === "string") return expressions.field([key.target, "$valid$"]);
  return expressions.field(key.target);
}

export function writePipeline(name: string, pipeline: bmv2.Pipeline, context: PipelineContext): string {
  const out = new Emitter();
  const writer = new NodeWriter(out, context);
  const nodes = new Map<string, bmv2.Bmv2Table | bmv2.Conditional>();
  for (const table of pipeline.tables) nodes.set(table.name, table);
  for (const conditional of pipeline.conditionals) nodes.set(conditional.name, conditional);
  out.open(`function ${name}(s)`);
  out.line("const P = s.phv;");
  out.line("let jumps = 0;");
  writeGraph(out, {
    start: pipeline.init_table,
    nodes,
    successors: (node) =>
      "expression" in node ? [node.true_next, node.false_next] : tableSuccessors(node, context),
    write: (node, go) => ("expression" in node ? writer.conditional(node, go) : writer.table(node, go)),
    end: "return;",
    beforeJump: `if (++jumps > ${MAX_JUMPS}) { s.abort("endless_loop", "endless loop in a control"); return; }`,
  });
  out.close();
  return out.toString();
}

/** The successors of a table, one for each place where its code continues. */
function tableSuccessors(table: bmv2.Bmv2Table, context: PipelineContext): (string | null)[] {
  const other = table.base_default_next ?? null;
  if ("__HIT__" in table.next_tables || "__MISS__" in table.next_tables)
    return [table.next_tables.__HIT__ ?? null, table.next_tables.__MISS__ ?? null];
  const nexts = table.action_ids.map(
    (id) => table.next_tables[defined(context.actions.get(id)).name] ?? null,
  );
  return nexts.every((next) => next === other) ? [other] : [...nexts, other];
}

type Go = (next: string | null) => void;

class NodeWriter {
  constructor(
    readonly out: Emitter,
    readonly context: PipelineContext,
  ) {}

  get #trace(): TracePoints | undefined {
    return this.context.resources.trace;
  }

  #expressions(): ExpressionWriter {
    return new ExpressionWriter({
      layout: this.context.resources.layout,
      numbers: new NumberWriter(this.out),
    });
  }

  conditional(node: bmv2.Conditional, go: Go): void {
    const condition = this.#expressions().condition(node.expression);
    const point = { kind: "branch", expression: node.expression, source: node.source_info } as const;
    this.out.open(`if (${this.#trace?.call("branch", point, condition) ?? condition})`);
    go(node.true_next);
    this.out.otherwise();
    go(node.false_next);
    this.out.close();
  }

  /** The only action of a table that the compiler made from statements of a control: it always runs, since no controller can change it. */
  #onlyAction(table: bmv2.Bmv2Table): bmv2.Bmv2Action | undefined {
    const [id, ...others] = table.action_ids;
    const action = this.context.actions.get(id ?? -1);
    const fixed = table.default_entry?.action_const && table.default_entry.action_id === id;
    const plain =
      table.key.length === 0 &&
      table.type === "simple" &&
      !table.with_counters &&
      table.direct_meters === null &&
      !table.support_timeout;
    const sole = others.length === 0 && action?.runtime_data.length === 0;
    return fixed && plain && sole && this.#trace === undefined ? action : undefined;
  }

  table(table: bmv2.Bmv2Table, go: Go): void {
    const { out, context } = this;
    const only = this.#onlyAction(table);
    const next = only === undefined ? undefined : table.next_tables[only.name];
    if (only !== undefined && next !== undefined) {
      if (only.primitives.length > 0) out.line(`action${only.id}(s, P);`);
      if (mayExit(only.primitives)) out.line("if (s.exit !== 0) return;");
      go(next);
      return;
    }
    const index = defined(context.tables.get(table.name));
    const [t, e, a, data, at] = ["t", "e", "a", "A", "o"].map((prefix) => out.fresh(prefix));
    const x = ownPlace("indexes", index);
    if (this.#trace !== undefined) out.line(this.#trace.before(index));
    out.line(`const ${t} = ${ownPlace("tables", index)};`);
    if (table.key.length === 0) out.line(`const ${e} = ${t}.only;`);
    else out.line(`const ${e} = lookup${index}(${x}, ${this.#keys(table).join(", ")});`);
    if (table.entry_target !== undefined) {
      const target = defined(context.resources.layout.field(...table.entry_target));
      context.resources.layout.changes.fields.add(target.at);
      out.line(`P[${target.at}] = ${e};`);
    }
    out.line(`let ${a} = ${t}.defaultAction, ${data} = ${t}.defaultData, ${at} = 0;`);
    out.open(`if (${e} >= 0)`);
    if (table.with_counters)
      out.line(`${t}.counts[2 * ${e}]++; ${t}.counts[2 * ${e} + 1] += s.ingressLength;`);
    if (table.direct_meters !== null) this.#meter(table, t!, e!);
    if (table.support_timeout && !table.expires) out.line(`${t}.touch(${e}, s.own.time());`);
    const record = recordPlace(defined(context.shapes[index]), context.recordWords(table), x, e!);
    if (table.type === "simple") {
      out.line(`${data} = ${record.words}; ${at} = ${record.at} + 1;`);
      out.line(`${a} = ${data}[${at} - 1];`);
    } else this.#indirect(table, { record: `${record.words}[${record.at}]`, a: a!, data: data!, at: at! });
    out.close();
    if (this.#trace !== undefined) {
      const point = { kind: "table", number: index, table, shape: defined(context.shapes[index]) } as const;
      const keys = `[${this.#keys(table).join(", ")}]`;
      this.#trace.write(out, "lookup", point, e!, keys, a!, data!, at!);
    }
    this.#writeActionCall(table, { e: e!, a: a!, data: data!, at: at! }, go);
  }

  #keys(table: bmv2.Bmv2Table): string[] {
    const expressions = this.#expressions();
    const { context } = this;
    const { layout } = context.resources;
    return table.key.flatMap((key) => {
      const { words } = keyNumber(expressions, key);
      const mask = key.mask === null ? undefined : bmv2Number(key.mask);
      const [header, field] = typeof key.target === "string" ? [key.target, "$valid$"] : key.target;
      const slot = layout.headers.get(layout.field(header, field)?.header ?? header);
      const guarded = context.guarded && field !== "$valid$" && slot !== undefined && !slot.metadata;
      return words.map((text, i) => {
        const bits = mask === undefined ? -1 : Number(BigInt.asIntN(32, mask >> BigInt(32 * i)));
        const masked = bits === -1 ? text : `(${text} & ${bits})`;
        return guarded ? `(${unionValid([slot])} === 1 ? ${masked} : 0)` : masked;
      });
    });
  }

  #meter(table: bmv2.Bmv2Table, t: string, e: string): void {
    const meter = this.context.meters.get(table.direct_meters!);
    if (meter?.result_target === undefined)
      throw new Unsupported(`direct meter ${table.direct_meters} has no result`);
    const stores = new StoreWriter(this.out, this.#expressions());
    stores.assign(
      { type: "field", value: meter.result_target },
      word(`${t}.meter.execute(${e}, s.ingressLength, s.own.time())`, 2),
    );
  }

  #indirect(table: bmv2.Bmv2Table, names: { record: string; a: string; data: string; at: string }): void {
    const { out, context } = this;
    const profile = table.action_profile!;
    const member = out.fresh("m");
    const profileAt = ownPlace("profiles", defined(context.profiles.get(profile)));
    out.line(`let ${member} = ${names.record};`);
    if (table.type === "indirect_ws") {
      out.open(`if (${member} < 0)`);
      const slots = out.fresh("g");
      out.line(`const ${slots} = ${profileAt}.slots[~${member}];`);
      let hash = `${context.selectorHash(profile)}(s)`;
      if (this.#trace !== undefined) hash = this.#trace.hashed(hash, slots);
      out.line(`${member} = ${slots}.length === 0 ? -1 : ${slots}[(${hash} >>> 0) % ${slots}.length];`);
      out.close();
    }
    if (this.#trace !== undefined) out.line(this.#trace.member(member));
    out.line(`if (${member} < 0) ${names.a} = -1;`);
    out.line(
      `else { ${names.data} = ${profileAt}.records; ${names.at} = ${member} * ${context.profileWords(profile)} + 1; ${names.a} = ${names.data}[${names.at} - 1]; }`,
    );
  }

  #writeActionCall(
    table: bmv2.Bmv2Table,
    names: { e: string; a: string; data: string; at: string },
    go: Go,
  ): void {
    const { out, context } = this;
    const byHit = "__HIT__" in table.next_tables || "__MISS__" in table.next_tables;
    const other = table.base_default_next ?? null;
    const actions = table.action_ids.map((id) => ({
      id,
      action: defined(context.actions.get(id)),
      next: byHit ? null : (table.next_tables[defined(context.actions.get(id)).name] ?? null),
    }));
    const same = !byHit && actions.every(({ next }) => next === other);
    const exits = actions.some(({ action }) => mayExit(action.primitives));
    const call = (id: number) => `action${id}(s, P, ${names.data}, ${names.at});`;
    if (byHit || same) {
      const busy = actions.filter(({ action }) => action.primitives.length > 0);
      if (busy.length > 0) {
        out.open(`switch (${names.a})`);
        for (const { id, action } of busy)
          out.line(`case ${context.actionNumbers.get(action.name)}: ${call(id)} break;`);
        out.close();
      }
      if (exits) out.line("if (s.exit !== 0) return;");
      if (same) {
        go(other);
        return;
      }
      out.open(`if (${names.e} >= 0)`);
      go(table.next_tables.__HIT__ ?? null);
      out.otherwise();
      go(table.next_tables.__MISS__ ?? null);
      out.close();
      return;
    }
    out.open(`switch (${names.a})`);
    for (const { id, action, next } of actions) {
      out.open(`case ${context.actionNumbers.get(action.name)}:`);
      if (action.primitives.length > 0) out.line(call(id));
      if (mayExit(action.primitives)) out.line("if (s.exit !== 0) return;");
      go(next);
      out.close();
    }
    out.close();
    go(other);
  }
}
