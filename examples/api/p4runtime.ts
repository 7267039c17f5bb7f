/** Serves a switch over P4Runtime on a port of the loopback interface, and writes and reads it as its primary client. */
import { readFileSync } from "node:fs";
import { compile, Diagnostics, SourceFile } from "p4loom/compile";
import { connect, serve } from "p4loom/p4runtime";
import { Switch } from "p4loom/switch";

const diagnostics = new Diagnostics();
const source = new SourceFile("tor.p4", readFileSync("p4/ecmp/tor.p4", "utf8"));
const program = compile({ file: source }, diagnostics)!.program;

const device = new Switch(program, { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} });
const server = await serve(device, { address: "127.0.0.1:0", deviceId: 1n });
const remote = await connect(server.address);
await remote.load(program);
const route = (prefix: bigint, port: bigint) => ({
  type: "insert" as const,
  entity: {
    kind: "tableEntry" as const,
    table: "FabricIngress.ipv4_routes",
    match: [{ kind: "lpm" as const, field: "hdr.ipv4.dst_addr", value: prefix, prefixLength: 8 }],
    priority: 0,
    action: { kind: "action" as const, action: "FabricIngress.to_port", params: { port, mac: 1n } },
  },
});
await remote.write([route(0x0a000000n, 3n), route(0x0b000000n, 4n)]);
const entries = await remote.read([{ kind: "tableEntry", table: "FabricIngress.ipv4_routes" }]);
console.log(`${entries.length} entries`);
await remote.close();
await server.close();

/* prints
2 entries
*/
