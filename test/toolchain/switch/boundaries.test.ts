/** Numbers at the edge: the last element and the one after it, the last byte that fits, the microsecond that counts. */
import { describe, expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type QueueOptions, Switch } from "../../../src/toolchain/switch/index.js";
import { fresh, ManualClock } from "./golden.js";

const SIZE = 4;
const READ = 1;
const WRITE = 2;
const COUNT = 3;

const diagnostics = new Diagnostics();
const compiled = compile({ file: new SourceFile("boundaries.p4", program()) }, diagnostics);
diagnostics.throwIfErrors();

interface Packet {
  op: number;
  index: number;
  value: number;
  depth: number;
  waited: number;
}

const LENGTH = 17;

function start(queue?: QueueOptions) {
  const clock = new ManualClock();
  const out: (Packet & { time: number })[] = [];
  const device = new Switch(fresh(compiled!.program), {
    clock,
    ...(queue === undefined ? {} : { queue }),
    transmit: (_, frame) => {
      const word = (at: number) => Number.parseInt(toHex(frame.subarray(at, at + 4)), 16);
      out.push({
        time: clock.time,
        op: frame[0]!,
        index: word(1),
        value: word(5),
        depth: word(9),
        waited: word(13),
      });
    },
  });
  const send = (op: number, index = 0, value = 0): Packet | undefined => {
    const hex = [index, value, 0, 0].map((word) => word.toString(16).padStart(8, "0")).join("");
    device.receive(1, fromHex(op.toString(16).padStart(2, "0") + hex)!);
    return out.at(-1);
  };
  return { clock, device, out, send };
}

describe("a register", () => {
  it("has elements up to its size less one; beyond, reads and writes change nothing", () => {
    const { device, send } = start();
    const values = () =>
      device
        .query([{ kind: "register", register: "TheIngress.cells" }])
        .map((cell) => (cell.kind === "register" ? cell.value : undefined));
    for (let index = 0; index < SIZE; index++) send(WRITE, index, 10 + index);
    for (const index of [SIZE, SIZE + 1, 2 ** 31, 2 ** 32 - 1]) send(WRITE, index, 99);
    expect(values()).toEqual([10n, 11n, 12n, 13n]);
    expect(send(READ, SIZE - 1, 77)!.value).toBe(13);
    for (const index of [SIZE, SIZE + 1, 2 ** 31, 2 ** 32 - 1]) expect(send(READ, index, 77)!.value).toBe(77);
  });
});

describe("a counter", () => {
  it("has elements up to its size less one", () => {
    const { device, send } = start();
    for (const index of [0, SIZE - 1, SIZE, 2 ** 32 - 1]) send(COUNT, index);
    const packets = device
      .query([{ kind: "counter", counter: "TheIngress.hits" }])
      .map((cell) => (cell.kind === "counter" ? cell.data.packets : undefined));
    expect(packets).toEqual([1n, 0n, 0n, 1n]);
  });
});

describe("a queue", () => {
  it("takes a packet whose last byte still fits, and no longer one", () => {
    for (let depthBytes = 0; depthBytes <= 3 * LENGTH; depthBytes++) {
      const { clock, out, send } = start({ rateBitsPerSecond: () => 1000, depthBytes });
      for (let i = 0; i < 6; i++) send(0);
      clock.advance(1e9);
      // The frame on the wire does not wait.
      expect(out).toHaveLength(1 + Math.floor(depthBytes / LENGTH));
    }
  });

  it("takes this number of packets, and no more", () => {
    for (let depthPackets = 0; depthPackets < 5; depthPackets++) {
      const { clock, out, send } = start({ rateBitsPerSecond: () => 1000, depthPackets });
      for (let i = 0; i < 8; i++) send(0);
      clock.advance(1e9);
      expect(out).toHaveLength(1 + depthPackets);
    }
  });

  it("shows depth and marks to the program as packets come faster than the port sends", () => {
    const { clock, out, send } = start({ rateBitsPerSecond: () => 1e6, depthPackets: 64, handOver: "first" });
    const wire = (LENGTH * 8e6) / 1e6;
    // Twice as fast as the port sends.
    for (let i = 0; i < 60; i++) {
      clock.advance((i * wire) / 2);
      send(0);
    }
    clock.advance(1e6);
    const depths = out.map(({ depth }) => depth);
    expect(Math.max(...depths)).toBeGreaterThan(20);
    expect(depths[0]).toBe(0);
    expect(out.map(({ op }) => op)).toEqual(depths.map((depth) => (depth >= 10 ? 0x80 : 0)));
  });

  it.each([
    [0.2, 1.9, 1],
    [0.9, 1.1, 1],
    [0.1, 0.9, 0],
    [7.5, 10.49, 3],
  ])("from %f to %f us: deq_timedelta counts whole microseconds of both times", (since, until, waited) => {
    // The first packet is on the wire until then.
    const { clock, out, send } = start({ rateBitsPerSecond: () => (LENGTH * 8e6) / until });
    send(0);
    clock.advance(since);
    send(0);
    clock.advance(1e6);
    expect(out.map((packet) => packet.waited)).toEqual([0, waited]);
  });
});

function program(): string {
  return `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> op; bit<32> index; bit<32> value; bit<32> depth; bit<32> waited; }
struct headers { h_t h; }
struct metadata { }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(hdr.h); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  register<bit<32>>(${SIZE}) cells;
  counter(${SIZE}, CounterType.packets) hits;
  apply {
    s.egress_spec = 2;
    if (hdr.h.op == ${READ}) { cells.read(hdr.h.value, hdr.h.index); }
    else if (hdr.h.op == ${WRITE}) { cells.write(hdr.h.index, hdr.h.value); }
    else if (hdr.h.op == ${COUNT}) { hits.count(hdr.h.index); }
  }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  apply {
    hdr.h.depth = (bit<32>) s.enq_qdepth;
    hdr.h.waited = s.deq_timedelta;
    if (s.enq_qdepth >= 10) { hdr.h.op = 0x80; }
  }
}
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.h); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;
}
