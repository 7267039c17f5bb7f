/**
 * Groups of values that take turns in the containers. A compiler gives a value a container from the earliest stage of the first table that sets
 * or uses it to that of the last one, by dependencies alone, before any table has a stage: neither the order of the text nor `@stage` shortens
 * a life. So a table of one turn sets a new variable, and the tables that set the values of the next turn are applied where it does not have a
 * value that it never has.
 *
 * Why the meaning is kept:
 * - The condition always holds: the variable is 0 or 1, and is compared with 2.
 * - A table that is moved keeps no state, writes values of its group alone, and leaves nobody's control. No statement that it passes
 *   writes what it reads, or touches what it writes ({@link areApart}).
 * - A statement that it passes may end the control (`exit`, `return`). The table does not run then; all that use its values
 *   stand in the same control behind it, and do not run, either; no deparser reads them (`groupsOf`).
 */
import type { FitResult } from "../fit/index.js";
import { type ast, partsOf } from "../p4/index.js";
import { isUsedOnce } from "./act-later.js";
import { areApart, type Effects, effectsOf } from "./effects.js";
import { type Group, groupsOf } from "./groups.js";
import { placeOf } from "./own-text.js";
import { hasPlainEnds, isPlain, namesOf } from "./plain-text.js";
import { type Edit, indentOf, ownSpan, type Rewrite } from "./rewrite.js";
import { nodesOf, type TableText, type TableTexts, type Unit } from "./tables.js";

/** Turns that are tried. */
const TURNS = [2, 3, 4, 5, 6];

/** Changes for each gress that has too few containers. */
export function turns(texts: TableTexts, result: FitResult, unit: ast.SourceUnit): Rewrite[] {
  const without = result.phv.allocation?.unallocated.filter(({ rule }) => rule === "container") ?? [];
  const gresses = [...new Set(without.map(({ gress }) => gress))];
  return gresses.flatMap((gress) => {
    const groups = groupsOf(texts, result, gress).filter((group) => isAlone(group, result));
    const controls = [...new Set(groups.map(({ control }) => control))].filter(
      (control) => timesUsed(unit, control) === 1,
    );
    return controls.flatMap((control) => {
      const own = groups.filter((group) => group.control === control);
      const blocks = nodesOf(control, "block") as ast.BlockStatement[];
      return blocks.flatMap((block) => {
        const members = own.flatMap((group) => memberOf(block, group) ?? []);
        const usual = usualDepth(members);
        const short = members.filter(({ depth }) => depth <= usual);
        return TURNS.flatMap((count) => {
          const edits = new Turns(texts, { block, control, unit }).edits(divided(short, count));
          const place = `${placeOf(control.name.span)}: ${short.length} groups of tables of ${gress}`;
          const words = `${place} that set and use values take ${count} turns, each behind a table of the one before`;
          const [first, ...more] = edits ?? [];
          return first === undefined ? [] : [{ kind: "turns" as const, words, ...first, more }];
        });
      });
    });
  });
}

/**
 * How often a control is part of the program: its values may be seen behind one instance and not behind another, and a change of its text
 * concerns all.
 */
function timesUsed(unit: ast.SourceUnit, control: ast.ControlDeclaration): number {
  const uses = (node: unknown): number => {
    if (typeof node !== "object" || node === null) return 0;
    if (Array.isArray(node)) return node.reduce((sum: number, one) => sum + uses(one), 0);
    const isUse = (node as { declaration?: unknown }).declaration === control;
    return partsOf(node).reduce((sum: number, part) => sum + uses(part), isUse ? 1 : 0);
  };
  return unit.declarations.reduce((sum, one) => {
    const own = one === control ? 0 : uses(one);
    return sum + own * (own > 0 && one.kind === "control" ? timesUsed(unit, one) : 1);
  }, 0);
}

/** No unit outside delays the group: a turn begins when its first table may. */
const isAlone = ({ units, levels }: Group, { problem }: FitResult): boolean =>
  units.every(({ id }) => problem.graph.earliest[id] === levels.get(id));

/** A table of a group, with the statement of the block that applies it. */
interface Applied {
  readonly unit: Unit;
  readonly text: TableText;
  readonly at: number;
}

