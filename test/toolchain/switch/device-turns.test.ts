/** The turns that long calls of a switch give to other tasks, the timers that it leaves, and the frames that a tracer passes on. */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import { type PacketTrace, Switch } from "../../../src/toolchain/switch/index.js";
import { p4infoOf } from "../control/start.js";
import { goldenJson, ManualClock, startUnconfigured } from "./golden.js";
import { featuresProgram, startFeatures } from "./trace/features.js";

const route = (value: bigint, more = {}): Update => ({
  type: "insert",
  entity: {
    kind: "tableEntry",
    table: "TheIngress.routes4",
    match: [{ kind: "lpm", field: "hdr.ipv4.dst", value, prefixLength: 32 }],
    priority: 0,
    action: { kind: "action", action: "TheIngress.route", params: { next_hop: 1n } },
    ...more,
  },
});
const ROUTES = { kind: "tableEntry", table: "TheIngress.routes4" } as const;

/** All that can go on now has gone on. */
async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

/** A pace that lets a call go on only when the test says so. */
function gate() {
  const open: (() => void)[] = [];
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    pace: () => {
      calls++;
      return new Promise<void>((resolve) => open.push(resolve));
    },
    /** Lets the call go on, and returns when it has asked again or ended. */
    next: () => {
      open.shift()?.();
      return settled();
    },
  };
}

/** A program that no switch has seen yet. */
const fresh = () => ({ bmv2: goldenJson<never>("l3", "l3.json"), p4info: p4infoOf("l3") });

describe("a call with turns", () => {
  it("reads one entity a turn, and waits for the end of each turn", async () => {
    const { device } = startUnconfigured("l3", p4infoOf("l3"));
    device.apply([route(1n), route(2n), route(3n)]);
    const turns = gate();
    let entities: unknown[] | undefined;
    const reading = device.read([ROUTES], turns.pace).then((found) => {
      entities = found;
    });
    for (let turn = 1; turn <= 3; turn++) {
      await settled();
      expect([turns.calls, entities]).toEqual([turn, undefined]);
      await turns.next();
    }
    await reading;
    expect(entities).toEqual(device.query([ROUTES]));
    expect(turns.calls).toBe(3);
  });

  it("writes one update a turn; other writes wait or are refused meanwhile", async () => {
    const { device } = startUnconfigured("l3", p4infoOf("l3"));
    const turns = gate();
    const writing = device.write([route(1n), route(2n)], undefined, turns.pace);
    expect(device.query([ROUTES])).toHaveLength(1);
    expect(() => device.apply([route(3n)])).toThrow(/is applying another write/);
    const after = device.write([route(4n)]);
    await turns.next();
    expect(device.query([ROUTES])).toHaveLength(2);
    await turns.next();
    await writing;
    await after;
    device.apply([route(3n)]);
    expect(device.query([ROUTES])).toHaveLength(4);
    expect(turns.calls).toBe(2);
  });

  it("stops a write when another program comes meanwhile", async () => {
    const { device } = startUnconfigured("l3", p4infoOf("l3"));
    const turns = gate();
    const writing = device.write([route(1n), route(2n)], undefined, turns.pace);
    device.install(device.program!);
    await turns.next();
    await expect(writing).rejects.toMatchObject({ code: "ABORTED" });
    device.apply([route(3n)]);
    expect(device.query([ROUTES])).toHaveLength(1);
  });

  it.each(["load", "verify", "prepare"] as const)(
    "makes the code of a program in turns: %s",
    async (name) => {
      const { device } = startUnconfigured("l3", p4infoOf("l3"));
      const program = fresh();
      const pieces: (number | undefined)[] = [];
      const pace = (count?: number) => {
        pieces.push(count);
        return Promise.resolve();
      };
      await device[name](program, pace);
      const made = pieces.length;
      expect(made).toBeGreaterThan(10);
      expect(pieces.every((count) => count !== undefined && count > 0)).toBe(true);
      // The code is there now.
      await device[name](program, pace);
      expect(pieces).toHaveLength(made);
      // Without turns it is made at once.
      await device[name](fresh());
      expect(pieces).toHaveLength(made);
    },
  );
});

