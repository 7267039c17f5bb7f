/**
 * One update a Write, as Python controllers send them: `p4runtime-client.py` in a process of its own (grpcio and the
 * p4.v1 modules; the interpreter is P4LOOM_PYTHON, else `python3`) against the built
 * command (`make build`) and, where it is installed (P4LOOM_BMV2, else `simple_switch_grpc` on PATH), against BMv2 with the
 * same program, each in a process of its own. The runs take turns and the fastest of each counts, so that other load on the
 * machine affects both.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { P4InfoIndex, type Program, writeP4InfoText } from "../../src/toolchain/program/index.js";
import type { Benchmark } from "../benchmark.js";

const WRITES = 500;
/** Number of Writes after which V8 has compiled their code: a new switch is slower. */
const RUNS = 25;
const COMMAND = join(import.meta.dirname, "../../dist/cli/main.js");
const CLIENT = join(import.meta.dirname, "p4runtime-client.py");

type Seconds = Record<"insert" | "read" | "delete", number>;

const python = process.env["P4LOOM_PYTHON"] ?? "python3";

function hasPython(): boolean {
  return spawnSync(python, ["-c", "import grpc, p4.v1.p4runtime_pb2_grpc"]).status === 0;
}

function bmv2Command(): string | undefined {
  const command = process.env["P4LOOM_BMV2"] ?? "simple_switch_grpc";
  return spawnSync(command, ["--version"]).error === undefined ? command : undefined;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Resolves once the process listens on the port. */
async function listening(port: number): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(100);
  }
  throw new Error(`nothing listens on port ${port} after 30 s`);
}

interface Server {
  process: ChildProcess;
  address: string;
}

/** Starts a switch of device id 1 without a program; both commands take the same options. */
async function startSwitch(command: string, before: readonly string[]): Promise<Server> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = [...before, "--no-p4", "--device-id", "1", "-L", "off", "--", "--grpc-server-addr", address];
  const process = spawn(command, args, { stdio: "ignore" });
  try {
    await listening(port);
  } catch (error) {
    process.kill();
    throw error;
  }
  return { process, address };
}

/** Does nothing without a Python with gRPC. Rejects when the command has not been built. */
export async function measureSingleWrites(program: Program, report: Parameters<Benchmark>[0]): Promise<void> {
  if (!hasPython()) return;
  const { tables, actions } = new P4InfoIndex(program.p4info);
  const ids = [tables.byName("TheIngress.destinations")!.id, actions.byName("TheIngress.forward")!.id];
  const folder = mkdtempSync(join(tmpdir(), "p4loom-bench-"));
  const [json, p4info] = [join(folder, "program.json"), join(folder, "program.p4info.txtpb")];
  writeFileSync(json, JSON.stringify(program.bmv2));
  writeFileSync(p4info, writeP4InfoText(program.p4info));
  const command = bmv2Command();
  const ours = await startSwitch(process.execPath, [COMMAND, "switch"]);
  const rival = command === undefined ? undefined : await startSwitch(command, []);
  const measure = async (address: string): Promise<Seconds> => {
    const args = [CLIENT, address, "1", json, p4info, ...ids.map(String), String(WRITES)];
    const { stdout } = await promisify(execFile)(python, args, { timeout: 60_000 });
    return JSON.parse(stdout) as Seconds;
  };
  try {
    const own: Seconds[] = [];
    const others: Seconds[] = [];
    for (let run = 0; run < RUNS; run++) {
      own.push(await measure(ours.address));
      if (rival !== undefined) others.push(await measure(rival.address));
    }
    for (const what of ["insert", "delete", "read"] as const) {
      const count = what === "read" ? 1 : WRITES;
      const rate = (runs: readonly Seconds[]): number => count / Math.min(...runs.map((run) => run[what]));
      report({
        name: `p4runtime/single-${what}-python`,
        unit: what === "read" ? `reads of ${WRITES} entries/s` : "writes/s",
        value: rate(own),
        ...(others.length > 0 ? { rival: { name: "simple_switch_grpc", value: rate(others) } } : {}),
      });
    }
  } finally {
    ours.process.kill();
    rival?.process.kill();
    rmSync(folder, { recursive: true });
  }
}