/** A group in a block of statements. */
interface Member {
  readonly group: Group;
  /** Tables that only set values, whose statements are `t.apply();`. */
  readonly setters: readonly Applied[];
  /** The others, the last ones first. */
  readonly users: readonly Applied[];
  readonly depth: number;
}

/** The group, if its first tables only set values and are applied by statements of the block; undefined for others. */
function memberOf({ statements }: ast.BlockStatement, group: Group): Member | undefined {
  const all = group.units.map((unit, i): Applied & { level: number } => {
    const text = group.texts[i]!;
    const at = statements.findIndex((one) => appliesIn(one).includes(text.table.name.name));
    return { unit, text, at, level: group.levels.get(unit.id)! };
  });
  const setters = all.filter(({ level }) => level === 0);
  const isSetter = ({ unit, text, at }: Applied) =>
    at >= 0 && isApplied(statements[at]!, text, group.control) && onlySets(unit, statements[at]!, group);
  if (!setters.every(isSetter)) return undefined;
  const users = all.filter(({ level, at }) => level > 0 && at >= 0);
  users.sort((a, b) => b.level - a.level || a.at - b.at);
  return users.length === 0 ? undefined : { group, setters, users, depth: users[0]!.level };
}

/** `t.apply();`, the only one of the table in its control. */
function isApplied(statement: ast.Statement, { table }: TableText, control: ast.ControlDeclaration): boolean {
  const name = table.name.name;
  return (
    statement.kind === "callStatement" &&
    isPlain(statement) &&
    appliesIn(control).filter((applied) => applied === name).length === 1
  );
}

/** The table keeps no state, cannot end the control, and writes values of its group alone. */
function onlySets(unit: Unit, statement: ast.Statement, { fields }: Group): boolean {
  const effects = effectsOf([statement]);
  const names = new Set(fields.map((field) => field.split(".").at(-1)));
  const table = unit.table?.split(".").at(-1);
  return (
    effects !== undefined &&
    unit.attached.length === 0 &&
    unit.implementation === undefined &&
    !unit.usesRandom &&
    unit.actions.every(({ writes }) => writes.every(({ field }) => fields.includes(field))) &&
    [...effects.writes].every((place) => place === table || names.has(place.split(".").at(-1)))
  );
}

/** The depth that most bits have: longer groups would let the turn after them begin late. */
function usualDepth(members: readonly Member[]): number {
  const bits = new Map<number, number>();
  for (const { group, depth } of members) bits.set(depth, (bits.get(depth) ?? 0) + group.bits);
  return [...bits].sort(([a, x], [b, y]) => y - x || a - b)[0]?.[0] ?? 0;
}

/** The groups in the order of their first use, in parts of about as many bits. */
function divided(members: readonly Member[], count: number): Member[][] {
  const firstUse = ({ users }: Member) => Math.min(...users.map(({ at }) => at));
  const order = [...members].sort((a, b) => firstUse(a) - firstUse(b));
  const total = order.reduce((sum, { group }) => sum + group.bits, 0);
  const parts: Member[][] = Array.from({ length: count }, () => []);
  let before = 0;
  for (const one of order) {
    const middle = before + one.group.bits / 2;
    parts[Math.min(count - 1, Math.floor((middle * count) / total))]!.push(one);
    before += one.group.bits;
  }
  return parts;
}

class Turns {
  readonly #edits: Edit[] = [];
  readonly #known = new Map<ast.Statement, Effects | undefined>();

  constructor(
    readonly texts: TableTexts,
    readonly place: {
      readonly block: ast.BlockStatement;
      readonly control: ast.ControlDeclaration;
      readonly unit: ast.SourceUnit;
    },
  ) {}

  /** Undefined where a turn is empty, or cannot wait for the one before. */
  edits(parts: readonly (readonly Member[])[]): Edit[] | undefined {
    if (parts.some((part) => part.length === 0)) return undefined;
    const names = this.#freshNames(parts.length - 1);
    const declared = names.map((name) => `bit<8> ${name} = 0;`).join(" ");
    const first = this.place.control.body?.locals[0];
    const span = first && ownSpan(this.texts.file, first);
    if (span === undefined) return undefined;
    this.#edits.push({ span: { ...span, end: span.start }, replacement: `${declared}\n${indentOf(span)}` });
    const isDivided = names.every((name, i) => this.#fence(name, parts[i]!, parts[i + 1]!));
    return isDivided ? this.#edits : undefined;
  }

  /** Names that neither the text nor the program has, of which macros and included files may bring some. */
  #freshNames(count: number): string[] {
    const names: string[] = [];
    const known = namesOf(this.place.unit);
    for (let i = 1; names.length < count; i++)
      if (!known.has(`turn_${i}`) && !new RegExp(`\\bturn_${i}\\b`).test(this.texts.file.text))
        names.push(`turn_${i}`);
    return names;
  }

