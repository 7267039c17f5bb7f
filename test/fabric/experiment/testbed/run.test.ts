/** Units on a testbed: what is refused before anything starts, and the order of what is then asked of schemes, switches and controllers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Experiment, SchemeUnit, TestbedSide } from "../../../../src/fabric/experiment/index.js";
import { checkOnTestbed, runOnTestbed } from "../../../../src/fabric/experiment/testbed/run.js";
import type { Signal } from "../../../../src/fabric/hosts/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import { jobContext } from "../job-context.js";
import { fakeTestbed, smallExperiment } from "./fake-testbed.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-run-on-testbed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

type Side = TestbedSide<Experiment, SchemeUnit, string, string>;

/** A kind that notes what it is asked. */
function sideOf(more: Partial<Side> = {}) {
  const asked: unknown[][] = [];
  const side: Side = {
    check: async ({ schemes }, engine) => {
      asked.push(["check", engine, schemes.map(({ label }) => label)]);
      return 3;
    },
    prepare: async (_, { label }, seed) => {
      asked.push(["prepare", label, seed]);
      return `ready ${label}`;
    },
    run: async (_, unit, { prepared, seed, stepDone }) => {
      asked.push(["run", unit.name, prepared, seed]);
      await stepDone();
      return `outcome of ${unit.name}`;
    },
    warnings: () => [],
    ...more,
  };
  return { side, asked };
}

/** The experiment with hosts that need signals, by the label of their scheme. */
function needing(
  needs: Readonly<Record<string, readonly string[]>>,
  keys: Readonly<Record<string, string>> = {},
) {
  const experiment = smallExperiment(keys);
  const schemes = experiment.schemes.map((scheme) => ({
    ...scheme,
    hosts: () => ({ needs: needs[scheme.label] ?? [] }),
  }));
  return { ...experiment, schemes } as unknown as Experiment;
}

const refused = async (experiment: Experiment, more: Partial<Side> = {}) => {
  const { side, asked } = sideOf(more);
  const failure = await checkOnTestbed(side, experiment, "bmv2", signal).catch((error: unknown) => error);
  expect(asked, "the kind is not asked").toEqual([]);
  const [one] = (
    failure as { diagnostics: { code: string; message: string; notes: object[]; span: unknown }[] }
  ).diagnostics;
  return one!;
};

describe("before a testbed starts", () => {
  it("the kind says how many fault tables the programs need", async () => {
    const { side, asked } = sideOf();
    expect(await checkOnTestbed(side, smallExperiment(), "switch", signal)).toBe(3);
    expect(asked).toEqual([["check", "switch", ["prr", "ecmp"]]]);
  });

  it("a scheme is refused whose hosts need planned flows, at its place in the file", async () => {
    const one = await refused(needing({ ecmp: ["rounds", "assignments"] }));
    expect(one).toMatchObject({
      code: "P43070",
      message: "engine bmv2 cannot run scheme ecmp: its hosts need assignments",
      notes: [{ message: "run planned flows on the simulator, or leave planning out of the scheme" }],
    });
    const other = await refused(needing({ prr: ["assignments"] }));
    expect(other.message).toContain("scheme prr");
    expect(one.span).not.toEqual(other.span);
    expect(one.span).toBeDefined();
  });

  it("a scheme is refused whose receivers put data in order below TCP: the kernel has its own", async () => {
    expect(await refused(needing({ prr: ["packets", "reassembly"] }))).toMatchObject({
      code: "P43070",
      message: "engine bmv2 cannot run scheme prr: its hosts need reassembly",
    });
  });

  it("a scheme is refused whose hosts keep some marks from the transport: agents keep all from the kernel", async () => {
    expect(await refused(needing({ prr: ["marks", "masking"] }))).toMatchObject({
      code: "P43070",
      message: "engine bmv2 cannot run scheme prr: its hosts need masking",
    });
  });

  it("a signal is refused that the kind cannot give here, with the kind's advice; others are not", async () => {
    const missingSignals = () => new Map([["rounds" as Signal, "use another kind"]]);
    expect(await refused(needing({ prr: ["rounds"] }), { missingSignals })).toMatchObject({
      code: "P43070",
      notes: [{ message: "use another kind" }],
    });
    expect(await refused(needing({ prr: ["assignments"] }), { missingSignals })).toMatchObject({
      code: "P43070",
    });
    const { side } = sideOf({ missingSignals });
    expect(await checkOnTestbed(side, needing({ prr: ["marks"] }), "switch", signal)).toBe(3);
    expect(await checkOnTestbed(sideOf().side, needing({ prr: ["rounds"] }), "switch", signal)).toBe(3);
  });

  it("the simulator's TCP is refused, but not where the kind knows the kernel's", async () => {
    const tcp = smallExperiment({ transport: "{ protocol: tcp }" });
    expect(await refused(tcp)).toMatchObject({
      message: "the simulator's TCP does not run on bmv2: the hosts there have the kernel's",
      notes: [{ message: "use --engine sim, or leave out protocol and the keys of TCP" }],
      span: tcp.locate(["transport", "protocol"]),
    });
    expect(tcp.locate(["transport", "protocol"])).toBeDefined();
    expect(await checkOnTestbed(sideOf({ kernelTcp: true }).side, tcp, "switch", signal)).toBe(3);
  });

  it("a model of the wire is refused", async () => {
    const wire = smallExperiment({ wire: "ethernet" });
    expect(await refused(wire)).toMatchObject({
      message: "engine bmv2 paces its links by the bytes of frames: it has no wire: ethernet",
      span: wire.locate(["wire"]),
    });
  });
});

