/** Real BMv2 on pcap files, where it is installed: packets in, packets out, state by P4Runtime. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { encodePcap, PcapDecoder } from "../../src/base/packets/index.js";
import type { Entity, ReadQuery, Update } from "../../src/toolchain/device/index.js";
import { connect } from "../../src/toolchain/p4runtime/index.js";
import { type Program, readBmv2, readP4Info } from "../../src/toolchain/program/index.js";

/** A frame at a port. */
export interface PortFrame {
  readonly port: number;
  readonly frame: Uint8Array;
}

function find(variable: string, name: string): string | undefined {
  const set = process.env[variable];
  const candidates = [
    ...(set === undefined ? [] : [set]),
    ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name)),
  ];
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** simple_switch_grpc: `P4LOOM_BMV2`, or on PATH. */
export const BMV2 = find("P4LOOM_BMV2", "simple_switch_grpc");
/** p4c-bm2-ss: `P4LOOM_P4C`, or on PATH. */
export const P4C = find("P4LOOM_P4C", "p4c-bm2-ss");

export const NO_BMV2 = "no simple_switch_grpc on PATH or in P4LOOM_BMV2";

/** What p4c makes of a program. */
export function compileWithP4c(text: string): Program {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-p4c-"));
  try {
    const [source, json, info] = ["a.p4", "a.json", "a.txtpb"].map((name) => join(folder, name));
    writeFileSync(source!, text);
    execFileSync(P4C!, ["--arch", "v1model", source!, "-o", json!, "--p4runtime-files", info!], {
      stdio: "pipe",
    });
    const diagnostics = new Diagnostics();
    const bmv2 = readBmv2(new SourceFile("a.json", readFileSync(json!, "utf8")), diagnostics);
    const p4info = readP4Info(new SourceFile("a.txtpb", readFileSync(info!, "utf8")), "text", diagnostics);
    diagnostics.throwIfErrors();
    return { bmv2: bmv2!, p4info: p4info! };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Bmv2Job {
  readonly program: Program;
  readonly updates: readonly Update[];
  readonly packets: readonly PortFrame[];
  /** Number of ports that exist, from 0; or their numbers. */
  readonly ports: number | readonly number[];
  /** How many frames are expected to leave: the switch is listened to for a moment longer. */
  readonly expected: number;
  /**
   * Milliseconds from one packet to the next, where all come by one port; absent: they come as fast as their file is read. BMv2
   * takes no notice of the times in a file, so the file is a pipe.
   */
  readonly spacingMs?: number;
  /**
   * Milliseconds between the first packet and the others, where all come by one port: the first one has left its queue when they come, however
   * late the thread of the queue wakes.
   */
  readonly firstAloneMs?: number;
  /** Read when all packets are through. */
  readonly read?: readonly ReadQuery[];
  /** Packet-outs of a controller, before the packets come; they enter by {@link CPU_PORT}. */
  readonly packetOuts?: readonly Uint8Array[];
  /** For simple_switch_CLI, before the packets come; needs {@link thriftBuiltIn}. */
  readonly commands?: readonly string[];
}

/** Ingress port of packet-outs. */
export const CPU_PORT = 510;

/** Packets of which no queue of BMv2 overflows, however often each is copied. */
const FEW = 4;

const PCAP_HEAD = 24;
type TimedFrame = Parameters<typeof encodePcap>[0][number];

/** Switches that run at once; more would only wait for each other, and for their files not long enough. */
const MOST_AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

let builtIn: boolean | undefined;

/** BMv2 can be built without Thrift: then it knows none of its flags, and there is no simple_switch_CLI. */
export function thriftBuiltIn(): boolean {
  if (BMV2 === undefined) return false;
  builtIn ??= spawnSync(BMV2, ["--help"], { encoding: "utf8" }).stdout.includes("--thrift-port");
  return builtIn;
}

/** What leaves, port by port in its order, and what was read. */
export async function playOnBmv2(job: Bmv2Job): Promise<{ sent: PortFrame[]; state: Entity[] }> {
  if (running === MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await play(job);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

async function play(job: Bmv2Job): Promise<{ sent: PortFrame[]; state: Entity[] }> {
  // The switch reads its files a number of seconds after its start, whether or not it has its program then.
  for (const wait of [2, 6, 20]) {
    const folder = mkdtempSync(join(tmpdir(), "p4loom-bmv2-"));
    const thrift = await freePort();
    let child: ChildProcess | undefined;
    let slowly: Promise<void> | undefined;
    try {
      const ports = portsOf(job);
      for (const port of ports) {
        const own = job.packets
          .map((packet, i) => ({ ...packet, seconds: 1, nanoseconds: i * 1000 }))
          .filter((packet) => packet.port === port);
        const file = join(folder, `p${port}_in.pcap`);
        const { spacingMs, firstAloneMs } = job;
        if ((spacingMs ?? firstAloneMs) === undefined || own.length === 0)
          writeFileSync(file, encodePcap(own));
        else {
          execFileSync("mkfifo", [file]);
          const parts =
            spacingMs === undefined ? [own.slice(0, 1), own.slice(1)] : own.map((packet) => [packet]);
          slowly = writeSlowly(file, parts, (spacingMs ?? firstAloneMs)!, 1000 * wait);
          // Where the switch is started again, nobody reads the pipe of the first one.
          slowly.catch(() => {});
        }
      }
      const started = performance.now();
      const interfaces = ports.flatMap((port) => ["-i", `${port}@p${port}`]);
      const withThrift = thriftBuiltIn();
      const thriftFlags = ["--thrift-port", `${thrift}`, "--notifications-addr", `ipc://${folder}/n.ipc`];
      const own = ["--device-id", "1", ...(withThrift ? thriftFlags : [])];
      child = spawn(
        BMV2!,
        [
          "--no-p4",
          "--use-files",
          `${wait}`,
          ...interfaces,
          ...own,
          "--",
          "--grpc-server-addr",
          `unix:${folder}/grpc`,
          ...(job.packetOuts === undefined ? [] : ["--cpu-port", `${CPU_PORT}`]),
        ],
        { cwd: folder, stdio: "ignore" },
      );
      const device = await connect(`unix:${folder}/grpc`, { deviceId: 1n, timeoutMs: 30_000 });
      try {
        await device.load(job.program);
        await device.write(job.updates);
        // Packets come as fast as the file is read; a queue of 64 would overflow. Without Thrift it stays that long. Python takes a while to start.
        const cli = join(dirname(BMV2!), "simple_switch_CLI");
        if (withThrift && (job.commands !== undefined || job.packets.length > FEW))
          execFileSync(existsSync(cli) ? cli : "simple_switch_CLI", ["--thrift-port", `${thrift}`], {
            input: ["set_queue_depth 100000", ...(job.commands ?? []), ""].join("\n"),
            stdio: "pipe",
          });
        for (const payload of job.packetOuts ?? []) await device.packetOut({ payload, metadata: {} });
        if (performance.now() - started > wait * 1000 - 300) continue;
        await slowly;
        const sent = await collect(folder, job);
        return { sent, state: job.read === undefined ? [] : await device.read(job.read) };
      } finally {
        await device.close();
      }
    } finally {
      child?.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Error("this machine is too busy to configure BMv2 within 20 s");
}

/** Nothing but the head of the file before the switch reads it, then some packets after each pause. */
async function writeSlowly(
  path: string,
  parts: readonly (readonly TimedFrame[])[],
  pauseMs: number,
  startMs: number,
): Promise<void> {
  const pipe = await open(path, "w");
  try {
    await pipe.write(encodePcap([]));
    await sleep(startMs + 500);
    for (const part of parts) {
      await sleep(pauseMs);
      await pipe.write(encodePcap(part).subarray(PCAP_HEAD));
    }
  } finally {
    await pipe.close();
  }
}

const portsOf = ({ ports }: Bmv2Job): readonly number[] =>
  typeof ports === "number" ? Array.from({ length: ports }, (_, port) => port) : ports;

async function collect(folder: string, job: Bmv2Job): Promise<PortFrame[]> {
  const { expected } = job;
  const ports = portsOf(job);
  let before = -1;
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(250)) {
    const sent = readOutputs(folder, ports);
    // Enough, and nothing more within a quarter of a second.
    if (sent.length >= expected && sent.length === before) return sent;
    before = sent.length;
  }
  return readOutputs(folder, ports);
}

function readOutputs(folder: string, ports: readonly number[]): PortFrame[] {
  return ports.flatMap((port) => {
    const path = join(folder, `p${port}_out.pcap`);
    // The last packet may be half written: the decoder waits for the rest of it.
    const decoder = new PcapDecoder(path);
    decoder.push(existsSync(path) ? readFileSync(path) : new Uint8Array(0));
    const sent: PortFrame[] = [];
    for (let packet = decoder.next(); packet !== undefined; packet = decoder.next())
      sent.push({ port, frame: packet.frame });
    return sent;
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
