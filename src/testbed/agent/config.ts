/** What an agent is told about its host. */
import { formatValue } from "../../device/index.js";
import type { RequestText } from "../../host-agent/index.js";
import type { PolicyDescription, SelectorField } from "../../hosts/index.js";

export interface AgentNic {
  /** Name of the interface in the host. */
  readonly name: string;
  /** 48 bits: what frames to this host are addressed to. */
  readonly mac: bigint;
  /** 48 bits: of the switch behind the NIC, which all frames are sent to. */
  readonly gateway: bigint;
}

export interface AgentConfig {
  /** Of the host in the topology. */
  readonly name?: string;
  /** The host's addresses, one at least; 32 and 128 bits. */
  readonly ipv4?: bigint;
  readonly ipv6?: bigint;
  /** One or more; with several, the policy tells for each packet by which it leaves. */
  readonly nics: readonly AgentNic[];
  /** Header field that carries selectors. */
  readonly field: SelectorField;
  /** The `hosts` of a scheme's plan. */
  readonly policy: PolicyDescription;
  /** 32 bits; what choosers draw depends on it and on the flow's addresses and ports only. */
  readonly seed: number;
  /** Bytes of the largest packet that the host's kernel sends; default 1400. */
  readonly mtu?: number;
  /** The kernel sends by its NIC itself: of a host with one NIC and a plain policy. */
  readonly direct?: boolean;
  /** Connections of a direct host offer ECN. */
  readonly ecn?: boolean;
  /** Nanoseconds that a retransmission timeout has beyond the round trip, at the least; absent: the kernel's own. */
  readonly rtoMarginNs?: number;
  /** Nanoseconds; no retransmission timeout is longer, where the kernel can do that; absent: the kernel's own. */
  readonly rtoCapNs?: number;
}

/** Name of the agent's device in the host. */
const TUN_NAME = "agent0";

const NS_PER_MS = 1e6;

export function addressText(address: bigint, ipVersion: 4 | 6): string {
  return ipVersion === 4 ? formatValue(address, 32, "ipv4") : formatValue(address, 128, "ipv6");
}

/** The first request to an agent. Milliseconds are what the kernel counts its timeouts in: they are rounded up. */
export function startRequest(config: AgentConfig): RequestText {
  const { name, ipv4, ipv6, nics, field, policy, seed, mtu, direct, ecn, rtoMarginNs, rtoCapNs } = config;
  return {
    op: "start",
    ...(name === undefined ? {} : { name }),
    tun: TUN_NAME,
    field,
    policy,
    seed,
    nics: nics.map(({ name, mac, gateway }) => ({
      name,
      mac: formatValue(mac, 48, "mac"),
      gateway: formatValue(gateway, 48, "mac"),
    })),
    ...(ipv4 === undefined ? {} : { ipv4: addressText(ipv4, 4) }),
    ...(ipv6 === undefined ? {} : { ipv6: addressText(ipv6, 6) }),
    ...(mtu === undefined ? {} : { mtu }),
    ...(direct === undefined ? {} : { direct }),
    ...(ecn === undefined ? {} : { ecn }),
    ...(rtoMarginNs === undefined ? {} : { rtoMinMs: Math.ceil(rtoMarginNs / NS_PER_MS) }),
    ...(rtoCapNs === undefined ? {} : { rtoCapMs: Math.ceil(rtoCapNs / NS_PER_MS) }),
  };
}
