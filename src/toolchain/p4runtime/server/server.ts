/** A P4Runtime server that offers any `Device` over gRPC (P4Runtime specification 1.4). */
import { create, toBinary } from "@bufbuild/protobuf";
import type { MethodDefinition } from "@grpc/grpc-js";
import { given, systemErrorReason } from "../../../base/index.js";
import { type Device, DeviceError } from "../../device/index.js";
import type { Program } from "../../program/index.js";
import { type BfrtProgram, BfrtService } from "../bfrt/server.js";
import { electionIdOf } from "../election.js";
import {
  type CapabilitiesRequest,
  CapabilitiesResponseSchema,
  type Entity,
  type GetForwardingPipelineConfigRequest,
  GetForwardingPipelineConfigResponseSchema,
  type ReadRequest,
  type SetForwardingPipelineConfigRequest,
  SetForwardingPipelineConfigResponseSchema,
  type Uint128,
  type Update,
} from "../generated/p4/v1/p4runtime_pb.js";
import {
  AddPortResponseSchema,
  ApplyResponseSchema,
  RemovePortResponseSchema,
  ResetStateResponseSchema,
  type RestoreStateRequest,
  RestoreStateResponseSchema,
  type SaveStateRequest,
  SaveStateResponseSchema,
} from "../generated/p4loom/v1/settings_pb.js";
import type { Call } from "../grpc/call.js";
import type { Method } from "../grpc/calls.js";
import { type GrpcServer, listen } from "../grpc/server.js";
import {
  API_VERSION,
  BfRuntimeService,
  DEFAULT_MESSAGE_BYTES,
  MIN_MESSAGE_BYTES,
  P4RuntimeService,
  SettingsService,
} from "../service.js";
import { BatchFailure, batchStatus, statusOf } from "../status.js";
import { Arbitration, roleName } from "./arbitration.js";
import { encodeEvent } from "./events.js";
import { PackedWrite } from "./packed-write.js";
import { Pipeline, type Translations } from "./pipeline.js";
import { attachmentOf, checkPort, listMessage, portsOf } from "./ports.js";
import { readAll, responses } from "./read.js";
import { objectIdOf, type RoleConfig } from "./role-config.js";
import { applySetting, describeDevice } from "./settings.js";
import {
  differenceFromInitial,
  documentParts,
  MAX_STATE_BYTES,
  type Running,
  restoreDocument,
} from "./state.js";
import { StreamSession } from "./stream.js";
import { paceOf } from "./turns.js";
import { applyUpdates, atomicityOf } from "./write.js";

/** TLS as PEM text; with `clientCa` clients must show a certificate signed by it. */
export interface ServerTls {
  certificate: string | Uint8Array;
  privateKey: string | Uint8Array;
  clientCa?: string | Uint8Array;
}

export interface ServeOptions {
  /** `host:port` or `unix:path`; port 0 selects a free port. Default 127.0.0.1:9559. */
  address?: string;
  /** Default 1. P4Runtime forbids 0, but controllers of BMv2 often use 0. */
  deviceId?: bigint;
  tls?: ServerTls;
  /** Largest accepted message in bytes; minimum 4 MiB, the default of gRPC. Default 64 MiB. */
  maxMessageBytes?: number;
  /** Default 100,000. */
  maxUpdatesPerWrite?: number;
  /** Live controllers per role. Default 64. */
  maxControllers?: number;
  /** Whether a port exists: other ports are refused in groups, sessions and as watch ports. Absent: the device checks. */
  hasPort?: (port: number) => boolean;
  /** The program's schema of BF Runtime: the server then has that service, too. It is not changed by a pipeline config that comes later. */
  bfrt?: BfrtProgram;
  /** Names of values and ports, for programs with types that are translated to strings. */
  translations?: Translations;
  /** Lets other tasks of the event loop run during a large request. Default: `setImmediate`. */
  yieldTurn?: () => Promise<void>;
}

export interface P4RuntimeServer {
  /** `host:port` as bound, or `unix:path` as asked for. */
  readonly address: string;
  readonly port: number;
  /** Ends all streams and stops listening; the device is not changed. */
  close(): Promise<void>;
}