describe("a run on a testbed", () => {
  /** Runs units of both schemes; `lines`: what happened, in order. */
  async function running(more: Partial<Side> = {}, names = ["prr one", "ecmp one", "prr two"]) {
    const experiment = smallExperiment();
    const fake = fakeTestbed(experiment);
    const { side, asked } = sideOf(more);
    const units = names.map((name): SchemeUnit => {
      const scheme = experiment.schemes.find(({ label }) => name.startsWith(label))!;
      return { scheme, name, steps: 1 } as SchemeUnit;
    });
    const progress: unknown[][] = [];
    const stop = new AbortController();
    const job = {
      ...jobContext(7),
      ...{ folder: mkdtempSync(join(folder, "run-")), stop: stop.signal },
      progress: (steps: number, what: string) => void progress.push([steps, what]),
      begin: async () => {
        asked.push(["begin"]);
        return fake.testbed;
      },
    };
    const made = runOnTestbed(side, experiment, units, "switch", job as never);
    return { made, asked, progress, stop, ...fake };
  }

  it("prepares all schemes, starts the testbed, and runs the units scheme after scheme", async () => {
    const { made, asked, progress, log } = await running();
    const { outcomes, notes, logs } = await made;
    expect(outcomes).toEqual(["outcome of prr one", "outcome of prr two", "outcome of ecmp one"]);
    expect(asked).toEqual([
      ["check", "switch", ["prr", "ecmp"]],
      ["prepare", "prr", 7],
      ["prepare", "ecmp", 7],
      ["begin"],
      ["run", "prr one", "ready prr", 7],
      ["run", "prr two", "ready prr", 7],
      ["run", "ecmp one", "ready ecmp", 7],
    ]);
    expect(progress).toEqual([
      [0, "prr: configure"],
      [1, "prr, prr one"],
      [1, "prr, prr two"],
      [0, "ecmp: configure"],
      [1, "ecmp, ecmp one"],
    ]);
    expect(notes[0]).toMatch(/^Switches: p4loom's own switch/);
    expect(logs).toEqual([]);
    const loads = log.filter(([, what]) => what === "load");
    const switches = new Set(loads.map(([name]) => name)).size;
    expect(loads).toHaveLength(2 * switches);
    expect(log.at(-1)).toEqual(["testbed", "close"]);
  });

  it("asks only for the schemes of its units, with the fault tables in their programs", async () => {
    const { made, asked, log } = await running({}, ["ecmp one"]);
    await made;
    expect(asked.slice(0, 2)).toEqual([
      ["check", "switch", ["ecmp"]],
      ["prepare", "ecmp", 7],
    ]);
    const [, , program] = log.find(([, what]) => what === "load") as [string, string, Program];
    const tables = program.p4info.tables.map(({ preamble }) => preamble!.name);
    expect(tables.filter((name) => /fault/i.test(name)).length).toBeGreaterThan(0);
    const without = await running({ check: async () => 0 }, ["ecmp one"]);
    await without.made;
    const [, , plain] = without.log.find(([, what]) => what === "load") as [string, string, Program];
    expect(plain.p4info.tables.some(({ preamble }) => /fault/i.test(preamble!.name))).toBe(false);
  });

  it("gives the kind a boot of the scheme on the simulator", async () => {
    const { made } = await running(
      {
        prepare: async ({ topology }, _, __, boot) => {
          const fabric = await boot();
          expect(fabric.topology).toBe(topology);
          return "";
        },
      },
      ["ecmp one"],
    );
    expect((await made).outcomes).toHaveLength(1);
  });

  it("starts controllers once, where the kind asks for it, and ends them once", async () => {
    const states: string[] = [];
    const { made } = await running({
      run: async (_, { name }, { controllers, fabric }) => {
        await Promise.all([controllers.start(), controllers.start()]);
        await controllers.stop();
        await controllers.stop();
        states.push(`${name} ${fabric.scheme.label} ${fabric.direct}`);
        return "";
      },
      direct: (_, { label }) => label === "ecmp",
    });
    await made;
    expect(states).toEqual(["prr one prr false", "prr two prr false", "ecmp one ecmp true"]);
  });

  it("does not start the testbed after a stop, and removes it after an error", async () => {
    const stopped = await running({
      prepare: async () => {
        stopped.stop.abort(new Error("enough"));
        return "";
      },
    });
    await expect(stopped.made).rejects.toThrow("enough");
    expect(stopped.asked.flat()).not.toContain("begin");
    const broken = await running({
      run: async () => {
        throw new Error("no such path");
      },
    });
    await expect(broken.made).rejects.toThrow("no such path");
    expect(broken.log.at(-1)).toEqual(["testbed", "close"]);
  });
});
