/** The header fields of a packet that can carry the selector (P-ECMP, section 4 "Host machine"). */

export const SELECTOR_FIELDS = ["dscp", "vlan", "flow_label", "dscp_flow_label", "ttl", "ttl4"] as const;
export type SelectorField = (typeof SELECTOR_FIELDS)[number];

/**
 * Bits of the TTL or hop limit below the selector. They are all 1 at first: with five bits a packet may cross 30 switches with its
 * selector unchanged, with four bits 14.
 */
const HOP_BITS = { ttl: 5, ttl4: 4 } as const;

/** Number of bits of each field. An IPv4 packet has no flow label: there it offers only the bits of `dscp`. */
export const FIELD_BITS: Readonly<Record<SelectorField, number>> = {
  dscp: 6,
  vlan: 12,
  flow_label: 20,
  dscp_flow_label: 26,
  ttl: 8 - HOP_BITS.ttl,
  ttl4: 8 - HOP_BITS.ttl4,
};

/** The header values of a packet that carry a selector. */
export interface SelectorHeaders {
  dscp: number;
  /** VLAN id; undefined: the packet has no tag. */
  vlan: number | undefined;
  /** IPv6 only. */
  flowLabel: number;
  /** TTL or hop limit; undefined: the sender's default. */
  ttl?: number | undefined;
}

/** Header values that carry `selector`. With both fields the DSCP holds the low six bits, the label the rest. */
export function selectorHeaders(field: SelectorField, selector: number): SelectorHeaders {
  switch (field) {
    case "dscp":
      return { dscp: selector & 0x3f, vlan: undefined, flowLabel: 0 };
    case "vlan":
      return { dscp: 0, vlan: selector & 0xfff, flowLabel: 0 };
    case "flow_label":
      return { dscp: 0, vlan: undefined, flowLabel: selector & 0xfffff };
    case "dscp_flow_label":
      return { dscp: selector & 0x3f, vlan: undefined, flowLabel: (selector >>> 6) & 0xfffff };
    case "ttl":
    case "ttl4": {
      const ttl = (((selector + 1) << HOP_BITS[field]) - 1) & 0xff;
      return { dscp: 0, vlan: undefined, flowLabel: 0, ttl };
    }
  }
}

/** The selector that a packet's headers carry: the inverse of {@link selectorHeaders}. */
export function selectorOf(field: SelectorField, headers: SelectorHeaders): number {
  switch (field) {
    case "dscp":
      return headers.dscp;
    case "vlan":
      return headers.vlan ?? 0;
    case "flow_label":
      return headers.flowLabel;
    case "dscp_flow_label":
      return headers.flowLabel * 64 + headers.dscp;
    case "ttl":
    case "ttl4":
      return (headers.ttl ?? 0) >>> HOP_BITS[field];
  }
}
