/** One digest that several calls send: each call has a learn list of its own, all of one name. */
import { describe, expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile } from "../../../../src/base/index.js";
import type { DeviceEvent } from "../../../../src/toolchain/device/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock } from "../golden.js";

const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
struct seen_t { bit<8> a; bit<8> b; }
header h_t { bit<8> x; bit<8> y; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
  state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
  apply {
    if (hdr.h.x == 1) { digest<seen_t>(1, { hdr.h.x, hdr.h.y }); }
    else { digest<seen_t>(1, { hdr.h.y, 8w7 }); }
  }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

describe("a digest that two calls send", () => {
  it("reports the values of both, under one configuration and one list of known values", async () => {
    const diagnostics = new Diagnostics();
    const { program } = compile({ file: new SourceFile("two.p4", PROGRAM) }, diagnostics)!;
    diagnostics.throwIfErrors();
    const clock = new ManualClock();
    const device = new Switch(program, { clock, seed: 1, transmit: () => {} });
    const events: DeviceEvent[] = [];
    device.watch((event) => events.push(event));
    await device.write([
      {
        type: "insert",
        entity: {
          kind: "digest",
          digest: "seen_t",
          maxTimeoutNs: 0n,
          maxListSize: 1,
          ackTimeoutNs: 1_000_000n,
        },
      },
    ]);
    for (const frame of ["0105", "0209", "0109", "0209"]) device.receive(1, fromHex(frame)!);
    clock.advance(10);
    const told = events.flatMap((event) => (event.kind === "digest" ? event.list.data : []));
    // The last frame says what is known already.
    expect(told).toEqual([
      [1n, 5n],
      [9n, 7n],
      [1n, 9n],
    ]);
  });
});
