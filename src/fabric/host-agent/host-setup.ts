/**
 * Changes of the agent in its host, and their restoration when it ends.
 *
 * The host's addresses move from the NICs to the TUN device, to which all traffic is routed. The NICs stay up for the
 * agent's packet sockets, but the kernel must not accept packets from them: it would answer in addition to the agent. It accepts
 * none if a NIC has no address, IPv6 is disabled, ARP is not answered, and the strict reverse-path check is on: answers would leave
 * by another device.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { systemErrorReason } from "../../base/index.js";
import { addressText } from "./addresses.js";
import type { AgentSetting } from "./events.js";
import { RequestError, type StartRequest } from "./requests.js";

/** Minimum retransmission timeout of a kernel whose routes do not set one, in ms. */
export const KERNEL_RTO_MIN_MS = 200;

/** Bytes that the wire adds to a packet of the TUN device: the Ethernet header and the echo. */
const WIRE_BYTES = 14 + 8;
/** Bursts and queue of the TUN device; the bursts are those of the links of a testbed. */
const LEAST_BURST_BYTES = 16_000;
const BURST_SECONDS = 0.004;
const TUN_QUEUE_PACKETS = 1000;

/** Lines for `tc -batch` that limit the rate of a device: with HTB, or with TBF where the kernel has no HTB. */
const PACERS: readonly ((device: string, rateBps: number, burst: number) => readonly string[])[] = [
  (device, rateBps, burst) => [
    `qdisc replace dev ${device} root handle 1: htb default 1`,
    `class add dev ${device} parent 1: classid 1:1 htb rate ${rateBps}bit burst ${burst} cburst ${burst} overhead ${WIRE_BYTES}`,
    `qdisc add dev ${device} parent 1:1 handle 2: pfifo limit ${TUN_QUEUE_PACKETS}`,
  ],
  (device, rateBps, burst) => [
    `qdisc replace dev ${device} root handle 1: tbf rate ${rateBps}bit burst ${burst} limit ${burst + TUN_QUEUE_PACKETS * 1514} overhead ${WIRE_BYTES}`,
  ],
];

/** The members of `ip -j address show` that are used. */
interface ShownDevice {
  readonly mtu: number;
  readonly addr_info?: readonly {
    readonly local: string;
    readonly prefixlen: number;
    readonly scope: string;
  }[];
}

export class HostSetup {
  /** For the `ready` event. */
  readonly settings: AgentSetting[] = [];
  readonly #undo: (() => void)[] = [];

