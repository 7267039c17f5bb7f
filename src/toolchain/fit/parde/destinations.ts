/** Where the parser puts fields: containers of the allocation, and bytes past the pipeline. */
import type { FitModel, Gress } from "../model/model.js";
import { containerName, FROM_PARSER, type PhvAllocation } from "../phv/allocation.js";
import type { ContainerSize } from "../phv/pack.js";
import type { ContainerWrite, PastWrite } from "./machine.js";
import type { PacketState, Taken, Written } from "./packet.js";

interface Place {
  readonly container: string;
  readonly size: ContainerSize;
  readonly lo: number;
  readonly width: number;
  readonly at: number;
}

export interface Destinations {
  /** The containers that a state of the packet fills, by the first byte that each takes. */
  writesOf(state: PacketState): ContainerWrite[];
  pastOf(state: PacketState): PastWrite[];
}

export function destinationsOf(
  model: FitModel,
  { containers, bypasses }: PhvAllocation,
  gress: Gress,
): Destinations {
  const places = new Map<string, Place[]>();
  for (const container of containers) {
    if (container.gress !== gress) continue;
    for (const { field, lo, width, at, live } of container.slices) {
      if (live.from !== FROM_PARSER) continue;
      const place = { container: containerName(container), size: container.size, lo, width, at };
      places.set(field, [...(places.get(field) ?? []), place]);
    }
  }
  for (const [value, field] of model.aliases) places.set(value, places.get(field) ?? []);
  const past = bypasses.filter((one) => one.gress === gress);
  return {
    writesOf: ({ taken, written }) =>
      merged([
        ...taken.flatMap((one) => takenWrites(one, places.get(one.field) ?? [])),
        ...written.flatMap((one) => constantWrites(one, places.get(one.field) ?? [])),
      ]),
    pastOf: ({ headers, taken }) =>
      headers.flatMap(({ header, at }) =>
        past
          .filter((one) => one.header === header)
          .map(({ firstByte, bytes }) => {
            const from = Math.floor(at / 8) + firstByte;
            const inside = ({ field, at: bit, width }: Taken) =>
              model.fields.get(field)?.header === header &&
              bit < 8 * (from + bytes) &&
              bit + width > 8 * from;
            return { tag: `${header}+${firstByte}`, from, bytes, taken: taken.filter(inside) };
          }),
      ),
  };
}

/** The write of each container that has bits of what is taken. */
function takenWrites(one: Taken, places: readonly Place[]): ContainerWrite[] {
  return places.flatMap(({ container, size, lo, width, at }): ContainerWrite[] => {
    const low = Math.max(lo, one.lo);
    const high = Math.min(lo + width, one.lo + one.width);
    if (low >= high) return [];
    // Bit `low` of the field stands so far behind the first bit of the packet that is taken.
    const first = one.at + one.width - (high - one.lo);
    const from = Math.floor((first - (size - (at + high - lo))) / 8);
    const taken = [{ field: one.field, lo: low, at: first, width: high - low }];
    return [{ container, size, from, taken, written: [], constant: 0n }];
  });
}

function constantWrites({ field, value }: Written, places: readonly Place[]): ContainerWrite[] {
  return places.flatMap(({ container, size, lo, width, at }): ContainerWrite[] => {
    const part = (value >> BigInt(lo)) & ((1n << BigInt(width)) - 1n);
    if (part === 0n) return [];
    const written = [{ field, value }];
    return [{ container, size, from: undefined, taken: [], written, constant: part << BigInt(at) }];
  });
}

/** One write a container and place of the packet, in the order of the packet; constants of one container are one, at the end. */
function merged(writes: readonly ContainerWrite[]): ContainerWrite[] {
  const byPlace = new Map<string, ContainerWrite>();
  for (const write of writes) {
    const key = `${write.container} ${write.from}`;
    const old = byPlace.get(key);
    byPlace.set(
      key,
      old === undefined
        ? write
        : {
            ...old,
            taken: [...old.taken, ...write.taken],
            written: [...old.written, ...write.written],
            constant: old.constant | write.constant,
          },
    );
  }
  const last = Number.MAX_SAFE_INTEGER;
  return [...byPlace.values()].sort((a, b) => (a.from ?? last) - (b.from ?? last));
}
