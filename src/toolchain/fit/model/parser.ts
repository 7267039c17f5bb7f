/**
 * Facts from the parser: which headers can be valid together (others can share containers), the length of the longest
 * chain of headers, and which headers parser and deparser use.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { carriedListsOf, fieldsCarriedBy, sessionsOf } from "./carried.js";
import type { ParsedTogether } from "./header-states.js";
import type { Gress, HeaderInfo, ParserModel } from "./model.js";
import { fieldsIn } from "./simplify/graph.js";

/**
 * @param written the validity of headers that actions make valid
 * @param madeTogether pairs of headers that tables make valid together, which no path of the parser extracts both; without it each
 * header that an action makes valid may be there with any other
 */
export function readParser(
  program: bmv2.Bmv2Program,
  headers: ReadonlyMap<string, HeaderInfo>,
  written: ReadonlySet<string>,
  madeTogether?: (parser: ParsedTogether) => ReadonlySet<string>,
): ParserModel {
  const parsed = new Set<string>();
  const inOrder = new Set<string>();
  const together = new Map<string, Set<string>>();
  const byParser = program.parsers.map(() => new Set<string>());
  const always = program.parsers.map(() => new Set<string>());
  const longest = program.parsers.map((parser, i) =>
    readOne(program, headers, parser, {
      parsed: defined(byParser[i]),
      always: defined(always[i]),
      inOrder,
      together,
    }),
  );
  for (const names of byParser) for (const name of names) parsed.add(name);
  const pipe = program.architecture?.pipes[0];
  // Egress parsers come after those of ingress, see onePipe.
  const ingressParsers = pipe === undefined ? byParser.length : pipe.ingress.parsers.length;
  const named = (parsers: readonly ReadonlySet<string>[], deparsers: readonly bmv2.Bmv2Deparser[]) =>
    new Set([...parsers.flatMap((names) => [...names]), ...deparsers.flatMap(({ order }) => order)]);
  const all = named(byParser, program.deparsers);
  const byGress = <T>(list: readonly T[], ofIngress: number): Readonly<Record<Gress, readonly T[]>> =>
    pipe === undefined
      ? { ingress: list, egress: list }
      : { ingress: list.slice(0, ofIngress), egress: list.slice(ofIngress) };
  const stacks = new Map(
    program.header_stacks.map(({ header_ids: ids }) => {
      const names = ids.map((id) => defined(program.headers.find((one) => one.id === id)).name);
      return [defined(names[0]), names];
    }),
  );
  const withElements = (names: Iterable<string>) => [...names].flatMap((name) => stacks.get(name) ?? [name]);
  const extracted = byGress(byParser, ingressParsers);
  const extractedIn = both((gress) => union(extracted[gress].map((names) => withElements(names))));
  const parsers = byGress(program.parsers, ingressParsers);
  const validIn = both((gress) => union(parsers[gress].map(madeValidBy)));
  const certain = byGress(always, ingressParsers);
  const deparsers = byGress(program.deparsers, 1);
  const sentIn = both((gress) => union(deparsers[gress].map(({ order }) => order)));
  const setIn = both((gress) => union(parsers[gress].map((parser) => setBy(parser, () => true))));
  const takenIn = both((gress) =>
    union(parsers[gress].map((parser) => setBy(parser, (value) => constantIn(value) === undefined))),
  );
  const givenIn = both((gress) =>
    union(parsers[gress].map((parser) => setBy(parser, (value) => constantIn(value) !== 0n))),
  );
  const digested = digestedBy(program);
  const none: ReadonlySet<string> = new Set();
  const readIn: Partial<Record<Gress, ReadonlySet<string>>> = {};
  const carriedIn: Partial<Record<Gress, ReadonlySet<string>>> = {};
  const here: Readonly<Record<Gress, ReadonlySet<string>>> =
    pipe === undefined
      ? { ingress: all, egress: all }
      : {
          ingress: new Set(
            withElements(named(byParser.slice(0, ingressParsers), program.deparsers.slice(0, 1))),
          ),
          egress: new Set(withElements(named(byParser.slice(ingressParsers), program.deparsers.slice(1)))),
        };
  const excludes = (a: string, b: string) =>
    a !== b && parsed.has(a) && parsed.has(b) && together.get(a)?.has(b) !== true;
  const without = new Map<string, ReadonlySet<string>>();
  const needs = (header: string, other: string) => {
    const left = without.get(other) ?? extractedWithout(program, other);
    without.set(other, left);
    return header !== other && !left.has(header);
  };
  const made = madeTogether?.({ excludes, parsed, needs });
  const mayBeMade = (a: string, b: string) =>
    made === undefined ? written.has(`${a}.$valid$`) || written.has(`${b}.$valid$`) : made.has(`${a} ${b}`);
  return {
    longestPathBytes: Math.ceil(Math.max(0, ...longest) / 8),
    exclusiveHeaders: (a, b) => excludes(a, b) && !mayBeMade(a, b),
    parsedApart: excludes,
    parsed,
    inOrder,
    isIn: (gress, header) => here[gress].has(header),
    isCarried: (gress, header) =>
      here[gress].has(header) &&
      (extractedIn[gress].has(header) || validIn[gress].has(header) || written.has(`${header}.$valid$`)),
    isParsed: (gress, header) => extractedIn[gress].has(header),
    isAlwaysParsed: (gress, header) =>
      certain[gress].length > 0 && certain[gress].every((names) => names.has(header)),
    isMadeByParser: (gress, header) => validIn[gress].has(header),
    isMadeByTables: (gress, header) =>
      written.has(`${header}.$valid$`) &&
      !extractedIn[gress].has(header) &&
      !validIn[gress].has(header) &&
      ![...setIn[gress]].some((field) => field.startsWith(`${header}.`)),
    isMade: (header) => written.has(`${header}.$valid$`),
    isSent: (gress, header) => sentIn[gress].has(header),
    sets: (gress) => setIn[gress],
    takes: (gress) => takenIn[gress],
    gives: (gress) => givenIn[gress],
    reads: (gress) => {
      readIn[gress] ??= readBy(program, deparsers[gress]);
      return readIn[gress];
    },
    // Deparsers of egress have no digests.
    digests: (gress) => (gress === "ingress" ? digested : none),
    carries: (gress) => {
      carriedIn[gress] ??= fieldsCarriedBy(program, deparsers[gress]);
      return carriedIn[gress];
    },
    sessions: (gress) => sessionsOf(deparsers[gress]),
    carriedLists: (gress) => carriedListsOf(program, deparsers[gress]),
  };
}

