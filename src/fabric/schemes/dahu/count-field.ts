/** The field of a packet that carries its deroute count (Dahu, section 3.3), and the bit for "the last switch derouted it" (section 7). */

/** Fields that IPv4 and IPv6 packets have. Hosts write 0. */
export const DEROUTE_FIELDS = ["dscp", "vlan", "ttl"] as const;
export type DerouteField = (typeof DEROUTE_FIELDS)[number];

interface CountField {
  /** Width of the field. */
  readonly bits: number;
  /** The lowest bit of the count, which has four bits, or all bits of a narrower field. */
  readonly countLow: number;
  /** The bit for feedback; undefined: the field has none left. */
  readonly flagBit: number | undefined;
  /** The maximum of the count. */
  readonly most: number;
}

export function countField(field: DerouteField): CountField {
  switch (field) {
    case "dscp":
      return { bits: 6, countLow: 2, flagBit: 1, most: 15 };
    case "vlan":
      return { bits: 12, countLow: 0, flagBit: 4, most: 15 };
    case "ttl":
      return { bits: 3, countLow: 0, flagBit: undefined, most: 7 };
  }
}
