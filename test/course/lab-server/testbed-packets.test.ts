/** Packets of a lab on real switches, with sockets that give the traces: what a set clock of the machine and an end change. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { LabPlan, LabTimers } from "../../../src/course/lab/index.js";
import { FrameOutlets } from "../../../src/course/lab-server/testbed/frame-outlets.js";
import { TestbedPackets } from "../../../src/course/lab-server/testbed/packets.js";
import type { Testbed } from "../../../src/fabric/testbed/index.js";

const PLAN: LabPlan = {
  hosts: [{ name: "h1", commands: [], mac: "08:00:00:00:00:01", ipv4: "10.0.0.1", prefixLength: 24 }],
  switches: [{ name: "s1", program: "a.p4" }],
  links: [{ a: { node: "h1", port: 0 }, b: { node: "s1", port: 1 } }],
};
const HOUR_US = 3.6e9;

/** Timers that never ring. */
function stopped() {
  const waiting = new Set<() => void>();
  const timers: LabTimers = {
    now: () => 0,
    later: (_ms, fn) => {
      waiting.add(fn);
      return () => void waiting.delete(fn);
    },
  };
  return { timers, waiting };
}

function packetsOf(traceSocket: string | undefined, monotonicUs = 0) {
  const { timers, waiting } = stopped();
  const lab = { id: "none", switches: new Map([["s1", { traceSocket }]]) } as unknown as Testbed;
  const packets = new TestbedPackets({ plan: PLAN, lab, timers, monotonicUs, programs: () => [] });
  onTestFinished(() => packets.close());
  return { packets, waiting };
}

it("shows a packet of a switch that was started again after the machine's clock was set forward", async () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-packets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bytes = "aa".repeat(20);
  const trace = {
    trace_version: 1,
    device: "s1",
    input: { packet_id: 0, ingress_port: 1, time_us: 2000, packet_size: 20, bytes },
    root: {
      cause: "arrival",
      events: [],
      outcome: { kind: "drop", reason: "mark_to_drop", stage: "ingress" },
    },
  };
  // The switch started 3 s after the lab; the clock since 1970 gained an hour meanwhile.
  const head = { trace_stream: 1, epoch_us: 1e15 + HOUR_US, monotonic_us: 8e6 };
  const path = join(folder, "s1");
  const server = createServer((socket) =>
    socket.write(`${JSON.stringify(head)}\n${JSON.stringify(trace)}\n`),
  );
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  const { packets } = packetsOf(path, 5e6);
  await expect
    .poll(() => {
      packets.poll(4e9, true);
      return packets.book.latest(1);
    })
    .toMatchObject([{ from: "h1", end: { kind: "dropped", node: "s1", at: 3.002e9 } }]);
});

it("refuses to send when the network has ended, opens nothing and waits for nothing", async () => {
  const { packets, waiting } = packetsOf(undefined);
  packets.close();
  const sent = packets.send({
    op: "packet.send",
    from: { host: "h1" },
    packet: { hex: "aa".repeat(20) },
    count: 3,
    intervalNs: 1e6,
  });
  await expect(sent).rejects.toThrow(/P46003.*the network of .* has ended/);
  expect(waiting.size).toBe(0);
});

it("an outlet that was closed is not opened again", () => {
  const outlets = new FrameOutlets();
  outlets.close();
  expect(() => outlets.send({ namespace: "none", interface: "eth0" }, new Uint8Array(60))).toThrow("P46003");
});
