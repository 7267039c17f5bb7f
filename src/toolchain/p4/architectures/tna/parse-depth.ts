/**
 * How deep a parser reads into a packet, in bytes, and the limits of Tofino's egress parser.
 *
 * Counted as p4c's open Tofino back end does (midend `ParserEnforceDepthReq`): what `extract` and `advance` consume, intrinsic
 * metadata among it, and no lookahead; whole bytes of each state; the longest way from `start` to an end. A state of a loop that
 * extracts to the next element of a stack counts as often as the stack has elements, other states of loops count once.
 * Only the egress parser of Tofino has limits (`PardeSpec`, class `TofinoPardeSpec`: 65 to 160 bytes), and only in a `Pipeline`.
 */
import { type Diagnostics, defined, given } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import { fold } from "../../lower/fold.js";
import type { IrParser, IrProgram, IrState, StateTarget, Stmt } from "../../lower/ir.js";
import { blocksOf, forEachStmt, statesOfParser, successorsOf, targetsOf } from "../../lower/walk.js";
import type { SourceUnit } from "../../syntax/ast.js";
import { widthInPacket } from "./flexible-width.js";

/** Bytes. */
const LARGEST_EGRESS_DEPTH = 160;
const SMALLEST_EGRESS_DEPTH = 65;

export function checkParseDepth(program: IrProgram, unit: SourceUnit, diagnostics: Diagnostics): void {
  const { longest, shortest } = limitsSwitchedOff(unit);
  for (const { blocks, storage } of program.pipes) {
    const parsers = blocks.filter(({ role }) => role === "egressParser");
    // p4c does not count in the parsers of a multi-parser pipe.
    const [only] = parsers;
    if (parsers.length !== 1 || only?.kind !== "parser") continue;
    const isHeader = storage.get("egress.headers")?.type.kind === "header";
    if (!shortest && !isHeader) checkCounter(only.body, diagnostics);
    const { bytes, last } = deepestPath(only.body);
    if (longest || bytes <= LARGEST_EGRESS_DEPTH) continue;
    diagnostics.error(
      CODES.parseDepth,
      only.body.span,
      `the longest path through the egress parser ${only.body.name} reads ${bytes} bytes, Tofino allows ${LARGEST_EGRESS_DEPTH}`,
      { message: `the path ends in state ${last.name}`, ...given({ span: last.span }) },
      "extract fewer headers in egress, or give egress what it needs of them in a bridged header",
    );
  }
}

/** Which limits `@command_line` of some declaration, an option of p4c, leaves out. */
function limitsSwitchedOff({ declarations }: SourceUnit): { longest: boolean; shortest: boolean } {
  const has = (option: RegExp): boolean =>
    declarations.some(
      (declaration) =>
        "annotations" in declaration &&
        declaration.annotations.some(
          ({ name, body }) =>
            name === "command_line" && body.kind === "unstructured" && option.test(body.text),
        ),
    );
  return {
    longest: has(/--disable-parse-(max-)?depth-limit/),
    shortest: has(/--disable-parse-(min-)?depth-limit/),
  };
}

/**
 * The compiler makes an egress parser read at least 65 bytes, for which it takes the parser's counter: a program with a shorter path
 * cannot use the counter itself. A parser whose headers are one header is padded without it.
 */
function checkCounter(parser: IrParser, diagnostics: Diagnostics): void {
  const states = statesOfParser(parser);
  const use = firstUseOfCounter(states);
  const bytes = shortestPath(parser);
  if (use === undefined || bytes >= SMALLEST_EGRESS_DEPTH) return;
  diagnostics.error(
    CODES.parserCounterAndMinimum,
    use.span,
    `the egress parser ${parser.name} uses its counter, and a path through it reads ${bytes} bytes: ` +
      `Tofino needs ${SMALLEST_EGRESS_DEPTH}, and the compiler counts them with the same counter`,
    "extract or advance over more on the short paths, or parse without a ParserCounter",
  );
}

function firstUseOfCounter(states: readonly IrState[]): Stmt | undefined {
  let found: Stmt | undefined;
  for (const { body } of states)
    forEachStmt(body, (stmt) => {
      if (stmt.kind === "extern" && stmt.name.startsWith("ParserCounter.")) found ??= stmt;
    });
  return found;
}

