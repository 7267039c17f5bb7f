/** Output queues: when frames leave, what is dropped, and what egress sees of the queue. */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/base/index.js";
import type { Bmv2Program } from "../../../../src/toolchain/program/index.js";
import { type QueueOptions, Switch } from "../../../../src/toolchain/switch/index.js";
import { goldenJson, ManualClock, startUnconfigured } from "../golden.js";
import { startFeatures } from "../trace/features.js";

/** A frame of the `queue` program that does nothing special: it goes to port 0. */
const FRAME = "000000000000000078";
/** Its bytes in the queue: ingress adds a header of 12. */
const QUEUED = FRAME.length / 2 + 12;

function start(queue: QueueOptions) {
  const clock = new ManualClock();
  const sent: { time: number; port: number; hex: string }[] = [];
  const bmv2 = goldenJson<Bmv2Program>("queue", "queue.json");
  const device = new Switch(
    { bmv2, p4info: startUnconfigured("queue").device.program!.p4info },
    { clock, queue, transmit: (port, frame) => sent.push({ time: clock.time, port, hex: toHex(frame) }) },
  );
  return {
    clock,
    sent,
    device,
    send: (count: number) => {
      for (let i = 0; i < count; i++) device.receive(1, fromHex(FRAME)!);
    },
  };
}

describe("a queue with a rate in bits", () => {
  it("hands a frame over when its last bit has left, one behind the other", () => {
    const { clock, sent, send } = start({ rateBitsPerSecond: () => 1e6, overheadBytes: 20 });
    send(3);
    expect(sent).toEqual([]);
    clock.advance(10_000);
    const length = sent[0]!.hex.length / 2;
    const time = (length + 20) * 8;
    expect(sent.map((frame) => frame.time)).toEqual([time, 2 * time, 3 * time]);
  });

  it("is free again after a pause", () => {
    const { clock, sent, send } = start({ rateBitsPerSecond: () => 8e6 });
    send(1);
    clock.advance(1000);
    send(1);
    clock.advance(2000);
    expect(sent[1]!.time - 1000).toBe(sent[0]!.time);
  });

  it("drops what exceeds its depth in packets, the one on the wire not counted", () => {
    const { clock, sent, send, device } = start({ rateBitsPerSecond: () => 1e6, depthPackets: 2 });
    send(5);
    clock.advance(1e6);
    expect(sent).toHaveLength(3);
    expect(device.stats).toMatchObject({ received: 5, transmitted: 3, dropped: 2, queueDrops: 2 });
  });

  it.each([
    [3 * QUEUED, 3],
    [4 * QUEUED - 1, 3],
    [4 * QUEUED, 4],
  ])("holds %i bytes, the frame on the wire not counted", (depthBytes, held) => {
    const { clock, sent, send, device } = start({ rateBitsPerSecond: () => 1e6, depthBytes });
    send(9);
    expect(device.waiting).toBe(held);
    expect(device.stats.drops).toMatchObject({ queue: 8 - held });
    clock.advance(1e6);
    expect(sent).toHaveLength(1 + held);
  });

  it("reports the packets and bytes that wait, whenever they change", () => {
    const seen: number[][] = [];
    const { clock, send, device } = start({
      rateBitsPerSecond: () => 1e6,
      lengthChanged: (port, packets, bytes) => seen.push([port, packets, bytes]),
    });
    send(3);
    expect(device.queues.backlog(0)).toEqual({ packets: 2, bytes: 2 * QUEUED });
    clock.advance(1e6);
    expect(device.queues.backlog(0)).toEqual({ packets: 0, bytes: 0 });
    send(2);
    device.install(device.program!);
    expect(device.stats).toMatchObject({ dropped: 1, drops: { program: 1 } });
    expect(device.queues.backlog(0)).toEqual({ packets: 0, bytes: 0 });
    expect(seen).toEqual([
      [0, 1, QUEUED],
      [0, 2, 2 * QUEUED],
      [0, 1, QUEUED],
      [0, 0, 0],
      [0, 1, QUEUED],
      [0, 0, 0],
    ]);
  });
});