  /** Removes addresses and routes from a NIC; returns its MTU. Throws {@link RequestError} where this fails. */
  takeNic(name: string): number {
    const [device] = JSON.parse(ipOutput("-j", "address", "show", "dev", name)) as [ShownDevice];
    const addresses = (device.addr_info ?? [])
      .filter(({ scope }) => scope === "global")
      .map(({ local, prefixlen }) => `${local}/${prefixlen}`);
    const shown = (...words: string[]): string[] =>
      ipOutput(...words)
        .split("\n")
        .filter((line) => line !== "");
    const neighbours = shown("neighbour", "show", "dev", name, "nud", "permanent").map((line) => {
      const words = line.split(" ");
      return `${words[0]} lladdr ${words[words.indexOf("lladdr") + 1]} nud permanent`;
    });
    const routes = { "-4": [] as string[], "-6": [] as string[] };
    for (const version of ["-4", "-6"] as const) {
      const lines = shown(version, "route", "show", "dev", name);
      routes[version] = lines.filter((line) => !line.includes("proto kernel"));
    }
    this.#undo.push(() => {
      for (const version of ["-4", "-6"] as const) {
        const isOwn = (line: string): boolean => line.split(" ")[0]!.includes(":") === (version === "-6");
        const nodad = version === "-6" ? " nodad" : "";
        const lines = [
          ...addresses.filter(isOwn).map((address) => `address replace ${address} dev ${name}${nodad}`),
          ...neighbours.filter(isOwn).map((neighbour) => `neighbour replace ${neighbour} dev ${name}`),
          ...routes[version].map((route) => `route replace ${route} dev ${name}`),
        ];
        // An error does not prevent the other restorations.
        ipBatch(lines, version, "-force");
      }
    });
    // Routes of IPv6 go with `disable_ipv6`.
    const flush = routes["-4"].length > 0 ? [`route flush dev ${name}`] : [];
    change([`link set ${name} up`, ...flush, `address flush dev ${name}`], "-4");
    for (const [path, value] of [
      [`net/ipv4/conf/${name}/rp_filter`, 1],
      [`net/ipv4/conf/${name}/arp_ignore`, 8],
      [`net/ipv6/conf/${name}/disable_ipv6`, 1],
    ] as const) {
      if (existsSync(`/proc/sys/${path}`) && !this.#write(path, value))
        throw new RequestError(`${path} cannot be set: the kernel would answer in addition to the agent`);
    }
    return device.mtu;
  }

  /** Gives the TUN device the host's addresses, and the routes to all destinations. */
  addressTun({ tun, mtu, ipv4, ipv6, rtoMinMs }: StartRequest): void {
    // An experiment's flow with one segment in flight cannot wait for delayed acknowledgements.
    const metrics = rtoMinMs === undefined ? "quickack 1" : `quickack 1 rto_min ${rtoMinMs}ms`;
    const lines = [`link set ${tun} mtu ${mtu} up`];
    const settings = `net/ipv6/conf/${tun}/`;
    // No link-local address and no solicitations: the TUN device has no peer that could receive them.
    writeQuietly(`${settings}addr_gen_mode`, 1);
    writeQuietly(`${settings}accept_ra`, 0);
    writeQuietly(`${settings}disable_ipv6`, ipv6 === undefined ? 1 : 0);
    if (ipv4 !== undefined)
      lines.push(`address add ${addressText(ipv4)}/32 dev ${tun}`, `route add default dev ${tun} ${metrics}`);
    if (ipv6 !== undefined)
      lines.push(
        `address add ${addressText(ipv6)}/128 dev ${tun} nodad`,
        `route add ::/0 dev ${tun} ${metrics}`,
      );
    change(lines);
    if (rtoMinMs === undefined) return;
    const version = ipv4 === undefined ? "-6" : "-4";
    const words = ipOutput(version, "route", "show", "default", "dev", tun).split(/\s+/);
    // Some versions of iproute2 write `rto_min lock 5ms`.
    const after = words.includes("rto_min") ? words.slice(words.indexOf("rto_min") + 1) : [];
    const effective = after.find((word) => word !== "lock") ?? null;
    this.settings.push({ name: "route.rto_min", wanted: `${rtoMinMs}ms`, effective });
  }

  /**
   * Limits the rate of the TUN device to that of the NICs. The kernel holds a connection back while two of its segments wait on
   * this host (TCP small queues), but it does not count packets that the agent has read. Without this limit a
   * whole window would wait in the queue of the NIC, which drops what exceeds its space.
   */
  paceTun({ tun, rateBps }: StartRequest): void {
    if (rateBps === undefined) return;
    const burst = Math.max(LEAST_BURST_BYTES, Math.round((rateBps / 8) * BURST_SECONDS));
    const paced = PACERS.some((lines) => tcBatch(lines(tun, rateBps, burst)) === undefined);
    this.settings.push({
      name: `${tun}.rate`,
      wanted: `${rateBps}bit`,
      effective: paced ? `${rateBps}bit` : null,
    });
  }

  /**
   * Makes every timeout an ordinary retransmission timeout: no tail loss probe (TLP), no F-RTO, no metrics of
   * earlier connections. See docs/host-agent.md.
   */
  tuneTcp({ rtoCapMs }: StartRequest, ownsEcn: boolean): void {
    // The agents use the ECN bits: the kernel must not interpret ECE, which would stay set until CWR.
    if (ownsEcn) this.#write("net/ipv4/tcp_ecn", 0);
    this.#write("net/ipv4/tcp_early_retrans", 0);
    this.#write("net/ipv4/tcp_frto", 0);
    this.#write("net/ipv4/tcp_no_metrics_save", 1);
    if (existsSync("/proc/sys/net/ipv6/auto_flowlabels")) this.#write("net/ipv6/auto_flowlabels", 0);
    // With short timeouts the default of 15 retries would end a connection within seconds.
    if (rtoCapMs !== undefined && this.#write("net/ipv4/tcp_rto_max_ms", rtoCapMs))
      this.#write("net/ipv4/tcp_retries2", 255);
  }

  /** For a host whose kernel sends by its NIC itself: TCP keeps its defaults, but uses no metrics of earlier connections. */
  tuneDirect({ nics, ecn, rtoMinMs, rtoCapMs }: StartRequest): void {
    this.#write("net/ipv4/tcp_no_metrics_save", 1);
    if (ecn) this.#write("net/ipv4/tcp_ecn", 1);
    if (existsSync("/proc/sys/net/ipv6/auto_flowlabels")) this.#write("net/ipv6/auto_flowlabels", 0);
    if (rtoCapMs !== undefined) this.#write("net/ipv4/tcp_rto_max_ms", rtoCapMs);
    if (rtoMinMs === undefined) return;
    const { name } = nics[0]!;
    for (const version of ["-4", "-6"] as const) {
      const [route] = ipOutput(version, "route", "show", "default", "dev", name).split("\n");
      if (route === undefined || route === "") continue;
      const old = `route replace ${route.trim()} dev ${name}`;
      this.#undo.push(() => void ipBatch([old], version, "-force"));
      // A short timeout needs acknowledgements that are not delayed, which may take up to 40 ms.
      change([`${old} rto_min ${rtoMinMs}ms quickack 1`], version);
    }
  }

  /** Writes a setting of /proc/sys, keeps the old value, and reports the value that the kernel has then. */
  #write(name: string, value: number): boolean {
    const path = `/proc/sys/${name}`;
    const wanted = `${value}`;
    let effective: string | null = null;
    try {
      const old = readFileSync(path, "utf8").trim();
      effective = old;
      if (old !== wanted) {
        this.#undo.push(() => writeFileSync(path, old));
        writeFileSync(path, wanted);
        effective = readFileSync(path, "utf8").trim();
      }
    } catch {
      // This kernel does not have the setting, or does not allow the change: the old value stays.
    }
    this.settings.push({ name: name.replaceAll("/", "."), wanted, effective });
    return effective === wanted;
  }

  /** Restores all changes, the last one first; returns the errors. */
  undo(): string[] {
    const problems: string[] = [];
    for (let change = this.#undo.pop(); change !== undefined; change = this.#undo.pop()) {
      try {
        change();
      } catch (error) {
        problems.push(systemErrorReason(error));
      }
    }
    return problems;
  }
}

