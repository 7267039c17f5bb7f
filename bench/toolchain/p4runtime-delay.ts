/**
 * How long one P4Runtime request keeps the server's event loop, in which packets are forwarded too: the longest delay
 * of a timer while a controller in another process writes, reads, deletes and rolls back 100,000 entries in one request each,
 * saves and restores them, loads a large program and writes whole arrays. The load of the machine is printed too, since a
 * process that waits for a processor is delayed, too.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { serve } from "../../src/toolchain/p4runtime/index.js";
import type { Switch } from "../../src/toolchain/switch/index.js";
import type { Benchmark } from "../benchmark.js";

/** The default maximum number of updates in one Write. */
export const FLOOD = 100_000;
const CLIENT = join(import.meta.dirname, "p4runtime-flood.ts");
const NS_PER_MS = 1e6;

/**
 * Processor time of the longest turn of the event loop, of all threads of the process: unlike the delay of a timer, it does
 * not grow when other processes want the processors.
 */
class LongestTurn {
  #before = process.cpuUsage();
  #ended = false;
  max = 0;

  constructor() {
    const next = (): void => {
      const { user, system } = process.cpuUsage(this.#before);
      this.#before = process.cpuUsage();
      this.max = Math.max(this.max, (user + system) / 1000);
      if (!this.#ended) setImmediate(next);
    };
    setImmediate(next);
  }

  end(): void {
    this.#ended = true;
  }
}

export async function measureDelays(device: Switch, report: Parameters<Benchmark>[0]): Promise<void> {
  const server = await serve(device, { address: "127.0.0.1:0" });
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const turns = new LongestTurn();
  let phase: string | undefined;
  const end = (): void => {
    if (phase === undefined) return;
    report({ name: `p4runtime/longest delay, ${phase}`, unit: "ms", value: delays.max / NS_PER_MS });
    report({ name: `p4runtime/longest turn, ${phase}`, unit: "ms of processor time", value: turns.max });
  };
  const controller = fork(CLIENT, [server.address, String(FLOOD)]);
  controller.on("message", (name) => {
    end();
    phase = String(name);
    delays.reset();
    turns.max = 0;
    controller.send("go");
  });
  delays.enable();
  report({ name: "p4runtime/load of the machine", unit: "processes", value: loadavg()[0]! });
  try {
    const [status] = await once(controller, "exit");
    end();
    if (status !== 0) throw new Error(`the controller ended with status ${status}`);
  } finally {
    delays.disable();
    turns.end();
    await server.close();
  }
}
