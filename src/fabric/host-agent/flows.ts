/** The TCP flows that the agent knows, and the marks of their packets. */
import { type Random, toHex } from "../../base/index.js";
import {
  ECT_0,
  ETHERTYPE_VLAN,
  Ethernet,
  type FlowKey,
  Ip,
  PROTOCOL_TCP,
  type SelectorField,
  selectorHeaders,
  Vlan,
} from "../../base/packets/index.js";
import { CLIENT, type HostPolicy, SERVER } from "../hosts/index.js";
import { flowOf, isSame, reverseKey } from "./addresses.js";
import type { Mark } from "./marking.js";
import type { NicConfig } from "./requests.js";
import { DUPLICATES_FOR_LOSS, type FlowWatcher, TcpFlow } from "./tcp-flow.js";

// A map whose keys are bytes in packets: a lookup allocates no object.

interface Entry<T> {
  readonly key: Uint8Array;
  value: T;
  /** Another key with the same hash. */
  next: Entry<T> | undefined;
}

export class KeyMap<T> {
  readonly #entries = new Map<number, Entry<T>>();

  /** @param hash a 32-bit hash of `bytes[at, at + length)` */
  constructor(readonly hash = keyHash) {}

  /** The value of the key that stands in `bytes[at, at + length)`. */
  get(bytes: Uint8Array, at: number, length: number): T | undefined {
    let entry = this.#entries.get(this.hash(bytes, at, length));
    while (entry !== undefined && !isAt(entry.key, bytes, at, length)) entry = entry.next;
    return entry?.value;
  }

  set(key: Uint8Array, value: T): void {
    const number = this.hash(key, 0, key.length);
    const first = this.#entries.get(number);
    for (let entry = first; entry !== undefined; entry = entry.next) {
      if (!isAt(entry.key, key, 0, key.length)) continue;
      entry.value = value;
      return;
    }
    this.#entries.set(number, { key, value, next: first });
  }

  delete(key: Uint8Array): void {
    const number = this.hash(key, 0, key.length);
    let before: Entry<T> | undefined;
    let entry = this.#entries.get(number);
    while (entry !== undefined && !isAt(entry.key, key, 0, key.length)) {
      before = entry;
      entry = entry.next;
    }
    if (entry === undefined) return;
    if (before !== undefined) before.next = entry.next;
    else if (entry.next !== undefined) this.#entries.set(number, entry.next);
    else this.#entries.delete(number);
  }
}

