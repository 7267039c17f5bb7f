/**
 * Compares the compiler with p4c: both compile one program, and BMv2's simple_switch must give the same output packets with
 * either result. Needs `p4c-bm2-ss` and `simple_switch` on the PATH.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Diagnostics, type Random, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { PACKET_BYTES } from "./program.js";

const PACKETS = 12;
/** Maximum wait for the switch in milliseconds, and the time without changes after which its output is complete. */
const MAX_WAIT = 15_000;
const SETTLED = 800;

export function rivalsInstalled(): boolean {
  return ["p4c-bm2-ss", "simple_switch"].every((name) => spawnSync(name, ["--version"]).error === undefined);
}

/** The difference of the outputs; undefined if there is none, "p4c: ..." if p4c rejects the program. */
export async function compareWithRival(
  text: string,
  random: Random,
  folder: string,
): Promise<string | undefined> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const source = join(folder, "program.p4");
  writeFileSync(source, text);
  const diagnostics = new Diagnostics();
  const ours = compile({ file: new SourceFile("program.p4", text) }, diagnostics);
  if (ours === undefined) return `rejected: ${diagnostics.list.find((d) => d.severity === "error")?.message}`;
  writeFileSync(join(folder, "ours.json"), JSON.stringify(ours.program.bmv2));
  try {
    execFileSync("p4c-bm2-ss", ["--arch", "v1model", "-o", join(folder, "p4c.json"), source], {
      stdio: "pipe",
    });
  } catch (error) {
    const output = String((error as { stderr: Buffer }).stderr);
    return `p4c: ${/error:.*/.exec(output)?.[0] ?? output.slice(0, 200)}`;
  }
  const byte = () => random.pick([0, 255, random.int(256)]);
  const packets = Array.from({ length: PACKETS }, () => Uint8Array.from({ length: PACKET_BYTES }, byte));
  const [left, right] = [await play(folder, "ours", packets), await play(folder, "p4c", packets)];
  if (left.length !== right.length)
    return `differs: ${left.length} packets come out, with p4c's output ${right.length}`;
  const at = left.findIndex((packet, i) => packet !== right[i]);
  return at < 0 ? undefined : `differs: packet ${at} comes out as another one with p4c's output`;
}

/** The packets, in hexadecimal, that leave port 1 for those that enter port 0. */
async function play(folder: string, name: string, packets: Uint8Array[]): Promise<string[]> {
  const place = join(folder, name);
  mkdirSync(place);
  writePcap(join(place, "p0_in.pcap"), packets);
  writePcap(join(place, "p1_in.pcap"), []);
  const out = join(place, "p1_out.pcap");
  const ports = [
    "-i",
    "0@p0",
    "-i",
    "1@p1",
    "--thrift-port",
    "0",
    "--notifications-addr",
    `ipc://${place}/bmv2.ipc`,
  ];
  const child = spawn("simple_switch", ["--use-files", "0", ...ports, join("..", `${name}.json`)], {
    cwd: place,
    stdio: "ignore",
  });
  const size = () => (existsSync(out) ? statSync(out).size : 0);
  for (
    let waited = 0, settled = 0, before = -1;
    waited < MAX_WAIT && child.exitCode === null;
    waited += 100
  ) {
    await sleep(100);
    settled = size() === before ? settled + 100 : 0;
    before = size();
    if (settled >= SETTLED && (before > PCAP_HEADER || waited > 3000)) break;
  }
  const ended = child.exitCode !== null || child.signalCode !== null;
  child.kill("SIGKILL");
  return ended ? ["the switch ended by itself"] : readPcap(out);
}

const PCAP_HEADER = 24;

function writePcap(path: string, packets: readonly Uint8Array[]): void {
  const total = packets.reduce((sum, packet) => sum + 16 + packet.length, PCAP_HEADER);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  const header = [0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1];
  header.forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  let at = PCAP_HEADER;
  packets.forEach((packet, i) => {
    view.setUint32(at, i, true);
    view.setUint32(at + 8, packet.length, true);
    view.setUint32(at + 12, packet.length, true);
    bytes.set(packet, at + 16);
    at += 16 + packet.length;
  });
  writeFileSync(path, bytes);
}

function readPcap(path: string): string[] {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const packets: string[] = [];
  for (let at = PCAP_HEADER; at + 16 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 8);
    packets.push(bytes.subarray(at + 16, at + 16 + length).toString("hex"));
    at += 16 + length;
  }
  return packets;
}
