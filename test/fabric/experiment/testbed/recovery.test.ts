/** One run on a testbed with a flow and switches that the test plays: what counts as which outcome. */
import { beforeEach, describe, expect, it } from "vitest";
import { TestbedFaults } from "../../../../src/fabric/experiment/faults/on-testbed.js";
import {
  measureRecovery,
  type RecoveryPlan,
} from "../../../../src/fabric/experiment/kinds/failover/on-testbed.js";
import type { Clock } from "../../../../src/fabric/experiment/testbed/flow-watch.js";
import { AgentFlow } from "../../../../src/fabric/testbed/index.js";
import { nodeNamed } from "../../../../src/fabric/topology/index.js";
import {
  type Device,
  DeviceError,
  type Update,
  type UpdateStatus,
} from "../../../../src/toolchain/device/index.js";
import { example } from "../../topology/load.js";
import { packets, silence } from "../faults/silence.js";

const topology = example("clos");
const MS = 1_000_000;

/** Time that passes only when nothing else can happen: the next wake-up is due at once. */
class VirtualClock implements Clock {
  #now = 1000;
  readonly #wakes: { time: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  at(time: number, wake: () => void): () => void {
    const entry = { time, wake };
    this.#wakes.push(entry);
    setImmediate(() => this.#next());
    return () => {
      const index = this.#wakes.indexOf(entry);
      if (index >= 0) this.#wakes.splice(index, 1);
    };
  }

  #next(): void {
    this.#wakes.sort((a, b) => a.time - b.time);
    const due = this.#wakes.shift();
    if (due === undefined) return;
    this.#now = Math.max(this.#now, due.time);
    due.wake();
  }
}

let clock = new VirtualClock();
beforeEach(() => {
  clock = new VirtualClock();
});

/** A flow whose events the test makes; it ends when it is stopped. */
function playedFlow() {
  let id = 7;
  const flow = new AgentFlow({ to: 1n, ipVersion: 4, port: 5201 }, () => {
    tell({ event: "finished", stopped: true, bytes: 1, fctNs: null, timeouts: 0, tcp: TCP });
  });
  const tell = (event: object, atNs = clock.now()) =>
    flow.take({ id: id++, atNs, ...event } as Parameters<AgentFlow["take"]>[0]);
  tell({ event: "started", clientPort: 1 });
  tell({ event: "connected" });
  return { flow, tell };
}

const TCP = {
  ...{ rttUs: 1500, rttVarUs: 0, minRttUs: 0, rtoUs: 0, sendMss: 0, congestionWindow: 0 },
  ...{ retransmissions: 0, bytesRetransmitted: 0, kernelTimeouts: null },
};

/** A testbed whose faults are entries alone. */
function testbedWith(device: (node: number) => Device): TestbedFaults {
  const never = () => Promise.reject(new Error("only entries are written"));
  const testbed = { device, setCarrier: never, setDelay: never, kill: never, restart: never };
  return new TestbedFaults(topology, testbed, new Map());
}

/** Switches that keep their fault entries; `onWrite` is called after each write. */
function playedPlan(overrides: Partial<RecoveryPlan> & { onWrite?: (faults: number) => void } = {}) {
  const { onWrite = () => {}, ...rest } = overrides;
  const entries = new Set<string>();
  const keyOf = (node: number, { entity }: Update) =>
    `${node} ${JSON.stringify("match" in entity ? entity.match : "", (_, v) => (typeof v === "bigint" ? Number(v) : v))}`;
  const device = (node: number) =>
    ({
      write: async (updates: readonly Update[]) => {
        const statuses = updates.map((update): UpdateStatus => {
          if (update.type === "insert") entries.add(keyOf(node, update));
          else if (!entries.delete(keyOf(node, update)))
            return { code: "NOT_FOUND", message: "no such entry" };
          return { code: "OK", message: "" };
        });
        if (statuses.some(({ code }) => code !== "OK"))
          throw new DeviceError("UNKNOWN", "a write failed", statuses);
        onWrite(entries.size);
      },
    }) as unknown as Device;
  const plan: RecoveryPlan = {
    failsAfter: 2 * MS,
    giveUp: 60 * MS,
    firstTimeout: 40 * MS,
    observation: undefined,
    faults: [silence({ kind: "node", index: nodeNamed(topology, "leaf0-0")!.index })],
    testbed: testbedWith(device),
    stop: new AbortController().signal,
    clock,
    ...rest,
  };
  return { plan, entries };
}

