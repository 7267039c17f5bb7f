/** A flow by its addresses, its protocol and its ports. */

/** The five-tuple of a flow, as one of its ends sends it. */
export interface FlowKey {
  /** IPv4 or IPv6 address. */
  readonly src: bigint;
  readonly dst: bigint;
  /** 6 TCP, 17 UDP. */
  readonly protocol: number;
  readonly srcPort: number;
  readonly dstPort: number;
}
