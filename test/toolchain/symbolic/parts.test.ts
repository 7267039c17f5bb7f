/** The parts of a symbolic execution: fields and headers, bits of a packet, registers, results of hashes, decisions of a path. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bmv2Hash } from "../../../src/toolchain/hash/index.js";
import type { Bmv2Program, bmv2 } from "../../../src/toolchain/program/index.js";
import { Evaluator, Solver, type Term, Terms } from "../../../src/toolchain/solver/index.js";
import { Chooser, Impossible, Undecided, type Way } from "../../../src/toolchain/symbolic/chooser.js";
import { freshSwitch } from "../../../src/toolchain/symbolic/environment.js";
import { calculate, withinBounds } from "../../../src/toolchain/symbolic/hashes.js";
import { Memory, Shapes } from "../../../src/toolchain/symbolic/memory.js";
import { byteName, LENGTH, Packet } from "../../../src/toolchain/symbolic/packet.js";
import { Registers } from "../../../src/toolchain/symbolic/registers.js";
import { Situation } from "../../../src/toolchain/symbolic/situation.js";

const evaluated = (term: Term, model: Readonly<Record<string, bigint | number>> = {}): bigint =>
  new Evaluator(new Map(Object.entries(model).map(([name, value]) => [name, BigInt(value)]))).valueOf(term);

/** Three headers of a stack, two of a union, metadata, a header with a varbit, and an alias of a field. */
const PROGRAM = {
  field_aliases: [["intrinsic.size", ["standard", "length"]]],
  header_types: [
    {
      name: "word",
      fields: [
        ["high", 8],
        ["low", 8],
      ],
    },
    {
      name: "other",
      fields: [
        ["x", 8],
        ["y", 8, true],
      ],
    },
    {
      name: "options",
      fields: [
        ["kind", 8],
        ["rest", "*"],
      ],
      max_length: 5,
    },
    { name: "standard", fields: [["length", 16]] },
  ],
  headers: [
    ...[0, 1, 2].map((id) => ({ id, name: `stack[${id}]`, header_type: "word", metadata: false })),
    { id: 3, name: "either.a", header_type: "word", metadata: false },
    { id: 4, name: "either.b", header_type: "other", metadata: false },
    { id: 5, name: "options", header_type: "options", metadata: false },
    { id: 6, name: "standard", header_type: "standard", metadata: true },
  ],
  header_stacks: [{ name: "stack", header_ids: [0, 1, 2] }],
  header_unions: [{ id: 0, name: "either", header_ids: [3, 4] }],
  header_union_types: [],
  header_union_stacks: [],
} as unknown as Bmv2Program;

function memoryOf() {
  const terms = new Terms();
  const memory = new Memory(terms, new Shapes(PROGRAM), (header, { name, width }) =>
    terms.variable(`${header}.${name}`, width),
  );
  const put = (header: string, name: string, value: number, width = 8) =>
    memory.set(header, name, terms.constant(value, width));
  return { terms, memory, put, stack: memory.shapes.stack("stack") };
}

describe("the fields of a packet", () => {
  it("have widths and signs of their types, the most of a varbit, and the name that an alias stands for", () => {
    const { memory } = memoryOf();
    expect(memory.field("either.b", "x")).toEqual({ name: "x", width: 8, signed: false, varbit: false });
    expect(memory.field("either.b", "y")).toMatchObject({ signed: true });
    expect(memory.field("options", "rest")).toEqual({ name: "rest", width: 32, signed: false, varbit: true });
    expect(memory.field("intrinsic", "size")).toMatchObject({ name: "length", width: 16 });
    for (const [header, name] of [
      ["standard", "size"],
      ["none", "length"],
    ] as const) {
      expect(memory.field(header, name)).toBeUndefined();
      expect(() => memory.get(header, name)).toThrow(`the field ${header}.${name}`);
      expect(() => memory.set(header, name, memory.terms.true)).toThrow(`the field ${header}.${name}`);
      memory.setIfThere(header, name, memory.terms.true);
    }
    expect(() => memory.shapes.header("none")).toThrow("the header none");
    expect(() => memory.shapes.stack("either")).toThrow("the stack either");
  });

  it("are what was written; before that metadata is 0, a varbit is empty, and others are what the caller says", () => {
    const { memory, put, terms } = memoryOf();
    expect(memory.get("standard", "length")).toBe(terms.constant(0, 16));
    expect(memory.get("options", "rest")).toBe(terms.constant(0, 0));
    expect(memory.get("either.a", "low")).toBe(terms.variable("either.a.low", 8));
    put("standard", "length", 7, 16);
    put("either.a", "low", 3);
    const copy = memory.copy();
    put("either.a", "low", 4);
    expect(memory.get("intrinsic", "size")).toBe(terms.constant(7, 16));
    expect([evaluated(memory.get("either.a", "low")), evaluated(copy.get("either.a", "low"))]).toEqual([
      4n,
      3n,
    ]);
    memory.clearMetadata();
    expect(memory.get("standard", "length")).toBe(terms.constant(0, 16));
    expect(evaluated(memory.get("either.a", "low"))).toBe(4n);
  });

  it("take the low bits of a wider value, and a narrower one with zeros", () => {
    const { memory, terms } = memoryOf();
    for (const width of [12, 16, 24]) {
      memory.setIfThere("standard", "length", terms.constant(0x12345, width));
      expect(memory.get("standard", "length")).toBe(terms.constant(BigInt.asUintN(width, 0x12345n), 16));
    }
  });
});