function change(lines: readonly string[], ...options: string[]): void {
  const refusal = ipBatch(lines, ...options);
  if (refusal !== undefined) throw new RequestError(refusal);
}

/** For a device that is removed with the agent: no restoration is needed. */
function writeQuietly(name: string, value: number): void {
  try {
    writeFileSync(`/proc/sys/${name}`, `${value}`);
  } catch {
    // A kernel without IPv6.
  }
}

// The commands `ip` and `tc` of iproute2.

interface Result {
  readonly ok: boolean;
  readonly stdout: string;
  /** Its error messages. */
  readonly stderr: string;
}

function run(command: "ip" | "tc", words: readonly string[], input = ""): Result {
  const { status, stdout, stderr, error } = spawnSync(command, words, { input, encoding: "utf8" });
  if (error !== undefined) return { ok: false, stdout: "", stderr: systemErrorReason(error) };
  return { ok: status === 0, stdout, stderr: stderr.trim() };
}

/** The output of a command. Throws {@link RequestError} with the command and its error message. */
function ipOutput(...words: string[]): string {
  const { ok, stdout, stderr } = run("ip", words);
  if (!ok) throw new RequestError(`ip ${words.join(" ")}: ${stderr || "failed"}`);
  return stdout;
}

/**
 * Runs several commands of `ip` in one process, which ends at the first one that fails (not with the option `-force`). Returns
 * that command and the message of `ip`; undefined when all succeed.
 */
function ipBatch(lines: readonly string[], ...options: string[]): string | undefined {
  return batch("ip", lines, options);
}

/** As {@link ipBatch}, with `tc`. */
function tcBatch(lines: readonly string[]): string | undefined {
  return batch("tc", lines, []);
}

function batch(
  command: "ip" | "tc",
  lines: readonly string[],
  options: readonly string[],
): string | undefined {
  if (lines.length === 0) return undefined;
  const { ok, stderr } = run(command, [...options, "-batch", "-"], `${lines.join("\n")}\n`);
  if (ok) return undefined;
  const said = stderr.split("\n").filter((line) => !line.startsWith("Command failed"));
  const failed = /Command failed -:(\d+)/.exec(stderr);
  const line = failed === null ? lines.join("; ") : lines[Number(failed[1]) - 1];
  return `${command} ${line}: ${said.join(" ") || "failed"}`;
}
