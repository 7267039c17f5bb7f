/**
 * Packets a second and latency of a switch between two veth interfaces: `p4loom switch` and, where it is installed,
 * simple_switch. Needs Linux, koffi, root and iproute2. The switch runs on one core, the sender on another if there is one.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { Interfaces, interfacesAvailable } from "../../src/toolchain/interfaces/index.js";
import type { Measurement } from "../benchmark.js";
import { bmv2, type Engine, OURS } from "./switch/engines.js";
import { ipv4Frame, TO_PORT_2 } from "./switch/packets.js";

/**
 * Offered rates in packets a second, in the order in which they are tried; the series ends when a higher rate gives
 * no more throughput.
 */
const OFFERED = [10, 20, 40, 60, 80, 120, 160, 240, 320, 480, 640, 800, 1000].map(
  (thousands) => 1000 * thousands,
);
const SECONDS = 2;
/** The switch is overloaded if it delivers less than this share of the best rate, twice. */
const BEYOND = 0.8;
const PINGS = 3000;

function ip(...words: string[]): string {
  return execFileSync("ip", words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** Sends at a rate for some time; returns the number of packets sent. */
async function offer(sender: Interfaces, frame: Uint8Array, rate: number): Promise<void> {
  const begin = performance.now();
  for (let sent = 0; ; ) {
    const seconds = (performance.now() - begin) / 1000;
    if (seconds > SECONDS) return;
    const due = Math.min(seconds * rate - sent, 512);
    for (let i = 0; i < due; i++) sender.send(0, frame);
    sent += Math.max(Math.ceil(due), 0);
    sender.flush();
    await nextTurn();
  }
}

/** Maximum rate of delivered packets, in packets per second. */
async function throughput(namespace: string): Promise<number> {
  const sender = new Interfaces([{ port: 0, name: "left", namespace }], { frame() {} });
  // The kernel counts the packets, so that no program has to read them.
  const arrived = (): number => {
    const [link] = JSON.parse(ip("-n", namespace, "-s", "-j", "link", "show", "right"));
    return link.stats64.rx.packets;
  };
  try {
    let best = 0;
    let beyond = 0;
    for (const rate of OFFERED) {
      const before = arrived();
      await offer(sender, ipv4Frame(TO_PORT_2), rate);
      const through = (arrived() - before) / SECONDS;
      if (through >= BEYOND * best) beyond = 0;
      else if (++beyond === 2) break;
      best = Math.max(best, through);
      await sleep(300);
    }
    return best;
  } finally {
    sender.close();
  }
}

/** Median one-way time in microseconds, with one packet in flight at a time. */
async function latency(namespace: string): Promise<number> {
  let arrive = (): void => {};
  const ports = ["left", "right"].map((name, port) => ({ port, name, namespace }));
  const ends = new Interfaces(ports, { frame: () => arrive() });
  ends.start();
  try {
    const times: number[] = [];
    const frame = ipv4Frame(TO_PORT_2);
    for (let i = 0; i < PINGS; i++) {
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      const begin = performance.now();
      ends.send(0, frame);
      ends.flush();
      await arrived;
      times.push(1000 * (performance.now() - begin));
    }
    return times.sort((a, b) => a - b)[PINGS >> 1]!;
  } finally {
    ends.close();
  }
}

async function measure(engine: Engine): Promise<{ rate: number; delay: number }> {
  const namespace = `p4loom-bench-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "p4loom-bench-"));
  ip("netns", "add", namespace);
  try {
    const silence = ["net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1"];
    // Fails if the kernel has no IPv6.
    ip("netns", "exec", namespace, "sh", "-c", `sysctl -qw ${silence.join(" ")} || true`);
    ip("-n", namespace, "link", "set", "lo", "up");
    for (const [end, port] of [
      ["left", "s0"],
      ["right", "s2"],
    ] as const) {
      ip("-n", namespace, "link", "add", end, "type", "veth", "peer", "name", port);
      for (const name of [end, port]) ip("-n", namespace, "link", "set", name, "up");
    }
    const running = await engine.start(folder, ["s0", "s2"], { namespace });
    try {
      const delay = await latency(namespace);
      return { rate: await throughput(namespace), delay };
    } finally {
      await running.stop();
    }
  } finally {
    ip("netns", "del", namespace);
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function run(report: (measurement: Measurement) => void): Promise<void> {
  const available = interfacesAvailable();
  if (!available.ok) {
    console.error(`veth: not measured: ${available.reason}`);
    return;
  }
  const rival = bmv2();
  if (rival === undefined) console.error("veth: simple_switch is neither on PATH nor named by P4LOOM_BMV2");
  const ours = await measure(OURS);
  const theirs = rival === undefined ? undefined : await measure(rival);
  const beside = (value: number | undefined) =>
    value === undefined ? {} : { rival: { name: rival!.name, value } };
  report({ name: "veth/l3", unit: "packets/s", value: ours.rate, ...beside(theirs?.rate) });
  report({ name: "veth/l3 one way", unit: "us", value: ours.delay, ...beside(theirs?.delay) });
}
