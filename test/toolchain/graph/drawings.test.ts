/** Graphs as text: DOT, SVG and the layout below it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type DiagnosticError, Diagnostics } from "../../../src/base/index.js";
import { graph } from "../../../src/cli/graph/graph.js";
import type { GraphArguments } from "../../../src/cli/graph/graph-options.js";
import { type BlockGraph, toDot, toSvg } from "../../../src/toolchain/graph/index.js";
import { type Arc, type Box, layout } from "../../../src/toolchain/graph/layout.js";

const root = resolve(import.meta.dirname, "../../..");

/** Names that a program can have in strings, with all that DOT and SVG read in another way. */
const NASTY = '"\\n</text><script>&amp;\u001b[31m\u0007';
const nasty: BlockGraph = {
  name: NASTY,
  kind: "control",
  roles: [NASTY],
  nodes: [
    { kind: "start", lines: [NASTY, "second"] },
    { kind: "table", lines: [NASTY], cluster: 0 },
  ],
  edges: [
    { from: 0, to: 1, label: NASTY },
    { from: 1, to: 1, label: NASTY },
  ],
  clusters: [{ name: NASTY }],
};

describe("DOT", () => {
  it("keeps every text inside its quotation marks", () => {
    const dot = toDot(nasty);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(dot).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    const outside = dot.replace(/"(?:[^"\\]|\\.)*"/g, "S");
    expect(outside).toBe(
      "digraph S {\n  label=S;\n  labelloc=t;\n  n0 [label=S shape=circle];\n  subgraph cluster_0 {\n    label=S;\n" +
        "    n1 [label=S shape=ellipse];\n  }\n  n0 -> n1 [label=S];\n  n1 -> n1 [label=S];\n}\n",
    );
    expect(dot).toContain('n0 [label="\\"\\\\n</text><script>&amp;\\\\x1b[31m\\\\x07\\nsecond"');
  });
});

describe("SVG", () => {
  it("escapes markup and control characters", () => {
    const svg = toSvg(nasty, new Diagnostics())!;
    expect(svg).not.toContain("<script");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(svg).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    expect(svg.match(/<(?:text|g|svg|tspan|title)[ >]/g)!.length).toBe(
      svg.match(/<\/(?:text|g|svg|tspan|title)>/g)!.length,
    );
  });

  it("says where a graph is too large to be drawn", () => {
    const count = 1500;
    const nodes = Array.from({ length: count }, (_, index) => ({
      kind: "table" as const,
      lines: [`t${index}`],
    }));
    const chain = nodes.slice(1).map((_, index) => ({ from: index, to: index + 1 }));
    // Each of the last 100 nodes has an edge from the first one: 100 lines beside 1,400 layers.
    const far = nodes.slice(-100).map((_, index) => ({ from: 0, to: count - 100 + index }));
    const diagnostics = new Diagnostics();
    const large = {
      name: "L",
      kind: "control" as const,
      roles: [],
      nodes,
      edges: [...chain, ...far],
      clusters: [],
    };
    expect(toSvg(large, diagnostics)).toBeUndefined();
    expect(diagnostics.list.map(({ code }) => code)).toEqual(["P41301"]);
    expect(toSvg({ ...large, edges: chain }, diagnostics)).toContain("t1499");
  });
});

describe("edges with the same ends", () => {
  const chain = (count: number, labels: number): BlockGraph => ({
    ...{ name: "P", kind: "parser", roles: [], clusters: [] },
    nodes: Array.from({ length: count }, (_, index) => ({ kind: "state", lines: [`s${index}`] })),
    edges: Array.from({ length: count - 1 }, (_, index) => [
      { from: index, to: index + 1, label: "default" },
      ...Array.from({ length: labels }, (_, label) => ({ from: index, to: count - 1, label: `${label}` })),
    ]).flat(),
  });

  it("are one line, so that they cost what one costs", () => {
    const svg = toSvg(chain(40, 1000), new Diagnostics())!;
    expect(svg.match(/class="edge"/g)).toHaveLength(39 + 38);
  });

  it("are too many where they cross too many layers", () => {
    const diagnostics = new Diagnostics();
    expect(toSvg(chain(1000, 1), diagnostics)).toBeUndefined();
    expect(diagnostics.list.map(({ code }) => code)).toEqual(["P41301"]);
  });
});

const sizes = fc.record({
  width: fc.integer({ min: 10, max: 300 }),
  height: fc.integer({ min: 10, max: 90 }),
});
const graphs = fc.array(sizes, { minLength: 1, maxLength: 30 }).chain((boxes) => {
  const end = fc.nat(boxes.length - 1);
  return fc.tuple(fc.constant(boxes), fc.array(fc.record({ from: end, to: end }), { maxLength: 60 }));
});

