/** The packet replication engine: multicast groups and mirror (clone) sessions. */
import type { Replica } from "../../device/index.js";

export interface Group {
  /** In the order in which the copies are made. */
  readonly replicas: readonly Replica[];
  readonly metadata: Uint8Array | undefined;
}

export interface MirrorSession {
  readonly replicas: readonly Replica[];
  readonly classOfService: number;
  /** Number of bytes that the clone keeps; 0: all. */
  readonly lengthLimit: number;
}

export class Replication {
  readonly groups = new Map<number, Group>();
  readonly sessions = new Map<number, MirrorSession>();

  /** Copies of a group, in the order in which they are made; none for an unknown group. */
  replicas(group: number): readonly Replica[] {
    return this.groups.get(group)?.replicas ?? [];
  }
}