  /** One table of a turn sets the variable, and the setters of the next turn stand behind it, in its condition. */
  #fence(name: string, turn: readonly Member[], next: readonly Member[]): boolean {
    const { statements } = this.place.block;
    const setters = next.flatMap((one) => one.setters).sort((a, b) => a.at - b.at);
    // One table alone: several that set the variable would wait for each other.
    const candidates = turn
      .flatMap(({ users, group }) =>
        users.map((user) => ({ ...user, level: group.levels.get(user.unit.id)! })),
      )
      .sort((a, b) => b.level - a.level || a.at - b.at);
    for (const { text, at } of candidates) {
      const marks = this.#mark(text, name);
      const behind = ownSpan(this.texts.file, statements[at]!);
      const spans = setters.map((setter) => ownSpan(this.texts.file, statements[setter.at]!));
      if (marks === undefined || behind === undefined || spans.includes(undefined)) continue;
      if (!hasPlainEnds(statements[at]!)) continue;
      if (!setters.every((setter) => this.#passes(setter.at, at))) continue;
      const moved: string[] = [];
      for (const [i, setter] of setters.entries()) {
        const apply = `${setter.text.table.name.name}.apply();`;
        const isMoved = setter.at < at;
        if (isMoved) moved.push(apply);
        const fenced = `if (${name} != 2) { ${apply} }`;
        this.#edits.push({ span: spans[i]!, replacement: isMoved ? "" : fenced });
      }
      const replacement = `\n${indentOf(behind)}if (${name} != 2) { ${moved.join(" ")} }`;
      const end = { ...behind, start: behind.end };
      this.#edits.push(marks, ...(moved.length > 0 ? [{ span: end, replacement }] : []));
      return true;
    }
    return false;
  }

  /** The edit by which an action of a table, which no other table has, sets the variable. */
  #mark({ table }: TableText, name: string): Edit | undefined {
    const { control, unit } = this.place;
    const list = table.properties.find((property) => property.kind === "actions");
    const actions = list?.kind === "actions" ? list.actions : [];
    for (const { declaration } of actions) {
      if (declaration === undefined || !control.body!.locals.includes(declaration)) continue;
      const span = ownSpan(this.texts.file, declaration.body);
      if (span === undefined || !isUsedOnce(unit, declaration, table)) continue;
      if (span.file.text[span.start] !== "{") continue;
      const at = { ...span, start: span.start + 1, end: span.start + 1 };
      const isEmpty = declaration.body.statements.length === 0;
      return { span: at, replacement: ` ${name} = 1;${isEmpty ? " " : ""}` };
    }
    return undefined;
  }

  /** Whether a setter can stand behind a later statement; true for an earlier one, which it does not pass. */
  #passes(from: number, to: number): boolean {
    const { statements } = this.place.block;
    const own = this.#effects(statements[from]!);
    return statements.slice(from + 1, to + 1).every((statement) => {
      const other = this.#effects(statement);
      return own !== undefined && other !== undefined && areApart(own, other);
    });
  }

  /** Of a statement that may end the control, too: a setter is none of those ({@link onlySets}). */
  #effects(statement: ast.Statement): Effects | undefined {
    if (!this.#known.has(statement)) this.#known.set(statement, effectsOf([statement], true));
    return this.#known.get(statement);
  }
}

/** Names of tables that are applied in a node, as often as they are. */
function appliesIn(node: unknown): string[] {
  return (nodesOf(node, "call") as ast.CallExpression[]).flatMap(({ callee }) =>
    callee.kind === "member" && callee.member.name === "apply" && callee.base.kind === "path"
      ? [callee.base.name.name]
      : [],
  );
}