const DEFAULT_ADDRESS = "127.0.0.1:9559";
const DEFAULT_MAX_UPDATES = 100_000;
const DEFAULT_MAX_CONTROLLERS = 64;

/** Starts a server. Rejects with a `DeviceError` if an option is wrong or the address cannot be bound. */
export async function serve(device: Device, options: ServeOptions = {}): Promise<P4RuntimeServer> {
  const { deviceId = 1n, maxMessageBytes = DEFAULT_MESSAGE_BYTES, address = DEFAULT_ADDRESS } = options;
  if (deviceId < 0n || deviceId >= 1n << 64n) {
    throw new DeviceError("INVALID_ARGUMENT", `device id ${deviceId} is not within 0 to 2^64 - 1`);
  }
  if (maxMessageBytes < MIN_MESSAGE_BYTES) {
    throw new DeviceError(
      "INVALID_ARGUMENT",
      `maxMessageBytes ${maxMessageBytes} is below ${MIN_MESSAGE_BYTES}`,
    );
  }
  const handlers = new Handlers(device, deviceId, options);
  let server: GrpcServer;
  try {
    server = await listen({
      address,
      tls: pemOf(options.tls),
      maxBytes: maxMessageBytes,
      maxCalls: MAX_CALLS,
      maxConnections: MAX_CONNECTIONS,
      // A controller whose connection broke silently must not stay primary for long.
      keepaliveMs: 30_000,
      keepaliveTimeoutMs: 10_000,
      methods: handlers.methods(),
      statusOf,
    });
  } catch (error) {
    handlers.close();
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new DeviceError("UNAVAILABLE", `cannot listen on ${address}: ${systemErrorReason(error)}`);
  }
  const { port } = server;
  return {
    address: address.startsWith("unix:") ? address : `${address.slice(0, address.lastIndexOf(":"))}:${port}`,
    port,
    close: () => {
      handlers.close();
      return server.close(SHUTDOWN_MS);
    },
  };
}

/** A `WriteResponse` has no fields. */
const WRITTEN = new Uint8Array(0);

/** Maximum number of concurrent calls of one connection; further calls are refused, and clients send them again. */
const MAX_CALLS = 1000;

/** Maximum number of connections: one for each of the 1,024 roles that are remembered. */
const MAX_CONNECTIONS = 1024;

/** Milliseconds for calls in progress to end when the server closes. */
const SHUTDOWN_MS = 500;

function pemOf(tls: ServerTls | undefined) {
  if (tls === undefined) return undefined;
  const pem = (text: string | Uint8Array): Buffer => Buffer.from(text as string);
  return {
    certificate: pem(tls.certificate),
    privateKey: pem(tls.privateKey),
    ...given({ clientCa: tls.clientCa === undefined ? undefined : pem(tls.clientCa) }),
  };
}