describe("the layout", () => {
  it("overlaps no boxes, stays inside its size, and is the same each time", () => {
    fc.assert(
      fc.property(graphs, ([boxes, arcs]) => {
        const made = layout(boxes, arcs)!;
        expect(layout(boxes, arcs)).toEqual(made);
        expect(overlaps(boxes, made.centres)).toEqual([]);
        boxes.forEach(({ width, height }, index) => {
          const { x, y } = made.centres[index]!;
          expect(x - width / 2).toBeGreaterThanOrEqual(-0.11);
          expect(x + width / 2).toBeLessThanOrEqual(made.width + 0.11);
          expect(y - height / 2).toBeGreaterThanOrEqual(-0.11);
          expect(y + height / 2).toBeLessThanOrEqual(made.height + 0.11);
        });
      }),
      { numRuns: 60 },
    );
  });

  it("leads arcs downwards, through no box, if they close no circle", () => {
    const forward = graphs.map(([boxes, arcs]): [Box[], Arc[]] => [
      boxes,
      arcs
        .filter(({ from, to }) => from !== to)
        .map(({ from, to }) => ({ from: Math.min(from, to), to: Math.max(from, to) })),
    ]);
    fc.assert(
      fc.property(forward, ([boxes, arcs]) => {
        const { centres, bends } = layout(boxes, arcs)!;
        arcs.forEach(({ from, to }, index) => {
          const points = [centres[from]!, ...bends[index]!, centres[to]!];
          for (let i = 1; i < points.length; i++)
            expect(points[i]!.y).toBeGreaterThanOrEqual(points[i - 1]!.y);
          expect(centres[to]!.y).toBeGreaterThan(centres[from]!.y);
          for (const { x, y } of bends[index]!)
            for (const [node, { x: cx, y: cy }] of centres.entries())
              expect(
                Math.abs(x - cx) > boxes[node]!.width / 2 ||
                  Math.abs(y - cy) >= boxes[node]!.height / 2 - 0.11,
              ).toBe(true);
        });
      }),
      { numRuns: 60 },
    );
  });

  it("takes crossings out where the order of layers can", () => {
    const boxes = Array.from({ length: 8 }, () => ({ width: 20, height: 20 }));
    const arcs = [0, 1, 2, 3].map((one) => ({ from: one, to: 7 - one }));
    const { centres } = layout(boxes, arcs)!;
    const order = [0, 1, 2, 3].map((one) => Math.sign(centres[7 - one]!.x - centres[7]!.x));
    expect(order.slice(1)).toEqual([0, 1, 2].map((one) => Math.sign(centres[one + 1]!.x - centres[0]!.x)));
  });
});

function overlaps(boxes: readonly Box[], centres: readonly { x: number; y: number }[]): number[][] {
  return boxes.flatMap((a, i) =>
    boxes.slice(0, i).flatMap((b, j) => {
      const dx = Math.abs(centres[i]!.x - centres[j]!.x);
      const dy = Math.abs(centres[i]!.y - centres[j]!.y);
      return dx < (a.width + b.width) / 2 - 0.11 && dy < (a.height + b.height) / 2 - 0.11 ? [[i, j]] : [];
    }),
  );
}

const NONE: GraphArguments = { I: [], D: [], U: [] };

async function printed(path: string, options: Partial<GraphArguments>): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  try {
    expect(await graph(path, { ...NONE, ...options })).toBe(0);
    return write.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    write.mockRestore();
  }
}

describe("p4loom graph", () => {
  const ring = join(root, "examples/exercise/ring.p4");

  it("prints DOT, one drawing, or JSON", async () => {
    expect(await printed(ring, { block: ["RingParser", "RingIngress"] })).toMatchSnapshot();
    expect(await printed(ring, { block: ["RingIngress"], svg: true })).toMatchSnapshot();
    const [data] = JSON.parse(await printed(ring, { block: ["RingIngress"], json: true })) as {
      nodes: { place?: string }[];
    }[];
    expect(data).toMatchObject({ name: "RingIngress", kind: "control", roles: ["ig"] });
    expect(data!.nodes[2]!.place).toMatch(/ring\.p4:\d+:\d+$/);
  });

  it("writes a file for each block, and reads the project file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "p4loom-graph-"));
    try {
      writeFileSync(join(folder, "p4loom.yaml"), "defines: { LATE: }\n");
      const text = readFileSync(ring, "utf8").replace(
        "control RingEgress",
        "#ifdef LATE\ncontrol Late() { apply { } }\n#endif\ncontrol RingEgress",
      );
      const path = join(folder, "ring.p4");
      writeFileSync(path, text);
      expect(await printed(path, { out: join(folder, "out"), dot: true, svg: true, json: true })).toBe("");
      const files = readdirSync(join(folder, "out"));
      expect(files).toHaveLength(13);
      expect(files).toContain("RingEgress.svg");
      expect(await printed(path, { block: ["Late"] })).toContain('digraph "Late"');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    [{ svg: true }, "--svg prints one drawing"],
    [{ svg: true, dot: true, block: ["RingIngress"] }, "together have no place on stdout"],
    [{ block: ["RingIngres"] }, "there is no parser or control RingIngres; did you mean RingIngress?"],
  ])("refuses %j", async (options, message) => {
    await expect(graph(ring, { ...NONE, ...options })).rejects.toThrow(message);
  });

  it("refuses a BMv2 JSON, and a wrong program at its place", async () => {
    await expect(graph("out.json", NONE)).rejects.toThrow("a graph is made from P4 source");
    const wrong = join(root, "test/bad/types/P40305-wrong-width.p4");
    const error = (await graph(wrong, NONE).catch((thrown: unknown) => thrown)) as DiagnosticError;
    expect(error.diagnostics.map(({ code }) => code)).toEqual(["P40305"]);
  });
});