describe("a queue with a rate in bits on a clock whose timers are late", () => {
  const RATE = 1e6;

  /** A clock whose timers run `late` microseconds after their time. */
  class LateClock extends ManualClock {
    constructor(readonly late: number) {
      super();
    }
    override at(time: number, run: () => void): () => void {
      return super.at(time + this.late, run);
    }
  }

  /** Time and length of each frame, one after the other. @param start clock's time when its first timer runs */
  function timesOf(late: number, handOver: "first" | "last", count: number, start = 0): number[] {
    const clock = new LateClock(late);
    const times: number[] = [];
    const bmv2 = goldenJson<Bmv2Program>("queue", "queue.json");
    const device = new Switch(
      { bmv2, p4info: startUnconfigured("queue").device.program!.p4info },
      {
        clock,
        queue: { rateBitsPerSecond: () => RATE, handOver },
        transmit: (_, frame) => times.push(clock.time, frame.length),
      },
    );
    for (let i = 0; i < count; i++) device.receive(1, fromHex(FRAME)!);
    clock.time = start;
    clock.advance(1e9);
    return times;
  }

  it.each(["first", "last"] as const)("keeps its rate (%s bit)", (handOver) => {
    const count = 200;
    const exact = timesOf(0, handOver, count);
    const late = timesOf(90, handOver, count);
    expect(late).toHaveLength(2 * count);
    // The last frame is late once, not once a frame.
    expect(late.at(-2)! - exact.at(-2)!).toBeLessThanOrEqual(90);
    expect(late.at(-2)! - exact.at(-2)!).toBeGreaterThanOrEqual(0);
  });

  it("makes up for 4 ms at most", () => {
    const [frame] = timesOf(0, "first", 1).slice(1);
    const wire = (frame! * 8e6) / RATE;
    const times = timesOf(0, "first", 2 + Math.ceil(4000 / wire) + 2, 50_000);
    const soon = times.filter((time, i) => i % 2 === 0 && time === 50_000);
    expect(soon).toHaveLength(Math.floor(4000 / wire) + 1);
  });
});

describe("a queue with a rate in packets", () => {
  it("lets one packet leave an interval", () => {
    const { clock, sent, send } = start({ ratePacketsPerSecond: () => 1000 });
    send(3);
    clock.advance(10_000);
    expect(sent.map(({ time }) => time)).toEqual([0, 1000, 2000]);
  });

  it("with a depth of 0 takes a packet whose time has come, and no other", () => {
    const { clock, sent, send, device } = start({ ratePacketsPerSecond: () => 1000, depthPackets: 0 });
    send(3);
    expect(device.stats).toMatchObject({ transmitted: 1, queueDrops: 2 });
    clock.advance(1000);
    send(1);
    expect(sent.map(({ time }) => time)).toEqual([0, 1000]);
  });
});

describe("a port that is free", () => {
  it("takes the first of several copies of a packet, and the others within its depth", () => {
    for (const depthPackets of [0, 1, 2, 9]) {
      const { device, outputs, clock } = startFeatures({
        queue: { rateBitsPerSecond: () => 1e6, depthPackets },
      });
      const replicas = Array.from({ length: 4 }, (_, instance) => ({ port: 5, instance }));
      device.apply([{ type: "modify", entity: { kind: "multicastGroup", groupId: 3, replicas } }]);
      device.receive(1, fromHex("03030a000001")!);
      clock.advance(1e6);
      // None of them is on the wire when the others come.
      expect(outputs).toHaveLength(Math.min(4, Math.max(1, depthPackets)));
      expect(device.stats.queueDrops).toBe(4 - outputs.length);
    }
  });

  it("takes a packet without its queue, whose length does not change", () => {
    const seen: number[] = [];
    const { send, clock } = start({
      rateBitsPerSecond: () => 1e6,
      lengthChanged: (_, packets) => seen.push(packets),
    });
    for (let i = 0; i < 3; i++) {
      send(1);
      clock.advance(clock.time + 10_000);
    }
    expect(seen).toEqual([]);
  });
});

describe("without queues", () => {
  it("frames leave at once", () => {
    const { play } = startUnconfigured("queue");
    expect(play(1, FRAME)).toHaveLength(1);
  });
});

describe("queueing metadata", () => {
  it("show depth and waiting time in egress", () => {
    const clock = new ManualClock();
    const seen: number[][] = [];
    const { device: plain } = startUnconfigured("queue");
    const device = new Switch(plain.program, {
      clock,
      queue: { rateBitsPerSecond: () => 1e6 },
      transmit: () => {
        const { state } = device.internals.forwarder;
        const { enqDepth, deqDepth, deqTimedelta, enqTimestamp } = state.fields;
        seen.push([enqTimestamp, enqDepth, deqTimedelta, deqDepth]);
      },
    });
    // What egress saw is in the PHV of the packet; read it there by an egress that is watched.
    const rows: number[][] = [];
    const { state } = device.internals.forwarder;
    const { code } = device.internals.instance.specialised;
    const egress = code.egress;
    try {
      code.egress = (s) => {
        const { fields, phv } = s;
        rows.push([
          phv[fields.enqTimestamp]!,
          phv[fields.enqDepth]!,
          phv[fields.deqTimedelta]!,
          phv[fields.deqDepth]!,
        ]);
        egress(s);
      };
      for (let i = 0; i < 3; i++) device.receive(1, fromHex(FRAME)!);
      clock.advance(1e6);
    } finally {
      code.egress = egress;
    }
    expect(seen).toHaveLength(3);
    const wire = rows[1]![2]!;
    expect(wire).toBeGreaterThan(0);
    expect(rows).toEqual([
      [0, 0, 0, 0],
      [0, 0, wire, 1],
      [0, 1, 2 * wire, 0],
    ]);
    expect(state.phv).toBe(state.main);
  });
});

