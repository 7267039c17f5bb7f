/** A program that makes ever more copies of a packet: they are dropped, and nothing of the packet stays behind. */
import { expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../../../src/base/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import { type QueueOptions, Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock, type Output } from "../golden.js";

/** Goes to port 7; 1 is cloned whenever it passes egress, 2 sent through ingress without end. */
const LOOPS = `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> what; }
struct headers_t { h_t h; }
struct meta_t { @field_list(1) bit<8> kept; }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 7;
        if (hdr.h.what == 2) { resubmit_preserving_field_list(1); }
    }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    apply { if (hdr.h.what == 1) { clone_preserving_field_list(CloneType.E2E, 5, 1); } }
}
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

function compiled(): Program {
  const diagnostics = new Diagnostics();
  const file = new SourceFile("loops.p4", LOOPS);
  const result = compile({ file, resolveInclude: () => undefined }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

const program = compiled();

/** @param onLoop called for each copy that leaves by port 8 */
function start(queue?: QueueOptions, onLoop = () => {}) {
  const clock = new ManualClock();
  const sent: (Output & { time: number })[] = [];
  const transmit = (port: number, frame: Uint8Array): void => {
    sent.push({ port, hex: toHex(frame), time: clock.time });
    if (port === 8) onLoop();
  };
  const device = new Switch(program, { clock, transmit, ...(queue === undefined ? {} : { queue }) });
  const replicas = [8, 9].map((port) => ({ port, instance: 1 }));
  const session = { kind: "cloneSession", sessionId: 5, replicas, classOfService: 0, packetLengthBytes: 0 };
  device.apply([{ type: "insert", entity: session as never }]);
  return { clock, sent, device };
}

const ORDINARY = "00112233";

it.each([
  ["cloned, through queues as BMv2's", "01aaaaaa", { depthPackets: 64 }],
  ["cloned, through queues of any length", "01aaaaaa", {}],
  ["cloned, without queues", "01aaaaaa", undefined],
  ["resubmitted", "02aaaaaa", { depthPackets: 64 }],
])("%s", (_name, hex, queue) => {
  const { sent, device } = start(queue);
  const shared = fromHex(hex)!;
  expect(device.keepsFrames).toBe(false);
  device.receive(1, shared);
  const { dropped, drops, queueDrops } = device.stats;
  expect(drops.loop).toBeGreaterThan(0);
  expect(dropped).toBe(drops.loop + queueDrops);
  expect(device.waiting).toBe(0);
  expect(device.keepsFrames).toBe(false);
  // Who owns the memory uses it for the next packet.
  shared.fill(0xee);
  const before = sent.length;
  for (const { hex } of sent) expect(hex).toBe("01aaaaaa");
  device.receive(1, fromHex(ORDINARY)!);
  expect(sent.slice(before).map(({ port, hex }) => [port, hex])).toEqual([[7, ORDINARY]]);
});

it("leaves packets alone that wait for their time", () => {
  // Port 7 has a rate; copies go by ports that have none.
  const { clock, sent, device } = start({ ratePacketsPerSecond: (port) => (port === 7 ? 1000 : 0) });
  for (let i = 0; i < 3; i++) device.receive(1, fromHex(ORDINARY)!);
  expect(sent.length).toBe(1);
  device.receive(1, fromHex("01aaaaaa")!);
  clock.advance(3000);
  expect(device.stats.drops.loop).toBeGreaterThan(0);
  expect(device.waiting).toBe(0);
  const slow = sent.filter(({ port }) => port === 7).map(({ time, hex }) => [time, hex]);
  expect(slow).toEqual([
    [0, ORDINARY],
    [1000, ORDINARY],
    [2000, ORDINARY],
    [3000, "01aaaaaa"],
  ]);
});

it("drops what comes in meanwhile: its memory may be used again too", () => {
  const shared = fromHex(ORDINARY)!;
  const { sent, device } = start({ depthPackets: 64 }, () => device.receive(1, shared));
  device.receive(1, fromHex("01aaaaaa")!);
  expect(device.stats.received).toBeGreaterThan(1);
  shared.fill(0xee);
  const before = sent.length;
  device.receive(1, fromHex("00445566")!);
  expect(sent.slice(before).map(({ port, hex }) => [port, hex])).toEqual([[7, "00445566"]]);
});
