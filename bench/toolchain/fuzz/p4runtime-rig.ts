/** A P4Runtime server for an embedded switch, and a client that sends any bytes. */
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import type { ReadQuery } from "../../../src/toolchain/device/index.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import { StatusSchema } from "../../../src/toolchain/p4runtime/generated/google/rpc/status_pb.js";
import {
  CapabilitiesRequestSchema,
  ErrorSchema,
  MasterArbitrationUpdateSchema,
  StreamMessageRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { type P4RuntimeServer, serve } from "../../../src/toolchain/p4runtime/index.js";
import { P4InfoIndex, type Program } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { type Ids, idsOf } from "./p4runtime-messages.js";

/** Time after which a call counts as unanswered, in milliseconds. */
const ANSWER_MS = 20_000;
export const P4RUNTIME = "/p4.v1.P4Runtime";
export const SETTINGS = "/p4loom.v1.Settings";

const EVERYTHING: readonly ReadQuery[] = [
  { kind: "tableEntry", counter: true, meter: true },
  { kind: "tableEntry", isDefault: true },
  { kind: "member" },
  { kind: "group" },
  { kind: "counter" },
  { kind: "meter" },
  { kind: "register" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
  { kind: "digest" },
  { kind: "valueSet" },
];

export interface Answer {
  code: number;
  details: string;
  /** Codes of the single updates or requests, if the status contains them. */
  parts: readonly number[] | undefined;
  responses: number;
}

/** The first fault that happened outside of any call. */
let loose: string | undefined;
process.on("uncaughtException", (error) => {
  loose ??= `uncaught: ${error.stack}`;
});
process.on("unhandledRejection", (error) => {
  loose ??= `unhandled: ${error instanceof Error ? error.stack : String(error)}`;
});

export function looseFault(): string | undefined {
  const found = loose;
  loose = undefined;
  return found;
}

const raw = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const same = (bytes: Buffer): Buffer => bytes;

export class Rig {
  readonly index: P4InfoIndex;
  readonly ids: Ids;

  private constructor(
    readonly device: Switch,
    readonly server: P4RuntimeServer,
    readonly client: Client,
    readonly program: Program,
  ) {
    this.index = new P4InfoIndex(program.p4info);
    this.ids = idsOf(this.index);
  }

  /** A rig with a loaded program and a primary with election id 1. */
  static async start(program: Program): Promise<Rig> {
    const device = new Switch(program, {
      seed: 1,
      cpuPort: 510,
      clock: { now: () => 0, at: () => () => {} },
      transmit: () => {},
      log: () => {},
    });
    const server = await serve(device, { address: "127.0.0.1:0" });
    const client = new Client(server.address, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.use_local_subchannel_pool": 1,
    });
    const rig = new Rig(device, server, client, program);
    rig.stream([arbitration(1n)], () => {});
    // the next call finds the session open: both are on one connection, in order
    await rig.call(
      `${P4RUNTIME}/Capabilities`,
      toBinary(CapabilitiesRequestSchema, create(CapabilitiesRequestSchema)),
    );
    return rig;
  }

  close(): void {
    this.client.close();
    // does not wait for its end
    void this.server.close();
  }

  call(path: string, request: Uint8Array, streaming = false): Promise<Answer> {
    return new Promise((resolve) => {
      let responses = 0;
      const timer = setTimeout(
        () => resolve({ code: status.DEADLINE_EXCEEDED, details: "no answer", parts: undefined, responses }),
        ANSWER_MS,
      );
      const done = (error: ServiceError | null): void => {
        clearTimeout(timer);
        const parts = error === null ? undefined : partsOf(error);
        resolve({ code: error?.code ?? 0, details: error?.details ?? "", parts, responses });
      };
      if (!streaming) {
        this.client.makeUnaryRequest(path, raw, same, request, done);
        return;
      }
      const call = this.client.makeServerStreamRequest(path, raw, same, request);
      call.on("data", () => void responses++);
      call.on("error", done);
      call.on("end", () => done(null));
    });
  }

  /** A stream that sends these messages; each answer goes to `hear`, undefined when the stream has ended. */
  stream(messages: readonly Uint8Array[], hear: (bytes: Buffer | undefined) => void) {
    const call = this.client.makeBidiStreamRequest(`${P4RUNTIME}/StreamChannel`, raw, same);
    call.on("data", hear);
    call.on("error", () => hear(undefined));
    call.on("end", () => hear(undefined));
    for (const message of messages) call.write(message);
    return call;
  }

  /** The whole state of the device that the control plane can read. */
  async state(): Promise<string> {
    const entities = await this.device.read(EVERYTHING);
    return JSON.stringify(entities, (_, value) =>
      typeof value === "bigint" ? `${value}n` : value instanceof Uint8Array ? [...value] : value,
    );
  }
}

export function arbitration(electionId: bigint): Uint8Array {
  const value = create(MasterArbitrationUpdateSchema, {
    deviceId: 1n,
    electionId: electionIdMessage(electionId),
  });
  return toBinary(
    StreamMessageRequestSchema,
    create(StreamMessageRequestSchema, { update: { case: "arbitration", value } }),
  );
}

/** The message, or undefined if the bytes are not a message. */
export function parse<Desc extends DescMessage>(
  schema: Desc,
  bytes: Uint8Array,
): MessageShape<Desc> | undefined {
  try {
    return fromBinary(schema, bytes);
  } catch {
    return undefined;
  }
}

function partsOf(error: ServiceError): number[] | undefined {
  const [packed] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!(packed instanceof Uint8Array)) return undefined;
  return parse(StatusSchema, packed)?.details.map((any) => anyUnpack(any, ErrorSchema)?.canonicalCode ?? -1);
}

/** The fault in an answer to any request: an internal error of the server, or no answer. */
export function wrongAnswer({ code, details, parts }: Answer): string | undefined {
  if (code === status.DEADLINE_EXCEEDED) return "no answer";
  if (code === status.UNAVAILABLE) return `the server went away: ${details}`;
  if (code === status.INTERNAL && !/deserializ/i.test(details)) return `INTERNAL: ${details}`;
  if (code === status.UNKNOWN && parts === undefined) return `UNKNOWN without parts: ${details}`;
  if (parts?.includes(status.INTERNAL)) return `a part INTERNAL: ${details}`;
  return undefined;
}
