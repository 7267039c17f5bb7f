/** A whole frame as representations: the headers that are known, as far as they are whole and their checksums are right. */

import * as Arp from "./arp.js";
import * as Ethernet from "./ethernet.js";
import * as Icmp from "./icmp.js";
import * as Icmpv6 from "./icmpv6.js";
import * as Ip from "./ip.js";
import * as Ipv4 from "./ipv4.js";
import * as Ipv6 from "./ipv6.js";
import * as Ipv6Extensions from "./ipv6-extensions.js";
import {
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_SERVICE_VLAN,
  ETHERTYPE_VLAN,
  PROTOCOL_ICMP,
  PROTOCOL_ICMPV6,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
} from "./numbers.js";
import * as Tcp from "./tcp.js";
import * as Udp from "./udp.js";
import * as Vlan from "./vlan.js";

export type Network =
  | { readonly kind: "arp"; readonly message: Arp.Message }
  | { readonly kind: "ipv4"; readonly header: Ipv4.Header }
  | {
      readonly kind: "ipv6";
      readonly header: Ipv6.Header;
      readonly extensions: readonly Ipv6Extensions.Extension[];
    };

export type Transport =
  | { readonly kind: "tcp"; readonly header: Tcp.Header }
  | { readonly kind: "udp"; readonly header: Udp.Header }
  | { readonly kind: "icmp"; readonly header: Icmp.Header }
  | { readonly kind: "icmpv6"; readonly header: Icmpv6.Header };

export interface Dissection {
  readonly ethernet: Ethernet.Header;
  /** The outer one first. */
  readonly tags: readonly Vlan.Tag[];
  readonly network?: Network;
  /** Not of fragments. */
  readonly transport?: Transport;
  /** What follows the last header that is known. Behind IP it ends with the packet. */
  readonly payload: Uint8Array;
}

/** Undefined for a frame without a whole Ethernet header. */
export function dissect(frame: Uint8Array): Dissection | undefined {
  const ethernet = Ethernet.parse(frame);
  if (ethernet === undefined) return undefined;
  const tags: Vlan.Tag[] = [];
  let at = Ethernet.LENGTH;
  let { type } = ethernet;
  while (type === ETHERTYPE_VLAN || type === ETHERTYPE_SERVICE_VLAN) {
    const tag = Vlan.parse(frame, at);
    if (tag === undefined) break;
    tags.push(tag);
    at += Vlan.LENGTH;
    type = tag.type;
  }
  const link = { ethernet, tags };
  if (type === ETHERTYPE_IPV4) return { ...link, ...ofIpv4(frame, at) };
  if (type === ETHERTYPE_IPV6) return { ...link, ...ofIpv6(frame, at) };
  const message = type === ETHERTYPE_ARP ? Arp.parse(frame, at) : undefined;
  if (message === undefined) return { ...link, payload: frame.slice(at) };
  return { ...link, network: { kind: "arp", message }, payload: frame.slice(at + Arp.LENGTH) };
}

type Inside = Pick<Dissection, "network" | "transport" | "payload">;

function ofIpv4(frame: Uint8Array, ip: number): Inside {
  const header = Ipv4.parse(frame, ip, frame.length);
  if (header === undefined) return { payload: frame.slice(ip) };
  const at = ip + Ipv4.headerLength(frame, ip);
  const end = ip + Ipv4.totalLength(frame, ip);
  const network = { kind: "ipv4", header } as const;
  if (Ipv4.isFragment(frame, ip)) return { network, payload: frame.slice(at, end) };
  return { network, ...ofTransport(frame, { ip, family: Ip.IPV4, protocol: header.protocol, at, end }) };
}

function ofIpv6(frame: Uint8Array, ip: number): Inside {
  const header = Ipv6.parse(frame, ip, frame.length);
  const end = header === undefined ? ip : ip + Ipv6.LENGTH + header.payloadLength;
  const chain = header && Ipv6Extensions.parse(frame, ip, end);
  if (header === undefined || chain === undefined) return { payload: frame.slice(ip) };
  const { headers: extensions, protocol, at } = chain;
  const network = { kind: "ipv6", header, extensions } as const;
  if (chain.isFragment) return { network, payload: frame.slice(at, end) };
  return { network, ...ofTransport(frame, { ip, family: Ip.IPV6, protocol, at, end }) };
}

interface Places {
  readonly ip: number;
  readonly family: Ip.Family;
  /** Of the header at `at`. */
  readonly protocol: number;
  readonly at: number;
  readonly end: number;
}

function ofTransport(frame: Uint8Array, places: Places): Pick<Dissection, "transport" | "payload"> {
  const { at, end } = places;
  const transport = parseTransport(frame, places);
  if (transport === undefined) return { payload: frame.slice(at, end) };
  return { transport, payload: frame.slice(at + headerLength(transport, frame, at), end) };
}

function parseTransport(frame: Uint8Array, { ip, family, protocol, at, end }: Places): Transport | undefined {
  const isIpv4 = family === Ip.IPV4;
  const pseudoSum = Ip.pseudoSum(frame, ip, family, protocol, end - at);
  if (protocol === PROTOCOL_TCP && Tcp.check(frame, at, end, pseudoSum)) {
    const header = Tcp.parse(frame, at, end);
    return header && { kind: "tcp", header };
  }
  if (protocol === PROTOCOL_UDP && Udp.check(frame, at, end, pseudoSum, family.version)) {
    const header = Udp.parse(frame, at, end);
    return header && { kind: "udp", header };
  }
  if (protocol === PROTOCOL_ICMP && isIpv4) {
    const header = Icmp.parse(frame, at, end);
    return header && { kind: "icmp", header };
  }
  if (protocol === PROTOCOL_ICMPV6 && !isIpv4 && Icmpv6.check(frame, at, end, pseudoSum)) {
    const header = Icmpv6.parse(frame, at, end);
    return header && { kind: "icmpv6", header };
  }
  return undefined;
}

function headerLength(transport: Transport, frame: Uint8Array, at: number): number {
  if (transport.kind === "tcp") return Tcp.headerLength(frame, at);
  return transport.kind === "udp" ? Udp.LENGTH : Icmp.LENGTH;
}
