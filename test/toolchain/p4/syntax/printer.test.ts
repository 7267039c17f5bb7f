import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, type Span } from "../../../../src/base/index.js";
import type {
  BinaryOperator,
  Expression,
  Identifier,
  Statement,
  TypeExpression,
} from "../../../../src/toolchain/p4/syntax/ast.js";
import { parse, printExpression, printUnit } from "../../../../src/toolchain/p4/syntax/index.js";
import { expressionOf, parseText, plain, prelude } from "./helpers.js";

const root = join(import.meta.dirname, "../../../..");
const golden = join(root, "test/golden/syntax");

/** All programs of the project itself. */
const programs = ["p4", "test/golden"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".p4") && !name.endsWith("printed.p4"))
    .map((name) => join(folder, name)),
);

describe("printed programs", () => {
  it.each(programs.sort())("%s gives the same tree again", (name) => {
    const diagnostics = new Diagnostics();
    const resolveInclude = (include: string) => {
      const path = join(root, dirname(name), include);
      return existsSync(path) ? new SourceFile(include, readFileSync(path, "utf8")) : undefined;
    };
    const unit = parse(
      { file: new SourceFile(name, readFileSync(join(root, name), "utf8")), resolveInclude },
      diagnostics,
    );
    diagnostics.throwIfErrors();
    expect(plain(parseText(printUnit(unit)))).toEqual(plain(unit));
  });

  it("read well", () => {
    const unit = parseText(readFileSync(join(golden, "everything.p4"), "utf8"));
    // The library is on record in p4/.
    const own = unit.declarations.filter((d) => d.span.file.path === "test.p4");
    const text = printUnit({ declarations: own });
    const path = join(golden, "everything.printed.p4");
    if (process.env["P4LOOM_GOLDEN"] === "update") writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, "utf8"));
  });
});

// ---------------------------------------------------------------- made-up trees

const file = new SourceFile("made up", "");
const span: Span = { file, start: 0, end: 0 };
const identifier = (name: string): Identifier => ({ name, span });
const path = (name: string): Expression => ({ kind: "path", span, absolute: false, name: identifier(name) });

const binaryOperators: BinaryOperator[] = [
  ...(["*", "/", "%", "+", "-", "|+|", "|-|", "<<", ">>", "<", ">"] as const),
  ...(["<=", ">=", "==", "!=", "&", "^", "|", "++", "&&", "||"] as const),
];

