/** Controllers in experiments on the simulator: recomputed routes, faults of controllers, their log, and their failures. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import type { Controller, ControllerPlace } from "../../../src/fabric/controllers/index.js";
import {
  loadTimeline,
  runExperiment,
  runTimeline,
  type SchemeRun,
  type Timeline,
  type TimelineRow,
} from "../../../src/fabric/experiment/index.js";
import { experimentWith } from "./model-fabric.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-control-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `name: control
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, host_link: { rate: 1Gbps, delay: 250us } }
transport: { segment_bytes: 200, rto_margin: 20ms }
flows: [{ from: host0-0-0, to: host0-1-0, count: 8 }]
`;
const RECOMPUTE = "control_plane: { recompute_routes: true, detection: 10ms }\n";
/** The ToR of the sender sees its links up: only new routes lead around. */
const DOWN = "at: 200ms, kind: down, link: [tor0-1, leaf0-0]";

function read(text: string): { timeline: Timeline | undefined; messages: string[] } {
  const diagnostics = new Diagnostics();
  const timeline = loadTimeline(new SourceFile("t.yaml", HEAD + text), diagnostics);
  return { timeline, messages: diagnostics.list.map((one) => formatDiagnostic(one).split("\n")[0]!) };
}

function timelineOf(text: string): Timeline {
  const { timeline, messages } = read(text);
  expect(messages).toEqual([]);
  return timeline!;
}

const faults = (...list: string[]) => `faults:\n${list.map((fault) => `  - { ${fault} }\n`).join("")}`;
const of = (rows: readonly TimelineRow[], scheme: string) => rows.filter((row) => row.scheme === scheme);

/** The same experiment with a controller in each scheme. */
function withController<T extends { schemes: readonly SchemeRun[] }>(
  experiment: T,
  controller: Controller,
  place: ControllerPlace = "central",
): T {
  const schemes = experiment.schemes.map((scheme) => ({
    ...scheme,
    plan: {
      ...scheme.plan,
      controllers: [
        { name: "own", switches: scheme.plan.switches.map(({ node }) => node), controller, place },
      ],
    },
  }));
  return { ...experiment, schemes };
}

describe("recomputed routes", () => {
  it("let flows of every scheme survive a link without carrier that only other switches can avoid", async () => {
    const rest = `schemes: [none, ecmp, prr, pecmp]\n${faults(DOWN)}duration: 2s\n`;
    const plain = await runTimeline(timelineOf(rest), { seed: 3 });
    for (const scheme of ["none", "ecmp"])
      expect(
        of(plain.rows, scheme).some(({ recovered }) => !recovered),
        scheme,
      ).toBe(true);
    const { rows, logs, source } = await runTimeline(timelineOf(RECOMPUTE + rest), { seed: 3 });
    for (const row of rows) expect(row.recovered, `${row.scheme} ${row.flow}`).toBe(true);
    // 200 ms, one way of the control channel, and 10 ms of detection, then reads and writes of one round trip each.
    expect(logs.map(({ label }) => label)).toEqual(["none", "ecmp", "prr", "pecmp"]);
    for (const log of logs) {
      const lines = log.lines.map((line) => line.split(" routes: "));
      expect(lines.map(([, text]) => text)).toEqual([
        "started",
        "port 3 of tor0-1 is down",
        "port 2 of leaf0-0 is down",
        expect.stringMatching(
          /^routes without tor0-1 - leaf0-0: \d+ updates and \d+ removals on 3 switches$/,
        ),
        "stopped",
      ]);
      expect(lines.slice(1, 4).map(([time]) => time)).toEqual(["0.201000000", "0.201000000", "0.215000000"]);
    }
    for (const { plan } of source.schemes)
      expect(plan.controllers!.map(({ name }) => name)).toEqual(["routes"]);
  });

  it("are those of all links again when the link is back, also for a controller that was dead meanwhile", async () => {
    const text = `schemes: [ecmp]\n${faults(
      DOWN,
      "at: 300ms, kind: kill, controller: routes",
      "at: 400ms, kind: up, link: [tor0-1, leaf0-0]",
      "at: 500ms, kind: restart, controller: routes",
      "at: 700ms, kind: down, link: [tor0-1, leaf0-1]",
    )}duration: 2s\n`;
    const { rows, logs } = await runTimeline(timelineOf(RECOMPUTE + text), { seed: 3 });
    for (const row of rows) expect(row.recovered).toBe(true);
    const lines = logs[0]!.lines.map((line) => line.split(" routes: ")[1]);
    const without = (what: string) =>
      expect.stringMatching(
        new RegExp(`^routes without ${what}: \\d+ updates and \\d+ removals on \\d switch(es)?$`),
      );
    expect(lines).toEqual([
      "started",
      "port 3 of tor0-1 is down",
      "port 2 of leaf0-0 is down",
      without("tor0-1 - leaf0-0"),
      "killed",
      "started again (2)",
      without("any link down"),
      "port 4 of tor0-1 is down",
      "port 2 of leaf0-1 is down",
      without("tor0-1 - leaf0-1"),
      "stopped",
    ]);
  });

  it("are in a switch again that was restarted", async () => {
    // The restarted switch is given the plan with all links, which leads into the dead one.
    const text = `schemes: [ecmp]\n${faults(
      DOWN,
      "at: 400ms, kind: kill, switch: tor0-0",
      "at: 500ms, kind: restart, switch: tor0-0",
    )}duration: 4s\n`;
    const { rows, logs } = await runTimeline(timelineOf(RECOMPUTE + text), { seed: 3 });
    for (const row of rows) expect(row.recovered).toBe(true);
    const plans = logs[0]!.lines.filter((line) => line.includes("routes without tor0-1 - leaf0-0"));
    expect(plans).toHaveLength(2);
    expect(plans[1]).toMatch(/ on 1 switch$/);
  });
});

