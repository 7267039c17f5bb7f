/** The configuration of an agent: its host, the host's policy, and limits. */

import { given } from "../../../base/index.js";
import type { SelectorField } from "../../../base/packets/index.js";
import { formatValue } from "../../../toolchain/device/index.js";
import type { RequestText } from "../../host-agent/index.js";
import type { PolicyDescription } from "../../hosts/index.js";

export interface AgentNic {
  /** Name of the interface in the host. */
  readonly name: string;
  /** 48 bits: the destination address of frames to this host. */
  readonly mac: bigint;
  /** 48 bits: the address of the switch at the other end of the NIC's link, which gets all frames. */
  readonly gateway: bigint;
}

export interface AgentConfig {
  /** Name of the host in the topology. */
  readonly name?: string;
  /** The host's addresses, at least one; 32 and 128 bits. */
  readonly ipv4?: bigint;
  readonly ipv6?: bigint;
  /** One or more; with several, the policy chooses the NIC of each packet. */
  readonly nics: readonly AgentNic[];
  /** Header field that carries selectors. */
  readonly field: SelectorField;
  /** The `hosts` of a scheme's plan. */
  readonly policy: PolicyDescription;
  /** 32 bits; the random numbers of choosers depend on it and on the flow's addresses and ports only. */
  readonly seed: number;
  /** Bytes of the largest packet that the host's kernel sends; default 1400. */
  readonly mtu?: number;
  /** The kernel sends by the NIC without the agent: for a host with one NIC and a policy that changes no packet. */
  readonly direct?: boolean;
  /** Connections of a direct host offer ECN. */
  readonly ecn?: boolean;
  /** Rate of all NICs together, bits per second, where the testbed limits them: the kernel then sends no faster to the agent. */
  readonly rateBps?: number;
  /** Minimum difference of a retransmission timeout and the round-trip time, in nanoseconds; absent: the kernel's default. */
  readonly rtoMarginNs?: number;
  /** Maximum retransmission timeout in nanoseconds, where the kernel has such a limit; absent: the kernel's default. */
  readonly rtoCapNs?: number;
}

/** Name of the agent's device in the host. */
const TUN_NAME = "agent0";

const NS_PER_MS = 1e6;

export function addressText(address: bigint, ipVersion: 4 | 6): string {
  return ipVersion === 4 ? formatValue(address, 32, "ipv4") : formatValue(address, 128, "ipv6");
}

/** The first request to an agent. Times are rounded up to milliseconds, the unit of the kernel's timeouts. */
export function startRequest(config: AgentConfig): RequestText {
  const { name, ipv4, ipv6, nics, field, policy, seed, mtu, direct, ecn, rateBps, rtoMarginNs, rtoCapNs } =
    config;
  return {
    op: "start",
    ...given({ name }),
    tun: TUN_NAME,
    field,
    policy,
    seed,
    nics: nics.map(({ name, mac, gateway }) => ({
      name,
      mac: formatValue(mac, 48, "mac"),
      gateway: formatValue(gateway, 48, "mac"),
    })),
    ...given({ ipv4: ipv4 === undefined ? undefined : addressText(ipv4, 4) }),
    ...given({ ipv6: ipv6 === undefined ? undefined : addressText(ipv6, 6) }),
    ...given({ mtu, direct, ecn }),
    ...given({ rateBps: rateBps === undefined ? undefined : Math.round(rateBps) }),
    ...given({ rtoMinMs: rtoMarginNs === undefined ? undefined : Math.ceil(rtoMarginNs / NS_PER_MS) }),
    ...given({ rtoCapMs: rtoCapNs === undefined ? undefined : Math.ceil(rtoCapNs / NS_PER_MS) }),
  };
}