const both = <T>(of: (gress: Gress) => T): Readonly<Record<Gress, T>> => ({
  ingress: of("ingress"),
  egress: of("egress"),
});

const union = (lists: readonly (readonly string[])[]): ReadonlySet<string> => new Set(lists.flat());

/** Fields that deparsers read: also those of the lists that they send and of the checksums that they compute. */
function readBy(program: bmv2.Bmv2Program, deparsers: readonly bmv2.Bmv2Deparser[]): ReadonlySet<string> {
  const primitives = deparsers.flatMap((one) => one.primitives ?? []);
  const named = new Set(
    primitives.flatMap(({ parameters }) =>
      parameters.flatMap((value) => (value.type === "calculation" ? [value.value] : [])),
    ),
  );
  const inputs = program.calculations.filter(({ name }) => named.has(name)).map(({ input }) => input);
  return fieldsIn([primitives, inputs, program.field_lists, program.learn_lists]);
}

/** Fields that the digests of deparsers bring to the controller, and those that a deparser copies to them. */
function digestedBy({ learn_lists: lists, deparsers }: bmv2.Bmv2Program): ReadonlySet<string> {
  const digested = fieldsIn(lists);
  for (const { op, parameters } of deparsers.flatMap(({ primitives = [] }) => primitives)) {
    const [target, value] = parameters;
    if (op === "assign" && target !== undefined && [...fieldsIn([target])].some((one) => digested.has(one)))
      fieldsIn([value], digested);
  }
  return digested;
}