describe("the log", () => {
  it("is a result file with the same bytes each time; without controllers there is none", async () => {
    const text = `schemes: [ecmp, prr]\n${faults(DOWN)}duration: 500ms\n`;
    const bytes = async (out: string) => {
      await runTimeline(timelineOf(RECOMPUTE + text), { seed: 3, out });
      return readFileSync(join(out, "controllers.log"), "utf8");
    };
    const first = await bytes(join(folder, "one"));
    expect(await bytes(join(folder, "two"))).toBe(first);
    expect(first).toMatch(/^ecmp 0\.000000000 routes: started\n[\s\S]*\nprr 0\.000000000 routes: started\n/);
    const without = join(folder, "without");
    await runTimeline(timelineOf(text), { seed: 3, out: without });
    expect(existsSync(join(without, "controllers.log"))).toBe(false);
  });
});

describe("faults of controllers", () => {
  it.each([
    ["an unknown controller", "at: 1ms, kind: kill, controller: rotues", "P43014", 'did you mean "routes"?'],
    ["a kind of links", "at: 1ms, kind: down, controller: routes", "P43027", 'no fault of the kind "down"'],
    ["no kind", "at: 1ms, controller: routes", "P43027", "without a kind"],
    [
      "an element beside it",
      "at: 1ms, kind: kill, controller: routes, switch: tor0-0",
      "P43027",
      "no switch",
    ],
    ["an end of its own", "at: 1ms, kind: kill, controller: routes, until: 2ms", "P43027", "no until"],
    ["a late one", "at: 1s, kind: kill, controller: routes", "P43022", "after the end"],
  ])("are refused for %s", (_, fault, code, words) => {
    const { timeline, messages } = read(`schemes: [ecmp]\n${RECOMPUTE}${faults(fault)}duration: 1s\n`);
    expect(timeline).toBeUndefined();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^t\.yaml:\d+:\d+: /);
    expect(messages[0]).toContain(`error[${code}]`);
    expect(messages[0]).toContain(words);
  });

  it("are refused for a controller that is killed already, and where there are none", () => {
    const twice = faults(
      "at: 1ms, kind: kill, controller: routes",
      "at: 2ms, kind: kill, controller: routes",
    );
    expect(read(`schemes: [ecmp]\n${RECOMPUTE}${twice}duration: 1s\n`).messages).toEqual([
      expect.stringContaining("routes has already been killed"),
    ]);
    const none = faults("at: 1ms, kind: kill, controller: routes");
    expect(read(`schemes: [ecmp]\n${none}duration: 1s\n`).messages).toEqual([
      expect.stringContaining('error[P43014]: no controller is called "routes"'),
    ]);
  });
});

