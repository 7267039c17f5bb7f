/** What a Dahu switch does with a packet, from the writes of its control plane alone, by a CRC of our own. */

import type { FlowKey } from "../../../../src/base/packets/index.js";
import type { Match, Update } from "../../../../src/toolchain/device/index.js";
import { crc, pack } from "../crc.js";

/** Hashes of a round. */
const HASHES = 16;

export interface Passing {
  readonly flow: FlowKey;
  readonly deroutes: number;
  /** Port that it comes by. */
  readonly ingress: number;
}

export interface Choice {
  readonly port: number;
  readonly deroutes: number;
  /** Indexes of the map that were read up to the one that was taken; all of both rounds where none was. */
  readonly tried: readonly number[];
  readonly by: "first round" | "second round" | "fallback";
}

const keyOf = (match: readonly Match[]) => Number(match[0]?.kind === "exact" ? match[0].value : -1n);

/** Polynomials are those of an unconfigured program: CRC-32 in all places. */
export class ModelDahu {
  /** The map in a register, or its copy for each hash: by group times virtual ports plus virtual port. */
  readonly #register = new Map<number, number>();
  readonly #copies = new Map<number, Map<number, number>>();
  /** Entries of the last choice, by value of the hash: ports by falling priority. */
  readonly #orders = new Map<number, { priority: number; mask: bigint; port: number }[]>();
  #deroutesLeft = new Set<number>();
  readonly #tables = new Map<string, Map<number, Readonly<Record<string, bigint>>>>();
  #limit = 0;

  constructor(
    updates: readonly Update[],
    readonly virtualPorts: number,
    readonly rounds = 2,
  ) {
    for (const { entity } of updates) {
      if (entity.kind === "register") this.#register.set(entity.index, Number(entity.value));
      if (entity.kind !== "tableEntry" || entity.action?.kind !== "action") continue;
      const { params } = entity.action;
      if (entity.table.endsWith("deroute_limit")) this.#limit = Number(params["number"]);
      const table = entity.table.replace("FabricIngress.", "");
      const [first, second] = entity.match;
      if (table.startsWith("virtual_ports_") && second?.kind === "exact") {
        const copy = Number(table.slice("virtual_ports_".length));
        if (!this.#copies.has(copy)) this.#copies.set(copy, new Map());
        this.#copies
          .get(copy)!
          .set(keyOf(entity.match) * virtualPorts + Number(second.value), Number(params["port"]));
        continue;
      }
      if (table === "spare_ports" && first?.kind === "exact" && second?.kind === "ternary") {
        const order = this.#orders.get(Number(first.value)) ?? [];
        order.push({ priority: entity.priority, mask: second.mask, port: Number(params["port"]) });
        order.sort((a, b) => b.priority - a.priority);
        this.#orders.set(Number(first.value), order);
        continue;
      }
      if (table === "deroutes_left") this.#deroutesLeft.add(keyOf(entity.match));
      if (!this.#tables.has(table)) this.#tables.set(table, new Map());
      this.#tables.get(table)!.set(keyOf(entity.match), params);
    }
  }

  #entry(table: string, key: number): Readonly<Record<string, bigint>> {
    return this.#tables.get(table)!.get(key)!;
  }

  shortest(destination: number): bigint {
    return this.#entry("destinations", destination)["shortest"]!;
  }

  /** Undefined: no port is allowed. */
  choose(destination: number, { flow, deroutes, ingress }: Passing): Choice | undefined {
    const { group, shortest, further } = this.#entry("destinations", destination);
    const selector = Number(this.#entry("selectors", destination)["bitmap"]);
    const { members } = this.#entry("port_groups", Number(group));
    const all = (1n << 128n) - 1n;
    const hasCopies = this.#copies.size > 0;
    const isUsedUp = hasCopies ? !this.#deroutesLeft.has(deroutes) : deroutes >= this.#limit;
    const bitmap = selector === 1 || isUsedUp ? shortest! : selector === 0 ? all : further!;
    const allowed = bitmap & members! & ~(1n << BigInt(ingress - 1));
    if (allowed === 0n) return undefined;
    const isAllowed = (bit: number) => ((allowed >> BigInt(bit)) & 1n) === 1n;
    const taken = (bit: number, tried: readonly number[], by: Choice["by"]): Choice => ({
      port: bit + 1,
      deroutes: deroutes + (((shortest! >> BigInt(bit)) & 1n) === 1n ? 0 : 1),
      tried,
      by,
    });
    const { first, second, last } = hashes(flow, deroutes);
    const tried: number[] = [];
    const rounds = hasCopies
      ? [
          { start: first, step: 2 * (second & 0xffff) + 1, by: "first round" },
          { start: second, step: 2 * (first & 0xffff) + 1, by: "second round" },
        ]
      : [
          { start: first & 0xffff, step: (first >>> 16) | 1, by: "first round" },
          { start: second & 0xffff, step: (second >>> 16) | 1, by: "second round" },
        ];
    for (const [round, { start, step, by }] of rounds.slice(0, this.rounds).entries()) {
      for (let k = 0; k < HASHES; k++) {
        const index = Number(group) * this.virtualPorts + (((start & 0xffff) + k * step) % this.virtualPorts);
        tried.push(index);
        const map = hasCopies ? this.#copies.get(round * HASHES + k)! : this.#register;
        const bit = map.get(index) ?? (hasCopies ? 0xff : 0);
        if (isAllowed(bit)) return taken(bit, tried, by as Choice["by"]);
      }
    }
    if (hasCopies) {
      const order = this.#orders.get(last % this.#orders.size)!;
      return taken(order.find(({ mask }) => (mask & allowed) !== 0n)!.port, tried, "fallback");
    }
    const bits = Array.from({ length: 128 }, (_, bit) => bit).filter(isAllowed);
    return taken(bits[last % bits.length]!, tried, "fallback");
  }
}

function hashes(flow: FlowKey, deroutes: number) {
  const tuple = [
    { value: flow.src, width: 128 },
    { value: flow.dst, width: 128 },
    { value: BigInt(flow.protocol), width: 8 },
    { value: BigInt(flow.srcPort), width: 16 },
    { value: BigInt(flow.dstPort), width: 16 },
  ];
  const count = { value: BigInt(deroutes), width: 8 };
  return {
    first: crc("crc32", pack([count, ...tuple])),
    second: crc("crc32", pack([...tuple.toReversed(), count])),
    last: crc("crc32", pack([...tuple.slice(3), count, ...tuple.slice(0, 3)])),
  };
}
