/** The values that the partials in `templates/partials/` name, and the P4 expressions among them. */
import { z } from "zod";
import { FIELD_BITS, type SelectorField } from "../../base/packets/index.js";

/** A hash of the five-tuple, as an action selector computes it. */
export const hashSchema = z.strictObject({
  algorithm: z.enum(["crc16", "crc32", "xor16", "csum16"]),
  /** `reversed` feeds the tuple's fields last to first: another function of the same tuple. */
  order: z.enum(["forward", "reversed"]),
});
export type HashChoice = z.output<typeof hashSchema>;

const FIVE_TUPLE = ["flow_src", "flow_dst", "flow_protocol", "flow_src_port", "flow_dst_port"];
/** What distinguishes flows in the outer header of an overlay, whose protocol and destination port are always the same, besides its selector. */
const OUTER = ["flow_src", "flow_dst"];

/**
 * For the partials `next_hop` and `hash_keys`: a direction in which a switch chooses between next hops. The hash of each
 * direction covers the five-tuple, a seed of its own (`meta.NAME_seed`) and the extra fields.
 *
 * Fields are listed in the order in which they are hashed. An extra field is near the front, because the last bits of a CRC's
 * input affect only some bits of its result. Its distance from the end differs between the two orders, because for
 * inputs of one length a CRC depends on a field's position only by this distance.
 *
 * `outer`: the hash covers addresses in place of the five-tuple, as that of an overlay's outer header does.
 */
export function directionValues(
  name: "up" | "down",
  { algorithm, order }: HashChoice,
  extra: readonly string[] = [],
  outer = false,
) {
  const seed = `${name}_seed`;
  const tuple = outer ? OUTER : FIVE_TUPLE;
  const fields = order === "forward" ? [...extra, ...tuple, seed] : [seed, ...extra, ...tuple.toReversed()];
  return { name, hash: { algorithm, order, fields } };
}

/** For the partial `parser`: how it fills `meta.selector`. An IPv4 packet has no flow label: it leaves those bits 0. */
export function selectorValues(field: SelectorField) {
  const reads: Record<SelectorField, { source: string; fromIpv4: string; fromIpv6: string }> = {
    dscp: { source: "the DSCP", fromIpv4: "hdr.ipv4.dscp", fromIpv6: "hdr.ipv6.dscp" },
    vlan: { source: "the VLAN id", fromIpv4: "", fromIpv6: "" },
    flow_label: { source: "the IPv6 flow label", fromIpv4: "", fromIpv6: "hdr.ipv6.flow_label" },
    dscp_flow_label: {
      source: "the IPv6 flow label and the DSCP",
      fromIpv4: "(bit<26>)hdr.ipv4.dscp",
      fromIpv6: "hdr.ipv6.flow_label ++ hdr.ipv6.dscp",
    },
    ttl: {
      source: "the upper three bits of the TTL or hop limit",
      fromIpv4: "hdr.ipv4.ttl[7:5]",
      fromIpv6: "hdr.ipv6.hop_limit[7:5]",
    },
    ttl4: {
      source: "the upper four bits of the TTL or hop limit",
      fromIpv4: "hdr.ipv4.ttl[7:4]",
      fromIpv6: "hdr.ipv6.hop_limit[7:4]",
    },
  };
  return { ...reads[field], fromVlan: field === "vlan", fieldBits: FIELD_BITS[field] };
}

/** For the partial `parser` of a program that reads no selector. */
export const NO_SELECTOR = { source: "", fromVlan: false, fromIpv4: "", fromIpv6: "", fieldBits: 0 } as const;

/** For the partial `output`: each fault table has room for both directions of every port of a large switch. */
const FAULT_ENTRIES = 1024;

/** For the partials `output` and `flow_metadata` of a program with this number of fault tables. */
export function faultValues(tables: number): { tables: string[]; entries: number } {
  return { tables: Array.from({ length: tables }, (_, i) => faultTableName(i)), entries: FAULT_ENTRIES };
}

/** Name of a fault table in its control. */
export function faultTableName(index: number): string {
  return index === 0 ? "faults" : `faults_${index + 1}`;
}
