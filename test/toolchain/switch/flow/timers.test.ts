/** What happens by itself: idle timeouts, digests, meters. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DeviceEvent, Entity } from "../../../../src/toolchain/device/index.js";
import { MeterArray } from "../../../../src/toolchain/switch/tables/resources.js";
import { runs } from "../../../fuzz-seed.js";
import { startUnconfigured } from "../golden.js";

function start() {
  const started = startUnconfigured("cpu", undefined, { cpuPort: 255 });
  const events: DeviceEvent[] = [];
  started.device.watch((event) => events.push(event));
  return { ...started, events };
}

describe("idle timeouts", () => {
  const entry: Entity = {
    kind: "tableEntry",
    table: "TheIngress.destinations",
    match: [{ kind: "exact", field: "hdr.eth.dst", value: 0x020000000028n }],
    priority: 0,
    action: { kind: "action", action: "TheIngress.forward", params: { port: 5n } },
    idleTimeoutNs: 300_000_000n,
    controllerMetadata: 7n,
  };
  const hit = "020000000028020000000032123468656c6c6f";

  it("are reported once, and again after a hit and another pause", () => {
    const { device, clock, events, play } = start();
    device.apply([{ type: "insert", entity: entry }]);
    const idle = () => events.filter(({ kind }) => kind === "idleTimeout");
    clock.advance(299_999);
    expect(idle()).toEqual([]);
    clock.advance(300_000);
    expect(idle()).toHaveLength(1);
    expect(idle()[0]).toMatchObject({
      timestampNs: 300_000_000n,
      entries: [{ table: "TheIngress.destinations", controllerMetadata: 7n }],
    });
    clock.advance(2_000_000);
    expect(idle()).toHaveLength(1);
    play(1, hit);
    clock.advance(2_299_999);
    expect(idle()).toHaveLength(1);
    clock.advance(2_300_000);
    expect(idle()).toHaveLength(2);
  });

  it("wait while the entry is hit, and end with it", () => {
    const { device, clock, events, play } = start();
    device.apply([{ type: "insert", entity: entry }]);
    for (let i = 1; i <= 10; i++) {
      clock.advance(i * 200_000);
      play(1, hit);
    }
    device.apply([{ type: "delete", entity: entry }]);
    clock.advance(10_000_000);
    expect(events.filter(({ kind }) => kind === "idleTimeout")).toEqual([]);
  });

  it("show the time since the last hit", () => {
    const { device, clock, play } = start();
    device.apply([{ type: "insert", entity: entry }]);
    clock.advance(1000);
    play(1, hit);
    clock.advance(1500);
    expect(
      device.query([{ kind: "tableEntry", table: "TheIngress.destinations", idle: true }]),
    ).toMatchObject([{ elapsedNs: 500_000n }]);
  });
});

describe("digests", () => {
  const frame = (source: string) => `02000000004d0200000000${source}123468656c6c6f`;
  const lists = (events: DeviceEvent[]) =>
    events.flatMap((event) => (event.kind === "digest" ? [event.list.data.map((values) => values[0])] : []));

  function on(config: { maxListSize: number; maxTimeoutNs: bigint; ackTimeoutNs: bigint }) {
    const started = start();
    const digest = started.device.internals.digests.names[0]!;
    started.device.apply([{ type: "insert", entity: { kind: "digest", digest, ...config } }]);
    return { ...started, digest };
  }

  it("are silent until a controller turns them on", () => {
    const { play, events } = start();
    play(2, frame("32"));
    expect(lists(events)).toEqual([]);
  });

  it("go out at once with a list size of 1, and not again before the acknowledgement", async () => {
    const { device, play, events, digest } = on({
      maxListSize: 1,
      maxTimeoutNs: 0n,
      ackTimeoutNs: 1_000_000_000n,
    });
    play(2, frame("32"));
    play(2, frame("32"));
    expect(lists(events)).toEqual([[0x020000000032n]]);
    await device.acknowledgeDigest(digest, 1n);
    play(2, frame("32"));
    expect(lists(events)).toHaveLength(2);
  });

  it("wait for a full list or the timeout", () => {
    const { clock, play, events } = on({ maxListSize: 3, maxTimeoutNs: 1_000_000n, ackTimeoutNs: 0n });
    play(2, frame("32"));
    play(2, frame("33"));
    expect(lists(events)).toEqual([]);
    clock.advance(1000);
    expect(lists(events)).toEqual([[0x020000000032n, 0x020000000033n]]);
    for (const source of ["32", "33", "34"]) play(2, frame(source));
    expect(lists(events)[1]).toHaveLength(3);
  });

  it("go out again when the acknowledgement does not come", () => {
    const { clock, play, events } = on({ maxListSize: 1, maxTimeoutNs: 0n, ackTimeoutNs: 1_000_000n });
    play(2, frame("32"));
    clock.advance(1000);
    play(2, frame("32"));
    expect(lists(events)).toHaveLength(2);
  });
});

describe("meters", () => {
  const rates = { committedRate: 0, committedBurst: 5, peakRate: 0, peakBurst: 10 };

  it("without rates are green; rate 0 with bursts 5 and 10 gives 5 green, 5 yellow, then red", () => {
    const meter = new MeterArray("m", 2, false);
    meter.configure(1, rates, 0);
    expect(Array.from({ length: 12 }, () => meter.execute(1, 100, 0))).toEqual([
      0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2,
    ]);
    expect(meter.execute(0, 100, 0)).toBe(0);
  });

  it("refill both buckets by their rates, up to their bursts, and from the time at which they were set", () => {
    const meter = new MeterArray("m", 2, false);
    // One packet a second is committed, two are the peak; times are in microseconds.
    const config = { committedRate: 1e-6, committedBurst: 2, peakRate: 2e-6, peakBurst: 4 };
    meter.configure(1, config, 5e6);
    const colours = (seconds: number) => Array.from({ length: 5 }, () => meter.execute(1, 64, seconds * 1e6));
    expect(colours(5)).toEqual([0, 0, 1, 1, 2]);
    expect(colours(6)).toEqual([0, 1, 2, 2, 2]);
    // Half a packet is not one.
    expect(colours(6.25)).toEqual([2, 2, 2, 2, 2]);
    expect(colours(6.5)).toEqual([1, 2, 2, 2, 2]);
    expect(colours(60)).toEqual([0, 0, 1, 1, 2]);
    // A clock that goes back gives nothing.
    expect(colours(59)).toEqual([2, 2, 2, 2, 2]);
    expect(meter.rates(1)).toEqual(config);
    expect(meter.rates(0)).toBeUndefined();
  });

  it("let the committed rate through green and the peak rate through at least yellow, in the long run", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 50 }), (committed, more) => {
        const meter = new MeterArray("m", 1, true);
        const burst = 3000;
        // Bytes a millisecond; offered are 200.
        const config = {
          committedRate: committed / 1000,
          committedBurst: burst,
          peakRate: (committed + more) / 1000,
          peakBurst: burst,
        };
        meter.configure(0, config, 0);
        const passed = [0, 0, 0];
        const time = 200_000;
        for (let t = 0; t < time; t++) passed[meter.execute(0, 200, t * 1000)]! += 200;
        expect(passed[0]! / time).toBeGreaterThan(committed * 0.95 - 1);
        expect(passed[0]!).toBeLessThanOrEqual(committed * time + burst);
        expect(passed[0]! + passed[1]!).toBeLessThanOrEqual((committed + more) * time + burst);
      }),
      runs(10),
    );
  });
});
