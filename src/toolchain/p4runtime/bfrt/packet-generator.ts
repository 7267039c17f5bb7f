/**
 * The packet generator: a controller writes bytes into its buffer, enables it at ports 68 to 71 of a pipe, and configures applications,
 * which run in each pipe that has such a port. Counts of batches and packets are one less than those that are made.
 */
import { type Device, DeviceError, type PacketApp } from "../../device/index.js";
import { type chipTables, PATTERN, PORT_DOWN, TIMER } from "./chip-schema.js";
import { FixedTable, type Stored } from "./fixed-table.js";
import { asNumber, bitsOf } from "./values.js";

const PORTS_OF_PIPE = 128;
const PIPES = 4;
/** Timers of a switch in software; a controller may ask for shorter ones. */
const SHORTEST_NS = 1000;
const BUFFER_BYTES = 16 * 1024;

type Values = Stored["values"];

/** The first 32 bits; Tofino 2 has patterns of 128, of which the switch compares those. */
function patternOf(values: Values, bits: number) {
  const rest = BigInt(bits - 32);
  const [value, mask] = ["pattern_value", "pattern_mask"].map((name) => BigInt(asBits(values, name)));
  if (mask! & ((1n << rest) - 1n))
    throw new DeviceError("UNIMPLEMENTED", "a pattern is compared with the first 32 bits of a packet");
  return { kind: "recirculation", value: Number(value! >> rest), mask: Number(mask! >> rest) } as const;
}

function asBits(values: Values, name: string): bigint {
  const value = values.get(name);
  return typeof value === "bigint" ? value : 0n;
}

export function packetGenerator(device: Device, tables: ReturnType<typeof chipTables>): FixedTable[] {
  const bytes = new Uint8Array(BUFFER_BYTES);
  const { apps: appTable, ports: portTable, buffer: bufferTable } = tables;
  const patternBits = bitsOf(
    appTable.action_specs
      ?.find(({ name }) => name === PATTERN)
      ?.data.find(({ name }) => name === "pattern_value")?.type,
  );

  const triggerOf = ({ action, values }: Stored): PacketApp["trigger"] | undefined => {
    switch (action) {
      case TIMER.once:
      case TIMER.periodic:
        return {
          kind: "timer",
          nanoseconds: Math.max(SHORTEST_NS, asNumber(values.get("timer_nanosec"))),
          isPeriodic: action === TIMER.periodic,
        };
      case PORT_DOWN:
        return { kind: "portDown" };
      case PATTERN:
        return patternOf(values, patternBits);
      default:
        return undefined;
    }
  };

  /** The application of one pipe. */
  const appOf = (app: number, entry: Stored, pipe: number): PacketApp | undefined => {
    const { values } = entry;
    const trigger = triggerOf(entry);
    if (values.get("app_enable") !== true || trigger === undefined) return undefined;
    const of = (name: string): number => asNumber(values.get(name));
    const [offset, length, local] = [of("pkt_buffer_offset"), of("pkt_len"), of("pipe_local_source_port")];
    if (offset + length > BUFFER_BYTES)
      throw new DeviceError("OUT_OF_RANGE", `bytes ${offset} to ${offset + length} are not in the buffer`);
    if (!(local < PORTS_OF_PIPE)) throw new DeviceError("INVALID_ARGUMENT", `a pipe has no port ${local}`);
    return {
      app,
      trigger,
      port: pipe * PORTS_OF_PIPE + local,
      bytes: bytes.slice(offset, offset + length),
      batches: of("batch_count_cfg") + 1,
      packets: of("packets_per_batch_cfg") + 1,
      batchGapNs: of("ibg"),
      packetGapNs: of("ipg"),
    };
  };

  type Changed = { readonly table: FixedTable; readonly id: number; readonly after: Stored | undefined };
  /** The applications that run when one entry is as it is now to be. */
  const run = async ({ table, id, after }: Changed): Promise<void> => {
    const now = (one: FixedTable): [number, Stored][] => [
      ...[...one].flatMap(([[key], entry]): [number, Stored][] =>
        one === table && Number(key) === id ? [] : [[Number(key), entry]],
      ),
      ...(one === table && after !== undefined ? [[id, after] as [number, Stored]] : []),
    ];
    const enabled = now(ports)
      .filter(([, { values }]) => values.get("pktgen_enable") === true)
      .map(([port]) => Math.floor(port / PORTS_OF_PIPE));
    const pipes = [...new Set(enabled)].sort((a, b) => a - b);
    const all = now(apps)
      .sort(([a], [b]) => a - b)
      .flatMap(([app, entry]) => pipes.flatMap((pipe) => appOf(app, entry, pipe) ?? []));
    if (device.settings?.setPacketApps === undefined)
      throw new DeviceError("UNIMPLEMENTED", "the device has no packet generator");
    await device.settings.setPacketApps(all);
  };

  const apps: FixedTable = new FixedTable(appTable, {
    change: async ([key], _, after) => {
      const id = Number(key);
      if (id >= Number(appTable.size))
        throw new DeviceError(
          "OUT_OF_RANGE",
          `there is no application ${id}: 0 to ${Number(appTable.size) - 1}`,
        );
      await run({ table: apps, id, after });
    },
    all: () => Array.from({ length: Number(appTable.size) }, (_, i) => [BigInt(i)]),
  });
  const ports: FixedTable = new FixedTable(portTable, {
    change: async ([key], _, after) => {
      const id = Number(key);
      if (id >= PIPES * PORTS_OF_PIPE) throw new DeviceError("OUT_OF_RANGE", `there is no port ${id}`);
      await run({ table: ports, id, after });
    },
    all: () =>
      Array.from({ length: PIPES * 4 }, (_, i) => [BigInt(Math.floor(i / 4) * PORTS_OF_PIPE + 68 + (i % 4))]),
  });
  const buffer: FixedTable = new FixedTable(bufferTable, {
    change: async ([offset, size], _, after) => {
      const [from, length] = [Number(offset), Number(size)];
      const sent = after?.values.get("buffer");
      const given = sent instanceof Uint8Array ? sent : new Uint8Array();
      if (from + length > BUFFER_BYTES)
        throw new DeviceError("OUT_OF_RANGE", `bytes ${from} to ${from + length} are not in the buffer`);
      if (after !== undefined && given.length !== length)
        throw new DeviceError(
          "INVALID_ARGUMENT",
          `the buffer has ${given.length} bytes, the key says ${length}`,
        );
      bytes.fill(0, from, from + length);
      bytes.set(given, from);
      await run({ table: buffer, id: -1, after: undefined });
    },
    all: () => [...buffer].map(([key]) => key),
  });
  return [ports, apps, buffer];
}
