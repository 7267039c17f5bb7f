/**
 * The gRPC services p4.v1.P4Runtime and p4loom.v1.Settings: their methods with their (de)serialisers, for client
 * and server.
 */
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { logVerbosity, type MethodDefinition, setLogVerbosity } from "@grpc/grpc-js";
import * as bfrt from "./generated/bfrt_proto/bfruntime_pb.js";
import {
  CapabilitiesRequestSchema,
  CapabilitiesResponseSchema,
  GetForwardingPipelineConfigRequestSchema,
  GetForwardingPipelineConfigResponseSchema,
  ReadRequestSchema,
  ReadResponseSchema,
  SetForwardingPipelineConfigRequestSchema,
  SetForwardingPipelineConfigResponseSchema,
  StreamMessageRequestSchema,
  StreamMessageResponseSchema,
  WriteRequestSchema,
  WriteResponseSchema,
} from "./generated/p4/v1/p4runtime_pb.js";
import {
  AddPortRequestSchema,
  AddPortResponseSchema,
  ApplyRequestSchema,
  ApplyResponseSchema,
  DescribeRequestSchema,
  DescribeResponseSchema,
  ListPortsRequestSchema,
  ListPortsResponseSchema,
  RemovePortRequestSchema,
  RemovePortResponseSchema,
  ResetStateRequestSchema,
  ResetStateResponseSchema,
  RestoreStateRequestSchema,
  RestoreStateResponseSchema,
  SaveStateRequestSchema,
  SaveStateResponseSchema,
} from "./generated/p4loom/v1/settings_pb.js";

/** The version of P4Runtime that server and client implement. */
export const API_VERSION = "1.4.0";

/** P4Runtime spec, "gRPC Server Maximum Receive Message Size": never below gRPC's own 4 MiB. */
export const MIN_MESSAGE_BYTES = 4 * 1024 * 1024;
export const DEFAULT_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Byte fields of messages become plain `Uint8Array`s: a Buffer's `slice` would share memory where theirs copies. */
function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The log lines of gRPC on stderr repeat our errors, so they are off unless GRPC_VERBOSITY is set. */
export function quietGrpc(): void {
  if (process.env["GRPC_VERBOSITY"] === undefined) setLogVerbosity(logVerbosity.NONE);
}

interface Streaming {
  requestStream?: boolean;
  responseStream?: boolean;
}

function method<I extends DescMessage, O extends DescMessage>(
  path: string,
  input: I,
  output: O,
  { requestStream = false, responseStream = false }: Streaming = {},
): MethodDefinition<MessageShape<I>, MessageShape<O>> {
  const encode = (schema: DescMessage) => (message: MessageShape<DescMessage>) => {
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: encode(input),
    requestDeserialize: (bytes) => fromBinary(input, plain(bytes)),
    responseSerialize: encode(output),
    responseDeserialize: (bytes) => fromBinary(output, plain(bytes)),
  };
}

const P4RUNTIME = "/p4.v1.P4Runtime";

export const P4RuntimeService = {
  write: method(`${P4RUNTIME}/Write`, WriteRequestSchema, WriteResponseSchema),
  read: method(`${P4RUNTIME}/Read`, ReadRequestSchema, ReadResponseSchema, { responseStream: true }),
  setForwardingPipelineConfig: method(
    `${P4RUNTIME}/SetForwardingPipelineConfig`,
    SetForwardingPipelineConfigRequestSchema,
    SetForwardingPipelineConfigResponseSchema,
  ),
  getForwardingPipelineConfig: method(
    `${P4RUNTIME}/GetForwardingPipelineConfig`,
    GetForwardingPipelineConfigRequestSchema,
    GetForwardingPipelineConfigResponseSchema,
  ),
  streamChannel: method(
    `${P4RUNTIME}/StreamChannel`,
    StreamMessageRequestSchema,
    StreamMessageResponseSchema,
    { requestStream: true, responseStream: true },
  ),
  capabilities: method(`${P4RUNTIME}/Capabilities`, CapabilitiesRequestSchema, CapabilitiesResponseSchema),
} as const;

const BFRT = "/bfrt_proto.BfRuntime";

/** The service of a Tofino's drivers. */
export const BfRuntimeService = {
  write: method(`${BFRT}/Write`, bfrt.WriteRequestSchema, bfrt.WriteResponseSchema),
  read: method(`${BFRT}/Read`, bfrt.ReadRequestSchema, bfrt.ReadResponseSchema, { responseStream: true }),
  setForwardingPipelineConfig: method(
    `${BFRT}/SetForwardingPipelineConfig`,
    bfrt.SetForwardingPipelineConfigRequestSchema,
    bfrt.SetForwardingPipelineConfigResponseSchema,
  ),
  getForwardingPipelineConfig: method(
    `${BFRT}/GetForwardingPipelineConfig`,
    bfrt.GetForwardingPipelineConfigRequestSchema,
    bfrt.GetForwardingPipelineConfigResponseSchema,
  ),
  streamChannel: method(
    `${BFRT}/StreamChannel`,
    bfrt.StreamMessageRequestSchema,
    bfrt.StreamMessageResponseSchema,
    { requestStream: true, responseStream: true },
  ),
} as const;

const SETTINGS = "/p4loom.v1.Settings";

/** The service of p4loom for what P4Runtime does not have. */
export const SettingsService = {
  describe: method(`${SETTINGS}/Describe`, DescribeRequestSchema, DescribeResponseSchema),
  apply: method(`${SETTINGS}/Apply`, ApplyRequestSchema, ApplyResponseSchema),
  addPort: method(`${SETTINGS}/AddPort`, AddPortRequestSchema, AddPortResponseSchema),
  removePort: method(`${SETTINGS}/RemovePort`, RemovePortRequestSchema, RemovePortResponseSchema),
  listPorts: method(`${SETTINGS}/ListPorts`, ListPortsRequestSchema, ListPortsResponseSchema),
  saveState: method(`${SETTINGS}/SaveState`, SaveStateRequestSchema, SaveStateResponseSchema, {
    responseStream: true,
  }),
  restoreState: method(`${SETTINGS}/RestoreState`, RestoreStateRequestSchema, RestoreStateResponseSchema, {
    requestStream: true,
  }),
  resetState: method(`${SETTINGS}/ResetState`, ResetStateRequestSchema, ResetStateResponseSchema),
} as const;
