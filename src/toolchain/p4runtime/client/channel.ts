/** The calls of P4Runtime as promises, over one gRPC channel. Errors are `DeviceError`s with their details. */

import { create } from "@bufbuild/protobuf";
import {
  ChannelCredentials,
  Client,
  type ClientDuplexStream,
  type ClientUnaryCall,
  type MethodDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { given } from "../../../base/index.js";
import { DeviceError } from "../../device/index.js";
import {
  CapabilitiesRequestSchema,
  type Entity,
  type ForwardingPipelineConfig,
  GetForwardingPipelineConfigRequestSchema,
  type ReadRequest,
  type ReadResponse,
  GetForwardingPipelineConfigRequest_ResponseType as ResponseType,
  type SetForwardingPipelineConfigRequest,
  type StreamMessageRequest,
  type StreamMessageResponse,
  type WriteRequest,
} from "../generated/p4/v1/p4runtime_pb.js";
import {
  type AddPortRequest,
  type ApplyRequest,
  DescribeRequestSchema,
  type DescribeResponse,
  ListPortsRequestSchema,
  type Port,
  type RemovePortRequest,
  type ResetStateRequest,
  type RestoreStateRequest,
  type RestoreStateResponse,
  type SaveStateRequest,
  type SaveStateResponse,
} from "../generated/p4loom/v1/settings_pb.js";
import { P4RuntimeService, quietGrpc, SettingsService } from "../service.js";
import { deviceErrorOf } from "../status.js";

/** TLS as PEM text: the CA that signed the server's certificate, and the client's certificate if the server asks for it. */
export interface ClientTls {
  ca?: string | Uint8Array;
  certificate?: string | Uint8Array;
  privateKey?: string | Uint8Array;
  /** Name that the server's certificate must carry, where it is not the address. */
  serverName?: string;
}

export interface ChannelOptions {
  tls?: ClientTls;
  maxMessageBytes: number;
  /** Milliseconds until a call without an answer fails with DEADLINE_EXCEEDED. */
  timeoutMs: number;
}

export type Stream = ClientDuplexStream<StreamMessageRequest, StreamMessageResponse>;

function credentials(tls: ClientTls | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  const pem = (text: string | Uint8Array | undefined): Buffer | null =>
    text === undefined ? null : Buffer.from(text as string);
  return ChannelCredentials.createSsl(pem(tls.ca), pem(tls.privateKey), pem(tls.certificate));
}

export class P4RuntimeChannel {
  readonly #client: Client;

  constructor(
    readonly address: string,
    private readonly options: ChannelOptions,
  ) {
    const { tls, maxMessageBytes } = options;
    quietGrpc();
    this.#client = new Client(address, credentials(tls), {
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": -1,
      // A restarted switch is connected again within seconds.
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 2000,
      ...given({ "grpc.ssl_target_name_override": tls?.serverName }),
    });
  }

  /** Resolves when the server answers connections; rejects with UNAVAILABLE after the time. */
  ready(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void =>
        reject(new DeviceError("UNAVAILABLE", `no P4Runtime server answers at ${this.address}`));
      const timer = setTimeout(refuse, timeoutMs);
      this.#client.waitForReady(Number.POSITIVE_INFINITY, (error) => {
        clearTimeout(timer);
        if (error) refuse();
        else resolve();
      });
    });
  }

  #unary<I, O>(method: MethodDefinition<I, O>, request: I): Promise<O> {
    return new Promise((resolve, reject) => {
      let late = false;
      const call: ClientUnaryCall = this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        (error: ServiceError | null, response?: O) => {
          clearTimeout(timer);
          if (error === null) resolve(response as O);
          else reject(late ? this.#timeout(method.path) : deviceErrorOf(error));
        },
      );
      const timer = setTimeout(() => {
        late = true;
        call.cancel();
      }, this.options.timeoutMs);
    });
  }

  #timeout(path: string): DeviceError {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return new DeviceError(
      "DEADLINE_EXCEEDED",
      `${name} to ${this.address}: no answer in ${this.options.timeoutMs} ms`,
    );
  }

  async write(request: WriteRequest): Promise<void> {
    await this.#unary(P4RuntimeService.write, request);
  }

  /** All entities of the answer, in order; `onPart` receives the number of entities in each message. */
  async read(request: ReadRequest, onPart?: (entities: number) => void): Promise<Entity[]> {
    const entities: Entity[] = [];
    await this.#parts(P4RuntimeService.read, request, (response: ReadResponse) => {
      for (const entity of response.entities) entities.push(entity);
      onPart?.(response.entities.length);
    });
    return entities;
  }

  /** A call whose answer comes in parts, each of which has the time of a call. */
  #parts<I, O>(method: MethodDefinition<I, O>, request: I, onPart: (part: O) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const call = this.#client.makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
      );
      let late = false;
      const arm = () =>
        setTimeout(() => {
          late = true;
          call.cancel();
        }, this.options.timeoutMs);
      let timer = arm();
      call.on("data", (part: O) => {
        onPart(part);
        clearTimeout(timer);
        timer = arm();
      });
      call.on("end", () => {
        clearTimeout(timer);
        resolve();
      });
      call.on("error", (error: ServiceError) => {
        clearTimeout(timer);
        reject(late ? this.#timeout(method.path) : deviceErrorOf(error));
      });
    });
  }

  async setConfig(request: SetForwardingPipelineConfigRequest): Promise<void> {
    await this.#unary(P4RuntimeService.setForwardingPipelineConfig, request);
  }

  /** The config of a device; undefined when it has none. */
  async getConfig(
    deviceId: bigint,
    responseType = ResponseType.ALL,
  ): Promise<ForwardingPipelineConfig | undefined> {
    const request = create(GetForwardingPipelineConfigRequestSchema, { deviceId, responseType });
    try {
      return (await this.#unary(P4RuntimeService.getForwardingPipelineConfig, request)).config;
    } catch (error) {
      // BMv2 fails where the standard answers without a config
      if (error instanceof DeviceError && error.code === "FAILED_PRECONDITION") return undefined;
      throw error;
    }
  }

  /** The version of P4Runtime that the server implements; servers before 1.1 have no such call. */
  async version(): Promise<string> {
    try {
      const request = create(CapabilitiesRequestSchema);
      return (await this.#unary(P4RuntimeService.capabilities, request)).p4runtimeApiVersion;
    } catch (error) {
      if (error instanceof DeviceError && error.code === "UNIMPLEMENTED") return "1.0.0";
      throw error;
    }
  }

  /** The settings that the device supports; undefined when the server does not have the service. */
  async settings(deviceId: bigint): Promise<DescribeResponse | undefined> {
    try {
      return await this.#unary(SettingsService.describe, create(DescribeRequestSchema, { deviceId }));
    } catch (error) {
      if (error instanceof DeviceError && error.code === "UNIMPLEMENTED") return undefined;
      throw error;
    }
  }

  async applySetting(request: ApplyRequest): Promise<void> {
    await this.#unary(SettingsService.apply, request);
  }

  async addPort(request: AddPortRequest): Promise<void> {
    await this.#unary(SettingsService.addPort, request);
  }

  async removePort(request: RemovePortRequest): Promise<void> {
    await this.#unary(SettingsService.removePort, request);
  }

  async listPorts(deviceId: bigint): Promise<Port[]> {
    const request = create(ListPortsRequestSchema, { deviceId });
    return (await this.#unary(SettingsService.listPorts, request)).ports;
  }

  async saveState(request: SaveStateRequest): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    await this.#parts(SettingsService.saveState, request, ({ part }: SaveStateResponse) => {
      parts.push(part);
    });
    return Buffer.concat(parts);
  }

  /** Sends all requests in one stream, which has the time of one call. */
  restoreState(requests: Iterable<RestoreStateRequest>): Promise<void> {
    return new Promise((resolve, reject) => {
      const method = SettingsService.restoreState;
      let late = false;
      let timer: NodeJS.Timeout | undefined;
      const call = this.#client.makeClientStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        (error: ServiceError | null, _response?: RestoreStateResponse) => {
          clearTimeout(timer);
          if (error === null) resolve();
          else reject(late ? this.#timeout(method.path) : deviceErrorOf(error));
        },
      );
      timer = setTimeout(() => {
        late = true;
        call.cancel();
      }, this.options.timeoutMs);
      for (const request of requests) call.write(request);
      call.end();
    });
  }

  async resetState(request: ResetStateRequest): Promise<void> {
    await this.#unary(SettingsService.resetState, request);
  }

  openStream(): Stream {
    const method = P4RuntimeService.streamChannel;
    return this.#client.makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
    );
  }

  close(): void {
    this.#client.close();
  }
}
