/** Packets a second from a pcap file through a switch to a pcap file. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { encodePcap } from "../../../src/base/packets/index.js";
import type { Engine } from "./engines.js";
import { ipv4Frame, TO_PORT_2 } from "./packets.js";

const PACKETS = 1_000_000;
/** Longest time that is measured, and the step at which the output is looked at, in ms. */
const WINDOW_MS = 6000;
const STEP_MS = 10;
/** Seconds that either switch waits before it reads, so that its entries are there. */
const WAIT_SECONDS = 4;
const HEADER_BYTES = 24;
const RECORD_BYTES = 16 + 64;

/** By the growth of the output between its first packet and its last, or the end of the window. */
export async function filesRate(engine: Engine): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-bench-"));
  try {
    const frame = ipv4Frame(TO_PORT_2);
    const packets = Array.from({ length: PACKETS }, () => ({ seconds: 1, nanoseconds: 0, frame }));
    writeFileSync(join(folder, "p0_in.pcap"), encodePcap(packets));
    writeFileSync(join(folder, "p2_in.pcap"), encodePcap([]));
    const output = join(folder, "p2_out.pcap");
    const count = () =>
      existsSync(output) ? Math.floor((statSync(output).size - HEADER_BYTES) / RECORD_BYTES) : 0;
    const running = await engine.start(folder, ["p0", "p2"], { files: WAIT_SECONDS });
    let [first, began, last, ended] = [0, 0, 0, 0];
    for (const start = performance.now(); performance.now() - start < 1000 * WAIT_SECONDS + WINDOW_MS; ) {
      await sleep(STEP_MS);
      const now = count();
      if (now <= last) continue;
      last = now;
      ended = performance.now();
      if (first === 0) [first, began] = [now, ended];
      if (last === PACKETS || ended - began > WINDOW_MS) break;
    }
    await running.stop();
    if (last <= first) throw new Error(`${engine.name}: ${last} packets came out`);
    return (1000 * (last - first)) / (ended - began);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
