/** However a testbed ends, nothing of it is left; and nothing of another testbed is touched. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import {
  cleanRuns,
  startTestbed,
  type Testbed,
  type TestbedStartOptions,
  type TestbedSwitch,
} from "../../../src/fabric/testbed/index.js";
import { takeAway } from "../../../src/fabric/testbed/run/janitor.js";
import { connect } from "../../../src/toolchain/p4runtime/index.js";
import { leftoversOf, makeFolder, namespacesOf, P4LOOM, testbedOptions, whyNot } from "./machine.js";
import { twoHosts } from "./two-hosts.js";

const reason = whyNot("netns", "switch");

/** Where `hold-testbed.ts` is bundled: three folders below the package's, as a room of a wing is, so that it finds the package's files. */
const bundle = resolve(import.meta.dirname, "../../../out/testbed-hold", String(process.pid));
const HOLD_TESTBED = join(bundle, "hold-testbed.js");

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL("./hold-testbed.ts", import.meta.url))],
    outdir: bundle,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    external: ["koffi", "highs", "@observablehq/plot"],
    banner: {
      js: 'import { createRequire as requireOf } from "node:module";const require = requireOf(import.meta.url);',
    },
    logLevel: "error",
  });
});

afterAll(() => rmSync(bundle, { recursive: true, force: true }));

/** A unique name for a testbed, also when other tests run at the same time. */
function testbedName(text: string): string {
  return `${text}-${process.pid}`;
}

/** Runs on record of the testbed of that name. */
function runsOf(testbed: string): string[] {
  if (!existsSync("/run/p4loom")) return [];
  return readdirSync("/run/p4loom").filter((id) => {
    try {
      return JSON.parse(readFileSync(join("/run/p4loom", id, "run.json"), "utf8")).testbed === testbed;
    } catch {
      return false;
    }
  });
}

/** A process of its own that holds a testbed. */
async function hold(network: string): Promise<{ id: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [HOLD_TESTBED, network, makeFolder(), ...P4LOOM], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const id = await new Promise<string>((resolve) => {
    child.stdout!.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    child.once("exit", () => resolve("ended without an id"));
  });
  expect(id).toMatch(/^[a-z0-9]{6}$/);
  return { id, child };
}

async function die(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(50);
}

/** The process id of a run's janitor. */
function janitorOf(id: string): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (argv.includes("p4loom-janitor") && argv.includes(`p4l-${id}`)) return Number(pid);
    } catch {
      // it has just ended
    }
  }
  throw new Error(`run ${id} has no janitor`);
}

async function failureOf(
  options: TestbedStartOptions,
  commands: readonly string[] = [],
): Promise<DiagnosticError> {
  const name = testbedName("wrong");
  const error = await startTestbed(twoHosts(name, commands), options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DiagnosticError);
  expect(runsOf(name)).toEqual([]);
  return error as DiagnosticError;
}

