/**
 * What anything that runs a program can do, in the domain's own words: the embedded switch is a
 * `Device` directly, a remote switch is one through the P4Runtime client, and the P4Runtime server
 * puts any `Device` behind gRPC. Objects are named as P4Info names them (`preamble.name`, match field
 * and parameter names); values are unsigned numbers. Rules are those of the P4Runtime specification 1.4.
 */

import type { P4InfoIndex, Program } from "../program/index.js";
import { DeviceError } from "./device-error.js";
import type { Names } from "./names.js";
import type { PortControl } from "./ports.js";

/** One part of a table key. An absent field is a don't-care (P4Runtime spec 9.1.1). */
export type Match =
  | { kind: "exact"; field: string; value: bigint }
  | { kind: "lpm"; field: string; value: bigint; prefixLength: number }
  | { kind: "ternary"; field: string; value: bigint; mask: bigint }
  | { kind: "range"; field: string; low: bigint; high: bigint }
  | { kind: "optional"; field: string; value: bigint };

export interface ActionCall {
  action: string;
  /** By parameter name; all of the action's parameters. */
  params: Readonly<Record<string, bigint>>;
}

/** One action of a one-shot action selector programming (P4Runtime spec 9.2.3). */
export interface WeightedAction extends ActionCall {
  weight: number;
  /** Port whose state decides whether the action takes part; absent: always. */
  watchPort?: number;
  /** Written in P4Runtime's deprecated integer field `watch`, so a read answers it there. */
  watchIsInteger?: true;
}

/** What a table entry does: an action, a member or group of its action profile, or a set of weighted actions. */
export type TableAction =
  | ({ kind: "action" } & ActionCall)
  | { kind: "member"; memberId: number }
  | { kind: "group"; groupId: number }
  | { kind: "oneShot"; actions: readonly WeightedAction[] };

export interface CounterData {
  packets: bigint;
  bytes: bigint;
}

/** Two-rate three-colour meter (RFC 2698); rates per second and bursts in the meter's unit. */
export interface MeterConfig {
  committedRate: bigint;
  committedBurst: bigint;
  peakRate: bigint;
  peakBurst: bigint;
}

export interface TableEntry {
  kind: "tableEntry";
  table: string;
  /** Empty for the default entry and for tables without a key. */
  match: readonly Match[];
  /** Larger wins; 0 unless the key has a ternary, range or optional field. */
  priority: number;
  /** Absent in a MODIFY of the default entry: back to the program's own default. */
  action?: TableAction;
  isDefault?: boolean;
  /** Nanoseconds without a hit before a notification; 0 or absent: never. */
  idleTimeoutNs?: bigint;
  /** Handed back unchanged in reads. */
  controllerMetadata?: bigint;
  metadata?: Uint8Array;
  counter?: CounterData;
  meter?: MeterConfig;
  /** Nanoseconds since the last hit; in reads that ask for it (`idle`). */
  elapsedNs?: bigint;
  /** The entry came with the program (`const entries`, `entries`). */
  isConst?: boolean;
}

export interface ActionProfileMember {
  kind: "member";
  profile: string;
  memberId: number;
  action: ActionCall;
}

export interface GroupMember {
  memberId: number;
  weight: number;
  watchPort?: number;
  /** As in {@link WeightedAction}. */
  watchIsInteger?: true;
}

export interface ActionProfileGroup {
  kind: "group";
  profile: string;
  groupId: number;
  members: readonly GroupMember[];
  /** 0: as large as the profile allows. */
  maxSize: number;
}

export interface CounterEntry {
  kind: "counter";
  counter: string;
  index: number;
  data: CounterData;
}

export interface MeterEntry {
  kind: "meter";
  meter: string;
  index: number;
  /** Absent: back to the default, everything green. */
  config?: MeterConfig;
}

/** Counter of one table entry, found by the entry's key. */
export interface DirectCounterEntry {
  kind: "directCounter";
  entry: TableEntry;
  data: CounterData;
}

export interface DirectMeterEntry {
  kind: "directMeter";
  entry: TableEntry;
  config?: MeterConfig;
}

export interface RegisterEntry {
  kind: "register";
  register: string;
  index: number;
  value: bigint;
}

export interface Replica {
  port: number;
  instance: number;
  /** Of a Tofino's group: a packet with this `level1_exclusion_id` gets no such copy. P4Runtime does not have it. */
  exclusion?: number;
  /** Written in P4Runtime's deprecated integer field `egress_port`, so a read answers it there. */
  portIsInteger?: true;
}

export interface MulticastGroupEntry {
  kind: "multicastGroup";
  groupId: number;
  replicas: readonly Replica[];
  /** Handed back unchanged in reads. */
  metadata?: Uint8Array;
}

export interface CloneSessionEntry {
  kind: "cloneSession";
  sessionId: number;
  replicas: readonly Replica[];
  classOfService: number;
  /** Bytes of the packet that the clone keeps; 0: all. */
  packetLengthBytes: number;
}