describe("the headers of a packet", () => {
  it("are valid one at a time in a union, and always where they are metadata", () => {
    const { memory } = memoryOf();
    expect(memory.isValid("standard")).toBe(true);
    expect(memory.isValid("either.a")).toBe(false);
    memory.setValid("either.a");
    memory.setValid("options");
    memory.setValid("either.b");
    expect(["either.a", "either.b", "options"].map((name) => memory.isValid(name))).toEqual([
      false,
      true,
      true,
    ]);
    memory.setInvalid("either.b");
    expect(memory.isValid("either.b")).toBe(false);
  });

  it("are copied field by field in their order, with their validity", () => {
    const { memory, put } = memoryOf();
    memory.setValid("stack[0]");
    put("stack[0]", "high", 1);
    put("stack[0]", "low", 2);
    memory.copyHeader("either.b", "stack[0]");
    expect(memory.isValid("either.b")).toBe(true);
    expect([memory.get("either.b", "x"), memory.get("either.b", "y")].map((one) => evaluated(one))).toEqual([
      1n,
      2n,
    ]);
    put("stack[1]", "high", 9);
    memory.copyHeader("either.b", "stack[1]");
    expect(memory.isValid("either.b")).toBe(false);
    expect(evaluated(memory.get("either.b", "x")), "fields of a header that is not copied stay").toBe(1n);
  });

  it.each([
    [1, [undefined, 10, 11], 3],
    [2, [undefined, undefined, 10], 3],
    [9, [undefined, undefined, undefined], 3],
    [-1, [11, undefined, undefined], 1],
    [-2, [undefined, undefined, undefined], 0],
    [-9, [undefined, undefined, undefined], 0],
  ])("move in a stack by %i: %j are valid, the next one is %i", (count, expected, next) => {
    const { memory, put, stack } = memoryOf();
    for (const i of [0, 1]) {
      memory.setValid(`stack[${i}]`);
      put(`stack[${i}]`, "low", 10 + i);
    }
    memory.setNext("stack", 2);
    memory.shift(stack, count);
    const found = stack.elements.map(([name = ""]) =>
      memory.isValid(name) ? Number(evaluated(memory.get(name, "low"))) : undefined,
    );
    expect(found).toEqual(expected);
    expect(memory.next("stack")).toBe(next);
  });

  it("have no next element before the parser has met one", () => {
    expect(memoryOf().memory.next("stack")).toBe(0);
  });
});

describe("the bits of a packet", () => {
  const arrived = Object.fromEntries([0xaa, 0xbb, 0xcc, 0xdd].map((byte, i) => [byteName(i), byte]));
  const bits = (packet: Packet, from: number, width: number) => {
    const term = packet.bits(from, width);
    expect(term.width).toBe(width);
    return evaluated(term, arrived);
  };

  it("that comes in are its bytes, the highest bit first, from any bit on", () => {
    const packet = Packet.arriving(new Terms());
    const whole = 0xaabbccddn;
    fc.assert(
      fc.property(fc.nat(31), fc.nat(31), (from, rest) => {
        const width = Math.min(rest, 32 - from);
        expect(bits(packet, from, width)).toBe(BigInt.asUintN(width, whole >> BigInt(32 - from - width)));
      }),
    );
    expect(evaluated(packet.length, { [LENGTH]: 64 })).toBe(64n);
    expect(packet.arrivedBytes(3)).toBe(3);
  });

  it("of a deparsed packet are those in front, then the rest of what came in", () => {
    const terms = new Terms();
    const packet = new Packet(terms, terms.constant(0x112233, 24), 1);
    const whole = 0x112233bbccddn;
    fc.assert(
      fc.property(fc.nat(47), fc.nat(47), (from, rest) => {
        const width = Math.min(rest, 48 - from);
        expect(bits(packet, from, width)).toBe(BigInt.asUintN(width, whole >> BigInt(48 - from - width)));
      }),
    );
    expect(evaluated(packet.length, { [LENGTH]: 64 })).toBe(66n);
    expect([packet.arrivedBytes(3), packet.arrivedBytes(2), packet.arrivedBytes(5)]).toEqual([1, 0, 3]);
  });
});