/** Bytes of the shortest path of a parser to `accept` or `reject`; infinite where none ends. */
function shortestPath(parser: IrParser): number {
  const depths = new Map<IrState, number>([[parser.start, bytesOf(parser.start)]]);
  const open = [parser.start];
  let shortest = Number.POSITIVE_INFINITY;
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const depth = defined(depths.get(state));
    if (targetsOf(state).some(isEnd)) shortest = Math.min(shortest, depth);
    for (const next of successorsOf(state)) {
      const bytes = depth + bytesOf(next);
      if (bytes >= (depths.get(next) ?? Number.POSITIVE_INFINITY)) continue;
      depths.set(next, bytes);
      open.push(next);
    }
  }
  return shortest;
}

/** The end of a path so far: its states are this one and those of `before`. */
interface Path {
  readonly state: IrState;
  readonly bytes: number;
  readonly before: Path | undefined;
}

/** The longest path of a parser that ends in `accept` or `reject`; 0 bytes where none ends. */
function deepestPath(parser: IrParser): { bytes: number; last: IrState } {
  const states = statesOfParser(parser);
  const weights = new Map(states.map((state) => [state, bytesOf(state)]));
  const weightOf = (state: IrState): number => defined(weights.get(state));
  const loops = statesInLoops(states);
  const longest = new Map<IrState, Path>();
  const start: Path = { state: parser.start, bytes: weightOf(parser.start), before: undefined };
  longest.set(parser.start, start);
  let changed = new Set([parser.start]);
  // Each round makes the paths that change a state longer, and no path has a state twice: there are no more rounds than states.
  while (changed.size > 0) {
    const next = new Set<IrState>();
    for (const state of changed) {
      const path = defined(longest.get(state));
      for (const target of successorsOf(state)) {
        const times = loops.has(target) ? timesOf(target) : 1;
        const bytes = path.bytes + times * weightOf(target);
        const known = longest.get(target);
        if (known !== undefined && (bytes <= known.bytes || (loops.has(target) && holds(path, target))))
          continue;
        longest.set(target, { state: target, bytes, before: path });
        next.add(target);
      }
    }
    changed = next;
  }
  let deepest = { bytes: 0, last: parser.start };
  for (const { state, bytes } of longest.values())
    if (bytes > deepest.bytes && targetsOf(state).some(isEnd)) deepest = { bytes, last: state };
  return deepest;
}

function isEnd(target: StateTarget): boolean {
  return typeof target === "string";
}

function holds(path: Path, state: IrState): boolean {
  for (let one: Path | undefined = path; one !== undefined; one = one.before)
    if (one.state === state) return true;
  return false;
}

/** The states from which a way leads back to them. */
function statesInLoops(states: readonly IrState[]): Set<IrState> {
  const inLoops = new Set<IrState>();
  for (const state of states) {
    const seen = new Set<IrState>();
    const open = [...successorsOf(state)];
    for (let one = open.pop(); one !== undefined && !seen.has(state); one = open.pop()) {
      if (seen.has(one)) continue;
      seen.add(one);
      open.push(...successorsOf(one));
    }
    if (seen.has(state)) inLoops.add(state);
  }
  return inLoops;
}

/** How often a path can pass a state of a loop: the smallest stack to whose next element it extracts. */
function timesOf(state: IrState): number {
  let times = Number.POSITIVE_INFINITY;
  forEachStmt(state.body, (stmt) => {
    if (stmt.kind !== "extract" || stmt.header.kind !== "stackProperty") return;
    const { type } = stmt.header.base;
    if (type.kind === "stack") times = Math.min(times, type.size);
  });
  return times === Number.POSITIVE_INFINITY ? 1 : times;
}

function bytesOf(state: IrState): number {
  return Math.floor(bitsOf(state.body) / 8);
}

/** Bits that statements consume; of alternatives the larger. */
function bitsOf(body: readonly Stmt[]): number {
  let sum = 0;
  for (const stmt of body) {
    if (stmt.kind === "extract") sum += widthInPacket(stmt.header.type);
    else if (stmt.kind === "advance") {
      const size = fold(stmt.size);
      if (size.kind === "number") sum += Number(size.value);
    } else {
      const inner = blocksOf(stmt).map(bitsOf);
      sum += stmt.kind === "if" || stmt.kind === "switch" ? Math.max(0, ...inner) : total(inner);
    }
  }
  return sum;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
