/**
 * Multicast nodes, and mirrors that follow a group. A P4Runtime group is a list of copies. In the command text a group
 * consists of nodes (a replication id and ports), which are kept here. A mirror may name a group; the copies of the group
 * are then written to the clone session whenever they change.
 */
import { defined } from "../../base/index.js";
import {
  type CloneSessionEntry,
  type Device,
  DeviceError,
  type Entity,
  type MulticastGroupEntry,
  type Replica,
  type Update,
} from "../device/index.js";

interface Node {
  readonly rid: number;
  ports: readonly number[];
  group: number | undefined;
}

export class ReplicationNodes {
  /** Handles of nodes in the order in which they joined, by group. */
  readonly groups = new Map<number, number[]>();
  readonly #nodes = new Map<number, Node>();
  /** Group that a mirror follows. */
  readonly #mirrors = new Map<number, number>();

  private constructor(readonly device: Device) {}

  /** Makes nodes of existing groups: consecutive copies of one instance become one node. */
  static async of(device: Device): Promise<ReplicationNodes> {
    const nodes = new ReplicationNodes(device);
    for (const entity of await device.read([{ kind: "multicastGroup" }]))
      if (entity.kind === "multicastGroup") nodes.#take(entity);
    return nodes;
  }

  #take({ groupId, replicas }: MulticastGroupEntry): void {
    const handles: number[] = [];
    let last: Node | undefined;
    for (const { port, instance } of replicas) {
      if (last?.rid === instance && !last.ports.includes(port)) {
        last.ports = [...last.ports, port];
        continue;
      }
      const handle = this.createNode(instance, [port]);
      last = defined(this.#nodes.get(handle));
      last.group = groupId;
      handles.push(handle);
    }
    this.groups.set(groupId, handles);
  }

  /** The handle of a new node: the lowest free number. */
  createNode(rid: number, ports: readonly number[]): number {
    let handle = 0;
    while (this.#nodes.has(handle)) handle++;
    this.#nodes.set(handle, { rid, ports: sorted(ports), group: undefined });
    return handle;
  }

  node(handle: number): Readonly<Node> | undefined {
    return this.#nodes.get(handle);
  }

  replicas(group: number): Replica[] {
    return (this.groups.get(group) ?? []).flatMap((handle) => {
      const { rid, ports } = defined(this.#nodes.get(handle));
      return ports.map((port) => ({ port, instance: rid }));
    });
  }

  async createGroup(group: number): Promise<void> {
    await this.device.write([this.#group("insert", group, [])]);
    this.groups.set(group, []);
    await this.#follow(group);
  }

  async destroyGroup(group: number): Promise<void> {
    await this.device.write([this.#group("delete", group, [])]);
    for (const handle of this.groups.get(group) ?? []) defined(this.#nodes.get(handle)).group = undefined;
    this.groups.delete(group);
    await this.#follow(group);
  }

  async updateNode(handle: number, ports: readonly number[]): Promise<void> {
    const node = defined(this.#nodes.get(handle));
    const before = node.ports;
    node.ports = sorted(ports);
    await this.#rewrite(node.group, () => {
      node.ports = before;
    });
  }

  async associate(group: number, handle: number): Promise<void> {
    const node = defined(this.#nodes.get(handle));
    const members = defined(this.groups.get(group));
    members.push(handle);
    node.group = group;
    await this.#rewrite(group, () => {
      members.pop();
      node.group = undefined;
    });
  }

  async dissociate(group: number, handle: number): Promise<void> {
    const node = defined(this.#nodes.get(handle));
    const members = defined(this.groups.get(group));
    const at = members.indexOf(handle);
    members.splice(at, 1);
    node.group = undefined;
    await this.#rewrite(group, () => {
      members.splice(at, 0, handle);
      node.group = group;
    });
  }

  async destroyNode(handle: number): Promise<void> {
    const { group } = defined(this.#nodes.get(handle));
    if (group !== undefined) await this.dissociate(group, handle);
    this.#nodes.delete(handle);
  }

  /** The group that a mirror follows. */
  mirrorGroup(session: number): number | undefined {
    return this.#mirrors.get(session);
  }

  /** Makes or replaces a mirror to a port, or to a group, whose later changes it follows. */
  async setMirror(sessionId: number, to: { port: number } | { group: number }): Promise<void> {
    const replicas = "port" in to ? [{ port: to.port, instance: 0 }] : this.replicas(to.group);
    const there = await this.mirror(sessionId);
    await this.device.write([session(there === undefined ? "insert" : "modify", sessionId, replicas)]);
    if ("group" in to) this.#mirrors.set(sessionId, to.group);
    else this.#mirrors.delete(sessionId);
  }

  async mirror(sessionId: number): Promise<CloneSessionEntry | undefined> {
    let found: readonly Entity[];
    try {
      found = await this.device.read([{ kind: "cloneSession", sessionId }]);
    } catch (error) {
      // BMv2's server reports an error where the standard requires an empty answer
      if (error instanceof DeviceError && error.code === "NOT_FOUND") return undefined;
      throw error;
    }
    return found.find(
      (one): one is CloneSessionEntry => one.kind === "cloneSession" && one.sessionId === sessionId,
    );
  }

  async deleteMirror(sessionId: number): Promise<void> {
    await this.device.write([session("delete", sessionId, [])]);
    this.#mirrors.delete(sessionId);
  }

  /** Writes the present state of a group. When the device refuses, the change is undone. */
  async #rewrite(group: number | undefined, undo: () => void): Promise<void> {
    if (group === undefined) return;
    try {
      await this.device.write([this.#group("modify", group, this.replicas(group))]);
    } catch (error) {
      undo();
      throw error;
    }
    await this.#follow(group);
  }

  async #follow(group: number): Promise<void> {
    const sessions = [...this.#mirrors].filter(([, followed]) => followed === group);
    if (sessions.length === 0) return;
    await this.device.write(sessions.map(([id]) => session("modify", id, this.replicas(group))));
  }

  #group(type: Update["type"], groupId: number, replicas: readonly Replica[]): Update {
    return { type, entity: { kind: "multicastGroup", groupId, replicas } };
  }
}

function session(type: Update["type"], sessionId: number, replicas: readonly Replica[]): Update {
  const entity = {
    kind: "cloneSession" as const,
    sessionId,
    replicas,
    classOfService: 0,
    packetLengthBytes: 0,
  };
  return { type, entity };
}

const sorted = (ports: readonly number[]): number[] => [...ports].sort((a, b) => a - b);
