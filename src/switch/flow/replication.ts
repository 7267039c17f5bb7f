/** The packet replication engine: multicast groups of nodes, and mirror (clone) sessions. */
import type { Replica } from "../../program/index.js";
import { Handles } from "../tables/handles.js";

interface Node {
  readonly rid: number;
  ports: readonly number[];
  group: number | undefined;
}

export interface Group {
  /** Nodes in the order of joining; or copies in the order in which P4Runtime gave them. */
  readonly nodes: number[];
  given: readonly Replica[] | undefined;
  metadata: Uint8Array | undefined;
  replicas: readonly Replica[];
}

export interface MirrorSession {
  /** A single copy to a port, copies by a multicast group, or a list of them. */
  readonly port?: number;
  readonly group?: number;
  readonly replicas?: readonly Replica[];
  readonly classOfService: number;
  /** Bytes that the clone keeps; 0: all. */
  readonly lengthLimit: number;
}

export class Replication {
  readonly groups = new Map<number, Group>();
  readonly sessions = new Map<number, MirrorSession>();
  readonly #nodes = new Map<number, Node>();
  readonly #handles = new Handles();

  /** Copies of a group, in the order in which they are made; none for an unknown group. */
  replicas(group: number): readonly Replica[] {
    return this.groups.get(group)?.replicas ?? [];
  }

  setGroup(id: number, replicas: readonly Replica[], metadata?: Uint8Array): void {
    this.groups.set(id, { nodes: [], given: replicas, metadata, replicas });
  }

  createGroup(id: number): void {
    this.groups.set(id, { nodes: [], given: undefined, metadata: undefined, replicas: [] });
  }

  removeGroup(id: number): void {
    for (const node of this.groups.get(id)?.nodes ?? []) this.#nodes.get(node)!.group = undefined;
    this.groups.delete(id);
  }

  /** A node of simple_switch_CLI; returns its handle. */
  createNode(rid: number, ports: readonly number[]): number {
    const handle = this.#handles.take();
    this.#nodes.set(handle, { rid, ports: [...ports].sort((a, b) => a - b), group: undefined });
    return handle;
  }

  node(handle: number): Readonly<Node> | undefined {
    return this.#nodes.get(handle);
  }

  updateNode(handle: number, ports: readonly number[]): void {
    const node = this.#nodes.get(handle)!;
    node.ports = [...ports].sort((a, b) => a - b);
    if (node.group !== undefined) this.#refresh(node.group);
  }

  associate(group: number, handle: number): void {
    this.groups.get(group)!.nodes.push(handle);
    this.#nodes.get(handle)!.group = group;
    this.#refresh(group);
  }

  dissociate(group: number, handle: number): void {
    const { nodes } = this.groups.get(group)!;
    nodes.splice(nodes.indexOf(handle), 1);
    this.#nodes.get(handle)!.group = undefined;
    this.#refresh(group);
  }

  destroyNode(handle: number): void {
    const { group } = this.#nodes.get(handle)!;
    if (group !== undefined) this.dissociate(group, handle);
    this.#nodes.delete(handle);
    this.#handles.release(handle);
  }

  #refresh(id: number): void {
    const group = this.groups.get(id)!;
    group.replicas = group.nodes.flatMap((handle) => {
      const { rid, ports } = this.#nodes.get(handle)!;
      return ports.map((port) => ({ port, instance: rid }));
    });
  }
}