describe.skipIf(reason !== undefined)(`the end of a testbed ${reason ?? ""}`, () => {
  const mininet = whyNot("mininet", "switch");
  for (const network of ["netns", "mininet"]) {
    const skip = network === "mininet" && mininet !== undefined;
    for (const signal of ["SIGKILL", "SIGINT"] as const) {
      it.skipIf(skip)(`leaves nothing after ${signal} (${network}) ${skip ? mininet : ""}`, async () => {
        const { id, child } = await hold(network);
        expect(namespacesOf(id).sort()).toEqual([`p4l-${id}`, `p4l-${id}-h1`, `p4l-${id}-h2`]);
        await die(child, signal);
        await until(() => leftoversOf(id).length === 0);
      });
    }
  }

  it("p4loom clean removes what a dead run has left, and nothing of a living one", async () => {
    const testbed = await startTestbed(
      twoHosts("living"),
      await testbedOptions("netns", "switch", makeFolder()),
    );
    const { id, child } = await hold("netns");
    process.kill(janitorOf(id), "SIGKILL");
    await die(child, "SIGKILL");
    expect(namespacesOf(id)).toHaveLength(3);

    const cleaned = await cleanRuns();
    const outcome = (of: string) => cleaned.find((run) => run.id === of)?.outcome;
    expect(outcome(id)).toBe("removed");
    expect(outcome(testbed.id)).toBe("alive");
    expect(leftoversOf(id)).toEqual([]);
    expect(namespacesOf(testbed.id)).toHaveLength(3);
    expect(
      await testbed.switches
        .get("s1")!
        .device.read([])
        .catch(({ code }) => code),
    ).toBe("FAILED_PRECONDITION");

    await testbed.close();
    expect(leftoversOf(testbed.id)).toEqual([]);
  });

  it("is one, however many take a run away at a time", async () => {
    const { id, child } = await hold("netns");
    process.kill(janitorOf(id), "SIGKILL");
    await die(child, "SIGKILL");
    const outcomes = await Promise.all([1, 2, 3].map(() => takeAway(id)));
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(leftoversOf(id)).toEqual([]);
    expect((await takeAway(id)).status).toBe(0);
  });

  it("two testbeds of the same names run side by side", async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(async () =>
        startTestbed(twoHosts("twin"), await testbedOptions("netns", "switch", makeFolder())),
      ),
    );
    expect(one!.id).not.toBe(two!.id);
    await one!.close();
    expect(leftoversOf(one!.id)).toEqual([]);
    expect(namespacesOf(two!.id)).toHaveLength(3);
    await two!.close();
    expect(leftoversOf(two!.id)).toEqual([]);
  });

  it("closes when it is stopped, and aborts a start", async () => {
    const stop = new AbortController();
    const options = await testbedOptions("netns", "switch", makeFolder(), { stop: stop.signal });
    const testbed = await startTestbed(twoHosts("stopped"), options);
    stop.abort("SIGINT");
    await until(() => leftoversOf(testbed.id).length === 0);

    const early = new AbortController();
    const starting = await testbedOptions("netns", "switch", makeFolder(), { stop: early.signal });
    const started = startTestbed(twoHosts(testbedName("early")), {
      ...starting,
      log: (line) => {
        if (line.includes("1 switches")) early.abort("too late");
      },
    });
    await expect(started).rejects.toBe("too late");
    expect(runsOf(testbedName("early"))).toEqual([]);
  });

  it("says which switch does not start, why, and the last lines of its log", async () => {
    const folder = makeFolder();
    const code = "console.log('first'); console.error('no room on this machine'); process.exitCode = 3";
    const options = await testbedOptions("netns", "switch", folder, {
      p4loom: [process.execPath, "-e", code],
    });
    const { diagnostics } = await failureOf(options);
    expect(diagnostics[0]).toMatchObject({
      code: "P43104",
      message: "switch s1 did not start: exit status 3",
    });
    const notes = diagnostics[0]!.notes.map(({ message }) => message);
    expect(notes[1]).toBe(`log: ${join(folder, "logs/s1.log")}`);
    expect(notes.slice(2)).toEqual(["  first", "  no room on this machine"]);
  });

  it("reports a switch that ends by itself, and starts it again", async () => {
    const options = await testbedOptions("netns", "switch", makeFolder());
    const testbed = await startTestbed(twoHosts("fragile"), options);
    try {
      const { device, logFile } = testbed.switches.get("s1")!;
      const pids = execFileSync("ip", ["netns", "pids", `p4l-${testbed.id}`], { encoding: "utf8" });
      process.kill(Number(pids), "SIGSEGV");
      await until(() => options.lines.includes(`switch s1 has ended: SIGSEGV; its log is ${logFile}`));
      await expect(device.read([])).rejects.toThrow("switch s1 is not running");
      await testbed.switches.get("s1")!.restart();
      await expect(device.read([])).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
    } finally {
      await testbed.close();
    }
    expect(options.lines.filter((line) => line.includes("has ended"))).toHaveLength(1);
  });

  it("says which command of which host failed", async () => {
    const options = await testbedOptions("netns", "switch", makeFolder());
    const { diagnostics } = await failureOf(options, ["sleep 1000 &", "echo lost; exit 4"]);
    expect(diagnostics[0]).toMatchObject({
      code: "P43106",
      message: "command of host h1 failed with status 4: echo lost; exit 4",
      notes: [{ message: "lost" }],
    });
  });

  it("says what is not installed", async () => {
    const options = await testbedOptions("netns", "bmv2", makeFolder(), { bmv2: "/no/simple_switch_grpc" });
    expect((await failureOf(options)).message).toBe(
      "error[P43103]: there is no /no/simple_switch_grpc (--bmv2)",
    );
  });

  const withPort = (name: string, grpcPort: TestbedSwitch["grpcPort"] & {}) => {
    const spec = twoHosts(testbedName(name));
    return { ...spec, switches: spec.switches.map((one) => ({ ...one, grpcPort })) };
  };

  it("offers a switch on a TCP port, says when that is taken, or takes the next one", async () => {
    const options = await testbedOptions("netns", "switch", makeFolder());
    const testbed = await startTestbed(withPort("port", 0), options);
    let beside: Testbed | undefined;
    try {
      const { device: own, grpcPort } = testbed.switches.get("s1")!;
      await own.close();
      const device = await connect(`127.0.0.1:${grpcPort}`, { deviceId: 1n });
      expect(device.isPrimary).toBe(true);
      await device.close();
      await expect(startTestbed(withPort("taken", grpcPort!), options)).rejects.toThrow(
        `error[P43110]: port ${grpcPort} of 127.0.0.1`,
      );
      beside = await startTestbed(withPort("beside", { from: grpcPort! }), {
        ...options,
        folder: makeFolder(),
      });
      expect(beside.switches.get("s1")!.grpcPort).toBeGreaterThan(grpcPort!);
    } finally {
      await Promise.all([testbed.close(), beside?.close()]);
    }
    expect(leftoversOf(testbed.id)).toEqual([]);
    expect(runsOf(testbedName("taken"))).toEqual([]);
  });

  it("comes with a start that is interrupted inside a step", async () => {
    const stop = new AbortController();
    const name = testbedName("within");
    const options = await testbedOptions("netns", "switch", makeFolder(), { stop: stop.signal });
    const mark = join(makeFolder(), "begun");
    const started = startTestbed(twoHosts(name, [`touch ${mark}; sleep 1000`]), options);
    await until(() => existsSync(mark));
    stop.abort("enough");
    await expect(started).rejects.toBe("enough");
    expect(runsOf(name)).toEqual([]);
  });

  it("comes with a switch that never answers", async () => {
    const stop = new AbortController();
    const folder = makeFolder();
    const p4loom = [process.execPath, "-e", "console.log('here'); setInterval(() => {}, 1000)"];
    const options = await testbedOptions("netns", "switch", folder, { p4loom, stop: stop.signal });
    const name = testbedName("dumb");
    const started = startTestbed(twoHosts(name), options);
    const log = join(folder, "logs/s1.log");
    await until(() => existsSync(log) && readFileSync(log, "utf8").includes("\nhere"));
    stop.abort("enough");
    await expect(started).rejects.toBe("enough");
    expect(runsOf(name)).toEqual([]);
  });

  it("starts no switch any more, and still comes when something goes wrong", async () => {
    const options = await testbedOptions("netns", "switch", makeFolder());
    const testbed = await startTestbed(twoHosts(testbedName("restart")), options);
    expect(statSync(`/run/p4loom/${testbed.id}`).mode & 0o777).toBe(0o700);
    const one = testbed.switches.get("s1")!;
    Object.assign(one.device, { detach: () => Promise.reject(new Error("will not go")) });
    // Both are awaited at once: either may fail first.
    const closed = expect(testbed.close()).rejects.toThrow("will not go");
    await Promise.all([expect(one.restart()).rejects.toThrow(), closed]);
    expect(leftoversOf(testbed.id)).toEqual([]);
  });
});
