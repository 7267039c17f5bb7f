/** Memory that the primitives need in a switch (Dahu, section 5). */

/** Sizes of a switch, as the paper counts them. */
interface SwitchSizes {
  readonly ports: number;
  readonly groups: number;
  /** Number for each group. */
  readonly virtualPorts: number;
  readonly prefixes: number;
  /** Allowed-port bitmaps of each prefix, in addition to the one that allows all ports. */
  readonly bitmaps: number;
}

/** Bytes of each table. */
interface SwitchMemory {
  /** Virtual to physical ports: one byte each, for up to 256 ports. */
  readonly map: number;
  /** 64-bit counters of (group, port). */
  readonly counters: number;
  /** One bit for each port, for each prefix and bitmap. */
  readonly bitmaps: number;
  readonly total: number;
}

const COUNTER_BYTES = 8;

/** Of 128 ports, 64 groups of 1024, 16,384 prefixes and 2 bitmaps: 64 + 64 + 512 = 640 KB; of 64 ports: 64 + 32 + 256 = 352 KB. */
export function switchMemory({ ports, groups, virtualPorts, prefixes, bitmaps }: SwitchSizes): SwitchMemory {
  const bytesOfPort = Math.ceil(Math.ceil(Math.log2(Math.max(2, ports))) / 8);
  const map = groups * virtualPorts * bytesOfPort;
  const counters = groups * ports * COUNTER_BYTES;
  const bits = Math.ceil((prefixes * bitmaps * ports) / 8);
  return { map, counters, bitmaps: bits, total: map + counters + bits };
}
