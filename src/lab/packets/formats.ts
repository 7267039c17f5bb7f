/** The fields of well-known headers, in their order on the wire, and the header types of programs in the same form. */
import type { ProgramView } from "../protocol.js";

export interface HeaderFormat {
  readonly name: string;
  /** A field of 0 bits has any number of whole bytes. */
  readonly fields: readonly { readonly name: string; readonly bits: number }[];
}

function format(name: string, fields: string): HeaderFormat {
  return {
    name,
    fields: fields.split(" ").map((field) => {
      const [label = "", bits] = field.split(":");
      return { name: label, bits: Number(bits) };
    }),
  };
}

const KNOWN: readonly HeaderFormat[] = [
  format("ethernet", "dst:48 src:48 type:16"),
  format("vlan", "pcp:3 dei:1 id:12 type:16"),
  format("arp", "htype:16 ptype:16 hlen:8 plen:8 operation:16 sha:48 spa:32 tha:48 tpa:32"),
  format(
    "ipv4",
    "version:4 ihl:4 dscp:6 ecn:2 length:16 id:16 flags:3 offset:13 ttl:8 protocol:8 checksum:16 src:32 dst:32",
  ),
  format("ipv6", "version:4 class:8 label:20 length:16 next:8 hops:8 src:128 dst:128"),
  format("icmp", "type:8 code:8 checksum:16 id:16 sequence:16"),
  format(
    "tcp",
    "sport:16 dport:16 sequence:32 acknowledgement:32 offset:4 reserved:4 flags:8 window:16 checksum:16 urgent:16",
  ),
  format("udp", "sport:16 dport:16 length:16 checksum:16"),
];

/** By name: the well-known headers, then those of the programs. */
export function formatsOf(programs: readonly Pick<ProgramView, "headers">[]): Map<string, HeaderFormat> {
  const formats = new Map<string, HeaderFormat>();
  for (const { headers } of programs) for (const header of headers) formats.set(header.name, header);
  for (const known of KNOWN) formats.set(known.name, known);
  return formats;
}
