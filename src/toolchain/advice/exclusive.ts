/**
 * Two `if` of which at most one holds, as `if … else if`: tables in branches that exclude each other need not wait for each other. The
 * first one moves to the second one, past statements that it has nothing to do with.
 */
import type { ast } from "../p4/index.js";
import { areApart, type Effects, effectsOf, meets } from "./effects.js";
import { placeOf } from "./own-text.js";
import { ownSpan, type Rewrite, textOf } from "./rewrite.js";
import { nodesOf, type TableTexts } from "./tables.js";

/** Statements that the first `if` may pass. */
const MAX_BETWEEN = 8;

export function joinedBranches(texts: TableTexts, unit: ast.SourceUnit): Rewrite[] {
  const controls = unit.declarations.filter((one) => one.kind === "control");
  const blocks = controls.flatMap((one) => nodesOf(one.body?.apply, "block") as ast.BlockStatement[]);
  return blocks.flatMap(({ statements }) =>
    statements.flatMap((first, at) => {
      if (first.kind !== "if" || first.whenFalse !== undefined) return [];
      const mine = effectsOf([first]);
      const condition = readsOf(first.condition);
      if (mine === undefined || condition === undefined) return [];
      for (const [i, second] of statements.slice(at + 1, at + 2 + MAX_BETWEEN).entries()) {
        const between = statements.slice(at + 1, at + 1 + i);
        if (second.kind === "if" && second.whenFalse === undefined)
          if (exclude(first.condition, second.condition))
            return joined(texts, [first, second], between, mine) ?? [];
        // The next one that is looked at stands behind this one.
        const theirs = effectsOf([second]);
        if (theirs === undefined || !areApart(mine, theirs)) return [];
      }
      return [];
    }),
  );
}

function joined(
  texts: TableTexts,
  [first, second]: readonly [ast.IfStatement, ast.IfStatement],
  between: readonly ast.Statement[],
  { writes }: Effects,
): Rewrite | undefined {
  const asked = [readsOf(first.condition), readsOf(second.condition)];
  if (asked.some((reads) => reads === undefined || writesOneOf(writes, reads))) return undefined;
  const spans = [first, second, ...between].map((one) => ownSpan(texts.file, one));
  const [one, other] = spans;
  if (one === undefined || other === undefined || spans.includes(undefined)) return undefined;
  return {
    kind: "exclusive",
    words: `${placeOf(one)}: one if … else if with ${placeOf(other)}, whose condition excludes it`,
    span: one,
    replacement: "",
    more: [
      {
        span: other,
        replacement: `if (${textOf(first.condition)}) { ${textOf(first.whenTrue)} } else ${textOf(second)}`,
      },
    ],
  };
}

/** Places that a condition reads; undefined where it calls something other than `isValid`. */
function readsOf(condition: ast.Expression): ReadonlySet<string> | undefined {
  const calls = nodesOf(condition, "call") as ast.CallExpression[];
  const isTest = ({ callee }: ast.CallExpression) =>
    callee.kind === "member" && callee.member.name === "isValid";
  if (!calls.every(isTest)) return undefined;
  const test = { kind: "if", condition, whenTrue: { kind: "empty" } } as unknown as ast.IfStatement;
  return effectsOf([test])?.reads;
}

const writesOneOf = (writes: ReadonlySet<string>, reads: ReadonlySet<string>): boolean =>
  [...writes].some((place) => [...reads].some((read) => meets(place, read)));

/** Both never hold together: they have tests of the same value that cannot both hold. */
function exclude(a: ast.Expression, b: ast.Expression): boolean {
  const parts = testsOf(b);
  return testsOf(a).some((one) => parts.some((other) => contradict(one, other)));
}

interface Test {
  /** What is compared. */
  readonly value: string;
  readonly isEqual: boolean;
  readonly to: bigint;
}

/** Tests of which all must hold. */
function testsOf(condition: ast.Expression): Test[] {
  if (condition.kind === "binary" && condition.op === "&&")
    return [...testsOf(condition.left), ...testsOf(condition.right)];
  if (condition.kind === "unary" && condition.op === "!") {
    const { operand } = condition;
    // What a conjunction does not hold of, one part alone may hold of.
    const isWhole = operand.kind !== "binary" || operand.op !== "&&";
    return isWhole ? testsOf(operand).map((one) => ({ ...one, isEqual: !one.isEqual })) : [];
  }
  if (condition.kind === "binary" && (condition.op === "==" || condition.op === "!=")) {
    const { constant } = condition.right;
    const value = shown(condition.left);
    const width = widthOf(condition.left.type);
    return constant?.kind === "integer" && value !== undefined && width !== undefined
      ? // `x == -1` and `x == 255` are one test of 8 bits.
        [{ value, isEqual: condition.op === "==", to: BigInt.asUintN(width, constant.value) }]
      : [];
  }
  const value = shown(condition);
  return value === undefined ? [] : [{ value, isEqual: true, to: 1n }];
}

/** Bits of a number. */
function widthOf(type: ast.Expression["type"]): number | undefined {
  if (type?.kind === "newType" || type?.kind === "serializableEnum") return widthOf(type.underlying);
  return type?.kind === "bit" || type?.kind === "int" ? type.width : undefined;
}

/** What a value is called wherever it stands: a place without an index, or whether a header is valid. */
function shown(value: ast.Expression): string | undefined {
  if (value.kind === "path") return value.name.name;
  const place = value.kind === "call" ? value.callee : value;
  if (place.kind !== "member" || (value.kind === "call" && place.member.name !== "isValid")) return undefined;
  const base = shown(place.base);
  return base === undefined ? undefined : `${base}.${value.kind === "call" ? "$valid" : place.member.name}`;
}

const contradict = (a: Test, b: Test): boolean =>
  a.value === b.value && (a.isEqual && b.isEqual ? a.to !== b.to : a.isEqual !== b.isEqual && a.to === b.to);
