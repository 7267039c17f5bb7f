/** Any P4Runtime switch as a `Device`. */

import { create, equals } from "@bufbuild/protobuf";
import { Diagnostics, given } from "../../../base/index.js";
import {
  type Atomicity,
  type ControllerPacket,
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  entityKey,
  matchText,
  type Names,
  type PortControl,
  type ReadQuery,
  type StateControl,
  type TargetSettings,
  type Update,
  type UpdateStatus,
} from "../../device/index.js";
import { type Bmv2Program, P4InfoIndex, type Program } from "../../program/index.js";
import { decodeDigestList } from "../codec/digest.js";
import { decodeEntity, encodeQuery, encodeUpdate } from "../codec/entity.js";
import { decodePacketIn, encodePacketOut } from "../codec/packet.js";
import { decodeTableEntry } from "../codec/table-entry.js";
import type { Dialect } from "../codec/wire.js";
import { makeWire, type Wire } from "../codec/wire.js";
import { readDeviceConfig } from "../device-config.js";
import { electionIdMessage } from "../election.js";
import {
  SetForwardingPipelineConfigRequest_Action as Action,
  DigestListAckSchema,
  type ForwardingPipelineConfig,
  ForwardingPipelineConfigSchema,
  ReadRequestSchema,
  SetForwardingPipelineConfigRequestSchema,
  type StreamMessageResponse,
  type Update as UpdateMessage,
  WriteRequest_Atomicity,
  WriteRequestSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { ApplyRequestSchema } from "../generated/p4loom/v1/settings_pb.js";
import { OK, updateStatusOf } from "../status.js";
import { batches } from "./batches.js";
import type { P4RuntimeChannel } from "./channel.js";
import type { Session } from "./session.js";
import { remoteSettings } from "./settings.js";
import { remotePorts, remoteState } from "./switch-process.js";

const ATOMICITY = {
  continueOnError: WriteRequest_Atomicity.CONTINUE_ON_ERROR,
  rollbackOnError: WriteRequest_Atomicity.ROLLBACK_ON_ERROR,
  dataplaneAtomic: WriteRequest_Atomicity.DATAPLANE_ATOMIC,
} as const;

export interface RemoteOptions {
  readonly name: string;
  readonly deviceId: bigint;
  readonly role: string;
  /** Maximum number of updates in one Write. */
  readonly batchSize: number;
  readonly dialect: Dialect;
  /** Becomes primary; rejects with PERMISSION_DENIED when another controller is. */
  openSession(electionId: bigint | "highest" | undefined): Promise<Session>;
}

/** The error of a write, with the updates that failed. */
export class WriteError extends DeviceError {
  constructor(
    code: DeviceError["code"],
    message: string,
    updates: readonly UpdateStatus[],
    /** The updates that failed, with their index in the written list. */
    readonly failures: readonly { index: number; update: Update; status: UpdateStatus }[],
  ) {
    super(code, message, updates);
    this.name = "WriteError";
  }
}

/** Failures named in a message. */
const MAX_NAMED = 3;

export class RemoteDevice implements Device {
  #program: Program | undefined;
  /** The config of the switch, as it was sent or received. */
  #config: ForwardingPipelineConfig = create(ForwardingPipelineConfigSchema);
  #wire: Wire | undefined;
  readonly #listeners = new Set<(event: DeviceEvent) => void>();
  #session: Session | undefined;
  #settings: TargetSettings | undefined;
  #ports: PortControl | undefined;
  #state: StateControl | undefined;

  constructor(
    /** The protocol itself, for what goes beyond a `Device`. */
    readonly channel: P4RuntimeChannel,
    private readonly options: RemoteOptions,
  ) {}

  get name(): string {
    return this.options.name;
  }

  /** The program that the switch reported or this client loaded; undefined also when its device config is not BMv2 JSON. */
  get program(): Program | undefined {
    return this.#program;
  }

  /** What the switch's P4Info describes, if it has a program. */
  get index(): P4InfoIndex | undefined {
    return this.#wire?.index;
  }

  /** Settings of queues and hashes, if the server has the service `p4loom.v1.Settings`. */
  get settings(): TargetSettings | undefined {
    return this.#settings;
  }

  /** Ports that can be added and removed, if the server offers it. */
  get ports(): PortControl | undefined {
    return this.#ports;
  }

  /** The state as a document, if the server gives it. */
  get state(): StateControl | undefined {
    return this.#state;
  }

  /** Asks the switch for its services in addition to P4Runtime. */
  async #describe(): Promise<void> {
    const { deviceId, role } = this.options;
    const description = await this.channel.settings(deviceId);
    const claim = () => ({ deviceId, role, electionId: electionIdMessage(this.#connected().electionId) });
    this.#settings =
      description &&
      remoteSettings(description, async (setting) => {
        await this.channel.applySetting(create(ApplyRequestSchema, { ...claim(), setting }));
      });
    this.#ports = description?.ports ? remotePorts(this.channel, deviceId, claim) : undefined;
    this.#state = description?.state ? remoteState(this.channel, deviceId, role, claim) : undefined;
  }

  /** The names of values that the switch knows as strings, and the numbers that stand for them here. */
  get names(): Names | undefined {
    return this.#wire?.names;
  }

  get isPrimary(): boolean {
    return this.#session?.isPrimary ?? false;
  }

  /**
   * Resolves when we may write: at once, or when a lost switch is back and `onReconnect` is done. Rejects with
   * DEADLINE_EXCEEDED and the reason.
   */
  async whenPrimary(timeoutMs: number): Promise<void> {
    await this.#connected().whenPrimary(timeoutMs);
  }

  /** Without a session the device can only be read. */
  attach(session: Session): void {
    this.#session = session;
  }

  /**
   * Becomes primary again after {@link resign}: with the highest election id that the switch has seen, so that a
   * controller that comes later with that id is not refused. Rejects with PERMISSION_DENIED when another controller
   * is primary.
   */
  async claim(): Promise<void> {
    this.#session ??= await this.options.openSession("highest");
  }

  /** Ends the session, so that another controller can become primary. */
  resign(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  /**
   * Asks the switch what it runs and which settings it takes. `program` and `index` stay the same objects where the
   * switch runs what it ran before.
   */
  async refresh(): Promise<void> {
    await this.#describe();
    const config = await this.channel.getConfig(this.options.deviceId);
    // Without the cookie: what the switch runs does not depend on it.
    const { p4info, p4DeviceConfig } = config ?? {};
    const shown = create(ForwardingPipelineConfigSchema, {
      ...given({ p4info, p4DeviceConfig }),
    });
    if (this.#wire !== undefined && equals(ForwardingPipelineConfigSchema, shown, this.#config)) return;
    this.#config = shown;
    this.#program = undefined;
    const before = this.#wire;
    this.#wire = undefined;
    if (config?.p4info === undefined) return;
    this.#wire = this.#wireOf(new P4InfoIndex(config.p4info), before);
    const bmv2 = parseBmv2(config.p4DeviceConfig);
    if (bmv2 !== undefined) this.#program = { bmv2, p4info: config.p4info };
  }

  /** Names keep their numbers when the program is loaded again. */
  #wireOf(index: P4InfoIndex, before: Wire | undefined): Wire {
    const wire = makeWire(index, this.options.dialect, true);
    if (before !== undefined) wire.names.adopt(before.names);
    return wire;
  }

  #connected(): Session {
    if (this.#session === undefined) {
      throw new DeviceError("PERMISSION_DENIED", `${this.name} is connected for reading only`);
    }
    return this.#session;
  }

  #running(): Wire {
    if (this.#wire === undefined)
      throw new DeviceError("FAILED_PRECONDITION", `${this.name} runs no program`);
    return this.#wire;
  }

  async load(program: Program): Promise<void> {
    this.#config = await this.#setConfig(program, Action.VERIFY_AND_COMMIT);
    this.#program = program;
    this.#wire = this.#wireOf(new P4InfoIndex(program.p4info), this.#wire);
  }

  async verify(program: Program): Promise<void> {
    await this.#setConfig(program, Action.VERIFY);
  }

  async #setConfig(program: Program, action: Action): Promise<ForwardingPipelineConfig> {
    const { deviceId, role } = this.options;
    const config = create(ForwardingPipelineConfigSchema, {
      p4info: program.p4info,
      p4DeviceConfig: new TextEncoder().encode(JSON.stringify(program.bmv2)),
    });
    await this.channel.setConfig(
      create(SetForwardingPipelineConfigRequestSchema, {
        deviceId,
        role,
        electionId: electionIdMessage(this.#connected().electionId),
        action,
        config,
      }),
    );
    return config;
  }

  async write(updates: readonly Update[], atomicity: Atomicity = "continueOnError"): Promise<void> {
    const wire = this.#running();
    const statuses: UpdateStatus[] = new Array(updates.length).fill(OK);
    let failed = false;
    // A batch that is applied as a whole cannot be divided.
    const ranges =
      atomicity === "continueOnError"
        ? batches(updates, this.options.batchSize)
        : [[0, updates.length] as const];
    for (const [start, end] of ranges) {
      const messages: UpdateMessage[] = [];
      const origin: number[] = [];
      for (let i = start; i < end; i++) {
        try {
          messages.push(encodeUpdate(wire, updates[i]!));
          origin.push(i);
        } catch (error) {
          statuses[i] = updateStatusOf(error);
          failed = true;
        }
      }
      if (messages.length === 0 || (failed && atomicity !== "continueOnError")) continue;
      const answer = await this.#send(messages, atomicity);
      if (answer === undefined) continue;
      failed = true;
      for (const [k, status] of answer.entries()) statuses[origin[k]!] = status;
    }
    if (failed) throw writeError(wire, updates, statuses);
  }

  /** One status per message, or undefined if all took effect. */
  async #send(messages: UpdateMessage[], atomicity: Atomicity): Promise<readonly UpdateStatus[] | undefined> {
    const { deviceId, role } = this.options;
    const request = create(WriteRequestSchema, { deviceId, role, atomicity: ATOMICITY[atomicity] });
    request.electionId = electionIdMessage(this.#connected().electionId);
    request.updates = messages;
    try {
      await this.channel.write(request);
      return undefined;
    } catch (error) {
      if (!(error instanceof DeviceError) || error.updates?.length !== messages.length) throw error;
      return error.updates;
    }
  }

  async read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    const wire = this.#running();
    const { deviceId, role } = this.options;
    const request = create(ReadRequestSchema, { deviceId, role });
    request.entities = queries.map((query) => encodeQuery(wire, query));
    const messages = await this.channel.read(request);
    return messages.map((message) => decodeEntity(wire, message));
  }

  async packetOut(packet: ControllerPacket): Promise<void> {
    await this.#connected().send({ case: "packet", value: encodePacketOut(this.#running(), packet) });
  }

  async acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    const info = this.#running().index.digests.byName(digest);
    if (info === undefined)
      throw new DeviceError("INVALID_ARGUMENT", `the program has no digest "${digest}"`);
    const value = create(DigestListAckSchema, { digestId: info.id, listId });
    await this.#connected().send({ case: "digestAck", value });
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Handles a message of the stream; a message that does not fit the known program is ignored. */
  receive(update: StreamMessageResponse["update"]): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    let event: DeviceEvent;
    try {
      switch (update.case) {
        case "packet":
          event = { kind: "packetIn", packet: decodePacketIn(wire, update.value) };
          break;
        case "digest":
          event = { kind: "digest", list: decodeDigestList(wire, update.value) };
          break;
        case "idleTimeoutNotification": {
          const entries = update.value.tableEntry.map((entry) => decodeTableEntry(wire, entry));
          event = { kind: "idleTimeout", entries, timestampNs: update.value.timestamp };
          break;
        }
        default:
          return;
      }
    } catch (error) {
      if (error instanceof DeviceError) return;
      throw error;
    }
    for (const listener of [...this.#listeners]) listener(event);
  }

  async close(): Promise<void> {
    this.#session?.close();
    this.#listeners.clear();
    this.channel.close();
  }
}

function writeError(wire: Wire, updates: readonly Update[], statuses: readonly UpdateStatus[]): WriteError {
  const failures = statuses.flatMap((status, index) =>
    status.code === "OK" ? [] : [{ index, update: updates[index]!, status }],
  );
  // The code of a single update is that of the error itself.
  const reasonOf = ({ code, message }: UpdateStatus): string =>
    updates.length === 1 && message !== "" ? message : `${code} ${message}`.trimEnd();
  const named = failures.slice(0, MAX_NAMED).map(({ update, status }) => {
    return `${update.type} ${describeEntity(wire, update.entity)}: ${reasonOf(status)}`;
  });
  const code = updates.length === 1 ? failures[0]!.status.code : "UNKNOWN";
  const count = updates.length === 1 ? "" : `${failures.length} of ${updates.length} updates failed: `;
  return new WriteError(code, count + named.join("; "), statuses, failures);
}

/** An entity by its key, in messages: values of table keys as the shell writes them. */
function describeEntity({ index, names }: Wire, entity: Entity): string {
  if (entity.kind !== "tableEntry" || entity.isDefault) return entityKey(entity);
  const fields = index.tables.byName(entity.table)?.fields;
  const parts = entity.match.map((match) => {
    const field = fields?.byName(match.field);
    return field === undefined ? "" : ` ${match.field}=${matchText(names, field, match)}`;
  });
  const priority = entity.priority === 0 ? "" : ` priority=${entity.priority}`;
  return `table ${entity.table}${parts.join("")}${priority}`;
}

/** The BMv2 program in a device config; undefined for the configs of other targets. */
function parseBmv2(bytes: Uint8Array): Bmv2Program | undefined {
  try {
    return readDeviceConfig(bytes, new Diagnostics());
  } catch (error) {
    if (error instanceof DeviceError) return undefined;
    throw error;
  }
}
