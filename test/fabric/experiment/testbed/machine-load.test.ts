import { describe, expect, it } from "vitest";
import {
  LoadMeter,
  runLoad,
  saturationWarnings,
} from "../../../../src/fabric/experiment/testbed/machine-load.js";
import type { Testbed, TestbedLoad, TestbedUsage } from "../../../../src/fabric/testbed/index.js";

function load(
  machine: number,
  switches: readonly [processor: number, unread: number | undefined][],
): TestbedLoad {
  return {
    seconds: 1,
    processors: 2,
    machine,
    waiting: undefined,
    switches: new Map(switches.map(([processor, unreadFrames], i) => [`s${i}`, { processor, unreadFrames }])),
    hosts: new Map([
      ["h1", { processor: 0.25 }],
      ["h2", { processor: 0.5 }],
    ]),
  };
}

describe("the load of a run", () => {
  it.each([
    ["an idle machine", load(0.4, [[0.2, 0]]), false],
    ["a busy machine", load(0.97, [[0.2, 0]]), true],
    [
      "a switch that takes a processor",
      load(0.6, [
        [0.1, 0],
        [0.99, 0],
      ]),
      true,
    ],
    [
      "a switch that lost a frame",
      load(0.4, [
        [0.1, 0],
        [0.1, 1],
      ]),
      true,
    ],
    ["an engine that reports no losses", load(0.4, [[0.1, undefined]]), false],
  ])("%s: saturated or not", (_what, measured, saturated) => {
    expect(runLoad(measured).saturated).toBe(saturated);
  });

  it("has the busiest switch, all hosts, and all lost frames", () => {
    const measured = runLoad(
      load(0.5, [
        [0.1, 3],
        [0.7, 4],
      ]),
    );
    expect(measured).toEqual({
      machine: 0.5,
      busiestSwitch: 0.7,
      hosts: 0.75,
      lostFrames: 7,
      saturated: true,
    });
    expect(runLoad(load(0.5, [[0.1, undefined]])).lostFrames).toBeNull();
  });

  it("is a warning if a run was saturated", () => {
    const [calm, busy] = [runLoad(load(0.5, [[0.1, 0]])), runLoad(load(0.99, [[0.8, 5]]))];
    expect(saturationWarnings([calm, calm])).toEqual([]);
    expect(saturationWarnings([])).toEqual([]);
    expect(saturationWarnings([calm, busy, calm])).toEqual([
      "The machine was saturated in 1 of 3 runs (machine up to 99 % busy, a switch up to 80 % of a processor, " +
        "5 frames lost by switches that read too late): their times are no results of the network.",
    ]);
  });
});

describe("the limits of a saturated machine", () => {
  it.each([
    ["the machine", [0.95, 0.2], [0.94, 0.2]],
    ["a switch", [0.5, 0.95], [0.5, 0.94]],
  ])("are 95 % of %s", (_what, at, below) => {
    const saturated = ([machine, processor]: number[]) =>
      runLoad(load(machine!, [[processor!, 0]])).saturated;
    expect([saturated(at), saturated(below)]).toEqual([true, false]);
  });

  it("hold for switches that report no losses beside those that do, and without switches", () => {
    const mixed = runLoad(
      load(0.99, [
        [0.1, undefined],
        [0.1, 3],
      ]),
    );
    expect([mixed.lostFrames, mixed.saturated]).toEqual([null, true]);
    expect(saturationWarnings([mixed, undefined])[0]).toMatch(/in 1 of 2 runs .* 0 frames lost/);
    expect(runLoad(load(0.5, []))).toMatchObject({ busiestSwitch: 0, lostFrames: 0, saturated: false });
  });
});

it("the load of a run is that between its start and its stop", async () => {
  const usage = (seconds: number, busy: number): TestbedUsage =>
    ({
      atNs: 1e9 * seconds,
      machine: { processors: 2, busyNs: 1e9 * busy, idleNs: 2e9 * seconds - 1e9 * busy },
      switches: new Map(),
      hosts: new Map(),
    }) as unknown as TestbedUsage;
  const measured = [usage(100, 50), usage(110, 65)];
  const meter = new LoadMeter({ usage: async () => measured.shift() } as unknown as Testbed);
  await meter.start();
  // 15 of 20 seconds of both processors.
  expect(await meter.stop()).toMatchObject({ machine: 0.75, busiestSwitch: 0, saturated: false });
});

it("the warning has the greatest shares of the saturated runs", () => {
  const idle = runLoad(load(0.2, [[0.1, 0]]));
  const [one, other] = [runLoad(load(0.96, [[0.5, 2]])), runLoad(load(0.99, [[0.3, 3]]))];
  expect(saturationWarnings([one, idle, other, undefined])).toEqual([
    expect.stringMatching(
      /in 2 of 4 runs \(machine up to 99 % busy, a switch up to 50 % of a processor, 5 frames/,
    ),
  ]);
  expect(saturationWarnings([idle, undefined])).toEqual([]);
});
