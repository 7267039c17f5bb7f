/** Brings interfaces up: offloads off, addresses, no frames that the kernel sends by itself, and the hosts' own commands. */
import { fail } from "../../../base/index.js";
import { ipv4Text, ipv6Text, macText } from "../../../base/packets/index.js";
import { CODES } from "../codes.js";
import { hostNamespace, switchNamespace } from "../run/record.js";
import { command, inParallel, setUp } from "../system/command.js";
import type { InterfaceAddress, TestbedHost, TestbedSpec } from "../testbed-spec.js";

/** MTU with room for headers that programs add to full packets; a host's own MTU does not change. */
const SWITCH_MTU = 9500;
const HOST_MTU = 1500;
const PARALLEL_HOSTS = 4;

/** With offloads a switch would see packets of 64 KiB, and checksums that are still to be computed. */
function offloadsOff(name: string): string {
  return `ethtool -K ${name} rx off tx off sg off tso off gso off gro off rxvlan off txvlan off >/dev/null`;
}

function sysctl(name: string, value: number): string {
  return `[ ! -e /proc/sys/${name} ] || echo ${value} > /proc/sys/${name}`;
}

/** All interfaces of switches, up and without addresses. */
export async function bringUpSwitches(id: string, spec: TestbedSpec, stop: AbortSignal): Promise<void> {
  const lines = ["all", "default"].map((conf) => sysctl(`net/ipv6/conf/${conf}/disable_ipv6`, 1));
  // the Thrift server of a BMv2
  lines.push("ip link set lo up");
  for (const { interface: name } of spec.switches.flatMap((node) => node.ports)) {
    // The defaults do not change interfaces that exist already.
    lines.push(sysctl(`net/ipv6/conf/${name}/disable_ipv6`, 1));
    lines.push(offloadsOff(name), `ip link set ${name} mtu ${SWITCH_MTU} up`);
  }
  await inNamespace("interfaces of the switches", switchNamespace(id), lines, stop);
}

/** Addresses, then the hosts' commands. Fails with P43106 for a command that fails. */
export async function bringUpHosts(id: string, spec: TestbedSpec, stop: AbortSignal): Promise<void> {
  await inParallel(spec.hosts, PARALLEL_HOSTS, async (host) => {
    const namespace = hostNamespace(id, host.name);
    await inNamespace(`interfaces of ${host.name}`, namespace, hostLines(host), stop);
    for (const text of host.commands) await hostCommand(id, host.name, text, stop);
  });
}

function hostLines(host: TestbedHost): string[] {
  const lines = [
    // a host with several NICs takes a packet on any of them
    sysctl("net/ipv4/conf/all/rp_filter", 0),
    sysctl("net/ipv4/conf/default/rp_filter", 0),
    "ip link set lo up",
  ];
  for (const { name, mac, ipv4, ipv6, mtu = HOST_MTU } of host.interfaces) {
    const conf = `net/ipv6/conf/${name}`;
    // Mininet has taken it up, with an IPv6 address of its own making
    lines.push(`ip link set ${name} down`, sysctl(`net/ipv4/conf/${name}/rp_filter`, 0));
    if (ipv6 === undefined) lines.push(sysctl(`${conf}/disable_ipv6`, 1));
    else {
      // no link-local address, hence no duplicate detection, no router solicitation
      lines.push(sysctl(`${conf}/addr_gen_mode`, 1), sysctl(`${conf}/accept_dad`, 0));
      lines.push(sysctl(`${conf}/accept_ra`, 0), sysctl(`${conf}/autoconf`, 0));
    }
    lines.push(offloadsOff(name), `ip link set ${name} address ${macText(mac)} mtu ${mtu}`);
    if (ipv4 !== undefined) lines.push(`ip address add ${ipv4WithLength(ipv4)} dev ${name}`);
    if (ipv6 !== undefined) lines.push(`ip -6 address add ${ipv6WithLength(ipv6)} dev ${name} nodad`);
    lines.push(`ip link set ${name} up`);
  }
  return lines;
}

async function inNamespace(
  what: string,
  namespace: string,
  lines: readonly string[],
  stop: AbortSignal,
): Promise<void> {
  await setUp(what, ["ip", "netns", "exec", namespace, "sh", "-es"], {
    input: `${lines.join("\n")}\n`,
    stop,
  });
}

async function hostCommand(id: string, host: string, text: string, stop: AbortSignal): Promise<void> {
  const shell = ["sh", "-c", 'exec 2>&1; eval "$0"', text];
  const { status, stdout } = await command(["ip", "netns", "exec", hostNamespace(id, host), ...shell], {
    stop,
  });
  if (status === 0) return;
  const said = stdout.trim().split("\n").slice(-5);
  fail(
    CODES.hostCommand,
    undefined,
    `command of host ${host} failed with status ${status}: ${text}`,
    ...said,
  );
}

// Addresses as iproute2 reads them.

function ipv4WithLength({ address, length }: InterfaceAddress): string {
  return `${ipv4Text(address)}/${length}`;
}

export function ipv6WithLength({ address, length }: InterfaceAddress): string {
  return `${ipv6Text(address)}/${length}`;
}
