/** Two hosts in namespaces of their own, and between them a relay that loses what it is told to lose. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { accessSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
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
  #relay!: HostProcess;
  readonly #answers: ((line: string) => void)[] = [];

  /** Links are numbered from 0; a host's NIC on link 0 is eth0. */
  static async make(field: string, links = 1): Promise<TestNetwork> {
    const network = new TestNetwork();
    await network.#start(field, links);
    return network;
  }

  private constructor() {
    const stem = `p4agent-${process.pid}-${count++}`;
    this.#names = ["left", "right", "mid"].map((end) => `${stem}-${end}`);
    this.left = new TestHost("left", this.#names[0]!);
    this.right = new TestHost("right", this.#names[1]!);
    open.add(this);
  }

  async #start(field: string, links: number): Promise<void> {
    const [left, right, mid] = this.#names as [string, string, string];
    for (const name of this.#names) ip("netns", "add", name);
    const pairs: string[] = [];
    for (let link = 0; link < links; link++) {
      for (const [host, side] of [
        [left, "l"],
        [right, "r"],
      ] as const) {
        const mac = `02:00:00:00:00:${side === "l" ? "0a" : "0b"}`;
        const near = ["link", "add", `eth${link}`, "address", mac, "type", "veth"];
        ip("-n", host, ...near, "peer", "name", `${side}${link}`, "netns", mid);
        ip("-n", host, "link", "set", `eth${link}`, "up");
        ip("-n", mid, "link", "set", `${side}${link}`, "up");
      }
      pairs.push(`l${link}:r${link}`);
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
    this.#relay.write(JSON.stringify(request));
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
    if (!open.delete(this)) return;
    await this.#relay?.kill();
    for (const name of this.#names) spawnSync("ip", ["netns", "del", name]);
  }
}

let count = 0;
const open = new Set<TestNetwork>();

afterAll(async () => {
  for (const network of [...open]) await network.close();
});

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
