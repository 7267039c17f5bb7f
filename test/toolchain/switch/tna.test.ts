/** A TNA program under a controller: digests, value sets, direct counters and meters, selectors, the CPU port; through P4Info's own messages. */
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, toHex } from "../../../src/base/index.js";
import type { DeviceEvent, Entity } from "../../../src/toolchain/device/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { P4InfoIndex } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "./golden.js";

const path = join(resolve(import.meta.dirname, "../../golden/tna/run"), "control.p4");
const CPU = 192;

async function start() {
  const { program } = await loadProgram({ path, include: [], define: [] }, new Diagnostics(), "error");
  const clock = new ManualClock();
  const sent: string[] = [];
  const events: DeviceEvent[] = [];
  const device = new Switch(program, {
    clock,
    cpuPort: CPU,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
  });
  device.watch((event) => events.push(event));
  const insert = (...entities: Entity[]) =>
    device.apply(entities.map((entity) => ({ type: "insert", entity })));
  const modify = (...entities: Entity[]) =>
    device.apply(entities.map((entity) => ({ type: "modify", entity })));
  return { program, clock, device, sent, events, insert, modify };
}

const SEND = { action: "Work.send" } as const;

describe("a TNA program under a controller", () => {
  it("has its state in P4Info's own messages, under the name of the pipe", async () => {
    const { program } = await start();
    const index = new P4InfoIndex(program.p4info);
    expect(index.tables.list.map(({ name }) => name)).toEqual(["pipe.Work.counted", "pipe.Work.chosen"]);
    expect(program.p4info.directCounters.map(({ preamble }) => preamble?.name)).toEqual(["pipe.Work.hits"]);
    expect(program.p4info.directMeters.map(({ preamble }) => preamble?.name)).toEqual(["pipe.Work.rate"]);
    expect(
      program.p4info.actionProfiles.map(({ preamble, withSelector }) => [preamble?.name, withSelector]),
    ).toContainEqual(["pipe.Work.members", true]);
    expect(program.p4info.digests.map(({ preamble }) => preamble?.name)).toEqual(["pipe.Put.learned"]);
    expect(program.p4info.valueSets.map(({ preamble }) => preamble?.name)).toEqual(["pipe.Take.values"]);
  });

  it("chooses members, counts and meters by entry, learns, and copies to the CPU port what the value set has", async () => {
    const { clock, device, sent, events, insert, modify } = await start();
    const entry = {
      kind: "tableEntry",
      table: "pipe.Work.counted",
      match: [{ kind: "ternary", field: "hdr.data.kind", value: 1n, mask: 0xffn }],
      priority: 1,
    } as const;
    insert(
      { ...entry, action: { kind: "action", action: "Work.count", params: {} } },
      {
        kind: "member",
        profile: "pipe.Work.members",
        memberId: 1,
        action: { ...SEND, params: { port: 7n } },
      },
      {
        kind: "member",
        profile: "pipe.Work.members",
        memberId: 2,
        action: { ...SEND, params: { port: 8n } },
      },
      {
        kind: "group",
        profile: "pipe.Work.members",
        groupId: 1,
        maxSize: 4,
        members: [
          { memberId: 1, weight: 1 },
          { memberId: 2, weight: 1 },
        ],
      },
      {
        kind: "tableEntry",
        table: "pipe.Work.chosen",
        match: [{ kind: "exact", field: "hdr.data.port", value: 5n }],
        priority: 0,
        action: { kind: "group", groupId: 1 },
      },
      { kind: "digest", digest: "pipe.Put.learned", maxListSize: 1, maxTimeoutNs: 0n, ackTimeoutNs: 0n },
    );
    modify({
      kind: "valueSet",
      valueSet: "pipe.Take.values",
      members: [[{ kind: "exact", field: "", value: 0x1234n }]],
    });
    modify({
      kind: "directMeter",
      entry,
      config: { committedRate: 1n, committedBurst: 1n, peakRate: 1n, peakBurst: 2n },
    });
    const packet = (text: string) => {
      device.receive(1, Uint8Array.from(Buffer.from(text, "hex")));
      clock.advance(clock.time + 1);
    };
    for (let value = 0; value < 16; value++) packet(`0105${value.toString(16).padStart(4, "0")}`);
    const ports = new Set(sent.map((text) => text.split(" ")[0]));
    expect(ports).toEqual(new Set(["7", "8"]));
    // Green, yellow, and red, which is 3, from there on.
    expect(sent.map((text) => text.split(" ")[1]!.slice(0, 2))).toEqual([
      "00",
      "01",
      ...Array(14).fill("03"),
    ]);
    const [counter] = device.query([{ kind: "directCounter", table: "pipe.Work.counted" }]);
    expect(counter).toMatchObject({ data: { packets: 16n, bytes: 128n } });
    const lists = events.filter(({ kind }) => kind === "digest");
    expect(lists).toHaveLength(16);
    expect(
      JSON.stringify(lists[5], (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value)),
    ).toContain("5");
    sent.length = 0;
    events.length = 0;
    packet("01051234");
    expect(sent).toHaveLength(1);
    expect(events.map(({ kind }) => kind)).toEqual(["packetIn"]);
    await device.close();
  });
});

