/**
 * Plays the recorded exchanges of a controller with BMv2 (test/golden/cpu/p4runtime.json) against another
 * server, and returns the result of each in a form that can be compared.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { ServiceError } from "@grpc/grpc-js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import type { P4RuntimeChannel, Stream } from "../../../src/toolchain/p4runtime/client/channel.js";
import {
  type Entity,
  EntitySchema,
  ForwardingPipelineConfigSchema,
  GetForwardingPipelineConfigRequestSchema,
  GetForwardingPipelineConfigResponseSchema,
  ReadRequestSchema,
  ReadResponseSchema,
  SetForwardingPipelineConfigRequestSchema,
  StreamMessageRequestSchema,
  type StreamMessageResponse,
  StreamMessageResponseSchema,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { codeName } from "../../../src/toolchain/p4runtime/status.js";
import type { Program } from "../../../src/toolchain/program/index.js";

interface Talk {
  sent: JsonValue[];
  received: JsonValue[];
  stream_ended?: { code: number };
}

export interface Exchange {
  name: string;
  rpc:
    | "Capabilities"
    | "Write"
    | "Read"
    | "SetForwardingPipelineConfig"
    | "GetForwardingPipelineConfig"
    | "StreamChannel";
  request?: JsonValue;
  response?: JsonValue;
  responses?: JsonValue[];
  status?: { code: number; details?: { canonical_code?: number }[] };
  data_in?: { port: number; hex: string };
  data_out?: { port: number; hex: string }[];
  [other: string]: unknown;
}

export function recordedExchanges(): Exchange[] {
  const path = join(import.meta.dirname, "../../golden/cpu/p4runtime.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: Exchange[] }).cases;
}

/** What an exchange came to: codes, entities, stream messages and frames as text, in an order that is fixed. */
export type Outcome = string[];

const CONTROLLERS = ["A", "B", "C", "E", "H", "K"];

function entityText(entity: Entity): string {
  const { entity: variant } = entity;
  // ports as bytes and as integers mean the same
  if (variant.case === "packetReplicationEngineEntry" && variant.value.type.case === "multicastGroupEntry") {
    for (const replica of variant.value.type.value.replicas) {
      const { portKind } = replica;
      if (portKind.case === "port") replica.portKind = { case: "egressPort", value: portKind.value.at(-1)! };
    }
    variant.value.type.value.replicas.sort((a, b) => keyText(a) - keyText(b));
  }
  if (variant.case === "tableEntry" && variant.value.timeSinceLastHit) {
    variant.value.timeSinceLastHit.elapsedNs = 0n;
  }
  return JSON.stringify(toJson(EntitySchema, entity));
}

function keyText(replica: {
  portKind: { value?: number | Uint8Array | undefined };
  instance: number;
}): number {
  return Number(replica.portKind.value) * 1000 + replica.instance;
}

function messageText(update: StreamMessageResponse["update"]): string {
  switch (update.case) {
    case "arbitration": {
      const { electionId, status } = update.value;
      return `arbitration ${electionId?.low} ${codeName(status?.code ?? 0)}`;
    }
    case "error":
      return `error ${codeName(update.value.canonicalCode)} ${update.value.details.case}`;
    case "digest":
      update.value.timestamp = 0n;
      break;
    case "idleTimeoutNotification":
      update.value.timestamp = 0n;
      break;
    default:
  }
  const message = create(StreamMessageResponseSchema);
  message.update = update;
  return JSON.stringify(toJson(StreamMessageResponseSchema, message));
}

const statusText = (code: number, details: readonly number[]): string =>
  [codeName(code), ...details.map((d) => codeName(d))].join(" ");

/** What BMv2 did. */
export function recordedOutcome(exchange: Exchange): Outcome {
  const outcome: Outcome = [];
  if (exchange.status !== undefined) {
    outcome.push(
      statusText(
        exchange.status.code,
        (exchange.status.details ?? []).map((d) => d.canonical_code ?? 0),
      ),
    );
  }
  if (exchange.rpc === "GetForwardingPipelineConfig") {
    const { config } = fromJson(GetForwardingPipelineConfigResponseSchema, exchange.response!);
    outcome.push(`cookie ${config?.cookie?.cookie}`);
  }
  const entities = (exchange.responses ?? []).flatMap((json) => fromJson(ReadResponseSchema, json).entities);
  outcome.push(...entities.map(entityText).sort());
  for (const name of CONTROLLERS) {
    const talk = exchange[name] as Talk | undefined;
    const texts = (talk?.received ?? []).map((json) =>
      messageText(fromJson(StreamMessageResponseSchema, json).update),
    );
    outcome.push(...texts.sort().map((text) => `${name} hears ${text}`));
    if (talk?.stream_ended !== undefined) outcome.push(`${name} ends ${codeName(talk.stream_ended.code)}`);
  }
  for (const { port, hex } of exchange.data_out ?? []) outcome.push(`port ${port} sends ${hex}`);
  return outcome;
}

