/** The testbed around a run: what it is started with, the notes of the report, and errors; the testbed is removed in each case. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../../src/base/index.js";
import { CODES } from "../../../../src/fabric/experiment/codes.js";
import type { TestbedOptions } from "../../../../src/fabric/experiment/kinds/kind.js";
import { Journal, type TestbedRun } from "../../../../src/fabric/experiment/testbed/scheme-on-testbed.js";
import { withCleanup, withTestbed } from "../../../../src/fabric/experiment/testbed/with-testbed.js";
import { CPU_PORT } from "../../../../src/fabric/sim/packet/index.js";
import type { TestbedSpec } from "../../../../src/fabric/testbed/index.js";
import { DeviceError } from "../../../../src/toolchain/device/index.js";
import { fakeTestbed, smallExperiment } from "./fake-testbed.js";

const work = mkdtempSync(join(tmpdir(), "p4loom-with-testbed-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const experiment = smallExperiment();

interface Begun {
  readonly engine: string;
  readonly network: string;
  readonly bmv2?: string;
  readonly pcap: boolean;
  readonly allowMissing: ReadonlySet<string>;
  readonly folder: string;
  readonly stop: AbortSignal;
  log(line: string): void;
  leftOut(line: string): void;
}

interface Run {
  readonly engine?: "switch" | "bmv2";
  readonly testbed?: TestbedOptions;
  readonly p4c?: string;
  readonly stop?: AbortController;
  readonly fails?: unknown;
  readonly work?: (run: TestbedRun) => Promise<unknown>;
}

async function run({
  engine = "switch",
  testbed = {},
  p4c,
  stop = new AbortController(),
  fails,
  ...more
}: Run = {}) {
  const fake = fakeTestbed(experiment);
  const folder = mkdtempSync(join(work, "run-"));
  const begun: (Begun & { readonly spec: TestbedSpec })[] = [];
  const begin = async (spec: TestbedSpec, options: unknown) => {
    begun.push({ spec, ...(options as Begun) });
    if (fails !== undefined) throw fails;
    return fake.testbed;
  };
  const made = withTestbed(
    engine,
    experiment,
    { seed: 7, testbed, folder, p4c, stop: stop.signal },
    async (testbed) => {
      begun[0]!.log("a line");
      begun[0]!.leftOut("delays are left out");
      begun[0]!.leftOut("delays are left out");
      return (await more.work?.(testbed)) ?? testbed;
    },
    begin,
  );
  const end = await made.then(
    ({ value, notes }) => ({ value, notes }),
    (error: unknown) => ({ error }),
  );
  return {
    begun: begun[0]!,
    folder,
    fake,
    stop,
    closed: fake.of("testbed").filter(([what]) => what === "close").length,
    ...end,
  } as {
    begun: Begun & { spec: TestbedSpec };
    folder: string;
    fake: ReturnType<typeof fakeTestbed>;
    stop: AbortController;
    closed: number;
    value?: unknown;
    notes?: string[];
    error?: unknown;
  };
}

describe("a run on a testbed", () => {
  it("has the switches and hosts of the topology, in namespaces, without captures unless it is asked for", async () => {
    const { begun, folder, value, fake, stop, closed } = await run();
    const names = (kind: "host" | "switch") =>
      experiment.topology.nodes
        .filter((node) => (node.host !== undefined) === (kind === "host"))
        .map(({ name }) => name);
    expect(begun.spec.switches.map(({ name }) => name)).toEqual(names("switch"));
    expect(begun.spec.hosts.map(({ name }) => name)).toEqual(names("host"));
    expect(new Set(begun.spec.switches.map(({ cpuPort }) => cpuPort))).toEqual(new Set([CPU_PORT]));
    expect(begun).toMatchObject({
      engine: "switch",
      network: "netns",
      pcap: false,
      folder,
      stop: stop.signal,
    });
    expect([begun.allowMissing.size, "bmv2" in begun]).toEqual([0, false]);
    expect(value).toMatchObject({ engine: "switch", testbed: fake.testbed, seed: 7, stop: stop.signal });
    expect(closed).toBe(1);
    const allowMissing = new Set(["delay"] as const);
    const chosen = await run({
      engine: "bmv2",
      testbed: { network: "mininet", bmv2: "/x", pcap: true, allowMissing },
    });
    expect(chosen.begun).toMatchObject({
      engine: "bmv2",
      network: "mininet",
      bmv2: "/x",
      pcap: true,
      allowMissing,
    });
  });

  it("has notes of what the switches and hosts were, and of what was left out, once, as sentences", async () => {
    const { notes, folder } = await run();
    expect(notes).toEqual([
      expect.stringMatching(
        /^Switches: p4loom's own switch, .*Hosts: network namespaces with the kernel's TCP/,
      ),
      expect.stringMatching(/^Times are real: /),
      "Delays are left out.",
    ]);
    expect(readFileSync(join(folder, "logs/run.log"), "utf8")).toBe("a line\nDelays are left out.\n");
    const other = await run({ engine: "bmv2", testbed: { network: "mininet" }, p4c: "/p4c" });
    expect(other.notes![0]).toMatch(/^Switches: BMv2, .*Hosts: hosts of Mininet with/);
    expect(other.notes![2]).toBe("The programs were compiled by p4c.");
  });

  it("fails with the error of a switch as a diagnostic that says where its log is; other errors stay as they are", async () => {
    const refused = await run({ work: () => Promise.reject(new DeviceError("UNAVAILABLE", "it has ended")) });
    expect(refused.error).toBeInstanceOf(DiagnosticError);
    expect((refused.error as DiagnosticError).diagnostics).toEqual([
      {
        ...{ severity: "error", code: CODES.refusedBySwitch },
        message: "a switch refused a request or did not answer: UNAVAILABLE: it has ended",
        notes: [{ message: `the logs of the switches are in ${join(refused.folder, "logs")}` }],
      },
    ]);
    const other = new Error("other");
    const failed = await run({ work: () => Promise.reject(other) });
    expect([failed.error, refused.closed, failed.closed]).toEqual([other, 1, 1]);
  });

  it("fails with the reason of a stop, whatever else fails then", async () => {
    const stop = new AbortController();
    const work = () => {
      stop.abort(new Error("Ctrl-C"));
      return Promise.reject(new DeviceError("CANCELLED", "a consequence"));
    };
    const { error, closed } = await run({ stop, work });
    expect([(error as Error).message, closed]).toEqual(["Ctrl-C", 1]);
  });

  it("that this machine refuses has the place of the links in the file where these are the reason", async () => {
    const refusal = (code: string) =>
      new DiagnosticError([{ severity: "error", code, message: "no", notes: [] } as never]);
    const lacks = await run({ fails: refusal(CODES.kernelLacks) });
    const [{ span, message }] = (lacks.error as DiagnosticError).diagnostics as [
      DiagnosticError["diagnostics"][0],
    ];
    expect([message, span]).toEqual(["no", experiment.locate(["topology"])]);
    const other = (await run({ fails: refusal("P43101") })).error as DiagnosticError;
    expect(other.diagnostics[0]).not.toHaveProperty("span");
    const thrown = new Error("x");
    expect((await run({ fails: thrown })).error).toBe(thrown);
  });
});

describe("a clean-up", () => {
  it("follows the work in each case, and the error of the work counts", async () => {
    const log: string[] = [];
    const clean = (error?: Error) => async () => {
      log.push("clean");
      if (error !== undefined) throw error;
    };
    const works = async () => {
      log.push("work");
      return 5;
    };
    const fails = () => Promise.reject(new Error("of the work"));
    expect(await withCleanup(works, clean())).toBe(5);
    expect(log).toEqual(["work", "clean"]);
    await expect(withCleanup(works, clean(new Error("of the clean-up")))).rejects.toThrow("of the clean-up");
    await expect(withCleanup(fails, clean(new Error("of the clean-up")))).rejects.toThrow("of the work");
    expect(log.filter((what) => what === "clean")).toHaveLength(3);
  });
});

describe("the log of a run", () => {
  it("is begun anew by its first line, and is no file before", () => {
    const folder = mkdtempSync(join(work, "journal-"));
    const log = join(folder, "logs/run.log");
    const first = new Journal(folder);
    expect(existsSync(log)).toBe(false);
    first.write("old");
    const second = new Journal(folder);
    second.fact("A fact.");
    second.fact("A fact.");
    second.write("line");
    expect(readFileSync(log, "utf8")).toBe("A fact.\nline\n");
    expect(second.facts).toEqual(["A fact."]);
  });
});