describe("a controller", () => {
  it("that fails ends the run with its place, and no results are written", async () => {
    const out = join(folder, "failed");
    const timeline = withController(timelineOf("schemes: [ecmp]\nduration: 1s\n"), {
      start: async ({ clock, device }) => {
        await clock.sleep(5e6);
        device("leaf0-7");
      },
    });
    await expect(runTimeline(timeline, { seed: 3, out })).rejects.toThrow(
      'error[P43303]: controller "own" controls no switch called "leaf0-7"; did you mean',
    );
    expect(existsSync(join(out, "results.json"))).toBe(false);
  });

  it("that fails while it prepares ends the run, too", async () => {
    const timeline = withController(timelineOf("schemes: [ecmp]\nduration: 1s\n"), {
      prepare: () => {
        throw new Error("cannot begin");
      },
      start: () => {},
    });
    const failed = runTimeline(timeline, { seed: 3 }).then(
      () => expect.fail(),
      (error: unknown) => error as DiagnosticError,
    );
    const error = await failed;
    expect(error).toBeInstanceOf(DiagnosticError);
    expect(formatDiagnostic(error.diagnostics[0]!)).toMatch(
      /control-plane\.test\.ts:\d+:\d+: error\[P43301\]: controller "own" has failed: Error: cannot begin/,
    );
  });

  it("drops no promise unseen", async () => {
    const before = process.listeners("unhandledRejection");
    const timeline = withController(timelineOf("schemes: [ecmp]\nduration: 1s\n"), {
      start: ({ clock }) => {
        clock.at(5e6, () => {
          // As Node does when a promise is not awaited, without the listeners of the test runner.
          const own = process.listeners("unhandledRejection").filter((one) => !before.includes(one));
          expect(own).toHaveLength(1);
          own[0]!(new Error("dropped"), Promise.resolve());
        });
      },
    });
    await expect(runTimeline(timeline, { seed: 3 })).rejects.toThrow(
      "error[P43301]: a promise that no controller awaits was rejected: Error: dropped",
    );
    expect(process.listeners("unhandledRejection")).toEqual(before);
  });

  it.each([
    ["central", 2e6],
    ["switch", 20_000],
  ] as const)("at the place %s has an answer after %d ns", async (place, answered) => {
    const times: number[] = [];
    const timeline = withController(
      timelineOf("schemes: [ecmp]\nduration: 10ms\n"),
      {
        start: async ({ clock, switches }) => {
          await switches[0]!.device.read([]);
          times.push(clock.now());
        },
      },
      place,
    );
    await runTimeline(timeline, { seed: 3 });
    expect(times).toEqual([answered]);
  });

  it("lives for all runs of a failover experiment, and changes nothing while it only reads", async () => {
    const experiment = experimentWith({
      schemes: "[pecmp, none]",
      failures: "[leaf, link]",
      runs: 3,
      give_up: "400ms",
    });
    let starts = 0;
    let polls = 0;
    const polled = withController(experiment, {
      prepare: ({ clock }) => clock.sleep(3e6),
      start: ({ clock, switches, log }) => {
        starts++;
        clock.every(10e6, async () => {
          polls++;
          await switches[0]!.device.read([{ kind: "counter" }]);
        });
        log("polls");
      },
    });
    const plain = await runExperiment(experiment, { seed: 5 });
    const out = join(folder, "polled");
    const results = await runExperiment(polled, { seed: 5, out });
    expect(results.rows).toEqual(plain.rows);
    expect(results.series.map(({ samples }) => samples)).toEqual(plain.series.map(({ samples }) => samples));
    expect(starts).toBe(2);
    // A run takes more than a second, since the network is left empty after it.
    expect(polls).toBeGreaterThan(2 * 2 * 3 * 100);
    const log = readFileSync(join(out, "controllers.log"), "utf8");
    expect(log).toMatch(
      /^pecmp 0\.000000000 own: started\npecmp 0\.003000000 own: polls\npecmp .* own: stopped\nnone /,
    );
  });
});
