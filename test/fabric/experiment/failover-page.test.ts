/** The page, the table and the files of a failover experiment, from samples that the test makes. */
import { describe, expect, it } from "vitest";
import type { EngineName } from "../../../src/fabric/experiment/experiment.js";
import type { Experiment } from "../../../src/fabric/experiment/index.js";
import { FAILOVER } from "../../../src/fabric/experiment/kinds/failover/index.js";
import {
  firstTimeoutMs,
  rowOf,
  type Sample,
  type Series,
  timeOfTry,
} from "../../../src/fabric/experiment/kinds/failover/results.js";
import { FAILOVER_VIEW, figureLines } from "../../../src/fabric/experiment/kinds/failover/view.js";
import type { Part } from "../../../src/fabric/experiment/view/view.js";
import { experimentWith } from "./model-fabric.js";
import { sweepOf } from "./sweep-of.js";

const sample = (recoveryMs: number, timeouts = 1, more: Partial<Sample> = {}): Sample => ({
  ...{ recoveryMs, timeouts, rttMs: 1, copies: 2 },
  ...more,
});
const NEVER = Number.POSITIVE_INFINITY;

/** Results whose series have these samples: one list a scheme and failure, in the order of the file. */
function resultsOf(
  keys: Record<string, string | number>,
  samples: readonly (readonly Sample[])[],
  more: { engine?: EngineName; example?: Series["example"]; sprays?: boolean } = {},
) {
  const given = experimentWith({ schemes: "[prr]", failures: "[leaf]", ...keys });
  const { engine = "sim", sprays = false } = more;
  const schemes = given.schemes.map((scheme) => ({ ...scheme, plan: { ...scheme.plan, sprays } }));
  const source = { ...given, schemes };
  const pairs = source.schemes.flatMap((scheme) => source.failures.map((failure) => ({ scheme, failure })));
  const series: Series[] = pairs.map((pair, i) => ({ ...pair, samples: samples[i]!, example: more.example }));
  const rows = series.map((one) => rowOf(source, one, engine));
  return sweepOf(FAILOVER, {
    ...{ experiment: "test", seed: 3, engine, rows, notes: [], warnings: [] },
    ...{ source, series, logs: [], programs: [] },
  });
}
type Sweep = ReturnType<typeof resultsOf>;

const page = (sweep: Sweep) => FAILOVER_VIEW.page(sweep);
const partsOf = (sweep: Sweep) => page(sweep).parts.filter((part): part is Part => typeof part === "object");
const plain = (html: string) => html.replace(/<[^>]*>/g, "");
const lead = (sweep: Sweep) => plain(page(sweep).lead!);
const figure = (sweep: Sweep, file: string) =>
  partsOf(sweep).flatMap((part) => (part.figure?.file === file ? [part.figure] : []))[0]!;
const note = (sweep: Sweep) =>
  partsOf(sweep)
    .flatMap((part) => part.note ?? [])
    .join("\n");
const csvOf = (sweep: Sweep) => (FAILOVER_VIEW.files!(sweep)[0]![1] as string).trimEnd().split("\n");

describe("the lead", () => {
  it("has the share of first tries and the worst of 95 %", () => {
    const many = Array.from({ length: 2000 }, () => sample(10));
    expect(lead(resultsOf({}, [[...many.slice(1), sample(500, 3)]]))).toBe(
      "PRR: the first re-path succeeds in 99.9 % of 2,000 runs; 95 % of the flows recover within 10.0 ms after the worst failure (leaf).",
    );
    const two = resultsOf({ failures: "[leaf, spine]" }, [
      [sample(10), sample(30)],
      [sample(120), sample(240, 2)],
    ]);
    expect(lead(two)).toMatch(
      /succeeds in 75\.0 % of 4 runs; .* within \d+ ms after the worst failure \(spine\)\.$/,
    );
  });

  it("says that no flow recovers, that some never do, and that there is no first try", () => {
    expect(lead(resultsOf({}, [[sample(NEVER, 9)]]))).toBe("PRR: no flow recovers.");
    expect(lead(resultsOf({}, [[sample(5), sample(NEVER, 9)]]))).toBe(
      "PRR: the first re-path succeeds in 50.0 % of 2 runs; more than 5 % of the flows never recover from a failed leaf.",
    );
    expect(lead(resultsOf({}, [[sample(5)]], { sprays: true }))).toBe(
      "PRR: each packet has a path of its own, and no flow leaves one; 95 % of the flows recover within 5.0 ms after the worst failure (leaf).",
    );
  });
});

