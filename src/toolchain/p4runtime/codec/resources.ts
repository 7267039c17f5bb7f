/** Counters, meters and registers in arrays (P4Runtime spec 9.3, 9.4, 9.7), and their values. */
import { create } from "@bufbuild/protobuf";
import {
  type CounterData,
  type CounterEntry,
  DeviceError,
  type MeterConfig,
  type MeterEntry,
  type RegisterEntry,
} from "../../device/index.js";
import { type P4Object, type P4Objects, p4info } from "../../program/index.js";
import {
  type CounterData as CounterDataMessage,
  CounterDataSchema,
  type CounterEntry as CounterEntryMessage,
  CounterEntrySchema,
  type Index,
  IndexSchema,
  type MeterConfig as MeterConfigMessage,
  MeterConfigSchema,
  type MeterCounterData,
  type MeterEntry as MeterEntryMessage,
  MeterEntrySchema,
  type RegisterEntry as RegisterEntryMessage,
  RegisterEntrySchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { decodeData, encodeData } from "./data.js";
import { checkLong, checkNumber, invalid, type Wire } from "./wire.js";

export function encodeCounter(data: CounterData): CounterDataMessage {
  return create(CounterDataSchema, {
    byteCount: checkLong(data.bytes, "byte count"),
    packetCount: checkLong(data.packets, "packet count"),
  });
}

export function decodeCounter(message: CounterDataMessage): CounterData {
  const { byteCount, packetCount } = message;
  if (byteCount < 0n || packetCount < 0n) {
    throw invalid(`a counter cannot be negative: ${packetCount} packets, ${byteCount} bytes`);
  }
  return { packets: packetCount, bytes: byteCount };
}

export function encodeMeter(config: MeterConfig | undefined): MeterConfigMessage {
  if (config === undefined) return create(MeterConfigSchema);
  return create(MeterConfigSchema, {
    cir: checkLong(config.committedRate, "committed rate"),
    cburst: checkLong(config.committedBurst, "committed burst"),
    pir: checkLong(config.peakRate, "peak rate"),
    pburst: checkLong(config.peakBurst, "peak burst"),
  });
}

export function decodeMeter(message: MeterConfigMessage): MeterConfig {
  const { cir, cburst, pir, pburst } = message;
  return { committedRate: cir, committedBurst: cburst, peakRate: pir, peakBurst: pburst };
}

/** The rules for rates to be written (P4Runtime spec 9.4); `of` names the meter or table in messages. */
export function checkMeter(
  message: MeterConfigMessage,
  spec: p4info.MeterSpec | undefined,
  of: string,
): void {
  const { cir, cburst, pir, pburst, eburst } = message;
  for (const value of [cir, cburst, pir, pburst, eburst]) {
    if (value < 0n) throw invalid(`meter of "${of}": ${value} is negative`);
  }
  const { TWO_RATE_THREE_COLOR, SINGLE_RATE_THREE_COLOR } = p4info.MeterSpec_Type;
  const type = spec?.type ?? TWO_RATE_THREE_COLOR;
  if (type !== TWO_RATE_THREE_COLOR && (cir !== pir || cburst !== pburst)) {
    throw invalid(`meter of "${of}" has one rate: committed and peak rate and burst must be equal`);
  }
  if (eburst !== 0n) {
    if (type !== SINGLE_RATE_THREE_COLOR) {
      throw invalid(`meter of "${of}" has no excess burst, but ${eburst} is given`);
    }
    throw new DeviceError("UNIMPLEMENTED", `meter of "${of}": excess bursts are not supported`);
  }
  if (pir < cir) throw invalid(`meter of "${of}": the peak rate ${pir} is below the committed rate ${cir}`);
}

/** Counters per colour are optional in P4Runtime and not supported here. */
export function refuseColours(data: MeterCounterData | undefined): void {
  if (data !== undefined) throw new DeviceError("UNIMPLEMENTED", "meters do not count packets by colour");
}

type ArrayObject = P4Object<{ size: bigint | number }>;

/** The array of that id, or a complaint; 0 is no id here. */
export function arrayById<T extends P4Object<unknown>>(objects: P4Objects<T>, id: number, kind: string): T {
  const object = objects.byId(id);
  if (object === undefined) throw invalid(`the program has no ${kind} of id ${id}`);
  return object;
}

export function arrayNamed<T extends P4Object<unknown>>(
  objects: P4Objects<T>,
  name: string,
  kind: string,
): T {
  const object = objects.byName(name);
  if (object === undefined) throw invalid(`the program has no ${kind} "${name}"`);
  return object;
}

/** The index, checked against the array; undefined: all of it. */
export function decodeIndex(index: Index | undefined, array: ArrayObject): number | undefined {
  if (index === undefined) return undefined;
  const size = BigInt(array.message.size);
  if (index.index < 0n) throw invalid(`"${array.name}": index ${index.index} is negative`);
  if (index.index >= size) {
    throw new DeviceError(
      "OUT_OF_RANGE",
      `"${array.name}": index ${index.index} is beyond its ${size} elements`,
    );
  }
  return Number(index.index);
}

/** Maximum number of elements of an array that one update may write as a whole. */
const MAX_EXPANDED = 1 << 20;

/** The indexes that an update refers to: one index, or all of the array when the update has none; one after the other. */
function expandIndex(index: Index | undefined, array: ArrayObject): Iterable<number> {
  const single = decodeIndex(index, array);
  if (single !== undefined) return [single];
  const size = Number(array.message.size);
  if (size <= MAX_EXPANDED) return indexesBelow(size);
  throw new DeviceError(
    "RESOURCE_EXHAUSTED",
    `"${array.name}" has ${size} elements; at most ${MAX_EXPANDED} are written at once`,
  );
}

function* indexesBelow(size: number): Generator<number> {
  for (let index = 0; index < size; index++) yield index;
}

function* each<T>(indexes: Iterable<number>, make: (index: number) => T): Generator<T> {
  for (const index of indexes) yield make(index);
}

function encodeIndex(index: number): Index {
  checkNumber(index, "index", Number.MAX_SAFE_INTEGER);
  return create(IndexSchema, { index: BigInt(index) });
}

export function encodeCounterEntry(wire: Wire, entry: Partial<CounterEntry>): CounterEntryMessage {
  const message = create(CounterEntrySchema);
  if (entry.counter !== undefined) {
    message.counterId = arrayNamed(wire.index.counters, entry.counter, "counter").id;
  }
  if (entry.index !== undefined) message.index = encodeIndex(entry.index);
  if (entry.data !== undefined) message.data = encodeCounter(entry.data);
  return message;
}

/** One entry per element that the message means; none if it carries no data. */
export function decodeCounterEntry(wire: Wire, message: CounterEntryMessage): Iterable<CounterEntry> {
  const counter = arrayById(wire.index.counters, message.counterId, "counter");
  const indexes = expandIndex(message.index, counter);
  if (message.data === undefined) return [];
  const data = decodeCounter(message.data);
  return each(indexes, (index) => ({ kind: "counter", counter: counter.name, index, data }));
}

export function encodeMeterEntry(wire: Wire, entry: Partial<MeterEntry>): MeterEntryMessage {
  const message = create(MeterEntrySchema);
  if (entry.meter !== undefined) message.meterId = arrayNamed(wire.index.meters, entry.meter, "meter").id;
  if (entry.index !== undefined) message.index = encodeIndex(entry.index);
  if (entry.config !== undefined) message.config = encodeMeter(entry.config);
  return message;
}

export function decodeMeterEntry(wire: Wire, message: MeterEntryMessage): Iterable<MeterEntry> {
  const meter = arrayById(wire.index.meters, message.meterId, "meter");
  refuseColours(message.counterData);
  if (message.config !== undefined && !wire.lenient)
    checkMeter(message.config, meter.message.spec, meter.name);
  const config = message.config === undefined ? {} : { config: decodeMeter(message.config) };
  return each(expandIndex(message.index, meter), (index) => ({
    kind: "meter",
    meter: meter.name,
    index,
    ...config,
  }));
}

export function encodeRegisterEntry(wire: Wire, entry: Partial<RegisterEntry>): RegisterEntryMessage {
  const message = create(RegisterEntrySchema);
  if (entry.register !== undefined) {
    const register = arrayNamed(wire.index.registers, entry.register, "register");
    message.registerId = register.id;
    if (entry.value !== undefined) {
      message.data = encodeData(wire, register.message.typeSpec, [entry.value], register.name);
    }
  }
  if (entry.index !== undefined) message.index = encodeIndex(entry.index);
  return message;
}

export function decodeRegisterEntry(wire: Wire, message: RegisterEntryMessage): Iterable<RegisterEntry> {
  const register = arrayById(wire.index.registers, message.registerId, "register");
  const values = decodeData(wire, register.message.typeSpec, message.data, register.name);
  if (values.length !== 1) {
    throw new DeviceError(
      "UNIMPLEMENTED",
      `register "${register.name}" holds more than one value per element`,
    );
  }
  const value = values[0]!;
  return each(expandIndex(message.index, register), (index) => ({
    kind: "register",
    register: register.name,
    index,
    value,
  }));
}
