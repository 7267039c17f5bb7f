/**
 * Two hosts in namespaces of their own, and between them a relay that loses the packets that a test selects, or a cable.
 * For benchmarks too.
 */
import "../../../built-command.js";
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync } from "node:fs";
import { join } from "node:path";
import type { SelectorField } from "../../../../src/base/packets/index.js";
import type { PolicyDescription } from "../../../../src/fabric/hosts/index.js";
import type { AgentConfig } from "../../../../src/fabric/testbed/index.js";
import { hostNamespace } from "../../../../src/fabric/testbed/run/record.js";
import { NamespaceHost } from "../../../../src/fabric/testbed/running-host.js";
import type { HostProcess, RunningHost } from "../../../../src/fabric/testbed/testbed.js";

const relayProgram = join(import.meta.dirname, "relay.py");

/** Why hosts cannot be made here; undefined: they can. */
export function networkMissing(): string | undefined {
  if (spawnSync("python3", ["--version"]).error !== undefined) return "the relay needs python3";
  if (process.getuid?.() !== 0) return "needs root";
  try {
    accessSync("/dev/net/tun");
  } catch {
    return "there is no /dev/net/tun";
  }
  const name = `p4agent-${process.pid}-try`;
  if (spawnSync("ip", ["netns", "add", name]).status !== 0) return "network namespaces are not permitted";
  execFileSync("ip", ["netns", "del", name]);
  return undefined;
}

/** Why hosts cannot ping here; undefined: they can. */
export function pingMissing(): string | undefined {
  return spawnSync("ping", ["-V"]).error === undefined ? undefined : "needs ping";
}

/** By `LINK/SELECTOR`: how many frames came, and the last one in hex (its first 200 bytes). */
export type Seen = Readonly<Record<string, readonly [count: number, last: string]>>;

/** What is lost: these selectors, or all. */
export type Losses = readonly number[] | "all";

export class TestNetwork {
  readonly left: RunningHost;
  readonly right: RunningHost;
  readonly #names: readonly string[];
  readonly #middle: RunningHost;
  #relay: HostProcess | undefined;
  readonly #answers: ((line: string) => void)[] = [];

  /** Links are numbered from 0; a host's NIC on link 0 is eth0. The relay reads selectors from this header field. */
  static async make(field: string, links = 1): Promise<TestNetwork> {
    const network = new TestNetwork();
    try {
      await network.#startRelay(field, links);
    } catch (error) {
      await network.close();
      throw error;
    }
    return network;
  }

  /** One link without a relay. */
  static direct(): TestNetwork {
    const network = new TestNetwork();
    try {
      const [left, right] = network.#names as [string, string];
      const ends = ["eth0", "address", macOf("left"), "type", "veth", "peer", "name", "eth0"];
      ip("-n", left, "link", "add", ...ends, "address", macOf("right"), "netns", right);
      for (const host of [left, right]) ip("-n", host, "link", "set", "eth0", "up");
    } catch (error) {
      network.#removeNamespaces();
      throw error;
    }
    return network;
  }

  private constructor() {
    const id = `agent${process.pid}x${count++}`;
    this.#names = ["left", "right", "mid"].map((end) => hostNamespace(id, end));
    this.left = new NamespaceHost(id, "left");
    this.right = new NamespaceHost(id, "right");
    this.#middle = new NamespaceHost(id, "mid");
    try {
      for (const name of this.#names) ip("netns", "add", name);
    } catch (error) {
      this.#removeNamespaces();
      throw error;
    }
  }

  /** With all processes in them: agents would run until this process ends. Missing ones are skipped. */
  #removeNamespaces(): void {
    for (const name of this.#names) {
      endProcessesIn(name);
      spawnSync("ip", ["netns", "del", name]);
    }
  }

  async #startRelay(field: string, links: number): Promise<void> {
    const [left, right, mid] = this.#names as [string, string, string];
    const pairs: string[] = [];
    for (let link = 0; link < links; link++) {
      for (const [host, end] of [
        [left, "left"],
        [right, "right"],
      ] as const) {
        const near = ["link", "add", `eth${link}`, "address", macOf(end), "type", "veth"];
        ip("-n", host, ...near, "peer", "name", `${end}${link}`, "netns", mid);
        ip("-n", host, "link", "set", `eth${link}`, "up");
        ip("-n", mid, "link", "set", `${end}${link}`, "up");
      }
      pairs.push(`left${link}:right${link}`);
    }
    this.#relay = this.#middle.spawn(["python3", relayProgram, field, ...pairs]);
    const relay = this.#relay;
    const ready = this.#answer();
    relay.onLine((line) => this.#answers.shift()?.(line));
    const ended = relay.exited.then((status) => {
      throw new Error(`the relay ended with status ${status}: ${relay.stderr}`);
    });
    await Promise.race([ready, ended]);
    ended.catch(() => {});
  }

  #answer(): Promise<string> {
    return new Promise((resolve) => void this.#answers.push(resolve));
  }

  async #ask(request: object): Promise<unknown> {
    const answer = this.#answer();
    this.#relay!.write(JSON.stringify(request));
    return JSON.parse(await answer);
  }

  /** From now on the relay loses what goes to the right, or to the left. */
  async drop(losses: { right?: Losses; left?: Losses }): Promise<void> {
    await this.#ask({ drop: losses });
  }

  /** The relay loses the n-th frames to the right from now on, counted from 1. */
  async skip(frames: readonly number[]): Promise<void> {
    await this.#ask({ skip: frames });
  }

  async seen(): Promise<{ right: Seen; left: Seen }> {
    return (await this.#ask({ report: true })) as { right: Seen; left: Seen };
  }

  async close(): Promise<void> {
    await this.#relay?.kill();
    this.#removeNamespaces();
  }
}

let count = 0;

/** Nothing where there is no such namespace. */
function endProcessesIn(namespace: string): void {
  for (let looks = 0; looks < 1000; looks++) {
    const { stdout } = spawnSync("ip", ["netns", "pids", namespace], { encoding: "utf8" });
    const pids = (stdout ?? "").split("\n").filter(Boolean).map(Number);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
  throw new Error(`processes in the namespace ${namespace} do not end`);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function macOf(end: "left" | "right"): string {
  return `02:00:00:00:00:${end === "left" ? "0a" : "0b"}`;
}

function ip(...words: string[]): void {
  execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });
}

export const LEFT = { ipv4: 0x0a000001n, ipv6: (0xfd00n << 112n) | 1n };
export const RIGHT = { ipv4: 0x0a000002n, ipv6: (0xfd00n << 112n) | 2n };

/** The agent of one end, whose frames go to the other end. */
export function agentConfig(
  end: "left" | "right",
  field: SelectorField,
  policy: PolicyDescription,
  more: Partial<AgentConfig> & { links?: number } = {},
): AgentConfig {
  const { links = 1, ...config } = more;
  const [mac, gateway] =
    end === "left" ? [0x02000000000an, 0x02000000000bn] : [0x02000000000bn, 0x02000000000an];
  return {
    ...(end === "left" ? LEFT : RIGHT),
    nics: Array.from({ length: links }, (_, i) => ({ name: `eth${i}`, mac, gateway })),
    field,
    policy,
    seed: end === "left" ? 1 : 2,
    // Long enough for a busy machine: a timeout is to mean a loss.
    rtoMarginNs: 100e6,
    rtoCapNs: 1e9,
    ...config,
  };
}
