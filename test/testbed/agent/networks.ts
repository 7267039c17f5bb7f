/**
 * Two hosts in namespaces of their own, and between them a relay that loses what it is told to lose, or just a cable.
 * For benchmarks too.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { accessSync } from "node:fs";
import { join } from "node:path";
import type { AgentConfig, AgentPolicy } from "../../../src/testbed/index.js";
import type { ExecResult, HostProcess, RunningHost } from "../../../src/testbed/lab.js";
import { pythonMissing } from "./python.js";

const relayProgram = join(import.meta.dirname, "relay.py");

/** Why hosts cannot be made here; undefined: they can. */
export function networkMissing(): string | undefined {
  const python = pythonMissing();
  if (python !== undefined) return python;
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

class TestHost implements RunningHost {
  constructor(
    readonly name: string,
    readonly namespace: string,
  ) {}

  async exec(
    argv: readonly string[],
    options: { readonly input?: string; readonly timeoutMs?: number } = {},
  ): Promise<ExecResult> {
    const child = this.#start(argv);
    let stdout = "";
    let stderr = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
    child.stderr!.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
    // A command may end without reading its input.
    child.stdin!.on("error", () => {});
    child.stdin!.end(options.input ?? "");
    const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? 30_000);
    const status = await new Promise<number>((resolve) =>
      child.once("close", (code) => resolve(code ?? 137)),
    );
    clearTimeout(timer);
    return { status, stdout, stderr };
  }

  spawn(argv: readonly string[]): HostProcess {
    const child = this.#start(argv);
    const exited = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 137)));
    let stderr = "";
    let rest = "";
    const lines: string[] = [];
    const listeners = new Set<(line: string) => void>();
    child.stderr!.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
    child.stdin!.on("error", () => {});
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\n");
      rest = parts.pop()!;
      lines.push(...parts);
      for (const line of parts) for (const listener of [...listeners]) listener(line);
    });
    return {
      write: (line) => void child.stdin!.write(`${line}\n`),
      onLine: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      onText: () => () => {},
      get stderr() {
        return stderr;
      },
      exited,
      kill: async () => {
        child.kill("SIGTERM");
        await exited;
      },
    };
  }

  #start(argv: readonly string[]): ChildProcess {
    return spawn("ip", ["netns", "exec", this.namespace, ...argv], { stdio: ["pipe", "pipe", "pipe"] });
  }
}

/** By `LINK/SELECTOR`: how many frames came, and the last one in hex (its first 200 bytes). */
export type Seen = Readonly<Record<string, readonly [count: number, last: string]>>;

/** What is lost on its way: these selectors, or all. */
export type Losses = readonly number[] | "all";

export class TestNetwork {
  readonly left: RunningHost;
  readonly right: RunningHost;
  readonly #names: readonly string[];
  #relay: HostProcess | undefined;
  readonly #answers: ((line: string) => void)[] = [];

  /** Links are numbered from 0; a host's NIC on link 0 is eth0. The relay tells selectors of this header field. */
  static async make(field: string, links = 1): Promise<TestNetwork> {
    const network = new TestNetwork();
    await network.#startRelay(field, links);
    return network;
  }

  /** One link without a relay. */
  static direct(): TestNetwork {
    const network = new TestNetwork();
    const [left, right] = network.#names as [string, string];
    const ends = ["eth0", "address", macOf("left"), "type", "veth", "peer", "name", "eth0"];
    ip("-n", left, "link", "add", ...ends, "address", macOf("right"), "netns", right);
    for (const host of [left, right]) ip("-n", host, "link", "set", "eth0", "up");
    return network;
  }

  private constructor() {
    const stem = `p4agent-${process.pid}-${count++}`;
    this.#names = ["left", "right", "mid"].map((end) => `${stem}-${end}`);
    this.left = new TestHost("left", this.#names[0]!);
    this.right = new TestHost("right", this.#names[1]!);
    for (const name of this.#names) ip("netns", "add", name);
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
    this.#relay = new TestHost("mid", mid).spawn(["python3", relayProgram, field, ...pairs]);
    const ready = this.#answer();
    this.#relay.onLine((line) => this.#answers.shift()?.(line));
    await ready;
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
    for (const name of this.#names) spawnSync("ip", ["netns", "del", name]);
  }
}

let count = 0;

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
  field: string,
  policy: AgentPolicy,
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