const trees = fc.letrec<{ expression: Expression; type: TypeExpression }>((tie) => {
  const expression = tie("expression");
  const args = fc.array(
    fc.record({
      span: fc.constant(span),
      name: fc.option(fc.constant(identifier("n")), { nil: undefined }),
      value: fc.oneof(expression, fc.constant<Expression>({ kind: "dontCare", span })),
    }),
    { maxLength: 2 },
  );
  const leaf: fc.Arbitrary<Expression> = fc.oneof(
    fc.constantFrom("a", "b", "key").map(path),
    fc.constantFrom("1", "8w3").map((text): Expression => {
      const [width, digits] = text.includes("w") ? text.split("w") : [undefined, text];
      const value = BigInt(digits!);
      return {
        kind: "intLiteral",
        span,
        value,
        width: width ? Number(width) : undefined,
        signed: false,
        text,
      };
    }),
    fc.constantFrom<Expression>(
      { kind: "boolLiteral", span, value: true },
      { kind: "stringLiteral", span, value: 'x \\" y' },
      { kind: "invalid", span },
      { kind: "this", span },
      {
        kind: "member",
        span,
        base: {
          kind: "typeName",
          span,
          typeExpression: { kind: "namedType", span, absolute: false, name: identifier("E"), args: [] },
        },
        member: identifier("m"),
      },
    ),
  );
  return {
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      fc.record({
        kind: fc.constant("member" as const),
        span: fc.constant(span),
        base: expression,
        member: fc.constant(identifier("x")),
      }),
      fc.record({
        kind: fc.constant("index" as const),
        span: fc.constant(span),
        base: expression,
        index: expression,
      }),
      fc.record({
        kind: fc.constant("slice" as const),
        span: fc.constant(span),
        base: expression,
        high: expression,
        low: expression,
      }),
      fc.record({
        kind: fc.constant("unary" as const),
        span: fc.constant(span),
        op: fc.constantFrom("!", "~", "-", "+"),
        operand: expression,
      }),
      fc.record({
        kind: fc.constant("binary" as const),
        span: fc.constant(span),
        op: fc.constantFrom(...binaryOperators),
        left: expression,
        right: expression,
      }),
      fc.record({
        kind: fc.constant("conditional" as const),
        span: fc.constant(span),
        condition: expression,
        whenTrue: expression,
        whenFalse: expression,
      }),
      fc.record({
        kind: fc.constant("cast" as const),
        span: fc.constant(span),
        target: tie("type"),
        operand: expression,
      }),
      fc.record({
        kind: fc.constant("call" as const),
        span: fc.constant(span),
        callee: fc.oneof(fc.constantFrom("f", "g").map(path), expression),
        typeArgs: fc.constant<TypeExpression[]>([]),
        args,
      }),
      fc.record({
        kind: fc.constant("call" as const),
        span: fc.constant(span),
        callee: fc.constant(path("g")),
        typeArgs: fc.array(tie("type"), { minLength: 1, maxLength: 2 }),
        args,
      }),
      fc.record({
        kind: fc.constant("list" as const),
        span: fc.constant(span),
        elements: fc.array(expression, { maxLength: 3 }),
        dots: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("struct" as const),
        span: fc.constant(span),
        fields: fc.array(fc.record({ name: fc.constantFrom("k", "l").map(identifier), value: expression }), {
          minLength: 1,
          maxLength: 3,
        }),
        dots: fc.boolean(),
      }),
    ),
    type: fc.oneof(
      { maxDepth: 3 },
      fc
        .constantFrom("bool", "error", "string")
        .map((name): TypeExpression => ({ kind: "baseType", span, name: name as "bool" })),
      fc.constantFrom("T", "E").map(
        (name): TypeExpression => ({
          kind: "namedType",
          span,
          absolute: false,
          name: identifier(name),
          args: [],
        }),
      ),
      fc.record({
        kind: fc.constant("bitType" as const),
        span: fc.constant(span),
        base: fc.constantFrom("bit", "int", "varbit"),
        width: expression,
      }),
      tie("type").map(
        (arg): TypeExpression => ({
          kind: "namedType",
          span,
          absolute: true,
          name: identifier("G"),
          args: [arg],
        }),
      ),
      fc.record({
        kind: fc.constant("tupleType" as const),
        span: fc.constant(span),
        elements: fc.array(tie("type"), { maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant("listType" as const), span: fc.constant(span), element: tie("type") }),
      fc.record({
        kind: fc.constant("stackType" as const),
        span: fc.constant(span),
        element: tie("type"),
        size: expression,
      }),
    ),
  };
});

describe("printed trees", () => {
  it("keep every expression's structure", () => {
    fc.assert(
      fc.property(trees.expression, (tree) => {
        expect(plain(expressionOf(printExpression(tree)))).toEqual(plain(tree));
      }),
      { numRuns: 1500 },
    );
  });

  it("leave out parentheses that change nothing", () => {
    for (const text of [
      "a + b * 2",
      "(a + b) * 2",
      "a - (b - 1)",
      "-(-a)",
      "(a < b) == true",
      "(bit<8>) a + b",
    ]) {
      const printed = printExpression(expressionOf(text));
      expect(printed.length).toBeLessThanOrEqual(text.length);
      expect(plain(expressionOf(printed))).toEqual(plain(expressionOf(text)));
    }
  });

  it("keep an else with its if", () => {
    const base = { span, annotations: [] };
    const set = (name: string): Statement => ({
      kind: "assignment",
      ...base,
      op: undefined,
      left: path("a"),
      right: path(name),
    });
    const inner: Statement = {
      kind: "if",
      ...base,
      condition: path("b"),
      whenTrue: set("c"),
      whenFalse: undefined,
    };
    const outer: Statement = {
      kind: "if",
      ...base,
      condition: path("a"),
      whenTrue: inner,
      whenFalse: set("d"),
    };
    const unit = parseText(`${prelude} void h() { }`);
    const last = unit.declarations.at(-1)!;
    if (last.kind !== "function") throw new Error("no function");
    last.body!.statements.push(outer);
    const again = parseText(printUnit(unit)).declarations.at(-1)!;
    const [statement] = again.kind === "function" ? again.body!.statements : [];
    expect(statement?.kind === "if" && statement.whenFalse?.kind).toBe("assignment");
  });
});