/** A switch whose ports send 1 Mbit/s, so that packets wait. */
async function slow(name: string, define: string[]) {
  const file = { path: join(path, `../${name}.p4`), include: [], define };
  const { program } = await loadProgram(file, new Diagnostics(), "error");
  const clock = new ManualClock();
  const sent: string[] = [];
  const device = new Switch(program, {
    clock,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame.subarray(0, 4))}`),
    queue: { rateBitsPerSecond: () => 1_000_000 },
  });
  const packet = (text: string, bytes: number) =>
    device.receive(1, Buffer.concat([Buffer.from(text, "hex"), Buffer.alloc(bytes - text.length / 2)]));
  return { clock, device, sent, packet };
}

describe("queues of a Tofino", () => {
  it("tell egress their depth in cells of 80 bytes, with the frame check sequence", async () => {
    const { clock, device, sent, packet } = await slow("depths", []);
    // The first goes to the wire at once; then 1, 2, 3 and 1 cells wait, and each leaves the rest behind.
    for (const bytes of [76, 76, 77, 157, 60]) packet("00000000", bytes);
    clock.advance(10_000);
    expect(sent).toEqual(["2 00000000", "2 00000006", "2 00010004", "2 00030001", "2 00060000"]);
    await device.close();
  });

  it("run the ghost thread with each change of a queue, so that ingress sees its depth", async () => {
    const { clock, device, sent, packet } = await slow("t2_stages", ["__TARGET_TOFINO__=2"]);
    // Queue 0 of port 2 has the number 32; packets of 172 and 173 bytes are one and two cells.
    for (const bytes of [60, 172, 173, 60]) packet("00000020", bytes);
    clock.advance(20_000);
    packet("00000020", 60);
    clock.advance(40_000);
    expect(sent).toEqual(["2 00000000", "2 00000000", "2 00000001", "2 00000003", "2 00000000"]);
    await device.close();
  });
});

describe("time stamps of a Tofino", () => {
  it("are whole nanoseconds, whose number of microseconds is often not exact", async () => {
    // 16.057 * 1000 and 32.324 * 1000 are less than the whole number in floating point.
    const exact: string[] = [];
    const { program } = await loadProgram(
      { path: join(path, "../lengths.p4"), include: [], define: [] },
      new Diagnostics(),
      "error",
    );
    for (const nanoseconds of [16_057, 32_324]) {
      const one = new ManualClock();
      one.advance(nanoseconds / 1000);
      const open = new Switch(program, { clock: one, transmit: (_port, frame) => exact.push(toHex(frame)) });
      open.receive(1, Uint8Array.from([2, 0, 0, 0]));
      await open.close();
    }
    expect(exact).toEqual(["02003eb9", "02007e44"]);
  });
});

describe("mirrors of a Tofino", () => {
  it("leave behind the packet of which they are copies, whole or cut to the length of the session", async () => {
    const files = { path: join(path, "../copies.p4"), include: [], define: [] };
    const { program } = await loadProgram(files, new Diagnostics(), "error");
    const sent: string[] = [];
    const device = new Switch(program, {
      clock: new ManualClock(),
      transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
    });
    const frame = Uint8Array.from({ length: 100 }, (_, i) => (i === 0 ? 2 : i === 1 ? 3 : i));
    const original = Buffer.from(frame);
    original.writeUInt16BE(1, 2);
    const mirror = Buffer.concat([Buffer.of(0xaa, 1), frame]);
    mirror.writeUInt16BE(0x0204, 4);
    for (const packetLengthBytes of [0, 20]) {
      device.apply([
        {
          type: packetLengthBytes === 0 ? "insert" : "modify",
          entity: {
            kind: "cloneSession",
            sessionId: 5,
            replicas: [3, 4].map((port) => ({ port, instance: 0 })),
            classOfService: 0,
            packetLengthBytes,
          },
        },
      ]);
      device.receive(1, frame);
      const cut = toHex(mirror.subarray(0, packetLengthBytes === 0 ? mirror.length : 22));
      expect(sent.splice(0)).toEqual([`3 ${toHex(original)}`, `3 ${cut}`, `4 ${cut}`]);
    }
    await device.close();
  });
});

describe("the packet generator of a Tofino", () => {
  /** Lists what comes in, as it came; the second byte of a packet is the port that it leaves by. */
  async function start() {
    const file = { path: join(path, "../copies.p4"), include: [], define: [] };
    const { program } = await loadProgram(file, new Diagnostics(), "error");
    const clock = new ManualClock();
    const device = new Switch(program, { clock, transmit: () => {} });
    const came: string[] = [];
    device.trace = (document) => came.push(`${document.input.ingress_port} ${document.input.bytes}`);
    return { clock, device, came };
  }
  const bytes = Uint8Array.of(0xaa, 0xbb);

  it("makes batches when a timer ends, and when a port goes down", async () => {
    const { clock, device, came } = await start();
    await device.settings.setPacketApps([
      {
        app: 1,
        trigger: { kind: "timer", nanoseconds: 10_000, isPeriodic: false },
        port: 68,
        bytes,
        batches: 2,
        packets: 2,
        batchGapNs: 3000,
        packetGapNs: 1000,
      },
      { app: 2, trigger: { kind: "timer", nanoseconds: 40_000, isPeriodic: true }, port: 196, bytes },
      { app: 3, trigger: { kind: "portDown" }, port: 68, bytes },
    ]);
    clock.advance(9);
    expect(came).toEqual([]);
    clock.advance(39);
    const batches = [
      "68 010000000000aabb",
      "68 010000000001aabb",
      "68 010000010000aabb",
      "68 010000010001aabb",
    ];
    expect(came).toEqual(batches);
    device.setPortState(0x105, false);
    clock.advance(81);
    expect(came.slice(4)).toEqual(["68 030001050000aabb", "196 0a0000000000aabb", "196 0a0000000000aabb"]);
    await device.settings.setPacketApps([]);
    clock.advance(1000);
    expect(came).toHaveLength(7);
    await device.close();
  });

  it("makes packets when one with a pattern recirculates, with its bits in the header", async () => {
    const { clock, device, came } = await start();
    const trigger = { kind: "recirculation", value: 0x08441200, mask: 0xffffff00 } as const;
    await device.settings.setPacketApps([
      { app: 7, trigger, port: 69, bytes, packets: 2, packetGapNs: 1000 },
    ]);
    // What such a packet can do is asked without a packet: nothing is made.
    expect(device.outcomes(1, Uint8Array.of(8, 0x44, 0x12, 0x34), { runs: 9 }).outcomes).toBe(1);
    clock.advance(5);
    expect(came).toEqual([]);
    device.receive(1, Uint8Array.of(8, 0x44, 0x12, 0x34));
    device.receive(1, Uint8Array.of(8, 0x44, 0x13, 0x34));
    clock.advance(10);
    expect(came.slice(2)).toEqual(["69 074412350000aabb", "69 074412350001aabb"]);
    await device.close();
  });

  it("refuses applications that the hardware has not", async () => {
    const { device } = await start();
    const app = { app: 1, trigger: { kind: "portDown" as const }, port: 68, bytes };
    await expect(device.settings.setPacketApps([{ ...app, app: 8 }])).rejects.toThrow(/below 8/);
    await expect(device.settings.setPacketApps([app, app])).rejects.toThrow(/application 1/);
    await expect(device.settings.setPacketApps([{ ...app, batches: 70_000 }])).rejects.toThrow(/65536/);
    await device.close();
  });
});