describe("a port that a medium pauses", () => {
  const rate = { rateBitsPerSecond: () => 8e6 };
  /** Microseconds of a frame on the wire. */
  const lengthOf = (hex: string) => hex.length / 2;

  it("keeps what waits until the pause ends by itself, and sends what is on the wire", () => {
    const { clock, sent, send, device } = start(rate);
    send(2);
    device.queues.pause(0, 5000);
    clock.advance(4999);
    expect(sent).toHaveLength(1);
    clock.advance(10_000);
    expect(sent[1]!.time).toBe(5000 + lengthOf(sent[1]!.hex));
  });

  it("goes on at once when the pause is ended, one frame behind the other", () => {
    const { clock, sent, send, device } = start(rate);
    device.queues.pause(0, 1e9);
    send(3);
    clock.advance(2000);
    expect([sent.length, device.waiting]).toEqual([0, 3]);
    device.queues.resume(0);
    clock.advance(10_000);
    const length = lengthOf(sent[0]!.hex);
    expect(sent.map(({ time }) => time - 2000)).toEqual([length, 2 * length, 3 * length]);
  });

  it("pauses again before the first pause is over, and ends a pause that is none", () => {
    const { clock, sent, send, device } = start(rate);
    device.queues.resume(0);
    device.queues.pause(0, 1000);
    send(1);
    clock.advance(900);
    device.queues.pause(0, 3000);
    clock.advance(2000);
    expect(sent).toHaveLength(0);
    clock.advance(4000);
    expect(sent[0]!.time).toBe(3000 + lengthOf(sent[0]!.hex));
  });

  it("waits for a frame that was sent ahead", () => {
    const { clock, sent, send, device } = start({ ...rate, leastBytes: 60, overheadBytes: 20 });
    device.queues.occupy(0, 10);
    send(1);
    clock.advance(1000);
    // The bytes of the frame ahead are padded to 60, and 20 are around it; so are those of the frame.
    expect(sent[0]!.time).toBe(80 + Math.max(60, lengthOf(sent[0]!.hex)) + 20);
  });
});

describe("a buffer that is accounted for", () => {
  it("is charged and released by ingress port, in place of the depths, and released when the queues close", async () => {
    const events: string[] = [];
    let room = 3;
    const account = {
      counts: () => true,
      charge: (from: number, to: number, bytes: number) => {
        if (room-- <= 0) return false;
        events.push(`+${from} ${to} ${bytes}`);
        return true;
      },
      release: (from: number, to: number, bytes: number) => {
        events.push(`-${from} ${to} ${bytes}`);
      },
      closed: () => {
        events.push("closed");
      },
    };
    const { clock, sent, send, device } = start({ rateBitsPerSecond: () => 8e6, depthPackets: 1, account });
    send(5);
    expect(device.stats).toMatchObject({ queueDrops: device.stats.received - 4 });
    clock.advance(QUEUED);
    const charged = events.filter((event) => event.startsWith("+"));
    expect(charged).toEqual(Array.from({ length: 3 }, () => `+1 0 ${QUEUED}`));
    expect(sent.length).toBeGreaterThan(0);
    await device.load(device.program!);
    expect(events.filter((event) => event.startsWith("-"))).toHaveLength(3);
    expect(events.at(-1)).toBe("closed");
    expect(device.waiting).toBe(0);
  });

  it.each([{ depthPackets: 2 }, { depthBytes: 2 * QUEUED }])(
    "leaves what came in by a port that it does not count to the depths: %j",
    async (depths) => {
      const never = () => {
        throw new Error("not counted");
      };
      const account = { counts: () => false, charge: never, release: never, closed: () => {} };
      const run = (more: object) => {
        const { clock, sent, send, device } = start({ rateBitsPerSecond: () => 8e6, ...depths, ...more });
        send(5);
        clock.advance(100 * QUEUED);
        return [sent.length, device.stats.queueDrops];
      };
      expect(run({ account })).toEqual(run({}));
      expect(run({ account })[1]).toBeGreaterThan(0);
    },
  );
});