/** 32 bits; a key has a multiple of four bytes. */
function keyHash(bytes: Uint8Array, at: number, length: number): number {
  let sum = length;
  for (let i = at; i < at + length; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    sum = Math.imul(sum ^ word, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  return sum;
}

function isAt(key: Uint8Array, bytes: Uint8Array, at: number, length: number): boolean {
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++) if (key[i] !== bytes[at + i]) return false;
  return true;
}

/** Maximum number of flows. Above it the flow that was opened first is dropped; if it continues, it begins as a new flow. */
const MOST_FLOWS = 16_384;
/** Closed flows stay for this time, so that their last segments find them. */
const LINGER_NS = 10e9;

interface HostConfig {
  readonly addresses: readonly Uint8Array[];
  readonly nics: readonly NicConfig[];
  readonly field: SelectorField;
  readonly policy: HostPolicy;
}

export class Flows {
  readonly #sending = new KeyMap<TcpFlow>();
  readonly #receiving = new KeyMap<TcpFlow>();
  /** In the order in which they were opened. */
  readonly #flows = new Set<TcpFlow>();
  readonly #closed: { readonly at: number; readonly flow: TcpFlow }[] = [];
  /** The watchers of flows that will be opened, by the key of what they send, in hex. */
  readonly #watchers = new Map<string, FlowWatcher>();

  /** @param random flows fork it by their key */
  constructor(
    readonly host: HostConfig,
    readonly random: Random,
    /** Nanoseconds: the minimum by which the kernel's retransmission timeout exceeds a round trip. */
    readonly leastRtoNs: number,
  ) {}

  get count(): number {
    return this.#flows.size;
  }

  /** The flow whose key, as this host sends it, is in `bytes` at `at`. */
  sending(bytes: Uint8Array, at: number, length: number): TcpFlow | undefined {
    return this.#sending.get(bytes, at, length);
  }

  /** The flow whose key, as the other end sends it, is in `bytes` at `at`. */
  receiving(bytes: Uint8Array, at: number, length: number): TcpFlow | undefined {
    return this.#receiving.get(bytes, at, length);
  }

  /** @param key as this host sends it; `old`: the earlier flow with this key */
  open(key: Uint8Array, old: TcpFlow | undefined, role: "client" | "server"): TcpFlow {
    if (old !== undefined) this.#forget(old);
    const tuple = flowOf(key, PROTOCOL_TCP);
    const name = toHex(key);
    const generation = old === undefined ? 0 : old.parts.generation + 1;
    const watcher = this.#watchers.get(name);
    this.#watchers.delete(name);
    const end = role === "client" ? CLIENT : SERVER;
    const bytes = watcher?.bytes;
    // A random stream of its own: the choices of a flow do not depend on other flows. A reused key draws again.
    const chooser = this.host.policy.open(
      tuple,
      this.random.fork(name).fork(generation),
      bytes === undefined ? end : { ...end, bytes },
    );
    const flow = new TcpFlow({
      family: Ip.familyOf(key),
      key,
      tuple,
      chooser,
      generation,
      leastRtoNs: this.leastRtoNs,
      markOf: this.#markOf,
      isTimeout: isKernelsTimeout,
    });
    flow.watcher = watcher;
    this.#sending.set(key, flow);
    this.#receiving.set(reverseKey(key), flow);
    this.#flows.add(flow);
    if (this.#flows.size > MOST_FLOWS) this.#forget(this.#flows.values().next().value!);
    return flow;
  }

  #forget(flow: TcpFlow): void {
    if (!this.#flows.delete(flow)) return;
    const { key } = flow.parts;
    this.#sending.delete(key);
    this.#receiving.delete(reverseKey(key));
  }

  /** Directions of a flow have ended (see `TcpFlow.ends`) at a time in nanoseconds. */
  end(flow: TcpFlow, ends: number, now: number): void {
    const before = flow.ends;
    flow.ends |= ends;
    if (before === 3 || flow.ends !== 3) return;
    this.#closed.push({ at: now, flow });
    let old = 0;
    while (now - this.#closed[old]!.at > LINGER_NS) this.#forget(this.#closed[old++]!.flow);
    if (old > 0) this.#closed.splice(0, old);
  }

  /** Registers a watcher for the next flow that sends under this key. */
  watch(key: Uint8Array, watcher: FlowWatcher): void {
    this.#watchers.set(toHex(key), watcher);
  }

  /** Ends {@link watch}, whether the flow was opened or not. */
  unwatch(key: Uint8Array, watcher: FlowWatcher): void {
    this.#watchers.delete(toHex(key));
    const flow = this.#sending.get(key, 0, key.length);
    if (flow?.watcher === watcher) flow.watcher = undefined;
  }

  isOwn(address: Uint8Array): boolean {
    return this.host.addresses.some((own) => isSame(own, address));
  }

  readonly #markOf = (flow: TcpFlow, selector: number): Mark =>
    this.mark(flow.parts.family, flow.parts.tuple, selector, this.host.policy.ecn === true ? ECT_0 : 0);

  /** The mark of a packet of any protocol; where the host has several NICs, the policy chooses one. */
  mark(family: Ip.Family, tuple: FlowKey, selector: number, ecn = 0): Mark {
    const { nics, field, policy } = this.host;
    const nic = nics.length === 1 ? 0 : policy.nic(tuple, selector, nics.length);
    const { dscp, vlan, flowLabel, ttl } = selectorHeaders(field, selector);
    const { mac, gateway } = nics[nic]!;
    const ethernet = new Uint8Array(Ethernet.LENGTH + (vlan === undefined ? 0 : Vlan.LENGTH));
    Ethernet.setAddresses(ethernet, gateway, mac);
    Ethernet.setType(ethernet, vlan === undefined ? family.ethertype : ETHERTYPE_VLAN);
    if (vlan !== undefined) {
      const tag = { priority: 0, dropEligible: false, id: vlan, type: family.ethertype };
      Vlan.emit(ethernet, Ethernet.LENGTH, tag);
    }
    return {
      nic,
      ethernet,
      trafficClass: (dscp << 2) | ecn,
      flowLabel: family === Ip.IPV4 ? 0 : flowLabel,
      ttl,
    };
  }
}

/** For sockets of this process the kernel reports timeouts; for others, few duplicate acknowledgements indicate a timeout, not a loss. */
function isKernelsTimeout({ watcher }: TcpFlow, duplicates: number): boolean {
  return watcher === undefined ? duplicates < DUPLICATES_FOR_LOSS : watcher.inLossState();
}
