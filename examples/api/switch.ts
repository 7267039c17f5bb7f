/** Runs a packet through a compiled program. */
import { readFileSync } from "node:fs";
import { compile } from "p4loom/compile";
import { Diagnostics, fromHex, SourceFile, Switch, toHex } from "p4loom/switch";

const diagnostics = new Diagnostics();
const source = new SourceFile("tor.p4", readFileSync("p4/ecmp/tor.p4", "utf8"));
const result = compile({ file: source }, diagnostics);
diagnostics.throwIfErrors();

const device = new Switch(result!.program, {
  clock: { now: () => 0, at: () => () => {} },
  transmit: (port, frame) => console.log(`port ${port}: ${toHex(frame)}`),
});
await device.write([
  {
    type: "insert",
    entity: {
      kind: "tableEntry",
      table: "FabricIngress.ipv4_routes",
      match: [{ kind: "lpm", field: "hdr.ipv4.dst_addr", value: 0x0a000000n, prefixLength: 8 }],
      priority: 0,
      action: { kind: "action", action: "FabricIngress.to_port", params: { port: 3n, mac: 0x0a0b0c0d0e0fn } },
    },
  },
]);
device.receive(1, fromHex("00000000000200000000000108004500001c00000000401166cf0a0000010a00000203e8138800080000")!);

/* prints
port 3: 0a0b0c0d0e0f00000000000208004500001c000000003f1167cf0a0000010a00000203e8138800080000
*/