export interface DigestConfigEntry {
  kind: "digest";
  digest: string;
  maxListSize: number;
  maxTimeoutNs: bigint;
  ackTimeoutNs: bigint;
}

export interface ValueSetEntry {
  kind: "valueSet";
  valueSet: string;
  members: readonly (readonly Match[])[];
}

export type Entity =
  | TableEntry
  | ActionProfileMember
  | ActionProfileGroup
  | CounterEntry
  | MeterEntry
  | DirectCounterEntry
  | DirectMeterEntry
  | RegisterEntry
  | MulticastGroupEntry
  | CloneSessionEntry
  | DigestConfigEntry
  | ValueSetEntry;

export interface Update {
  type: "insert" | "modify" | "delete";
  entity: Entity;
}

/**
 * Which entities to read (P4Runtime spec 11.3): a missing name or id is a wildcard. For `tableEntry`, `match`
 * narrows to one entry; `counter`/`meter` ask for the direct resources to be filled in, `idle` for the time since the last hit.
 */
export type ReadQuery =
  | {
      kind: "tableEntry";
      table?: string;
      match?: readonly Match[];
      priority?: number;
      isDefault?: boolean;
      counter?: boolean;
      meter?: boolean;
      idle?: boolean;
    }
  | { kind: "member"; profile?: string; memberId?: number }
  | { kind: "group"; profile?: string; groupId?: number }
  | { kind: "counter"; counter?: string; index?: number }
  | { kind: "meter"; meter?: string; index?: number }
  | { kind: "directCounter"; table?: string; match?: readonly Match[]; priority?: number }
  | { kind: "directMeter"; table?: string; match?: readonly Match[]; priority?: number }
  | { kind: "register"; register?: string; index?: number }
  | { kind: "multicastGroup"; groupId?: number }
  | { kind: "cloneSession"; sessionId?: number }
  | { kind: "digest"; digest?: string }
  | { kind: "valueSet"; valueSet?: string };

/** P4Runtime spec 12.1: the effect of a batch of which an update fails. */
export type Atomicity = "continueOnError" | "rollbackOnError" | "dataplaneAtomic";

/**
 * Called by a device that works in this process after each small piece of a long task (one update, one entity), or after a
 * part of it that takes as long as `pieces` of these. It returns a promise when other tasks must have their turn first; the
 * device awaits it before the next piece.
 */
export type Pace = (pieces?: number) => Promise<void> | undefined;

/** A packet between control plane and data plane; metadata by the name of the controller header's field. */
export interface ControllerPacket {
  payload: Uint8Array;
  metadata: Readonly<Record<string, bigint>>;
}

export interface DigestList {
  digest: string;
  listId: bigint;
  /** Data in the order of the digest's struct. */
  data: readonly (readonly bigint[])[];
  /** Nanoseconds of the device's clock. */
  timestampNs: bigint;
}

export type DeviceEvent =
  | { kind: "packetIn"; packet: ControllerPacket }
  | { kind: "digest"; list: DigestList }
  | { kind: "idleTimeout"; entries: readonly TableEntry[]; timestampNs: bigint }
  | { kind: "portState"; port: number; up: boolean };

/** Parameters of a CRC in the Rocksoft model; values as wide as the CRC. */
export interface CrcParameters {
  polynomial: bigint;
  initial: bigint;
  finalXor: bigint;
  reflectData: boolean;
  reflectRemainder: boolean;
}

/** Output queues: all of a port without a priority, of all ports without a port. */
export interface QueueSelection {
  port?: number;
  priority?: number;
}

/** Frames that a switch generates periodically, as if they arrived by a port. */
export interface PacketGenerator {
  /** The ingress port that the program sees, 0 to 511; it need not have a link. */
  readonly port: number;
  /** From one frame to the next, in nanoseconds: at least 1000. */
  readonly periodNs: number;
  /** From the setting to the first frame, in nanoseconds; 0 unless given. */
  readonly startNs?: number;
  /** From its Ethernet header on. */
  readonly frame: Uint8Array;
}

/** Settings of a v1model target for which P4Runtime has no entity (BMv2: its Thrift interface). */
export interface TargetSettings {
  /** Packets that may wait in a queue. */
  setQueueDepth(packets: number, queues?: QueueSelection): Promise<void>;
  /** Maximum number of packets per second that leave a queue; 0: no limit. */
  setQueueRate(packetsPerSecond: number, queues?: QueueSelection): Promise<void>;
  /** Of a `crc16_custom` or `crc32_custom` calculation, by its name in the BMv2 JSON. */
  setCrcParameters(calculation: string, width: 16 | 32, parameters: CrcParameters): Promise<void>;
  /** The key of a `toeplitz` calculation: whole 32-bit words. Absent when the target cannot change it. */
  setToeplitzKey?(calculation: string, key: Uint8Array): Promise<void>;
  /**
   * How long entries with an expire-time profile of PNA (0 to 255) last, from the next call of the program that names the profile on;
   * 0: for ever. Absent when the target cannot change it.
   */
  setExpireTime?(profile: number, nanoseconds: number): Promise<void>;
  /** Replaces all packet generators of the switch. Absent when the target has none. */
  setGenerators?(generators: readonly PacketGenerator[]): Promise<void>;
  /** Replaces all applications of a Tofino's packet generator. Absent when the target has none. */
  setPacketApps?(apps: readonly PacketApp[]): Promise<void>;
}