/** Headers that the states of a parser make valid without extracting them. */
function madeValidBy({ parse_states: states }: bmv2.Bmv2Parser): string[] {
  return states.flatMap(({ parser_ops: ops }) =>
    ops.flatMap(({ op, parameters }) => {
      const [inner] = parameters as readonly { op?: string; parameters?: readonly bmv2.Value[] }[];
      const [header] = inner?.parameters ?? [];
      return op === "primitive" && inner?.op === "add_header" && header?.type === "header"
        ? [header.value]
        : [];
    }),
  );
}

interface SetValue {
  readonly type?: string;
  readonly value?: unknown;
}

/** The constant that a parser sets: a number, or a truth value that becomes a bit. */
function constantIn(value: SetValue | undefined): bigint | undefined {
  if (value?.type === "hexstr") {
    const text = String(value.value);
    return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
  }
  if (value?.type === "bool") return value.value === true ? 1n : 0n;
  if (value?.type !== "expression") return undefined;
  const inner = value.value as SetValue & { readonly op?: string; readonly right?: SetValue };
  if (inner.op === undefined) return constantIn(inner);
  return inner.op === "b2d" ? constantIn(inner.right) : undefined;
}

/** Fields that the states of a parser set to such values. */
function setBy(
  { parse_states: states }: bmv2.Bmv2Parser,
  isMeant: (value: SetValue | undefined) => boolean,
): string[] {
  return states.flatMap(({ parser_ops: ops }) =>
    ops.flatMap(({ op, parameters }) => {
      const [target, value] = parameters as readonly { type?: string; value?: unknown }[];
      return op === "set" && isMeant(value) && target?.type === "field" && Array.isArray(target.value)
        ? [target.value.join(".")]
        : [];
    }),
  );
}

/** Adds the headers of one parser, and which of them a path extracts together. Returns the bits of the longest path. */
function readOne(
  program: bmv2.Bmv2Program,
  headers: ReadonlyMap<string, HeaderInfo>,
  parser: bmv2.Bmv2Parser,
  {
    parsed,
    always,
    inOrder,
    together,
  }: {
    parsed: Set<string>;
    always: Set<string>;
    inOrder: Set<string>;
    together: Map<string, Set<string>>;
  },
): number {
  const start: string | null = parser.init_state;
  const states = new Map<string | null, bmv2.ParseState>(
    parser.parse_states.map((state) => [state.name, state]),
  );
  const bits = (name: string) => headers.get(name)?.bits ?? 0;

  const extractsOf = (state: bmv2.ParseState): string[] => extractedBy(program, state);

  // Longest chain: a state counts once on a path, so a loop over a header stack counts one round.
  const best = new Map<string, number>();
  const open = new Set<string>();
  const longest = (name: string | null): number => {
    const state = states.get(name);
    if (state === undefined || open.has(state.name)) return 0;
    const known = best.get(state.name);
    if (known !== undefined) return known;
    open.add(state.name);
    const names = extractsOf(state);
    for (const header of names) inOrder.add(header);
    const own = names.reduce((sum, header) => sum + bits(header), 0);
    let rest = 0;
    for (const transition of state.transitions) rest = Math.max(rest, longest(transition.next_state));
    open.delete(state.name);
    best.set(state.name, own + rest);
    return own + rest;
  };
  const longestBits = longest(start);
  for (const header of onEveryWay(start, states, extractsOf)) always.add(header);

  // Headers of one path: those of a state, and those of all states before it.
  const before = new Map<string | null, Set<string>>([[start, new Set<string>()]]);
  const work: (string | null)[] = [start];
  while (work.length > 0) {
    const state = states.get(defined(work.pop()));
    if (state === undefined) continue;
    const sofar = new Set(before.get(state.name));
    for (const header of extractsOf(state)) {
      parsed.add(header);
      for (const other of sofar) {
        link(together, header, other);
      }
      sofar.add(header);
    }
    for (const transition of state.transitions) {
      const next = transition.next_state;
      const known = before.get(next);
      if (known === undefined) {
        before.set(next, new Set(sofar));
        work.push(next);
        continue;
      }
      const size = known.size;
      for (const header of sofar) known.add(header);
      if (known.size > size) work.push(next);
    }
  }

  return longestBits;
}