describe("registers", () => {
  function registers() {
    const terms = new Terms();
    const situation = new Situation();
    const chooser = new Chooser(new Solver(terms), [], () => 0, []);
    const environment = {
      outside: (name: string, width: number) => terms.variable(name, width),
      unwritten: () => terms.true,
      entries: "any" as const,
      passes: 1,
      leftOut: { outside: "left", unwritten: "other" },
    };
    const made = new Registers(terms, environment, chooser, situation);
    return { terms, situation, chooser, made };
  }

  it("give what was written last to the cell, and before that one unknown value for each cell", () => {
    const { terms, made, situation, chooser } = registers();
    const [i, j] = [terms.variable("i", 4), terms.variable("j", 4)];
    const before = made.read("r", i, 8);
    expect([...situation.leftOut]).toEqual(["left"]);
    made.write("r", i, terms.constant(5, 8));
    made.write("r", j, terms.constant(6, 8));
    made.write("q", i, terms.constant(7, 8));
    const after = made.read("r", i, 8);
    expect(evaluated(after, { i: 1, j: 2 })).toBe(5n);
    expect(evaluated(after, { i: 1, j: 1 })).toBe(6n);
    expect(evaluated(made.after("r", terms.constant(3, 4), terms.constant(9, 8)), { i: 1, j: 2 })).toBe(9n);
    expect(evaluated(before, { [before.name]: 44 })).toBe(44n);
    expect(situation.cells.map(({ register, index }) => [register, index])).toEqual([
      ["r", i],
      ["r", i],
    ]);
    expect(chooser.conditions.every((one) => evaluated(one, { i: 1, j: 2 }) === 1n)).toBe(true);
  });

  it("hold one value at first in one cell, by whatever index it is read, and others in other registers", () => {
    const { terms, made, chooser } = registers();
    const [i, j] = [terms.variable("i", 4), terms.variable("j", 4)];
    const [x, y, z] = [made.read("r", i, 8), made.read("r", j, 8), made.read("q", j, 8)];
    const hold = (model: Record<string, number>) =>
      chooser.conditions.every((one) => evaluated(one, model) === 1n);
    expect(hold({ i: 1, j: 1, [x.name]: 3, [y.name]: 3, [z.name]: 9 })).toBe(true);
    expect(hold({ i: 1, j: 1, [x.name]: 3, [y.name]: 4 })).toBe(false);
    expect(hold({ i: 1, j: 2, [x.name]: 3, [y.name]: 4 })).toBe(true);
  });
});

it("a switch that has just started has zeros, two passes, and says what that leaves out", () => {
  const terms = new Terms();
  const { outside, unwritten, passes, leftOut } = freshSwitch(terms);
  expect([outside("now", 5), unwritten("h", { width: 7 } as never)]).toEqual([
    terms.constant(0, 5),
    terms.constant(0, 7),
  ]);
  expect(passes).toBe(2);
  expect(leftOut).toEqual({
    outside: expect.stringContaining("registers and meters"),
    unwritten: expect.stringContaining("not valid"),
  });
});

