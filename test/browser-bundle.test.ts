/** The compiler and the switch in one bundle for a browser, run where there is nothing of Node. */
import { resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

const ENTRY = `
  import { compile } from "./src/toolchain/p4/index.js";
  import { Diagnostics, SourceFile, toHex } from "./src/base/index.js";
  import { writeP4InfoText } from "./src/toolchain/program/index.js";
  import { Switch } from "./src/toolchain/switch/index.js";
  import { runCommands } from "./src/toolchain/control/index.js";
  import "./src/toolchain/hash/index.js";

  export function compileAndForward(file, frame) {
    const diagnostics = new Diagnostics();
    const result = compile({ file }, diagnostics);
    if (result === undefined) throw new Error(diagnostics.list[0].message);
    const sent = [];
    const device = new Switch(result.program, {
      clock: { now: () => 0, at: () => () => {} },
      transmit: (port, bytes) => sent.push(port + ":" + toHex(bytes)),
    });
    device.receive(1, frame);
    return { p4info: writeP4InfoText(result.program.p4info), sent, device };
  }

  export async function answer(device, text) {
    const lines = [];
    await runCommands(device, new SourceFile("shell", text), new Diagnostics(), (line) => lines.push(line));
    return lines;
  }
`;

const REFLECTOR = `
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t ethernet; }
struct meta_t { }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(h.ethernet); transition accept; }
}
control Checks(inout headers_t h, inout meta_t m) { apply { } }
control Mirror(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        bit<48> dst = h.ethernet.dst;
        h.ethernet.dst = h.ethernet.src;
        h.ethernet.src = dst;
        s.egress_spec = s.ingress_port;
    }
}
control Rest(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control Out(packet_out p, in headers_t h) { apply { p.emit(h.ethernet); } }
V1Switch(P(), Checks(), Mirror(), Rest(), Checks(), Out()) main;
`;

it("compiles a program and forwards a packet in a browser's world", async () => {
  const { outputFiles, warnings } = await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "p4loom",
    write: false,
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  const code = outputFiles[0]!.text;
  expect(code).not.toMatch(/require\("node:|from "node:/);
  const world = createContext({ TextEncoder, TextDecoder, AbortController });
  runInContext(code, world);
  const frame = "0102030405060a0b0c0d0e0f080099";
  const bytes = `Uint8Array.from(${JSON.stringify([...Buffer.from(frame, "hex")])})`;
  const result = runInContext(`p4loom.compileAndForward(${JSON.stringify(REFLECTOR)}, ${bytes})`, world);
  expect(result.sent).toEqual(["1:0a0b0c0d0e0f010203040506080099"].map(String));
  expect(result.p4info).toContain('arch: "v1model"');
  const lines = await world["p4loom"].answer(result.device, "help insert");
  expect(lines[0]).toMatch(/^insert TABLE/);
});