/** The data plane of the server that is played against. */
export interface DataPlane {
  inject(port: number, hex: string): void;
  /** Frames sent since the last call, by port. */
  sent(): { port: number; hex: string }[];
}

interface Open {
  stream: Stream;
  heard: StreamMessageResponse["update"][];
  ended: string | undefined;
}

/** Time for unexpected events, and the maximum time for expected ones. */
const SETTLE_MS = 100;
const LONGEST_MS = 3000;

export class Player {
  readonly #streams = new Map<string, Open>();

  constructor(
    private readonly channel: P4RuntimeChannel,
    private readonly program: Program,
    private readonly data: DataPlane,
  ) {}

  async play(exchange: Exchange): Promise<Outcome> {
    switch (exchange.rpc) {
      case "Capabilities":
        return [`OK`];
      case "Write":
        return this.#call(() => this.channel.write(fromJson(WriteRequestSchema, exchange.request!)));
      case "SetForwardingPipelineConfig": {
        const { config, ...rest } = exchange.request as Record<string, JsonValue>;
        const request = fromJson(SetForwardingPipelineConfigRequestSchema, rest);
        const { cookie } = (config as { cookie: { cookie: string } }).cookie;
        request.config = create(ForwardingPipelineConfigSchema, {
          p4info: this.program.p4info,
          p4DeviceConfig: new TextEncoder().encode(JSON.stringify(this.program.bmv2)),
          cookie: { cookie: BigInt(cookie) },
        });
        return this.#call(() => this.channel.setConfig(request));
      }
      case "GetForwardingPipelineConfig": {
        const request = fromJson(GetForwardingPipelineConfigRequestSchema, exchange.request!);
        const config = await this.channel.getConfig(request.deviceId, request.responseType);
        return ["OK", `cookie ${config?.cookie?.cookie}`];
      }
      case "Read": {
        let entities: Entity[] = [];
        const outcome = await this.#call(async () => {
          entities = await this.channel.read(fromJson(ReadRequestSchema, exchange.request!));
        });
        return [...outcome, ...entities.map(entityText).sort()];
      }
      case "StreamChannel":
        return this.#talk(exchange);
    }
  }

  async #call(task: () => Promise<void>): Promise<Outcome> {
    try {
      await task();
      return ["OK"];
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      return [[error.code, ...(error.updates ?? []).map((u) => u.code)].join(" ")];
    }
  }

  #open(name: string): Open {
    let open = this.#streams.get(name);
    if (open === undefined) {
      const stream = this.channel.openStream();
      const made: Open = { stream, heard: [], ended: undefined };
      stream.on("data", (message: StreamMessageResponse) => made.heard.push(message.update));
      stream.on("error", (error: ServiceError) => (made.ended = codeName(error.code)));
      this.#streams.set(name, made);
      open = made;
    }
    return open;
  }

  async #talk(exchange: Exchange): Promise<Outcome> {
    // the one exchange in which a stream is closed
    if (exchange.name === "the primary leaves") this.#streams.get("B")?.stream.end();
    for (const name of CONTROLLERS) {
      for (const json of (exchange[name] as Talk | undefined)?.sent ?? []) {
        this.#open(name).stream.write(fromJson(StreamMessageRequestSchema, json));
      }
    }
    if (exchange.data_in !== undefined) this.data.inject(exchange.data_in.port, exchange.data_in.hex);
    const expected = recordedOutcome(exchange).length;
    const frames: { port: number; hex: string }[] = [];
    for (let waited = 0; waited < LONGEST_MS; waited += SETTLE_MS) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      frames.push(...this.data.sent());
      const news = [...this.#streams.values()].map(
        (open) => open.heard.length + (open.ended === undefined ? 0 : 1),
      );
      if (news.reduce((sum, n) => sum + n, frames.length) >= expected) break;
    }
    const outcome: Outcome = [];
    for (const [name, open] of this.#streams) {
      const texts = open.heard.splice(0).map(messageText).sort();
      outcome.push(...texts.map((text) => `${name} hears ${text}`));
      if (open.ended !== undefined) {
        if (exchange[name] !== undefined) outcome.push(`${name} ends ${open.ended}`);
        this.#streams.delete(name);
      }
    }
    for (const { port, hex } of frames) outcome.push(`port ${port} sends ${hex}`);
    return outcome;
  }

  close(): void {
    for (const { stream } of this.#streams.values()) stream.cancel();
  }
}