describe("calculations", () => {
  const field = (header: string, name: string): bmv2.CalculationInput => ({
    type: "field",
    value: [header, name],
  });
  const of = (algo: string, input: readonly bmv2.CalculationInput[]) => ({ algo, input }) as bmv2.Calculation;
  const from = (memory: Memory, payload: number) => ({ memory, payload, looksAtValidity: true });

  function filled() {
    const made = memoryOf();
    made.memory.setValid("stack[0]");
    made.memory.setValid("either.b");
    return made;
  }

  it.each(["crc16", "crc32", "crcCCITT", "xor16", "csum16", "cksum16"])(
    "%s of fields gives what the switch computes, for all values",
    (algo) => {
      const { memory } = filled();
      const inputs = [
        [field("stack[0]", "high"), field("stack[0]", "low")],
        [field("stack[0]", "high"), { type: "hexstr", value: "0x1F", bitwidth: 8 }, field("either.b", "x")],
        [
          { type: "header", value: "stack[0]" },
          { type: "header", value: "either.b" },
        ],
      ] as bmv2.CalculationInput[][];
      const hash = bmv2Hash(algo)!;
      fc.assert(
        fc.property(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255), (a, b, c, d) => {
          const model = { "stack[0].high": a, "stack[0].low": b, "either.b.x": c, "either.b.y": d };
          const bytes = [
            [a, b],
            [a, 0x1f, c],
            [a, b, c, d],
          ];
          inputs.forEach((input, i) => {
            const { result, opaque } = calculate(of(algo, input), from(memory, 0));
            expect(opaque).toBeUndefined();
            const given = hash(new Uint8Array(bytes[i]!), bytes[i]!.length) >>> 0;
            expect(evaluated(result, model)).toBe(BigInt(given));
          });
        }),
        { numRuns: 10 },
      );
    },
  );

  it("leave out headers that are not valid, and fill the last byte with zeros", () => {
    const { memory, terms } = filled();
    const input = [
      field("either.a", "low"),
      { type: "header", value: "stack[1]" },
      { type: "hexstr", value: "0xab" },
      { type: "hexstr", value: "0x3", bitwidth: 3 },
    ] as bmv2.CalculationInput[];
    const { result } = calculate(of("crc32", input), from(memory, 0));
    const bytes = new Uint8Array([0xab, 0x60]);
    expect(result).toBe(terms.constant(bmv2Hash("crc32")!(bytes, 2) >>> 0, 32));
  });

  it("of a payload, of much input, and of other functions are unknown results, the same for the same input", () => {
    const { memory, terms } = filled();
    const own = [field("stack[0]", "low")];
    const payload = { type: "payload" } as bmv2.CalculationInput;
    const sum = calculate(of("csum16", [...own, payload]), from(memory, 34));
    expect(sum).toEqual({
      result: sum.opaque!.variable,
      opaque: {
        ...{ variable: sum.result, algorithm: "csum16", payload: 34 },
        input: terms.variable("stack[0].low", 8),
      },
    });
    expect(calculate(of("csum16", [...own, payload]), from(memory, 34)).result).toBe(sum.result);
    expect(calculate(of("csum16", [...own, payload]), from(memory, 35)).result).not.toBe(sum.result);
    const widths = ["crc16_custom", "crc32_custom", "crc64", "identity", "xxh64"].map(
      (algo) => calculate(of(algo, own), from(memory, 0)).result.width,
    );
    expect(widths).toEqual([16, 32, 64, 64, 32]);
    expect(calculate(of("crc64", own), from(memory, 3)).opaque).toMatchObject({ payload: undefined });
    const long = (bits: number) =>
      [{ type: "hexstr", value: "0x1", bitwidth: bits }] as bmv2.CalculationInput[];
    expect(calculate(of("crc32", long(512)), from(memory, 0)).opaque).toBeUndefined();
    expect(calculate(of("crc32", long(513)), from(memory, 0)).opaque).toBeDefined();
    expect(calculate(of("csum16", long(4096)), from(memory, 0)).opaque).toBeUndefined();
    expect(calculate(of("csum16", long(4097)), from(memory, 0)).opaque).toBeDefined();
    const unknown = [{ type: "stack" }] as unknown as bmv2.CalculationInput[];
    expect(() => calculate(of("crc32", unknown), from(memory, 0))).toThrow("a hash of a value of type stack");
  });

  it("within bounds are base + hash mod max, with 0 as 1", () => {
    const terms = new Terms();
    const [hash, base, max] = [terms.variable("h", 16), terms.variable("b", 64), terms.variable("m", 64)];
    const within = withinBounds(terms, hash, base, max);
    expect(evaluated(within, { h: 1000, b: 5, m: 7 })).toBe(5n + (1000n % 7n));
    expect(evaluated(within, { h: 1000, b: 5, m: 0 })).toBe(5n);
    expect(evaluated(within, { h: 1000, b: 2n ** 64n - 1n, m: 2n ** 40n })).toBe(999n);
  });
});

