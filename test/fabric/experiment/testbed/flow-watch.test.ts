/** Waiting for events of a flow, and until a time, on a clock that the test moves. */
import { describe, expect, it } from "vitest";
import {
  type Clock,
  FlowWatch,
  MONOTONIC_CLOCK,
  sleepUntil,
} from "../../../../src/fabric/experiment/testbed/flow-watch.js";
import { type AgentFlow, type FlowEvent, monotonicNs } from "../../../../src/fabric/testbed/index.js";

/** A clock whose time passes only when the test says so. */
class HandClock implements Clock {
  time = 100;
  readonly waiting: { readonly time: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.time;
  }

  at(time: number, wake: () => void): () => void {
    const entry = { time, wake };
    this.waiting.push(entry);
    return () => {
      const index = this.waiting.indexOf(entry);
      if (index >= 0) this.waiting.splice(index, 1);
    };
  }

  moveTo(time: number): void {
    this.time = time;
    for (const { wake } of this.waiting.filter((one) => one.time <= time)) wake();
  }
}

/** A flow whose events the test tells. */
function played() {
  const listeners = new Set<(event: FlowEvent) => void>();
  const flow = {
    onEvent: (listener: (event: FlowEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as AgentFlow;
  const tell = (kind: string, more: object = {}) => {
    for (const listener of listeners) listener({ kind, atNs: 0, ...more } as unknown as FlowEvent);
  };
  const clock = new HandClock();
  const stop = new AbortController();
  return { watch: new FlowWatch(flow, stop.signal, clock), tell, clock, stop, listeners };
}

const kindOf = (wanted: string) => (event: FlowEvent) => (event.kind === wanted ? event : undefined);

/** What a promise has come to after all that can happen now. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  await new Promise((resolve) => setImmediate(resolve));
  return await Promise.race([promise, Promise.resolve("waits")]);
}

describe("an event of a flow", () => {
  it("is found among those that have come, and awaited where it has not", async () => {
    const { watch, tell } = played();
    tell("connected");
    expect(await watch.need(kindOf("connected"))).toMatchObject({ kind: "connected" });
    const later = watch.need(kindOf("recovered"));
    tell("timeout");
    expect(await stateOf(later)).toBe("waits");
    tell("recovered");
    expect(await later).toMatchObject({ kind: "recovered" });
    expect(watch.events.map(({ kind }) => kind)).toEqual(["connected", "timeout", "recovered"]);
  });

  it("may be any value but undefined that the event gives", async () => {
    const { watch, tell } = played();
    tell("timeout");
    expect(await watch.until(() => 0)).toBe(0);
  });

  it("is undefined at its deadline, and not before", async () => {
    const { watch, tell, clock } = played();
    const found = watch.until(kindOf("recovered"), 200);
    await stateOf(found);
    expect(clock.waiting.map(({ time }) => time)).toEqual([200]);
    clock.moveTo(199);
    expect(await stateOf(found)).toBe("waits");
    // Another event does not end the wait, and leaves one alarm.
    tell("timeout");
    expect(await stateOf(found)).toBe("waits");
    expect(clock.waiting).toHaveLength(1);
    clock.moveTo(200);
    expect(await found).toBeUndefined();
    // One that has come counts after its deadline too.
    tell("recovered");
    expect(await watch.until(kindOf("recovered"), 200)).toMatchObject({ kind: "recovered" });
    expect(await watch.until(kindOf("finished"), 200)).toBeUndefined();
  });

  it("without a deadline sets no alarm", async () => {
    const { watch, clock, tell } = played();
    const found = watch.need(kindOf("recovered"));
    await stateOf(found);
    expect(clock.waiting).toEqual([]);
    tell("recovered");
    await found;
  });

  it("does not come when the flow fails before: the reason is told", async () => {
    const { watch, tell } = played();
    tell("connected");
    tell("failed", { text: "connection reset" });
    tell("recovered");
    expect(await watch.until(kindOf("connected"))).toBeDefined();
    await expect(watch.until(kindOf("recovered"))).rejects.toThrow(
      "error[P43172]: a flow failed: connection reset",
    );
    // Who waits for the failure itself gets it.
    expect(await watch.until(kindOf("failed"))).toMatchObject({ text: "connection reset" });
  });

  it("is not awaited after a stop", async () => {
    const { watch, stop } = played();
    const found = watch.need(kindOf("recovered"));
    await stateOf(found);
    stop.abort(new Error("enough"));
    await expect(found).rejects.toThrow("enough");
    await expect(watch.until(kindOf("recovered"))).rejects.toThrow("enough");
  });

  it("is not noted after the watch is closed, and a stop wakes nobody", async () => {
    const { watch, tell, stop, listeners } = played();
    const found = watch.need(kindOf("recovered"));
    watch.close();
    tell("recovered");
    stop.abort(new Error("enough"));
    expect(await stateOf(found)).toBe("waits");
    expect([watch.events, listeners.size]).toEqual([[], 0]);
  });
});

describe("a sleep", () => {
  it("ends at its time, however often it is woken before", async () => {
    const clock = new HandClock();
    const { signal } = new AbortController();
    const sleep = sleepUntil(300, signal, clock).then(() => "ended");
    expect(clock.waiting.map(({ time }) => time)).toEqual([300]);
    clock.waiting[0]!.wake();
    expect(await stateOf(sleep)).toBe("waits");
    clock.moveTo(300);
    expect(await stateOf(sleep)).toBe("ended");
    expect(clock.waiting).toEqual([]);
    await sleepUntil(300, signal, clock);
    await sleepUntil(299, signal, clock);
    expect(clock.waiting).toEqual([]);
  });

  it("ends with the reason of a stop, at once, and leaves no alarm", async () => {
    const clock = new HandClock();
    const stop = new AbortController();
    const sleep = sleepUntil(300, stop.signal, clock);
    stop.abort(new Error("enough"));
    await expect(sleep).rejects.toThrow("enough");
    expect(clock.waiting).toEqual([]);
    await expect(sleepUntil(0, stop.signal, clock)).rejects.toThrow("enough");
  });

  it("on the clock of the events does not end before its time", async () => {
    const until = monotonicNs() + 20e6;
    await sleepUntil(until, new AbortController().signal);
    expect(monotonicNs()).toBeGreaterThanOrEqual(until);
    const cancelled: string[] = [];
    MONOTONIC_CLOCK.at(monotonicNs() + 1e6, () => cancelled.push("woken"))();
    await sleepUntil(monotonicNs() + 20e6, new AbortController().signal);
    expect(cancelled).toEqual([]);
  });
});
