/**
 * Ingress and egress as graphs of tables and conditions. The conversion of a statement gets the node that
 * follows it; `return`, `exit`, `break` and loops are edges, so no flags are needed.
 */
import type { Span } from "../../../base/index.js";
import { defined, fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { equal } from "../lower/build.js";
import type { IrAction, IrControl, IrTable, Label, Stmt, StmtOf } from "../lower/ir.js";
import { Names } from "../lower/names.js";
import type { ExpressionEmitter } from "./bmv2-expressions.js";
import type { ActionIds, ProfilesMiss, TableNext } from "./bmv2-tables.js";
import { DEFAULT_SIZE, emitProfiles, emitTable } from "./bmv2-tables.js";
import { annotationText } from "./p4info-annotations.js";
import { sourceInfo } from "./source-info.js";

/** Numbers and names that both pipelines share. */
export interface Numbering {
  pipelines: number;
  tables: number;
  conditionals: number;
  profiles: number;
  nodes: Names;
}

export function newNumbering(): Numbering {
  return { pipelines: 0, tables: 0, conditionals: 0, profiles: 0, nodes: new Names() };
}

/** A node's name; null ends the pipeline. */
type Next = string | null;

export function emitPipeline(
  expressions: ExpressionEmitter,
  control: IrControl,
  name: string,
  ids: ActionIds,
  numbering: Numbering,
  profilesMiss: ProfilesMiss = "nothing",
): bmv2.Pipeline {
  const graph = new Graph(expressions, ids, numbering, profilesMiss);
  const init = graph.body(control.body, null);
  graph.finish();
  const { tables, conditionals } = graph.inOrder(init);
  const profiles = emitProfiles(expressions, control.tables);
  for (const table of tables) table.id = numbering.tables++;
  for (const one of conditionals) one.id = numbering.conditionals++;
  for (const one of profiles) one.id = numbering.profiles++;
  return {
    name,
    id: numbering.pipelines++,
    ...sourceInfo(control.span),
    init_table: init,
    tables,
    action_profiles: profiles,
    conditionals,
  };
}

/** One place where a table is applied. */
interface Application {
  stmt: StmtOf<"apply">;
  following: TableNext;
  /** Annotations of the blocks around it. */
  pragmas: readonly string[];
}

const pragmasOf = (pragmas: readonly string[]): Pick<bmv2.Bmv2Table, "pragmas"> =>
  pragmas.length === 0 ? {} : { pragmas: [...pragmas] };

class Graph {
  readonly #nodes = new Map<string, bmv2.Bmv2Table | bmv2.Conditional>();
  readonly #labels = new Map<Label, Next>();
  readonly #applied = new Map<IrTable, Application[]>();
  /** Annotations of the blocks around the statement that is converted. */
  #pragmas: readonly string[] = [];

  constructor(
    readonly expressions: ExpressionEmitter,
    readonly ids: ActionIds,
    readonly numbering: Numbering,
    readonly profilesMiss: ProfilesMiss,
  ) {}

  /** Converts statements that are followed by `next`; returns the node to start at. */
  body(body: readonly Stmt[], next: Next): Next {
    let entry = next;
    for (let i = body.length - 1; i >= 0; i--) entry = this.#stmt(defined(body[i]), entry);
    return entry;
  }

  #stmt(stmt: Stmt, next: Next): Next {
    switch (stmt.kind) {
      case "action":
        return this.#hiddenTable(stmt.action, stmt.span, next);
      case "apply":
        return this.#apply(stmt, next);
      case "if":
        return this.#conditional(stmt, this.body(stmt.whenTrue, next), this.body(stmt.whenFalse, next));
      case "block":
        if (stmt.label !== undefined) this.#labels.set(stmt.label, next);
        return this.#annotated(stmt, next);
      case "leave":
        return this.#labels.get(stmt.label) ?? null;
      case "exit":
        return null;
      case "loop": {
        // The body leads back to this node, so its name is needed first.
        const name = this.numbering.nodes.unique("node");
        const inside = this.body([...stmt.body, ...stmt.update], name);
        return this.#conditional(stmt, inside, next, name);
      }
      default:
        return fail(CODES.statementNotInBmv2, stmt.span, `BMv2 cannot do this here: ${stmt.kind}`);
    }
  }

  /** A block: its annotations are those of its tables, too, an inner block's first. */
  #annotated({ annotations = [], body }: StmtOf<"block">, next: Next): Next {
    const outer = this.#pragmas;
    this.#pragmas = [...annotations.map(annotationText), ...outer];
    const entry = this.body(body, next);
    this.#pragmas = outer;
    return entry;
  }

  #conditional(
    stmt: StmtOf<"if"> | StmtOf<"loop">,
    whenTrue: Next,
    whenFalse: Next,
    name = this.numbering.nodes.unique("node"),
  ): Next {
    if (whenTrue === whenFalse && stmt.kind === "if") return whenTrue;
    this.#nodes.set(name, {
      name,
      id: 0,
      ...sourceInfo(stmt.kind === "if" ? stmt.span : stmt.condition.span),
      expression: this.expressions.truth(stmt.condition),
      true_next: whenTrue,
      false_next: whenFalse,
    });
    return name;
  }

  #hiddenTable(action: IrAction, span: Span | undefined, next: Next): Next {
    const simple = action.name.slice(action.name.lastIndexOf(".") + 1);
    const name = this.numbering.nodes.unique(`tbl_${simple}`);
    const id = defined(this.ids.get(action));
    this.#nodes.set(name, {
      name,
      id: 0,
      ...sourceInfo(span),
      ...pragmasOf(this.#pragmas),
      key: [],
      match_type: "exact",
      type: "simple",
      max_size: DEFAULT_SIZE,
      with_counters: false,
      support_timeout: false,
      direct_meters: null,
      action_ids: [id],
      actions: [action.name],
      base_default_next: next,
      next_tables: { [action.name]: next },
      default_entry: { action_id: id, action_const: true, action_data: [], action_entry_const: true },
    });
    return name;
  }

  #apply(stmt: StmtOf<"apply">, next: Next): Next {
    const { table } = stmt;
    const places = this.#applied.get(table) ?? [];
    places.push({ stmt, following: this.#following(stmt, next), pragmas: this.#pragmas });
    this.#applied.set(table, places);
    return table.name;
  }

  /** Makes the nodes of the tables, when all their applications are known. */
  finish(): void {
    for (const [table, places] of this.#applied) {
      const following = this.#merge(table, places.reverse());
      this.#nodes.set(table.name, {
        ...emitTable(this.expressions, table, 0, this.ids, following, this.profilesMiss),
        ...pragmasOf(places.flatMap(({ pragmas }) => pragmas)),
      });
    }
  }

  /** The nodes after a table. When several applications lead to different nodes, conditions compare the application's number. */
  #merge(table: IrTable, places: readonly Application[]): TableNext {
    const [first] = places;
    const text = JSON.stringify(first!.following);
    if (places.every((place) => JSON.stringify(place.following) === text)) return first!.following;
    const byHit = places.some((place) => "__HIT__" in place.following.next);
    const mixed = places.find(({ stmt }) => byHit && stmt.branches?.kind === "action");
    if (mixed !== undefined)
      fail(
        CODES.tableAppliedTwoWays,
        mixed.stmt.span,
        `BMv2 cannot branch both on hit or miss and on the action of the table ${table.name}`,
        "use one of them wherever the table is applied, or declare a second table",
      );
    const choose = (pick: (following: TableNext) => Next): Next =>
      this.#choose(places, (place) => pick(place.following));
    if (byHit) {
      const outcome = (label: string): Next =>
        choose(({ base, next }) => (label in next ? defined(next[label]) : base));
      return { base: null, next: { ["__HIT__"]: outcome("__HIT__"), ["__MISS__"]: outcome("__MISS__") } };
    }
    const next: Record<string, Next> = {};
    for (const { action } of table.actions)
      next[action.name] = choose((one) => one.next[action.name] ?? null);
    return { base: choose((one) => one.base), next };
  }

  #choose(places: readonly Application[], pick: (place: Application) => Next): Next {
    const [first, ...rest] = places;
    const way = pick(first!);
    const { place, span } = first!.stmt;
    if (rest.length === 0 || place === undefined) return way;
    const otherwise = this.#choose(rest, pick);
    const condition = equal(place.home, place.index, span);
    return this.#conditional({ kind: "if", condition, whenTrue: [], whenFalse: [], span }, way, otherwise);
  }

  #following(stmt: StmtOf<"apply">, next: Next): TableNext {
    const { branches, table } = stmt;
    const following: Record<string, Next> = {};
    if (branches?.kind === "hit") {
      following["__HIT__"] = this.body(branches.hit, next);
      following["__MISS__"] = this.body(branches.miss, next);
      return { base: null, next: following };
    }
    const otherwise = branches === undefined ? next : this.body(branches.otherwise, next);
    const byAction = new Map<IrAction, Next>();
    for (const one of branches?.cases ?? []) {
      const entry = this.body(one.body, next);
      for (const action of one.actions) byAction.set(action, entry);
    }
    for (const { action } of table.actions) {
      const entry = byAction.get(action);
      following[action.name] = entry === undefined ? otherwise : entry;
    }
    return { base: branches === undefined ? next : otherwise, next: following };
  }

  /** All nodes, in the order in which control can reach them. */
  inOrder(init: Next): { tables: bmv2.Bmv2Table[]; conditionals: bmv2.Conditional[] } {
    const tables: bmv2.Bmv2Table[] = [];
    const conditionals: bmv2.Conditional[] = [];
    const seen = new Set<string>();
    const stack: Next[] = [init];
    while (stack.length > 0) {
      const name = defined(stack.pop());
      if (name === null || name === undefined || seen.has(name)) continue;
      seen.add(name);
      const node = this.#nodes.get(name);
      if (node === undefined) continue;
      if ("next_tables" in node) {
        tables.push(node);
        stack.push(node.base_default_next ?? null, ...Object.values(node.next_tables).reverse());
      } else {
        conditionals.push(node);
        stack.push(node.false_next, node.true_next);
      }
    }
    return { tables, conditionals };
  }
}