describe("the notes", () => {
  it("name the closed form and its timeouts on the simulator, and no times on real switches", () => {
    const sim = note(resultsOf({}, [[sample(5), sample(6)]]));
    expect(sim).toMatch(
      /Small grey figures: closed form, .* missed tries, first RTO of \d+\.\d\d ms, doubled each time, at most \d+ ms\.$/m,
    );
    expect(sim).not.toContain("are observed for");
    const real = note(resultsOf({}, [[sample(5)]], { engine: "switch" }));
    expect(real).toMatch(/Small grey figures: closed form, .* missed tries\.$/m);
  });

  it("say how long failures are observed that let packets pass", () => {
    const partial = resultsOf({ failures: "[{ tier: leaf, loss: 10% }]", observation: "50ms" }, [
      [sample(0, 0), sample(5, 2)],
    ]);
    expect(note(partial)).toContain("Failures that let packets pass are observed for 50 ms:");
    expect(partial.points[0]!.units[0]!.rows[0]).toMatchObject({
      timeouts_per_flow: 1,
      first_try_success: 0.5,
    });
    expect(resultsOf({}, [[sample(5)]]).points[0]!.units[0]!.rows[0]).toMatchObject({
      timeouts_per_flow: null,
    });
  });
});

describe("the figure of recovery times", () => {
  const drawn = (sweep: Sweep) => {
    const { drawing } = figure(sweep, "recovery-cdf");
    const made: { kind: string; values: unknown; options: unknown }[] = [];
    const mark = (kind: string) => (values: unknown, options: unknown) =>
      void made.push({ kind, values, options });
    const Plot = Object.fromEntries(
      ["line", "dot", "gridY", "gridX", "axisX", "axisY"].map((kind) => [kind, mark(kind)]),
    );
    const { plot, beside } = drawing as never as {
      plot(library: object): { x: { domain: number[] } };
      beside: string;
    };
    return {
      options: plot(Plot),
      beside,
      of: (kind: string) => made.filter((one) => one.kind === kind).map(({ values }) => values),
      optionsOf: (kind: string) => made.filter((one) => one.kind === kind).map((one) => one.options),
    };
  };

  it("has decades within its axis, which ends at the time of giving up", () => {
    const { options, of } = drawn(resultsOf({ give_up: "1s" }, [[sample(10), sample(900)]]));
    expect(options.x.domain).toEqual([4.5, 1000]);
    expect(of("axisX")).toEqual([[5, 10, 20, 50, 100, 200, 500, 1000]]);
    const short = drawn(resultsOf({ schemes: "[none]" }, [[sample(10), sample(20)]]));
    expect(short.options.x.domain[1]).toBeCloseTo(115, 6);
  });

  it("has a step for each time, from 0 on and to the end of the axis", () => {
    const { of } = drawn(resultsOf({ give_up: "1s" }, [[sample(10), sample(NEVER, 9)]]));
    expect(of("line")[0]).toEqual([
      { x: 4.5, fraction: 0 },
      { x: 10, fraction: 0.5 },
      { x: expect.any(Number), fraction: 0.5 },
    ]);
  });

  it("rises in steps, in the colour and with the dashes of the legend", () => {
    const { beside, optionsOf } = drawn(
      resultsOf({ failures: "[leaf, link]" }, [
        [sample(5), sample(90)],
        [sample(5), sample(900)],
      ]),
    );
    const styles = [
      ...beside.matchAll(/stroke="(#\w+)" stroke-width="2.6"(?: stroke-dasharray="([\d,]+)")?/g),
    ];
    expect(optionsOf("line")).toEqual(
      styles.map(([, stroke, dash = "none"]) => ({
        ...{ x: "x", y: "fraction", strokeWidth: 2.2 },
        ...{ curve: "step-after", stroke, strokeDasharray: dash },
      })),
    );
    expect(styles.map(([, , dash]) => dash)).toEqual([undefined, "5,3"]);
  });

  it("names each line, says which never rises, and marks the closed form by circles", () => {
    const { beside, of } = drawn(
      resultsOf({ schemes: "[prr, none]" }, [[sample(5), sample(500, 4)], [sample(NEVER, 9)]]),
    );
    expect(beside).toContain("PRR, leaf fails");
    expect(beside.match(/\(never recovers\)/g)).toHaveLength(1);
    expect(beside).toContain("closed form");
    expect((of("dot")[0] as unknown[]).length).toBeGreaterThan(3);
    expect(of("dot")[1]).toEqual([]);
    const real = drawn(resultsOf({}, [[sample(5)]], { engine: "switch" }));
    expect(real.beside).not.toContain("closed form");
    expect(figure(resultsOf({}, [[sample(5)]], { engine: "switch" }), "recovery-cdf").caption).not.toContain(
      "Circles",
    );
    expect(figure(resultsOf({}, [[sample(5)]]), "recovery-cdf").caption).toContain("Circles: closed form");
  });

  const stylesOf = (failures: string, count: number) => {
    const { points } = resultsOf(
      { failures },
      Array.from({ length: count }, () => [sample(5), sample(50)]),
    );
    const { experiment, units } = points[0]!;
    return figureLines(
      experiment as Experiment,
      units.map(({ outcomes }) => outcomes[0]!),
    ).map(({ style }) => style);
  };

  it("dashes the line of a link, and each further group of five failures", () => {
    const words = stylesOf("[leaf, link]", 2).concat(stylesOf("[tor]", 1));
    expect(words.map(({ dash }) => dash ?? "none")).toEqual(expect.arrayContaining(["5,3", "none"]));
    const failures = Array.from({ length: 6 }, (_, i) => `{ tier: leaf, loss: ${i + 1}0% }`).join(", ");
    const many = stylesOf(`[${failures}]`, 6);
    expect(new Set(many.slice(0, 5).map(({ colour }) => colour)).size).toBe(5);
    expect(many.map(({ dash }) => dash)).toEqual([...new Array(5).fill(undefined), "8,4"]);
    expect(many[5]!.colour).toBe(many[0]!.colour);
  });
});