describe("the decisions of a path", () => {
  const terms = new Terms();
  const x = terms.variable("x", 4);
  const is = (value: number): Way => ({
    label: `x is ${value}`,
    condition: terms.equal(x, terms.constant(value, 4)),
  });
  const below = (value: number) => terms.less(x, terms.constant(value, 4));
  const chooser = (decisions: readonly number[] = [], given: readonly Term[] = [], first = 0) =>
    new Chooser(new Solver(terms), decisions, (_, open) => Math.min(first, open.length - 1), given);
  const ways = [is(1), is(2), is(3)];

  it("take the preferred way that is possible, and keep the others for later", () => {
    const one = chooser();
    expect(one.choose(ways)).toBe(0);
    expect(one.model.get("x")).toBe(1n);
    // Nothing lay before the decision.
    const before = { labels: ["x is 1"], count: 0 };
    expect(one.waiting).toEqual([
      { decisions: [1], label: "x is 2", pass: 1, before },
      { decisions: [2], label: "x is 3", pass: 1, before },
    ]);
    expect([one.made, one.labels, one.conditions]).toEqual([[0], ["x is 1"], [ways[0]!.condition]]);
    const last = chooser([], [], 2);
    expect(last.choose(ways)).toBe(2);
    expect(last.waiting.map(({ decisions }) => decisions)).toEqual([[0], [1]]);
  });

  it("leave out ways that the conditions before exclude", () => {
    const one = chooser([], [terms.not(below(2))]);
    one.require(below(3));
    expect(one.choose(ways)).toBe(1);
    const before = { labels: ["x is 2"], count: 0 };
    expect(one.waiting).toEqual([{ decisions: [2], label: "x is 3", pass: 1, before }]);
    expect(() => one.require(below(2))).toThrow(Impossible);
    expect(() => chooser([], [terms.not(below(9))]).choose(ways)).toThrow(Impossible);
  });

  it("are those that are given, then new ones; the last given one decides whether the path exists", () => {
    const one = chooser([2, 0]);
    expect(one.choose(ways)).toBe(2);
    expect(
      one.choose([
        { label: "small", condition: below(9) },
        { label: "large", condition: terms.not(below(9)) },
      ]),
    ).toBe(0);
    expect(one.model.get("x")).toBe(3n);
    expect(one.waiting).toEqual([]);
    expect(one.choose(ways)).toBe(2);
    expect(one.made).toEqual([2, 0, 2]);
    const wrong = chooser([2, 1]);
    wrong.choose(ways);
    expect(() => wrong.choose(ways)).toThrow(Impossible);
  });

  it("are none where one way is certain, but their label counts", () => {
    const one = chooser([1]);
    const certain = [
      { label: "no", condition: terms.false },
      { label: "yes", condition: terms.true },
    ];
    expect(one.choose(certain)).toBe(1);
    expect([one.made, one.labels, one.waiting]).toEqual([[], ["yes"], []]);
    expect(one.choose(ways)).toBe(1);
    expect(one.choose([{ label: "always", condition: terms.true }, is(3)])).toBe(0);
    expect(one.conditions).toEqual([ways[1]!.condition]);
  });

  it("are not known where the solver gives up", () => {
    const wide = terms.variable("w", 64);
    const [p, q] = [terms.slice(wide, 0, 32), terms.slice(wide, 32, 32)];
    const product = terms.multiply(terms.extend(p, 64), terms.extend(q, 64));
    const hard = terms.and(
      terms.equal(product, terms.constant(4294967291n * 4294967279n, 64)),
      terms.less(p, q),
    );
    const solver = { terms, solve: () => ({ answer: "unknown", model: new Map() }) } as unknown as Solver;
    const one = new Chooser(solver, [], () => 0, []);
    expect(() => one.choose([{ label: "hard", condition: hard }])).toThrow(Undecided);
    expect(() => one.require(hard)).toThrow(Undecided);
  });

  it("fail with what the solver throws itself", () => {
    const solver = {
      terms,
      solve: () => {
        throw new RangeError("broken");
      },
    } as unknown as Solver;
    expect(() => new Chooser(solver, [], () => 0, []).choose(ways)).toThrow(RangeError);
  });
});

it("another program's path finds the same surroundings, without groups, sessions and meters", () => {
  const situation = new Situation();
  const names = ["entries", "defaults", "opaque", "missed", "cells"] as const;
  for (const name of names) situation[name].push({ name } as never);
  situation.copies.push({ kind: "group" } as never);
  situation.meters.add("m");
  const next = situation.forAnother();
  for (const name of names) expect(next[name]).toEqual([{ name }]);
  expect([next.copies, next.meters.size]).toEqual([[], 0]);
  next.entries.push({} as never);
  expect(situation.entries).toHaveLength(1);
  expect(situation.withCopies([{ kind: "session" } as never])).toMatchObject({
    ...{ entries: [{ name: "entries" }], copies: [{ kind: "session" }] },
  });
});
