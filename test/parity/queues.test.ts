/**
 * What a program sees of a queue when 200 frames come in by ten ports and leave by one that is slower: the same rule on the
 * simulator, on our switch as a process, and on BMv2. The rule follows from the times that the program sees, so that it holds
 * whatever the pace of the machine: `enq_qdepth` counts the frames that wait when a frame comes, `deq_qdepth` those that wait
 * when it leaves the queue, `deq_timedelta` is the time between both.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { decodePcap, encodePcap } from "../../src/base/packets/index.js";
import { type Channel, Network, type Node, SwitchNode } from "../../src/fabric/sim/packet/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { COMMAND } from "../built-command.js";
import { BMV2, NO_BMV2, type PortFrame, playOnBmv2, thriftBuiltIn } from "./bmv2.js";

const IN_PORTS = 10;
const OUT_PORT = IN_PORTS;
const FRAMES = 200;
const FRAME_BYTES = 1000;

const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
header seen_t { bit<32> enq; bit<32> deq; bit<32> wait; bit<32> since; }
struct headers { seen_t seen; }
struct metadata { }
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(h.seen); transition accept; }
}
control V(inout headers h, inout metadata m) { apply { } }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) { apply { s.egress_spec = ${OUT_PORT}; } }
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

const diagnostics = new Diagnostics();
const compiled = compile({ file: new SourceFile("incast.p4", PROGRAM) }, diagnostics);
diagnostics.throwIfErrors();
const { program } = compiled!;

const packets: PortFrame[] = Array.from({ length: FRAMES }, (_, i) => ({
  port: i % IN_PORTS,
  frame: new Uint8Array(FRAME_BYTES),
}));

/** What the program has seen; times in microseconds. */
interface Seen {
  readonly enq: number;
  readonly deq: number;
  readonly wait: number;
  readonly since: number;
}

function seenBy(frames: readonly Uint8Array[]): Seen[] {
  return frames.map((frame) => {
    const view = new DataView(frame.buffer, frame.byteOffset);
    const [enq, deq, wait, since] = [0, 4, 8, 12].map((at) => view.getUint32(at));
    return { enq: enq!, deq: deq!, wait: wait!, since: since! };
  });
}

/** `slack`: microseconds by which the order of two events may differ from their timestamps. */
function expectRule(rows: readonly Seen[], slack: number): void {
  expect(rows).toHaveLength(FRAMES);
  const leaves = rows.map(({ since, wait }) => since + wait);
  const wrong = rows.flatMap(({ enq, deq, since }, k) => {
    const waiting = (shift: number) => leaves.filter((time, j) => j < k && time > since + shift).length;
    const behind = (shift: number) =>
      rows.filter((row, j) => j > k && row.since <= leaves[k]! + shift).length;
    const right =
      enq >= waiting(slack) &&
      enq <= waiting(-slack - 1) &&
      deq >= behind(-slack - 1) &&
      deq <= behind(slack);
    return right ? [] : [{ k, enq, deq, expected: [waiting(0), behind(0)] }];
  });
  expect(wrong).toEqual([]);
  // It is an incast: most frames wait for most others, and the last one leaves an empty queue behind.
  expect(Math.max(...rows.map(({ enq }) => enq))).toBeGreaterThan(170);
  expect(rows.at(-1)!.deq).toBe(0);
  expect(leaves.every((time, k) => k === 0 || time >= leaves[k - 1]!)).toBe(true);
}

/** Frames a second: a frame takes 10 ms, much longer than the burst takes to come in. */
const PACE = 100;
const SLACK = 2000;

class End implements Node {
  output!: Channel;
  readonly frames: Uint8Array[] = [];
  constructor(readonly name: string) {}
  attach(_port: number, output: Channel): void {
    this.output = output;
  }
  receive(_port: number, frame: Uint8Array): void {
    this.frames.push(frame);
  }
}

describe("an incast of 200 frames into a bottleneck of 10:1", () => {
  it("shows the depths and waits of the queue in the simulator", async () => {
    const network = new Network();
    const { simulation } = network;
    const node = new SwitchNode(simulation, { name: "s1", seed: 1, queuePackets: 1000, queueBytes: 1e9 });
    await node.device.load(program);
    const wire = { rate: 1e8, delay: 1000, queueBytes: 1e9, queuePackets: 1e6 };
    const sources = Array.from({ length: IN_PORTS }, (_, port) => new End(`source ${port}`));
    const sink = new End("sink");
    for (const [port, end] of [...sources, sink].entries())
      network.connect({ node: end, port: 0 }, { node, port }, { aToB: wire, bToA: wire });
    for (const { port, frame } of packets) sources[port]!.output.send(Uint8Array.from(frame));
    simulation.run();
    expectRule(seenBy(sink.frames), 0);
  });

  it("shows them on our switch as a process", async () => {
    const folder = mkdtempSync(join(tmpdir(), "p4loom-incast-"));
    try {
      for (let port = 0; port <= OUT_PORT; port++) {
        const own = packets
          .map((packet, i) => ({ ...packet, seconds: 1, nanoseconds: i * 1000 }))
          .filter((packet) => packet.port === port);
        writeFileSync(join(folder, `p${port}_in.pcap`), encodePcap(own));
      }
      writeFileSync(join(folder, "incast.p4"), PROGRAM);
      writeFileSync(join(folder, "commands.txt"), `set_queue_depth 1000\nset_queue_rate ${PACE}\n`);
      const ports = Array.from({ length: OUT_PORT + 1 }, (_, port) => [
        "-i",
        `${port}@${join(folder, `p${port}`)}`,
      ]);
      const child = spawn(
        process.execPath,
        [
          ...[COMMAND, "switch", join(folder, "incast.p4"), "--use-files", "0", "--exit-when-done"],
          ...[
            "--commands",
            join(folder, "commands.txt"),
            ...ports.flat(),
            "--",
            "--grpc-server-addr",
            "none",
          ],
        ],
        { stdio: ["ignore", "ignore", "pipe"] },
      );
      let said = "";
      child.stderr.on("data", (text) => {
        said += text;
      });
      const status = await new Promise((resolve) => child.on("close", resolve));
      expect(said).toBe("");
      expect(status).toBe(0);
      const out = join(folder, `p${OUT_PORT}_out.pcap`);
      expectRule(seenBy(decodePcap(readFileSync(out), out).map(({ frame }) => frame)), SLACK);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const noBmv2 = BMV2 === undefined ? NO_BMV2 : thriftBuiltIn() ? undefined : "BMv2 was built without Thrift";
  it.skipIf(noBmv2 !== undefined)(
    `shows them on BMv2${noBmv2 === undefined ? "" : ` (${noBmv2})`}`,
    async () => {
      const { sent } = await playOnBmv2({
        program,
        updates: [],
        packets,
        ports: OUT_PORT + 1,
        expected: FRAMES,
        commands: [`set_queue_rate ${PACE}`],
      });
      expectRule(seenBy(sent.map(({ frame }) => frame)), SLACK);
    },
    120_000,
  );
});