describe("the drawing of the fabric", () => {
  it("counts its parts, one of them in the singular", () => {
    const caption = (topology: string, failures = "[leaf]") =>
      figure(resultsOf({ topology, failures, traffic: "{ pairs: inter_rack }" }, [[sample(5)]]), "topology")
        .caption;
    expect(
      caption("{ kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 1 }", "[link]"),
    ).toMatch(/: 1 pod, 2 ToRs, 1 leaf, 2 hosts, 4 links\.$/);
    expect(
      caption("{ kind: clos, pods: 1, tors_per_pod: 4, leaves_per_pod: 2, spines_per_plane: 1 }"),
    ).toMatch(/: 1 pod, 4 ToRs, 2 leaves, \d+ spines, \d+ hosts, \d+ links\.$/);
  });

  const drawingOf = (topology: string) => {
    const keys = { topology, failures: "[leaf]", traffic: "{ pairs: inter_rack }" };
    const { svg } = figure(resultsOf(keys, [[sample(5)]]), "topology").drawing as { svg: string };
    const numbers = (pattern: RegExp) =>
      [...svg.matchAll(pattern)].map((found) => found.slice(1).map(Number));
    return {
      width: Number(/ width="(\d+)"/.exec(svg)![1]),
      /** Centre and radius. */
      hosts: numbers(/<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/g),
      /** Corner, width and height. */
      switches: numbers(/<rect x="([-\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
      labels: [...svg.matchAll(/<text x="8" y="(-?[\d.]+)"[^>]*>(\w+)</g)].map(
        ([, y, name]) => [name, Number(y)] as const,
      ),
    };
  };
  const TWO_PODS =
    "{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2, homing: single, hosts_per_rack: 2 }";

  it("names each row beside it, spines on top and hosts at the bottom", () => {
    const { labels, hosts, switches } = drawingOf(TWO_PODS);
    expect(labels.map(([name]) => name)).toEqual(["spines", "leaves", "ToRs", "hosts"]);
    // The base of a letter is 4 pixels below the middle of its row.
    const rows = new Set(
      switches.map(([, y, , height]) => y! + height! / 2).concat(hosts.map(([, y]) => y!)),
    );
    expect(labels.map(([, y]) => y - 4)).toEqual([...rows].sort((a, b) => a - b));
  });

  it("has pods side by side with a gap between them, within its width", () => {
    const { width, hosts } = drawingOf(TWO_PODS);
    const x = hosts.map(([at]) => at!).sort((a, b) => a - b);
    expect(x).toHaveLength(8);
    const within = x[1]! - x[0]!;
    expect(x[4]! - x[3]!).toBeGreaterThan(within + 20);
    // As far from the names of the rows as from the right edge.
    expect(x[0]! - 64).toBeCloseTo(width - 12 - x[7]!, 0);
  });

  it("has nodes of up to 5 and 11 pixels from their centres, and of 2 at least where many share a row", () => {
    const few = drawingOf(TWO_PODS);
    expect(few.hosts.map(([, , radius]) => radius)).toEqual(new Array(8).fill(5));
    expect(few.switches.map(([, , width]) => width)).toEqual(new Array(12).fill(22));
    const many = drawingOf("{ kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 200 }");
    expect(many.hosts.map(([, , radius]) => radius)).toEqual(new Array(400).fill(2));
  });

  it("has the path of a flow before the failure, after its first re-path, and a cross on what failed", () => {
    const example = {
      failed: "leaf <1>",
      before: [0, 1],
      after: [0, 2],
      failedNode: 2,
      failedLink: undefined,
    };
    const svgOf = (more: object | undefined) => {
      const own = more === undefined ? undefined : { ...example, ...more };
      const one = figure(resultsOf({}, [[sample(5)]], { example: own as never }), "topology");
      return { svg: (one.drawing as { svg: string }).svg, caption: plain(one.caption!) };
    };
    const { svg, caption } = svgOf({});
    expect(caption).toContain(
      "Dashed: one flow's data before leaf &lt;1&gt; fails. Solid: after its first re-path.",
    );
    expect(svg.match(/stroke-dasharray="6,4"/g)).toHaveLength(1);
    expect(svg.match(/stroke-width="2.4"/g)).toHaveLength(2);
    expect(svg.match(/stroke-width="3.2"/g)).toHaveLength(1);
    const link = svgOf({ failedNode: undefined, failedLink: 0, after: undefined });
    expect(link.svg.match(/stroke-width="2.4"/g)).toHaveLength(1);
    expect(link.svg.match(/stroke-width="3.2"/g)).toHaveLength(1);
    expect(link.caption).not.toContain("Solid");
    const unknown = svgOf({ failedNode: undefined });
    expect(unknown.svg).toBe(svg.replace(/<path [^>]*stroke-width="3.2"[^>]*><\/path>/, ""));
    const none = svgOf(undefined);
    expect(none.svg).not.toContain('stroke-width="2.4"');
    expect(none.caption).not.toContain("Dashed");
  });
});

describe("the table of results", () => {
  const tableOf = (sweep: Sweep) => partsOf(sweep).find(({ heading }) => heading === "Results")?.html ?? "";

  it("has a line for each scheme and failure, by their titles", () => {
    const table = tableOf(
      resultsOf({ failures: "[leaf, link]", schemes: "[prr, none]" }, [
        ...[[sample(5)], [sample(5)]],
        ...[[sample(NEVER, 9)], [sample(NEVER, 9)]],
      ]),
    );
    const lines = plain(table.replaceAll("</td>", "|").replaceAll("</tr>", "\n"));
    expect(lines).toMatch(/PRR\|[^|]*leaf\|[\s\S]*ToR-leaf link\|/);
  });

  it("marks a scheme whose first tries all succeed", () => {
    expect(tableOf(resultsOf({}, [[sample(5), sample(6)]]))).toContain('<span class="good">100 %</span>');
    const missed = tableOf(resultsOf({}, [[sample(5), sample(50, 2)]]));
    expect(missed).not.toContain('class="good"');
    expect(plain(missed)).toContain("50.0 %");
  });
});

describe("files and figures of rows", () => {
  it("have a line a run, an empty time for a flow that never recovered, and the load where it was measured", () => {
    expect(csvOf(resultsOf({}, [[sample(5.1234567), sample(NEVER, 9)]]))).toEqual([
      "scheme,failure,run,recovery_ms,timeouts,rtt_ms,copies",
      "prr,leaf,0,5.123457,1,1,2",
      "prr,leaf,1,,9,1,2",
    ]);
    const load = { machine: 0.256, busiestSwitch: 0.5, hosts: 0.1, lostFrames: null, saturated: false };
    const real = sample(5, 1, { load, copies: undefined } as never);
    const busy = sample(5, 1, { load: { ...load, saturated: true }, copies: undefined } as never);
    expect(csvOf(resultsOf({}, [[busy]], { engine: "switch" })).at(-1)).toMatch(/,true$/);
    expect(csvOf(resultsOf({}, [[real]], { engine: "switch" }))).toEqual([
      "scheme,failure,run,recovery_ms,timeouts,rtt_ms,copies,machine_percent,busiest_switch_percent,hosts_percent,lost_frames,saturated",
      "prr,leaf,0,5,1,1,,26,50,10,,false",
    ]);
  });

  it("have copies where all hosts report them, and the runs under which the machine was saturated", () => {
    const rowOfSamples = (samples: readonly Sample[]) =>
      resultsOf({}, [samples]).points[0]!.units[0]!.rows[0]!;
    expect(rowOfSamples([sample(5), sample(5, 1, { copies: 4 })])).toMatchObject({ copies_mean: 3 });
    expect(rowOfSamples([sample(5), sample(5, 1, { copies: undefined } as never)])).toMatchObject({
      copies_mean: null,
    });
    const load = (saturated: boolean) => ({ load: { saturated } }) as never;
    expect(rowOfSamples([sample(5, 1, load(true)), sample(5, 1, load(false))])).toMatchObject({
      saturated_runs: 1,
    });
    // A run whose load could not be read is not a saturated one.
    expect(rowOfSamples([sample(5, 1, load(true)), sample(5)])).toMatchObject({ saturated_runs: 1 });
    expect(rowOfSamples([sample(5)])).not.toHaveProperty("saturated_runs");
  });

  it("have times of tries that double up to the greatest timeout", () => {
    expect([1, 2, 3, 4].map((tries) => timeOfTry(tries, 10, 25))).toEqual([10, 30, 55, 80]);
    expect(timeOfTry(NEVER, 10, 25)).toBe(NEVER);
    expect(firstTimeoutMs(5e6, [sample(1), sample(1, 1, { rttMs: 3 })])).toBe(7);
  });
});