function immediate(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Runs one task at a time, in the order of the calls: Writes and Reads are strictly serial (P4Runtime spec 12.1). */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Refuses a request for an entity that is outside of what the configuration of the role names. */
function checkAccess(role: string, config: RoleConfig | undefined, entity: Entity | undefined): void {
  if (config === undefined || config.allows(entity)) return;
  throw new DeviceError(
    "PERMISSION_DENIED",
    `the configuration of role "${role}" does not name the object of id ${objectIdOf(entity)}`,
  );
}

class Handlers {
  readonly #arbitration: Arbitration;
  readonly #pipeline: Pipeline;
  readonly #lock = new Lock();
  readonly #sessions = new Set<StreamSession>();
  readonly #maxUpdates: number;
  readonly #yieldTurn: () => Promise<void>;
  readonly #unwatch: () => void;
  readonly #bfrt: BfrtService | undefined;

  constructor(
    private readonly device: Device,
    private readonly deviceId: bigint,
    options: ServeOptions,
  ) {
    this.#arbitration = new Arbitration(deviceId, options.maxControllers ?? DEFAULT_MAX_CONTROLLERS);
    this.#pipeline = new Pipeline(device, options.translations, options.hasPort);
    this.#maxUpdates = options.maxUpdatesPerWrite ?? DEFAULT_MAX_UPDATES;
    this.#yieldTurn = options.yieldTurn ?? immediate;
    this.#bfrt = options.bfrt && new BfrtService(device, options.bfrt, deviceId);
    this.#unwatch = device.watch((event) => {
      const primaries = this.#arbitration.primaries();
      const { committed } = this.#pipeline;
      if (primaries.length === 0 || committed === undefined) return;
      const message = encodeEvent(committed.wire, event);
      if (message === undefined) return;
      for (const { controller, config } of primaries) {
        if (config?.receives(message) ?? true) (controller as StreamSession).notify(message);
      }
    });
  }

  close(): void {
    this.#unwatch();
    this.#bfrt?.close();
    for (const session of [...this.#sessions]) session.end("UNAVAILABLE", "the server is closing");
    this.#sessions.clear();
  }

  methods(): Map<string, Method> {
    const {
      write,
      read,
      setForwardingPipelineConfig,
      getForwardingPipelineConfig,
      capabilities,
      streamChannel,
    } = P4RuntimeService;
    const settings = SettingsService;
    return new Map<string, Method>([
      // Its updates are decoded one by one.
      [write.path, { kind: "unary", handle: (bytes) => this.#write(decoded(() => new PackedWrite(bytes))) }],
      [
        read.path,
        {
          kind: "serverStream",
          handle: (bytes, call) =>
            this.#read(
              decoded(() => read.requestDeserialize(bytes as Buffer)),
              call,
            ),
        },
      ],
      unary(setForwardingPipelineConfig, (request) => this.#setConfig(request)),
      unary(getForwardingPipelineConfig, (request) => this.#getConfig(request)),
      unary(capabilities, (request) => this.#capabilities(request)),
      [
        streamChannel.path,
        {
          kind: "duplex",
          handle: (call) => {
            const session = new StreamSession(call, this.#arbitration, this.#pipeline, this.device, (gone) =>
              this.#sessions.delete(gone),
            );
            this.#sessions.add(session);
            return session;
          },
        },
      ],
      unary(settings.describe, async (request) => {
        this.#checkDevice(request.deviceId);
        return describeDevice(this.device);
      }),
      unary(settings.apply, async (request) => {
        await this.#change(request, () => applySetting(this.device.settings, request));
        return create(ApplyResponseSchema);
      }),
      unary(settings.addPort, async (request) => {
        await this.#change(request, () =>
          portsOf(this.device.ports).add(checkPort(request.port), attachmentOf(request)),
        );
        return create(AddPortResponseSchema);
      }),
      unary(settings.removePort, async (request) => {
        await this.#change(request, () => portsOf(this.device.ports).remove(checkPort(request.port)));
        return create(RemovePortResponseSchema);
      }),
      unary(settings.listPorts, async (request) => {
        this.#checkDevice(request.deviceId);
        return listMessage(await portsOf(this.device.ports).list());
      }),
      unary(settings.resetState, async (request) => {
        await this.#change(request, () => this.device.load(this.#stateful().program));
        return create(ResetStateResponseSchema);
      }),
      [
        settings.saveState.path,
        {
          kind: "serverStream",
          handle: (bytes, call) =>
            this.#saveState(
              decoded(() => settings.saveState.requestDeserialize(bytes as Buffer)),
              call,
            ),
        },
      ],
      [
        settings.restoreState.path,
        {
          kind: "clientStream",
          handle: async (messages) => {
            await this.#restoreState(messages);
            return toBinary(RestoreStateResponseSchema, create(RestoreStateResponseSchema));
          },
        },
      ],
      ...this.#bfrtMethods(),
    ]);
  }

  /** BF Runtime has no primary: every client may write. Writes and reads take turns with P4Runtime's. */
  #bfrtMethods(): [string, Method][] {
    const bfrt = this.#bfrt;
    if (bfrt === undefined) return [];
    const { write, read, streamChannel, setForwardingPipelineConfig, getForwardingPipelineConfig } =
      BfRuntimeService;
    return [
      unary(write, (request) => this.#lock.run(() => bfrt.write(request))),
      [
        read.path,
        {
          kind: "serverStream",
          handle: (bytes, call) => {
            const request = decoded(() => read.requestDeserialize(bytes as Buffer));
            return this.#lock.run(() => bfrt.read(request, call));
          },
        },
      ],
      unary(setForwardingPipelineConfig, (request) => bfrt.setConfig(request)),
      unary(getForwardingPipelineConfig, (request) => bfrt.getConfig(request)),
      [streamChannel.path, { kind: "duplex", handle: (call) => bfrt.stream(call) }],
    ];
  }

  /** A change of the whole switch, with the rights and the order of a Write. */
  async #change(
    request: { deviceId: bigint; role: string; electionId?: Uint128 | undefined },
    change: () => Promise<void>,
  ): Promise<void> {
    const end = this.#beginWrite({ ...request, roleId: 0n });
    try {
      this.#checkPipelineAccess(request.role);
      await this.#lock.run(change);
    } finally {
      end();
    }
  }

  /** The running program, for its state as a document; also while another program was saved and waits for its COMMIT. */
  #stateful(): Running & { program: Program } {
    const { committed } = this.#pipeline;
    if (this.device.prepare === undefined)
      throw new DeviceError("UNIMPLEMENTED", "this device does not give its state as a document");
    if (committed === undefined) throw new DeviceError("FAILED_PRECONDITION", "no program runs");
    const { program, wire } = committed;
    return { device: this.device, wire, program, programName: program.bmv2.program ?? "" };
  }

  async #saveState({ deviceId, role }: SaveStateRequest, call: Call): Promise<undefined> {
    this.#checkDevice(deviceId);
    if (!this.#arbitration.knowsRole(role))
      throw new DeviceError("NOT_FOUND", `the role "${role}" is unknown`);
    this.#checkPipelineAccess(role);
    const pace = paceOf(this.#yieldTurn);
    const { running, updates } = await this.#lock.run(async () => {
      const running = this.#stateful();
      return { running, updates: await differenceFromInitial(running, pace) };
    });
    for await (const part of documentParts(running, updates, pace)) {
      if (call.cancelled) return;
      const message = toBinary(SaveStateResponseSchema, create(SaveStateResponseSchema, { part }));
      if (!call.write(message)) await call.drained();
    }
  }

  async #restoreState(messages: AsyncIterable<Uint8Array>): Promise<void> {
    let first: RestoreStateRequest | undefined;
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const bytes of messages) {
      const request = decoded(() => SettingsService.restoreState.requestDeserialize(bytes as Buffer));
      first ??= request;
      size += request.part.length;
      if (size > MAX_STATE_BYTES)
        throw new DeviceError("RESOURCE_EXHAUSTED", `the state has more than ${MAX_STATE_BYTES} bytes`);
      // A copy: the bytes of a message are a view of what was received.
      parts.push(request.part.slice());
    }
    if (first === undefined) throw new DeviceError("INVALID_ARGUMENT", "the state is missing");
    await this.#change(first, () => restoreDocument(this.#stateful(), parts, paceOf(this.#yieldTurn)));
  }

  #checkDevice(deviceId: bigint): void {
    if (deviceId !== this.deviceId) {
      throw new DeviceError("NOT_FOUND", `there is no device ${deviceId}; this is device ${this.deviceId}`);
    }
  }

  /** Only a role that may push pipelines may change settings of the whole switch. */
  #checkPipelineAccess(role: string): void {
    if (this.#arbitration.configOf(role)?.canPushPipeline !== false) return;
    throw new DeviceError(
      "PERMISSION_DENIED",
      `the configuration of role "${role}" does not have can_push_pipeline`,
    );
  }

  /** The first two checks of a Write and of SetForwardingPipelineConfig (12, 14); the answer ends the write. */
  #beginWrite(request: {
    deviceId: bigint;
    role: string;
    roleId: bigint;
    electionId?: Uint128 | undefined;
  }): () => void {
    this.#checkDevice(request.deviceId);
    const role = roleName(request.role, request.roleId);
    if (!this.#arbitration.knowsRole(role))
      throw new DeviceError("NOT_FOUND", `the role "${role}" is unknown`);
    const electionId = electionIdOf(request.electionId);
    const end = this.#arbitration.beginWrite(role, electionId);
    if (end === undefined) {
      const claimed =
        electionId === undefined ? "no election id is given" : `election id ${electionId} is not primary`;
      throw new DeviceError("PERMISSION_DENIED", `${claimed}; ${this.#arbitration.describe(role)}`);
    }
    return end;
  }

  async #write(request: PackedWrite) {
    const { head } = request;
    const end = this.#beginWrite(head);
    try {
      const role = roleName(head.role, head.roleId);
      const config = this.#arbitration.configOf(role);
      const statuses = await this.#lock.run(async () => {
        const { wire, device } = this.#target();
        if (request.length > this.#maxUpdates) {
          throw new DeviceError(
            "RESOURCE_EXHAUSTED",
            `${request.length} updates in one Write; at most ${this.#maxUpdates} are taken`,
          );
        }
        const check = ({ entity }: Update): void => checkAccess(role, config, entity);
        const pace = paceOf(this.#yieldTurn);
        return applyUpdates(wire, device, request, { atomicity: atomicityOf(head.atomicity), check, pace });
      });
      if (statuses === undefined) return WRITTEN;
      const failed = statuses.filter((status) => status.code !== "OK").length;
      throw new BatchFailure(batchStatus(`${failed} of ${statuses.length} updates failed`, statuses));
    } finally {
      end();
    }
  }

  #target() {
    const target = this.#pipeline.target();
    if (target === undefined) {
      throw new DeviceError("FAILED_PRECONDITION", "no forwarding pipeline config is set");
    }
    return target;
  }

  async #read(request: ReadRequest, call: Call): Promise<undefined> {
    this.#checkDevice(request.deviceId);
    if (!this.#arbitration.knowsRole(request.role)) {
      throw new DeviceError("NOT_FOUND", `the role "${request.role}" is unknown`);
    }
    const config = this.#arbitration.configOf(request.role);
    for (const entity of request.entities) checkAccess(request.role, config, entity);
    const pace = paceOf(this.#yieldTurn);
    const { wire, entities, statuses } = await this.#lock.run(async () => {
      const target = this.#target();
      return { wire: target.wire, ...(await readAll(target.wire, target.device, request.entities, pace)) };
    });
    const keep = config && ((entity: Entity) => config.allows(entity));
    for await (const response of responses(wire, entities, pace, keep)) {
      if (call.cancelled) return;
      if (!call.write(response)) await call.drained();
    }
    if (statuses === undefined) return;
    const failed = statuses.filter((status) => status.code !== "OK");
    const { code, message } = failed[0]!;
    // Many clients show only this text, not the details.
    const text = `${failed.length} of ${statuses.length} read requests failed: ${code} ${message}`;
    throw new BatchFailure(batchStatus(text, statuses));
  }

  async #setConfig(request: SetForwardingPipelineConfigRequest) {
    const end = this.#beginWrite(request);
    try {
      this.#checkPipelineAccess(roleName(request.role, request.roleId));
      await this.#lock.run(() => this.#pipeline.set(request.action, request.config, paceOf(this.#yieldTurn)));
      return create(SetForwardingPipelineConfigResponseSchema);
    } finally {
      end();
    }
  }

  async #getConfig(request: GetForwardingPipelineConfigRequest) {
    this.#checkDevice(request.deviceId);
    const config = this.#pipeline.get(request.responseType);
    const response = create(GetForwardingPipelineConfigResponseSchema);
    if (config !== undefined) response.config = config;
    return response;
  }

  async #capabilities(request: CapabilitiesRequest) {
    if (request.deviceId !== 0n) this.#checkDevice(request.deviceId);
    return create(CapabilitiesResponseSchema, { p4runtimeApiVersion: API_VERSION });
  }
}

/** Bytes that are no message of the method end the call as in other servers of gRPC. */
function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new DeviceError("INTERNAL", `Error deserializing request: ${(error as Error).message}`);
  }
}

function unary<I, O>(
  { path, requestDeserialize, responseSerialize }: MethodDefinition<I, O>,
  handle: (request: I) => Promise<O>,
): [string, Method] {
  return [
    path,
    {
      kind: "unary",
      handle: async (bytes) =>
        responseSerialize(await handle(decoded(() => requestDeserialize(bytes as Buffer)))),
    },
  ];
}
