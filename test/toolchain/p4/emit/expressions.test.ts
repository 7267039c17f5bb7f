/** Random expressions: what the emitted JSON computes is what P4-16 section 8 says. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSigned, toUnsigned } from "../../../../src/base/index.js";
import { compileParts } from "../lower/v1model.js";
import { Machine } from "./evaluate.js";

type Term = { text: string; value: (a: bigint, b: bigint) => bigint };

/** One operator or operand on `int<W>` (signed) or `bit<W>`; values are reduced to the type. */
function terms(width: number, signed: boolean): fc.Arbitrary<Term> {
  const reduce = (value: bigint): bigint => (signed ? toSigned(value, width) : toUnsigned(value, width));
  const saturate = (value: bigint): bigint => {
    const high = signed ? (1n << BigInt(width - 1)) - 1n : (1n << BigInt(width)) - 1n;
    const low = signed ? -high - 1n : 0n;
    return value > high ? high : value < low ? low : value;
  };
  const letter = signed ? "s" : "w";
  const leaf = fc.oneof(
    fc.constant<Term>({ text: "a", value: (a) => a }),
    fc.constant<Term>({ text: "b", value: (_, b) => b }),
    fc.bigInt({ min: 0n, max: (1n << BigInt(width - (signed ? 1 : 0))) - 1n }).map((n) => ({
      text: `${width}${letter}${n}`,
      value: () => n,
    })),
  );
  const binary: Record<string, (x: bigint, y: bigint) => bigint> = {
    "+": (x, y) => reduce(x + y),
    "-": (x, y) => reduce(x - y),
    "*": (x, y) => reduce(x * y),
    "|+|": (x, y) => saturate(x + y),
    "|-|": (x, y) => saturate(x - y),
    "&": (x, y) => reduce(x & y),
    "|": (x, y) => reduce(x | y),
    "^": (x, y) => reduce(x ^ y),
  };
  const compare: Record<string, (x: bigint, y: bigint) => boolean> = {
    "==": (x, y) => x === y,
    "!=": (x, y) => x !== y,
    "<": (x, y) => x < y,
    "<=": (x, y) => x <= y,
    ">": (x, y) => x > y,
    ">=": (x, y) => x >= y,
  };
  return fc.letrec<{ term: Term }>((tie) => ({
    term: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      fc.tuple(fc.constantFrom(...Object.keys(binary)), tie("term"), tie("term")).map(([op, x, y]) => ({
        text: `(${x.text} ${op} ${y.text})`,
        value: (a: bigint, b: bigint) => binary[op]!(x.value(a, b), y.value(a, b)),
      })),
      fc.tuple(fc.constantFrom("~", "-"), tie("term")).map(([op, x]) => ({
        text: `(${op}${x.text})`,
        value: (a: bigint, b: bigint) => reduce(op === "~" ? ~x.value(a, b) : -x.value(a, b)),
      })),
      fc.tuple(fc.constantFrom("<<", ">>"), tie("term"), fc.nat({ max: width + 2 })).map(([op, x, n]) => ({
        text: `(${x.text} ${op} ${n})`,
        value: (a: bigint, b: bigint) =>
          op === "<<" ? reduce(x.value(a, b) << BigInt(n)) : x.value(a, b) >> BigInt(n),
      })),
      fc.tuple(tie("term"), fc.nat({ max: width - 1 }), fc.nat({ max: width - 1 })).map(([x, i, j]) => {
        const [high, low] = i > j ? [i, j] : [j, i];
        const part = (a: bigint, b: bigint): bigint =>
          toUnsigned(toUnsigned(x.value(a, b), width) >> BigInt(low), high - low + 1);
        const back = signed ? `(int<${width}>)(bit<${width}>)` : `(bit<${width}>)`;
        return {
          text: `(${back} ${x.text}[${high}:${low}])`,
          value: (a: bigint, b: bigint) => reduce(part(a, b)),
        };
      }),
      fc
        .tuple(fc.constantFrom(...Object.keys(compare)), tie("term"), tie("term"), tie("term"), tie("term"))
        .map(([op, x, y, p, q]) => ({
          text: `(${x.text} ${op} ${y.text} ? ${p.text} : ${q.text})`,
          value: (a: bigint, b: bigint) => (compare[op]!(x.value(a, b), y.value(a, b)) ? p : q).value(a, b),
        })),
      // Through another width and sign and back.
      fc.tuple(tie("term"), fc.integer({ min: 1, max: width + 9 })).map(([x, n]) => {
        const other = signed ? (v: bigint) => toSigned(v, n) : (v: bigint) => toUnsigned(v, n);
        const base = signed ? "int" : "bit";
        return {
          text: `((${base}<${width}>)(${base}<${n}>) ${x.text})`,
          value: (a: bigint, b: bigint) => reduce(other(x.value(a, b))),
        };
      }),
    ),
  })).term;
}

function check(width: number, signed: boolean): void {
  const base = `${signed ? "int" : "bit"}<${width}>`;
  const operand = fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n });
  fc.assert(
    fc.property(
      terms(width, signed),
      fc.array(fc.tuple(operand, operand), { minLength: 4, maxLength: 4 }),
      (term, inputs) => {
        const { program } = compileParts({
          metadata: `${base} x; ${base} y; ${base} z;`,
          locals: `action f() { ${base} a = meta.x; ${base} b = meta.y; meta.z = ${term.text}; }`,
          ingress: "f();",
        });
        for (const [x, y] of inputs) {
          const read = (value: bigint): bigint => (signed ? toSigned(value, width) : value);
          const memory = new Map([
            ["scalars.meta_t.x", read(x)],
            ["scalars.meta_t.y", read(y)],
          ]);
          new Machine(program.bmv2, memory).pipeline(0);
          expect(memory.get("scalars.meta_t.z")).toBe(term.value(read(x), read(y)));
        }
      },
    ),
    { numRuns: 60, seed: width * 2 + (signed ? 1 : 0) },
  );
}

describe("expressions", () => {
  it.each([1, 7, 8, 33])("compute with bit<%i>", (width) => check(width, false));
  it.each([2, 8, 16, 65])("compute with int<%i>", (width) => check(width, true));
});
