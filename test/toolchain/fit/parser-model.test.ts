/** What the parser says about headers, beside an enumeration of its paths: the longest chain, and which headers exclude each other. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HeaderInfo } from "../../../src/toolchain/fit/model/model.js";
import { readParser } from "../../../src/toolchain/fit/model/parser.js";
import type { bmv2 } from "../../../src/toolchain/program/index.js";
import { runs } from "../../fuzz-seed.js";

const NAMES = ["h0", "h1", "h2", "h3", "h4"];
const BITS = [16, 24, 32, 100, 7];
const headers = new Map<string, HeaderInfo>(
  NAMES.map((name, i) => [name, { name, bits: BITS[i]!, metadata: false, fields: [] }]),
);

interface State {
  readonly extracts: readonly number[];
  readonly next: readonly (number | null)[];
}

const extract = (value: string): bmv2.ParserOp => ({
  op: "extract",
  parameters: [{ type: "regular", value }],
});

function program(states: readonly State[], more: Partial<bmv2.Bmv2Program> = {}): bmv2.Bmv2Program {
  const parse_states = states.map(
    ({ extracts, next }, id): bmv2.ParseState => ({
      name: `s${id}`,
      id,
      parser_ops: extracts.map((header) => extract(NAMES[header]!)),
      transitions: next.map((to) => ({
        type: "default",
        value: null,
        mask: null,
        next_state: to === null ? null : `s${to}`,
      })),
      transition_key: [],
    }),
  );
  const empty = { header_stacks: [], deparsers: [], checksums: [], headers: [] };
  return {
    ...empty,
    parsers: [{ name: "parser", id: 0, init_state: "s0", parse_states }],
    ...more,
  } as unknown as bmv2.Bmv2Program;
}

/** Headers of each path from a state to the end. */
function paths(states: readonly State[], from: number): number[][] {
  const { extracts, next } = states[from]!;
  return next.flatMap((to) =>
    to === null ? [[...extracts]] : paths(states, to).map((rest) => [...extracts, ...rest]),
  );
}

/** Parsers without loops: states lead to later ones, or accept. */
const parsers = fc.integer({ min: 1, max: 6 }).chain((count) =>
  fc.tuple(
    ...Array.from({ length: count }, (_, from) =>
      fc.record({
        extracts: fc.array(fc.nat({ max: 4 }), { maxLength: 2 }),
        next: fc.array(
          fc.nat({ max: 5 }).map((step) => (from + 1 + step < count ? from + 1 + step : null)),
          { minLength: 1, maxLength: 3 },
        ),
      }),
    ),
  ),
);

describe("a parser", () => {
  it("has the chain of the longest path, and excludes headers that no path has together", () => {
    fc.assert(
      fc.property(parsers, (states) => {
        const all = paths(states, 0);
        const facts = readParser(program(states), headers, new Set());
        const bytes = (path: number[]) => Math.ceil(path.reduce((sum, header) => sum + BITS[header]!, 0) / 8);
        expect(facts.longestPathBytes).toBe(Math.max(...all.map(bytes)));
        for (const [a, first] of NAMES.entries()) {
          expect([first, facts.parsed.has(first)]).toEqual([first, all.some((path) => path.includes(a))]);
          for (const [b, second] of NAMES.entries()) {
            const both = facts.parsed.has(first) && facts.parsed.has(second) && a !== b;
            const together = all.some((path) => path.includes(a) && path.includes(b));
            expect([first, second, facts.exclusiveHeaders(first, second)]).toEqual([
              first,
              second,
              both && !together,
            ]);
          }
        }
      }),
      runs(150),
    );
  });

  const fork: State[] = [
    { extracts: [0], next: [1, 2] },
    { extracts: [1], next: [null] },
    { extracts: [2], next: [null] },
  ];

  it("excludes no header that an action makes valid", () => {
    const exclusive = (...written: string[]) =>
      readParser(program(fork), headers, new Set(written)).exclusiveHeaders("h1", "h2");
    expect([exclusive(), exclusive("h0.$valid$", "h1.x")]).toEqual([true, true]);
    expect([exclusive("h1.$valid$"), exclusive("h2.$valid$")]).toEqual([false, false]);
  });

  it("counts one round of a loop, and sees headers of several rounds together", () => {
    // s1 loops over h1 or h2, then accepts.
    const loop: State[] = [
      { extracts: [0], next: [1] },
      { extracts: [], next: [2, 3, null] },
      { extracts: [1], next: [1] },
      { extracts: [2], next: [1] },
    ];
    const facts = readParser(program(loop), headers, new Set());
    expect(facts.longestPathBytes).toBe(Math.ceil((16 + 32) / 8));
    expect(facts.exclusiveHeaders("h1", "h2")).toBe(false);
  });

  it("extracts the first element of a stack, and headers of variable length", () => {
    const states = program(fork);
    states.header_stacks = [{ name: "s", id: 0, header_type: "t", header_ids: [7, 8] }];
    states.headers = [
      { name: "h3", id: 7, header_type: "t", metadata: false },
      { name: "h4", id: 8, header_type: "t", metadata: false },
    ];
    states.parsers[0]!.parse_states[1]!.parser_ops = [
      { op: "extract", parameters: [{ type: "stack", value: "s" }] },
      {
        op: "extract_VL",
        parameters: [
          { type: "regular", value: "h1" },
          { type: "hexstr", value: "0x8" },
        ],
      },
    ];
    const facts = readParser(states, headers, new Set());
    expect([...facts.parsed].sort()).toEqual(["h0", "h1", "h2", "h3"]);
    expect(facts.longestPathBytes).toBe(Math.ceil((16 + 100 + 24) / 8));
  });

  it("has the headers that the deparser emits", () => {
    const states = program(fork, { deparsers: [{ name: "deparser", id: 0, order: ["h0", "h3"] }] });
    const facts = readParser(states, headers, new Set());
    const inEgress = NAMES.filter((name) => facts.isIn("egress", name));
    expect([inEgress, [...facts.parsed].sort()]).toEqual([
      ["h0", "h1", "h2", "h3"],
      ["h0", "h1", "h2"],
    ]);
  });

  it("may be missing", () => {
    const facts = readParser({ ...program(fork), parsers: [] }, headers, new Set());
    expect([facts.longestPathBytes, facts.parsed.size, facts.exclusiveHeaders("h1", "h2")]).toEqual([
      0,
      0,
      false,
    ]);
  });
});