/** Headers that a state extracts, by the first of each stack. */
function extractedBy(program: bmv2.Bmv2Program, state: bmv2.ParseState): string[] {
  const names: string[] = [];
  for (const op of state.parser_ops) {
    if (op.op === "extract" || op.op === "extract_VL") {
      const target = op.parameters[0];
      if (target.type === "regular") names.push(target.value);
      else if (target.type === "stack") {
        const [first] = defined(program.header_stacks.find((s) => s.name === target.value)).header_ids;
        names.push(defined(program.headers.find((h) => h.id === first)).name);
      } else names.push(target.value[0]);
    }
  }
  return names;
}

/** Headers that some path through a parser extracts without the header. */
function extractedWithout(program: bmv2.Bmv2Program, header: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { init_state: start, parse_states: states } of program.parsers) {
    const extracts = new Map(states.map((state) => [state.name, extractedBy(program, state)]));
    const byName = new Map(states.map((state) => [state.name, state]));
    const isPassed = (name: string) => extracts.get(name)?.includes(header) === false;
    const before = new Set<string>();
    const open = start === null || start === undefined ? [] : [start];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (before.has(name) || !isPassed(name)) continue;
      before.add(name);
      for (const { next_state: next } of byName.get(name)!.transitions) if (next !== null) open.push(next);
    }
    // States from which such a path goes on to the end.
    const ends = new Set<string>();
    for (let size = -1; size !== ends.size; ) {
      size = ends.size;
      for (const name of before) {
        const nexts = byName.get(name)!.transitions.map(({ next_state: next }) => next);
        if (nexts.length === 0 || nexts.some((next) => next === null || !byName.has(next) || ends.has(next)))
          ends.add(name);
      }
    }
    for (const name of ends) for (const other of extracts.get(name)!) found.add(other);
  }
  return found;
}

/** Headers that every way from the state to the end extracts. */
function onEveryWay(
  start: string | null,
  states: ReadonlyMap<string | null, bmv2.ParseState>,
  extractsOf: (state: bmv2.ParseState) => readonly string[],
): ReadonlySet<string> {
  const sure = new Map<string | null, ReadonlySet<string>>([[start, new Set()]]);
  let atEnd: ReadonlySet<string> | undefined;
  const work: (string | null)[] = [start];
  for (let name = work.pop(); name !== undefined; name = work.pop()) {
    const state = states.get(name);
    if (state === undefined) continue;
    const after = new Set([...defined(sure.get(name)), ...extractsOf(state)]);
    const nexts = state.transitions.map(({ next_state: next }) => next);
    for (const next of nexts.length === 0 ? [null] : nexts) {
      const known = states.has(next) ? sure.get(next) : atEnd;
      const common = known === undefined ? after : new Set([...known].filter((header) => after.has(header)));
      if (common.size === known?.size) continue;
      if (!states.has(next)) atEnd = common;
      else {
        sure.set(next, common);
        work.push(next);
      }
    }
  }
  return atEnd ?? new Set();
}

function link(pairs: Map<string, Set<string>>, a: string, b: string): void {
  for (const [x, y] of [
    [a, b],
    [b, a],
  ] as const) {
    const set = pairs.get(x);
    if (set === undefined) pairs.set(x, new Set([y]));
    else set.add(y);
  }
}
