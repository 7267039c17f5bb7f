/** What a program sees of the queues in front of simulated links. */
import { beforeAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import {
  type Channel,
  CPU_PORT,
  Network,
  type Node,
  NS_PER_S,
  Simulation,
  SwitchNode,
} from "../../../../src/fabric/sim/packet/index.js";
import type { DeviceEvent } from "../../../../src/toolchain/device/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";

/** Sends by port 2, or to the CPU where the first byte is 255, and writes what it sees of the queue into the packet. */
const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
header seen_t { bit<8> kind; bit<32> enq; bit<32> deq; bit<32> wait; bit<32> since; }
struct headers { seen_t seen; }
struct metadata { }
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(h.seen); transition accept; }
}
control V(inout headers h, inout metadata m) { apply { } }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
  apply {
    if (h.seen.kind == 255) { s.egress_spec = ${CPU_PORT}; } else { s.egress_spec = 2; }
  }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) {
  apply {
    h.seen.enq = (bit<32>)s.enq_qdepth;
    h.seen.deq = (bit<32>)s.deq_qdepth;
    h.seen.wait = s.deq_timedelta;
    h.seen.since = s.enq_timestamp;
  }
}
control C(inout headers h, inout metadata m) { apply { } }
control D(packet_out p, in headers h) { apply { p.emit(h.seen); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

const FRAME_BYTES = 1000;
/** A frame of 1000 bytes takes 80 us at the bottleneck and 8 us on the way in. */
const RATE_OUT = 100e6;
const RATE_IN = 1e9;
const DELAY = 5_000;

class End implements Node {
  output: Channel | undefined;
  readonly frames: { time: number; frame: Uint8Array }[] = [];
  constructor(
    readonly name: string,
    readonly simulation: Simulation,
  ) {}
  attach(_port: number, output: Channel): void {
    this.output = output;
  }
  receive(_port: number, frame: Uint8Array): void {
    this.frames.push({ time: this.simulation.now, frame });
  }
}

let program: Program;
beforeAll(() => {
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("seen.p4", PROGRAM) }, diagnostics);
  if (result === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  program = result.program;
});

async function rig(queue: { packets?: number; bytes?: number } = {}) {
  const simulation = new Simulation();
  const network = new Network(simulation);
  const [source, sink] = [new End("source", simulation), new End("sink", simulation)];
  const node = new SwitchNode(simulation, {
    name: "s1",
    seed: 1,
    queuePackets: queue.packets ?? 1000,
    queueBytes: queue.bytes ?? 1e9,
  });
  await node.device.load(program);
  const link = (rate: number) => {
    const one = { rate, delay: DELAY, queueBytes: 1e9, queuePackets: 1e6 };
    return { aToB: one, bToA: one };
  };
  network.connect({ node: source, port: 0 }, { node, port: 1 }, link(RATE_IN));
  network.connect({ node, port: 2 }, { node: sink, port: 0 }, link(RATE_OUT));
  const send = (count: number, kind = 0) => {
    for (let i = 0; i < count; i++) {
      const frame = new Uint8Array(FRAME_BYTES);
      frame[0] = kind;
      source.output!.send(frame);
    }
  };
  const seen = () =>
    sink.frames.map(({ frame }) => {
      const view = new DataView(frame.buffer, frame.byteOffset);
      const [enq, deq, wait, since] = [1, 5, 9, 13].map((at) => view.getUint32(at));
      return { enq: enq!, deq: deq!, wait: wait!, since: since! };
    });
  return { simulation, node, sink, send, seen };
}

/** A queue in front of a server: depths and waits of frames that come every `gap` and are sent every `service` us. */
function expected(count: number, gap: number, service: number, first: number) {
  const starts: number[] = [];
  const rows: { enq: number; deq: number; wait: number; since: number }[] = [];
  for (let i = 0; i < count; i++) {
    const arrival = first + i * gap;
    const start = i === 0 ? arrival : Math.max(arrival, starts[i - 1]! + service);
    // All arrivals were scheduled at the start, so that at one instant a frame comes before another leaves the queue.
    const enq = starts.filter((earlier, j) => j > 0 && earlier >= arrival).length;
    starts.push(start);
    rows.push({ enq, deq: 0, wait: start - arrival, since: arrival });
  }
  for (const [i, row] of rows.entries()) {
    const start = starts[i]!;
    row.deq = rows.filter(({ since }, j) => j > i && since <= start).length;
  }
  return rows;
}

describe("the queue in front of a simulated link", () => {
  it("shows its depth and delay to the program: 200 frames into a 10:1 bottleneck", async () => {
    const { simulation, sink, send, seen, node } = await rig();
    send(200);
    simulation.run(5 * 80_000);
    // 49 frames have come; the fifth is on the wire.
    expect(node.backlog(2)).toEqual({ packets: 44, bytes: 44 * FRAME_BYTES });
    simulation.run(NS_PER_S);
    const first = 8 + DELAY / 1000;
    const rows = seen();
    expect(rows.length).toBe(200);
    expect(rows).toEqual(expected(200, 8, 80, first));
    expect(sink.frames.map(({ time }) => time)).toEqual(
      rows.map((_, i) => (first + 80 * (i + 1)) * 1000 + DELAY),
    );
    expect(Math.max(...rows.map(({ enq }) => enq))).toBe(179);
    expect(rows.at(-1)!.deq).toBe(0);
    expect(node.device.stats.dropped).toBe(0);
  });

  it("drops what does not fit, by packets and by bytes, and counts it at the switch", async () => {
    for (const queue of [{ packets: 10 }, { bytes: 10 * FRAME_BYTES }]) {
      const { simulation, send, seen, node } = await rig(queue);
      send(200);
      simulation.run();
      expect(Math.max(...seen().map(({ enq }) => enq))).toBeLessThanOrEqual(10);
      expect(node.device.stats.queueDrops).toBe(200 - seen().length);
      // The last comes after 1,592 us: 20 have been taken by then, one every 80 us, and ten wait.
      expect(seen().length).toBe(30);
    }
  });

  it("reports every change of its length: the last packets leave one by one", async () => {
    const { simulation, send, node } = await rig({ packets: 3 });
    const lengths: [ns: number, packets: number, bytes: number][] = [];
    node.watchQueues((port, packets, bytes) => {
      expect(port).toBe(2);
      expect(node.backlog(2)).toEqual({ packets, bytes });
      if (lengths.at(-1)?.[0] === simulation.now) lengths.pop();
      lengths.push([simulation.now, packets, bytes]);
    });
    send(5);
    simulation.run();
    // Frames come every 8 us and leave every 80 us; the first finds the link free, and the fifth no room.
    const first = 8_000 + DELAY;
    expect(lengths).toEqual([
      [first + 8_000, 1, FRAME_BYTES],
      [first + 16_000, 2, 2 * FRAME_BYTES],
      [first + 24_000, 3, 3 * FRAME_BYTES],
      [first + 80_000, 2, 2 * FRAME_BYTES],
      [first + 160_000, 1, FRAME_BYTES],
      [first + 240_000, 0, 0],
    ]);
    // What waits is lost with the program.
    send(3);
    simulation.run(simulation.now + 24_000 + DELAY);
    expect(lengths.at(-1)).toEqual([simulation.now, 2, 2 * FRAME_BYTES]);
    await node.device.close();
    expect(lengths.at(-1)).toEqual([simulation.now, 0, 0]);
  });

  it("shows an empty queue where a frame comes when the link is free", async () => {
    const { simulation, send, seen } = await rig();
    for (let i = 0; i < 5; i++) {
      send(1);
      simulation.run(simulation.now + 200_000);
    }
    expect(seen().map(({ enq, deq, wait }) => [enq, deq, wait])).toEqual(Array(5).fill([0, 0, 0]));
  });

  it("has a CPU port", async () => {
    const { simulation, node, send } = await rig();
    const heard: DeviceEvent[] = [];
    node.device.watch((event) => heard.push(event));
    send(2, 255);
    simulation.run();
    expect(heard.map(({ kind }) => kind)).toEqual(["packetIn", "packetIn"]);
  });
});