/** A clock that knows how many of its timers are set. */
class CountingClock extends ManualClock {
  set = 0;

  override at(time: number, run: () => void): () => void {
    this.set++;
    let over = false;
    const end = () => {
      if (!over) this.set--;
      over = true;
    };
    const cancel = super.at(time, () => {
      end();
      run();
    });
    return () => {
      end();
      cancel();
    };
  }
}

describe("a switch leaves no timer", () => {
  const timed = () => {
    const clock = new CountingClock();
    const { device } = startUnconfigured("l3", p4infoOf("l3"), { clock });
    const bmv2 = structuredClone(device.program!.bmv2);
    for (const { tables } of bmv2.pipelines) for (const table of tables) table.support_timeout = true;
    return { clock, device, program: { ...device.program!, bmv2 } };
  };

  it("of a prepared program that is given up", async () => {
    const { clock, device, program } = timed();
    const prepared = await device.prepare(program);
    await prepared.write([route(1n, { idleTimeoutNs: 1_000_000n })]);
    expect(clock.set).toBe(1);
    prepared.discard();
    expect(clock.set).toBe(0);
  });

  it("of a program that another one replaces, and when it is closed", async () => {
    const { clock, device, program } = timed();
    device.install(program);
    device.apply([route(1n, { idleTimeoutNs: 1_000_000n })]);
    expect(clock.set).toBe(1);
    device.install(program);
    expect(clock.set).toBe(0);
    device.apply([route(1n, { idleTimeoutNs: 1_000_000n })]);
    await device.close();
    expect(clock.set).toBe(0);
  });

  it("of a digest that waits, and of one that was not acknowledged", async () => {
    for (const ackTimeoutNs of [0n, 5_000_000n])
      for (const maxListSize of [1, 2]) {
        const clock = new CountingClock();
        const device = new Switch(featuresProgram(), { clock, transmit: () => {} });
        const { names } = device.internals.digests;
        const config = { maxTimeoutNs: 1_000_000n, maxListSize, ackTimeoutNs };
        device.apply([{ type: "insert", entity: { kind: "digest", digest: names[0]!, ...config } }]);
        device.receive(1, fromHex("07010a000001")!);
        expect(clock.set).toBe(maxListSize === 2 || ackTimeoutNs > 0n ? 1 : 0);
        await device.close();
        expect(clock.set).toBe(0);
      }
  });
});

describe("a listener of traced frames", () => {
  it("gets each frame with its packet, whether it comes before the tracing or after", () => {
    for (const first of [true, false]) {
      const { device, trace } = startFeatures({ trace: undefined as never });
      const seen: string[] = [];
      const listen = () => {
        device.traceOutput = ({ packet_id }, port, frame) =>
          seen.push(`${packet_id} ${port} ${toHex(frame)}`);
      };
      if (first) listen();
      device.trace = () => {};
      if (!first) listen();
      trace("01000a010203");
      expect(seen).toEqual(["0 2 01000a010203"]);
    }
  });

  it("and a filter stay when another program comes, until they are taken away", () => {
    const { device, traces, trace } = startFeatures();
    const seen: number[] = [];
    device.traceOutput = (_, port) => seen.push(port);
    device.traceFilter = (port) => port === 1;
    device.install(featuresProgram());
    const send = (port: number): PacketTrace[] => {
      trace("0c000a010203", port);
      return traces;
    };
    expect(send(2)).toHaveLength(0);
    expect(send(1)).toHaveLength(1);
    expect(seen).toEqual([12]);
    device.traceFilter = undefined;
    device.traceOutput = undefined;
    expect(send(2)).toHaveLength(2);
    expect(seen).toEqual([12]);
  });
});