/** An application of a Tofino's packet generator; at most 8 (Tofino 2: 16), each with a number of its own. */
export interface PacketApp {
  readonly app: number;
  readonly trigger:
    | { readonly kind: "timer"; readonly nanoseconds: number; readonly isPeriodic: boolean }
    | { readonly kind: "portDown" }
    /** A packet that recirculates, whose first 32 bits are `value` where `mask` has ones. */
    | { readonly kind: "recirculation"; readonly value: number; readonly mask: number };
  /** The packets come in by it. */
  readonly port: number;
  /** What stands behind the header of six bytes. */
  readonly bytes: Uint8Array;
  /** Batches of a trigger, and packets of a batch: 1 each unless given. Gaps are from one packet or batch to the next. */
  readonly batches?: number;
  readonly packets?: number;
  readonly batchGapNs?: number;
  readonly packetGapNs?: number;
}

/** What has passed by a port, without headers of the wire. */
export interface PortTraffic {
  readonly received: number;
  readonly receivedBytes: number;
  readonly sent: number;
  readonly sentBytes: number;
  /** Microseconds of the device's clock. */
  readonly timeUs: number;
}

/**
 * A program with a state of its own beside the one that runs. It is written and read as the device is, and sees no
 * packets.
 */
export interface PreparedProgram {
  /** As {@link Device.write} with `continueOnError`. */
  write(updates: readonly Update[], pace?: Pace): Promise<void>;
  /** As {@link Device.read}. */
  read(queries: readonly ReadQuery[], pace?: Pace): Promise<Entity[]>;
  /** Makes the device run this program with this state at once; the former state is deleted. This must be the last call. */
  commit(): void;
  /** Gives the program up. The last call. */
  discard(): void;
}

/** The state of a device as one document, which only a device of the same kind reads. */
export interface StateControl {
  /** UTF-8 text. Rejects with RESOURCE_EXHAUSTED when the document would be too large. */
  save(): Promise<Uint8Array>;
  /** Replaces the whole state by that of a document; a refused document changes nothing. */
  restore(document: Uint8Array): Promise<void>;
  /** Goes back to the state that the program has after loading. */
  reset(): Promise<void>;
}

/**
 * A switch as its control plane sees it. Methods that can fail reject with {@link DeviceError}. Writes of one
 * caller take effect in the order of the calls.
 */
export interface Device {
  readonly name: string;
  /** The program that runs, if any. */
  readonly program: Program | undefined;
  /** What the P4Info of a remote switch describes, also where its program is no BMv2 JSON. Absent: that of `program`. */
  readonly index?: P4InfoIndex | undefined;
  /** Absent when the target has no such settings. */
  readonly settings?: TargetSettings | undefined;
  /** Absent when ports cannot be added or removed. */
  readonly ports?: PortControl | undefined;
  /** Absent when the device does not give its state as a document. */
  readonly state?: StateControl | undefined;
  /**
   * How values of types translated to strings are numbered here, where the device has a say in it (a remote
   * switch knows their names, not numbers). Absent: any numbering does.
   */
  readonly names?: Names | undefined;
  /**
   * Installs a program; all earlier state is gone. With `pace` a device may forward packets, by the former program, until the
   * new one is complete.
   */
  load(program: Program, pace?: Pace): Promise<void>;
  /** Rejects what `load` would reject, and changes nothing (P4Runtime's VERIFY). */
  verify?(program: Program, pace?: Pace): Promise<void>;
  /** Makes a program ready to run, with the state that it has after loading. Rejects what `load` would reject. */
  prepare?(program: Program, pace?: Pace): Promise<PreparedProgram>;
  /**
   * Applies a batch in order. Rejects if any update failed, with one status per update. With `pace` a device may forward
   * packets between two updates, never with `dataplaneAtomic`; other writes wait until all of the batch is applied or
   * rolled back.
   */
  write(updates: readonly Update[], atomicity?: Atomicity, pace?: Pace): Promise<void>;
  /**
   * Entities in a defined order: as queried, then by name as in P4Info, then as inserted. With `pace` a device may
   * forward packets between two entities, so that counters may be of different times.
   */
  read(queries: readonly ReadQuery[], pace?: Pace): Promise<Entity[]>;
  /** What has passed by a port since this was first called for any port. Absent: the device does not count. */
  trafficOf?(port: number): PortTraffic;
  packetOut(packet: ControllerPacket): Promise<void>;
  acknowledgeDigest(digest: string, listId: bigint): Promise<void>;
  /** Calls back for everything that the device says on its own; returns how to stop. */
  watch(listener: (event: DeviceEvent) => void): () => void;
  close(): Promise<void>;
}