describe("a run on a testbed", () => {
  it("counts timeouts up to the retransmission that was acknowledged, and repairs", async () => {
    const { flow, tell } = playedFlow();
    let failedAt = 0;
    const { plan, entries } = playedPlan({
      onWrite: (faults) => {
        if (faults === 0) return;
        failedAt = clock.now();
        tell({ event: "timeout", attempt: 1, selectors: [0, 1] }, failedAt + 10 * MS);
        tell({ event: "timeout", attempt: 2, selectors: [0, 3] }, failedAt + 30 * MS);
        tell({ event: "recovered", triedAtNs: failedAt + 30 * MS, attempts: 2, selector: 3 });
      },
    });
    const outcome = await measureRecovery(flow, plan);
    expect(outcome).toMatchObject({ kind: "sample", sample: { timeouts: 2, rttMs: 1.5, recoveryMs: 30 } });
    expect(entries.size).toBe(0);
  });

  it("observes a fault that lets packets pass for a fixed time, and reports the last recovery in it", async () => {
    const leaf = silence(
      { kind: "node", index: nodeNamed(topology, "leaf0-0")!.index },
      { effect: packets({ loss: 0.1 }) },
    );
    const run = async (...events: [kind: "timeout" | "recovered", after: number][]) => {
      const { flow, tell } = playedFlow();
      let told = false;
      const { plan, entries } = playedPlan({
        faults: [leaf],
        observation: 100 * MS,
        onWrite: () => {
          if (told) return;
          told = true;
          const failedAt = clock.now();
          for (const [kind, after] of events) {
            const at = failedAt + after * MS;
            if (kind === "timeout") tell({ event: "timeout", attempt: 1, selectors: [0] }, at);
            else tell({ event: "recovered", triedAtNs: at, attempts: 1, selector: 0 }, at);
          }
        },
      });
      const outcome = await measureRecovery(flow, plan);
      expect(entries.size).toBe(0);
      return outcome.kind === "sample" ? [outcome.sample.timeouts, outcome.sample.recoveryMs] : outcome.kind;
    };
    expect(await run()).toEqual([0, 0]);
    expect(await run(["timeout", 10], ["recovered", 10], ["timeout", 50], ["recovered", 50])).toEqual([
      2, 50,
    ]);
    expect(await run(["timeout", 10], ["recovered", 10], ["timeout", 90])).toEqual([
      2,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it("lets a fault flap until the observation is over, and ends it", async () => {
    const leaf = silence(
      { kind: "node", index: nodeNamed(topology, "leaf0-0")!.index },
      { flap: { period: 20 * MS, duty: 0.25 } },
    );
    const changes: number[] = [];
    const { plan, entries } = playedPlan({
      faults: [leaf],
      observation: 50 * MS,
      onWrite: () => {
        changes.push(clock.now());
        if (changes.length > 20) throw new Error("it flaps without a pause");
      },
    });
    const { kind } = await measureRecovery(playedFlow().flow, plan);
    expect(kind).toBe("sample");
    expect(entries.size).toBe(0);
    // On for 5 ms, off for 15 ms.
    expect(changes.map((at) => (at - changes[0]!) / MS).slice(0, 6)).toEqual([0, 5, 20, 25, 40, 45]);
  });

  it("gives a flow up that does not recover", async () => {
    const { flow, tell } = playedFlow();
    const { plan, entries } = playedPlan({
      onWrite: (faults) => {
        if (faults > 0) tell({ event: "timeout", attempt: 1, selectors: [0] }, clock.now() + MS);
      },
    });
    const sample = { recoveryMs: Number.POSITIVE_INFINITY, timeouts: 1, rttMs: 1.5 };
    expect(await measureRecovery(flow, plan)).toEqual({ kind: "sample", sample });
    expect(entries.size).toBe(0);
  });

  it("says when no timeout follows: the fault was not on the way", async () => {
    const { flow } = playedFlow();
    const { plan, entries } = playedPlan();
    expect(await measureRecovery(flow, plan)).toEqual({ kind: "missed" });
    expect(entries.size).toBe(0);
  });

  it("says when a timeout came before the fault", async () => {
    const { flow, tell } = playedFlow();
    tell({ event: "timeout", attempt: 1, selectors: [0] });
    const { plan } = playedPlan({
      onWrite: (faults) => {
        if (faults > 0) tell({ event: "timeout", attempt: 2, selectors: [0] }, clock.now() + MS);
      },
    });
    expect(await measureRecovery(flow, plan)).toEqual({ kind: "disturbed" });
  });

  it("ends when it is stopped, or when the flow breaks, and repairs then too", async () => {
    const stop = new AbortController();
    const stopped = playedPlan({
      stop: stop.signal,
      onWrite: (n) => n > 0 && stop.abort(new Error("enough")),
    });
    await expect(measureRecovery(playedFlow().flow, stopped.plan)).rejects.toThrow("enough");
    expect(stopped.entries.size).toBe(0);
    const { flow } = playedFlow();
    const broken = playedPlan({ onWrite: (n) => n > 0 && flow.fail("connection reset", 0) });
    await expect(measureRecovery(flow, broken.plan)).rejects.toThrow(/error\[P43172\].*connection reset/);
    expect(broken.entries.size).toBe(0);
  });

  it("reports why a switch refused the fault, in spite of errors of its removal", async () => {
    const { plan } = playedPlan();
    const refusing = (answers: Record<string, DeviceError>): RecoveryPlan => ({
      ...plan,
      testbed: testbedWith(
        () =>
          ({
            write: async ([update]: readonly Update[]) => {
              const error = answers[update!.type];
              if (error !== undefined) throw error;
            },
          }) as unknown as Device,
      ),
    });
    const full = new DeviceError("RESOURCE_EXHAUSTED", "the table is full");
    const gone = new DeviceError("NOT_FOUND", "no such entry");
    const down = new DeviceError("UNAVAILABLE", "the switch has ended");
    await expect(measureRecovery(playedFlow().flow, refusing({ insert: full, delete: gone }))).rejects.toBe(
      full,
    );
    await expect(measureRecovery(playedFlow().flow, refusing({ insert: full, delete: down }))).rejects.toBe(
      full,
    );
    // By itself an entry that is out already is as good as one that is taken out, any other refusal is none.
    expect(await measureRecovery(playedFlow().flow, refusing({ delete: gone }))).toEqual({ kind: "missed" });
    await expect(measureRecovery(playedFlow().flow, refusing({ delete: down }))).rejects.toBe(down);
  });
});
