/** `p4loom switch` and BMv2's simple_switch as processes, started in the same way: one program, the same entries, one core. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FOLDER } from "./packets.js";

const root = resolve(import.meta.dirname, "../../..");
const THRIFT_PORT = 19_473;
const START_MS = 20_000;

export interface Engine {
  name: string;
  /**
   * Starts the switch with ports 0 and 2; resolves when its entries are there.
   * @param ports names of the two ports
   * @param files seconds to wait before pcap files are read; absent: the ports are interfaces
   */
  start(
    folder: string,
    ports: readonly [string, string],
    options: { files?: number; namespace?: string },
  ): Promise<Running>;
}

interface Running {
  stop(): Promise<void>;
}

/** The core of either switch: the last one, so that the sender uses another core. */
function onOneCore(command: readonly string[]): string[] {
  const core = availableParallelism() - 1;
  return core > 0 && spawnSync("taskset", ["--version"]).status === 0
    ? ["taskset", "-c", String(core), ...command]
    : [...command];
}

function launch(folder: string, command: readonly string[], output: "pipe" | "ignore"): ChildProcess {
  return spawn(command[0]!, command.slice(1), { cwd: folder, stdio: ["ignore", output, "inherit"] });
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("close", resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await ended;
}

/** From the sources: once it runs, it is the same as when it is built. */
const OWN_COMMAND = [
  process.execPath,
  ...["--import", join(root, "node_modules/tsx/dist/esm/index.mjs"), join(root, "src/cli/main.ts")],
];

export const OURS: Engine = {
  name: "p4loom switch",
  async start(folder, [zero, two], { files, namespace }) {
    const where = namespace === undefined ? "" : `,netns=${namespace}`;
    const command = onOneCore([
      ...[...OWN_COMMAND, "switch", join(FOLDER, "l3.json"), "--commands", join(FOLDER, "config.txt")],
      ...["-i", `0@${zero}${where}`, "-i", `2@${two}${where}`, "--grpc-server-addr", "none"],
      ...(files === undefined ? [] : ["--use-files", String(files)]),
    ]);
    const child = launch(folder, command, "pipe");
    await new Promise<void>((resolve, reject) => {
      let output = "";
      child.stdout!.on("data", (piece) => {
        output += piece;
        if (output.includes("Running without a server")) resolve();
      });
      child.once("close", () => reject(new Error(`p4loom switch ended: ${output}`)));
    });
    return { stop: () => end(child) };
  },
};

/** Path of simple_switch: the program of P4LOOM_BMV2 or one in its folder, or on PATH. */
function simpleSwitch(): string | undefined {
  const named = process.env["P4LOOM_BMV2"];
  const folders = named === undefined ? (process.env["PATH"] ?? "").split(delimiter) : [dirname(named)];
  if (named !== undefined && basename(named) === "simple_switch")
    return existsSync(named) ? named : undefined;
  return folders.map((folder) => join(folder, "simple_switch")).find((path) => existsSync(path));
}

/** BMv2, or undefined where it is not installed. */
export function bmv2(): Engine | undefined {
  const path = simpleSwitch();
  if (path === undefined) return undefined;
  return {
    name: "simple_switch",
    async start(folder, [zero, two], { files, namespace }) {
      const inside = namespace === undefined ? [] : ["ip", "netns", "exec", namespace];
      const command = onOneCore([
        ...[...inside, path, "-i", `0@${zero}`, "-i", `2@${two}`, "--thrift-port", String(THRIFT_PORT)],
        ...["--notifications-addr", `ipc://${folder}/bmv2.ipc`, "--device-id", "473"],
        ...(files === undefined ? [] : ["--use-files", String(files)]),
        join(FOLDER, "l3.json"),
      ]);
      const child = launch(folder, command, "ignore");
      // Packets from files arrive as fast as they are read: the queues must be long enough to lose none.
      const depth = files === undefined ? "" : "set_queue_depth 1000000\n";
      const input = readFileSync(join(FOLDER, "config.txt"), "utf8") + depth;
      const client = [
        ...inside,
        join(dirname(path), "simple_switch_CLI"),
        "--thrift-port",
        String(THRIFT_PORT),
      ];
      for (let waited = 0; ; waited += 200) {
        await sleep(200);
        try {
          execFileSync(client[0]!, client.slice(1), { input, stdio: ["pipe", "ignore", "ignore"] });
          break;
        } catch (error) {
          if (waited > START_MS || child.exitCode !== null) {
            await end(child);
            throw error;
          }
        }
      }
      return { stop: () => end(child) };
    },
  };
}
