/** Control graphs as code go the way that the graph says, whether they become blocks or a loop. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Emitter } from "../../../../src/toolchain/switch/codegen/emitter.js";
import { writeGraph } from "../../../../src/toolchain/switch/codegen/graph.js";

/** Node i goes to `left` or `right` by the next bit of the input; null or a number beyond the nodes ends. */
interface Node {
  readonly left: number | null;
  readonly right: number | null;
}

const MAX_STEPS = 50;

/** Nodes on the way, as the code passes them. */
function compiled(nodes: readonly Node[]): { walk: (bits: number[]) => number[]; text: string } {
  const out = new Emitter();
  const name = (i: number | null) => (i === null ? null : `n${i}`);
  writeGraph(out, {
    start: "n0",
    nodes: new Map(nodes.map((node, i) => [`n${i}`, { ...node, i }])),
    successors: ({ left, right }) => [name(left), name(right)],
    write: ({ left, right, i }, go) => {
      out.line(`path.push(${i}); if (path.length > ${MAX_STEPS}) return path;`);
      out.open("if (bits[path.length - 1])");
      go(name(left));
      out.otherwise();
      go(name(right));
      out.close();
    },
    end: "return path;",
  });
  const text = out.toString();
  const run = new Function("bits", "path", text) as (bits: number[], path: number[]) => number[];
  return { walk: (bits) => run(bits, []), text };
}

function walked(nodes: readonly Node[], bits: readonly number[]): number[] {
  const path: number[] = [];
  let at: number | null = 0;
  while (at !== null && nodes[at] !== undefined && path.length <= MAX_STEPS) {
    path.push(at);
    at = bits[path.length - 1] ? nodes[at]!.left : nodes[at]!.right;
  }
  return path;
}

/** How often the code of each node is there. */
const timesWritten = (nodes: readonly Node[], text: string): number[] =>
  nodes.map((_, i) => text.split(`path.push(${i});`).length - 1);

/** 1 for a node that the start leads to, 0 for others. */
function reachable(nodes: readonly Node[]): number[] {
  const seen = nodes.map(() => 0);
  const visit = (at: number | null) => {
    if (at === null || nodes[at] === undefined || seen[at] === 1) return;
    seen[at] = 1;
    visit(nodes[at].left);
    visit(nodes[at].right);
  };
  visit(0);
  return seen;
}

const bits = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: MAX_STEPS + 1, maxLength: MAX_STEPS + 1 });
const target = fc.option(fc.nat(40), { nil: null });

describe("a graph", () => {
  it("with loops is walked as it stands", () => {
    const graphs = fc.array(fc.record({ left: target, right: target }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(graphs, bits, (nodes, input) => {
        const { walk, text } = compiled(nodes);
        expect(walk(input)).toEqual(walked(nodes, input));
        expect(timesWritten(nodes, text)).toEqual(reachable(nodes));
      }),
    );
  });

  it("without loops is walked as it stands, and jumps back nowhere", () => {
    const forward = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })), {
        minLength: 1,
        maxLength: 40,
      })
      .map((steps) => steps.map(([left, right], i): Node => ({ left: i + left, right: i + right })));
    fc.assert(
      fc.property(forward, bits, (nodes, input) => {
        const { walk, text } = compiled(nodes);
        expect(walk(input)).toEqual(walked(nodes, input));
        expect(text).not.toMatch(/for \(;;\)/);
        expect(timesWritten(nodes, text)).toEqual(reachable(nodes));
      }),
    );
  });

  it.each([
    ["many joins", Array.from({ length: 300 }, (_, i): Node => ({ left: i + 1, right: i + 2 }))],
    ["a long chain", Array.from({ length: 5000 }, (_, i): Node => ({ left: i + 1, right: null }))],
  ])("of %s stays within what a parser takes", (_, nodes) => {
    const input = Array.from({ length: MAX_STEPS + 1 }, (_, i) => (i % 7 === 6 ? 0 : 1));
    expect(compiled(nodes).walk(input)).toEqual(walked(nodes, input));
  });

  const diamonds = (count: number) =>
    Array.from({ length: count }, (_, i): Node => ({ left: i + 1, right: i + 2 }));
  const chain = (count: number) =>
    Array.from({ length: count }, (_, i): Node => ({ left: i + 1, right: null }));
  it.each<[string, string, Node[]]>([
    // The first two nodes of the diamonds have one predecessor at most.
    ["40 nodes that several ways lead to", "blocks", diamonds(42)],
    ["41 nodes that several ways lead to", "a loop", diamonds(43)],
    ["60 nodes within one another", "blocks", chain(60)],
    ["61 nodes within one another", "a loop", chain(61)],
  ])("of %s becomes %s", (_, form, nodes) => {
    const { text } = compiled(nodes);
    expect(/for \(;;\)/.test(text) ? "a loop" : "blocks").toBe(form);
    expect(timesWritten(nodes, text)).toEqual(nodes.map(() => 1));
  });

  it("as a loop has the code of a node in place where one way leads to it, to a depth of 60", () => {
    const loop: Node[] = [...chain(120), { left: 0, right: null }];
    const { text } = compiled(loop);
    expect([...text.matchAll(/^ *case \d+: \{$/gm)]).toHaveLength(3);
    // One jump to each of the two nodes that are too deep, and one back to the start.
    expect([...text.matchAll(/continue graph;/g)]).toHaveLength(3);
  });

  it("without a start ends", () => {
    expect(compiled([]).walk([])).toEqual([]);
  });
});
