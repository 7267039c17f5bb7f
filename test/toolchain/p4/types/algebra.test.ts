import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StructLikeDeclaration, TypeParameter } from "../../../../src/toolchain/p4/syntax/ast.js";
import {
  BOOL,
  bitType,
  contains,
  INTEGER,
  intType,
  sameType,
  sizeOf,
  structType,
  substitute,
  substitutionOf,
  typeToString,
  unwrap,
  widthOf,
} from "../../../../src/toolchain/p4/types/algebra.js";
import { Inference } from "../../../../src/toolchain/p4/types/infer.js";
import type { Type } from "../../../../src/toolchain/p4/types/type.js";
import { checkText } from "./checked.js";

const span = { file: undefined as never, start: 0, end: 0 };

function param(name: string): TypeParameter {
  return { kind: "typeParameter", name: { name, span }, annotations: [], span };
}

const T = param("T");
const U = param("U");
const variable = (declaration: TypeParameter): Type => ({ kind: "typeVariable", declaration });

/** `struct Pair<T> { T first; bit<8> second; }` */
const pair: StructLikeDeclaration = {
  kind: "struct",
  name: { name: "Pair", span },
  annotations: [],
  span,
  typeParams: [T],
  fields: [
    {
      span,
      annotations: [],
      name: { name: "first", span },
      typeExpression: undefined as never,
      type: variable(T),
    },
    {
      span,
      annotations: [],
      name: { name: "second", span },
      typeExpression: undefined as never,
      type: bitType(8),
    },
  ],
};

const closed: fc.Arbitrary<Type> = fc.letrec<{ type: Type }>((tie) => ({
  type: fc.oneof(
    { depthSize: "small" },
    fc.integer({ min: 1, max: 64 }).map(bitType),
    fc.integer({ min: 1, max: 64 }).map(intType),
    fc.integer({ min: 0, max: 64 }).map((width): Type => ({ kind: "varbit", width })),
    fc.constant(BOOL),
    fc.array(tie("type"), { maxLength: 3 }).map((elements): Type => ({ kind: "tuple", elements })),
    tie("type").map((arg): Type => structType(pair, [arg])),
    fc
      .tuple(tie("type"), fc.integer({ min: 1, max: 4 }))
      .map(([element, size]): Type => ({ kind: "stack", element, size })),
  ),
})).type;

/** The same type with some of its parts replaced by T. */
function open(type: Type, part: Type): Type {
  if (sameType(type, part)) return variable(T);
  switch (type.kind) {
    case "tuple":
      return { kind: "tuple", elements: type.elements.map((element) => open(element, part)) };
    case "stack":
      return { ...type, element: open(type.element, part) };
    case "struct":
      return structType(pair, [open(type.args[0]!, part)]);
    default:
      return type;
  }
}

describe("types", () => {
  it("are the same as themselves and as a copy", () => {
    fc.assert(
      fc.property(closed, (type) => {
        expect(sameType(type, type)).toBe(true);
        expect(sameType(type, substitute({ kind: "tuple", elements: [type] }, new Map()))).toBe(false);
      }),
    );
  });

  it("that are the same print the same", () => {
    fc.assert(
      fc.property(closed, closed, (a, b) => {
        expect(typeToString(a) === typeToString(b)).toBe(sameType(a, b));
      }),
    );
  });

  it("come back from replacing a part by a variable and substituting it", () => {
    fc.assert(
      fc.property(closed, closed, (whole, part) => {
        const opened = open(whole, part);
        expect(sameType(substitute(opened, new Map([[T, part]])), whole)).toBe(true);
      }),
    );
  });

  it("are found again by inference", () => {
    fc.assert(
      fc.property(closed, closed, (whole, part) => {
        const opened = open(whole, part);
        const inference = new Inference([T]);
        inference.learn(opened, whole);
        const mentions = contains(opened, (type) => type.kind === "typeVariable");
        expect(inference.bindings.has(T)).toBe(mentions);
        if (mentions) expect(sameType(inference.bindings.get(T)!, part)).toBe(true);
        expect(sameType(inference.apply(opened), whole)).toBe(true);
      }),
    );
  });

  it("have sizes that add up", () => {
    fc.assert(
      fc.property(fc.array(closed, { maxLength: 4 }), fc.integer({ min: 1, max: 5 }), (elements, size) => {
        const tuple: Type = { kind: "tuple", elements };
        const sum = elements.reduce((total, type) => total + widthOf(type)!, 0);
        expect(widthOf(tuple)).toBe(sum);
        expect(widthOf({ kind: "stack", element: tuple, size })).toBe(size * sum);
        expect(sizeOf(tuple, "min")!).toBeLessThanOrEqual(sum);
      }),
    );
  });

  it("give the sizes of section 9", () => {
    const { program } = checkText(`
      header H { bit<7> a; varbit<32> b; }
      header I { bit<48> c; }
      header_union U { H h; I i; }
      enum bit<5> E { a = 1 }
      type bit<9> Port;
      struct S { H h; U u; I[3] s; E e; Port p; bool b; }`);
    const sizes = (name: string) => {
      const declaration = program.globals.get(name)![0] as StructLikeDeclaration;
      const type = structType(declaration, []);
      return [sizeOf(type, "min"), sizeOf(type, "max")];
    };
    expect(sizes("H")).toEqual([7, 39]);
    expect(sizes("U")).toEqual([48, 48]);
    expect(sizes("S")).toEqual([7 + 48 + 144 + 5 + 9 + 1, 39 + 48 + 144 + 5 + 9 + 1]);
  });

  it("without size have none", () => {
    for (const type of [
      INTEGER,
      { kind: "string" },
      { kind: "error" },
      { kind: "void" },
      variable(T),
    ] as Type[])
      expect(widthOf(type)).toBeUndefined();
  });

  it("unwrap to what lies beneath", () => {
    const { program } = checkText("type bit<9> A; type A B; enum bit<4> E { x = 0 }");
    const types = [...program.unit.declarations].map((d) =>
      d.kind === "typedef" ? d.typeExpression.type! : BOOL,
    );
    expect(typeToString(types[1]!)).toBe("A");
    expect(typeToString(unwrap(types[1]!))).toBe("bit<9>");
  });
});

describe("inference", () => {
  it("prefers types with a width to literals, whatever comes first", () => {
    const first = new Inference([T]);
    first.learn(variable(T), INTEGER);
    first.learn(variable(T), bitType(8));
    const second = new Inference([T]);
    second.learn(variable(T), bitType(8));
    second.learn(variable(T), INTEGER);
    expect([first, second].map((each) => typeToString(each.bindings.get(T)!))).toEqual(["bit<8>", "bit<8>"]);
  });

  it("does not touch variables of others", () => {
    const inference = new Inference([T]);
    inference.learn(variable(U), bitType(8));
    expect(inference.bindings.size).toBe(0);
    expect(inference.isOpen(variable(U))).toBe(false);
    expect(inference.isOpen(variable(T))).toBe(true);
  });

  it("substitutes parameters in order", () => {
    const map = substitutionOf([T, U], [bitType(1), bitType(2)]);
    const type = substitute({ kind: "tuple", elements: [variable(U), variable(T)] }, map);
    expect(typeToString(type)).toBe("tuple<bit<2>, bit<1>>");
  });
});
