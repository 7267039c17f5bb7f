/**
 * A second model of PNA's table with `add_on_miss` and AUTO_DELETE, written from the comments of `pna.p4` (p4lang/pna). It has no timers: each
 * entry knows from when and for how long it lives, and whoever looks at it compares that with the time.
 */
export interface Lease {
  /** Milliseconds. */
  readonly since: number;
  /** Milliseconds; 0: for ever. */
  readonly lasts: number;
}

export type PacketKind = "hit only" | "restart" | "profile" | "profile and restart";

export class ExpiringTable {
  readonly #leases = new Map<number, Lease>();

  constructor(
    /** Milliseconds by profile. */
    readonly profiles: number[],
  ) {}

  /** Whether the packet finds its flow; one that does not adds it. */
  packet(now: number, flow: number, kind: PacketKind, profile: number): boolean {
    const lease = this.#alive(now, flow);
    if (lease === undefined) {
      this.#leases.set(flow, { since: now, lasts: this.profiles[profile]! });
      return false;
    }
    if (kind === "restart") this.#leases.set(flow, { since: now, lasts: lease.lasts });
    if (kind.startsWith("profile")) this.#leases.set(flow, { since: now, lasts: this.profiles[profile]! });
    return true;
  }

  /** A controller writes an entry with an idle timeout; whether it may. */
  write(now: number, flow: number, type: "insert" | "modify" | "delete", lasts: number): boolean {
    const isThere = this.#alive(now, flow) !== undefined;
    if (isThere === (type === "insert")) return false;
    if (type === "delete") this.#leases.delete(flow);
    else this.#leases.set(flow, { since: now, lasts });
    return true;
  }

  /** What a controller reads: the flows with what they last. */
  read(now: number): [flow: number, lasts: number][] {
    return [...this.#leases]
      .filter(([flow]) => this.#alive(now, flow) !== undefined)
      .map(([flow, { lasts }]): [number, number] => [flow, lasts])
      .sort(([a], [b]) => a - b);
  }

  #alive(now: number, flow: number): Lease | undefined {
    const lease = this.#leases.get(flow);
    return lease !== undefined && (lease.lasts === 0 || now < lease.since + lease.lasts) ? lease : undefined;
  }
}
