/** The gRPC service p4.v1.P4Runtime: its methods with their (de)serialisers, for client and server. */
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { logVerbosity, type MethodDefinition, setLogVerbosity } from "@grpc/grpc-js";
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

/** The version of P4Runtime that both sides here speak. */
export const API_VERSION = "1.4.0";

/** P4Runtime spec, "gRPC Server Maximum Receive Message Size": never below gRPC's own 4 MiB. */
export const MIN_MESSAGE_BYTES = 4 * 1024 * 1024;
export const DEFAULT_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Byte fields of messages become plain `Uint8Array`s: a Buffer's `slice` would share memory where theirs copies. */
function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** gRPC's own log lines on stderr repeat what our errors say; GRPC_VERBOSITY brings them back. */
export function quietGrpc(): void {
  if (process.env["GRPC_VERBOSITY"] === undefined) setLogVerbosity(logVerbosity.NONE);
}

interface Streaming {
  requestStream?: boolean;
  responseStream?: boolean;
}

function method<I extends DescMessage, O extends DescMessage>(
  name: string,
  input: I,
  output: O,
  { requestStream = false, responseStream = false }: Streaming = {},
): MethodDefinition<MessageShape<I>, MessageShape<O>> {
  const encode = (schema: DescMessage) => (message: MessageShape<DescMessage>) => {
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  return {
    path: `/p4.v1.P4Runtime/${name}`,
    requestStream,
    responseStream,
    requestSerialize: encode(input),
    requestDeserialize: (bytes) => fromBinary(input, plain(bytes)),
    responseSerialize: encode(output),
    responseDeserialize: (bytes) => fromBinary(output, plain(bytes)),
  };
}

export const P4RuntimeService = {
  write: method("Write", WriteRequestSchema, WriteResponseSchema),
  read: method("Read", ReadRequestSchema, ReadResponseSchema, { responseStream: true }),
  setForwardingPipelineConfig: method(
    "SetForwardingPipelineConfig",
    SetForwardingPipelineConfigRequestSchema,
    SetForwardingPipelineConfigResponseSchema,
  ),
  getForwardingPipelineConfig: method(
    "GetForwardingPipelineConfig",
    GetForwardingPipelineConfigRequestSchema,
    GetForwardingPipelineConfigResponseSchema,
  ),
  streamChannel: method("StreamChannel", StreamMessageRequestSchema, StreamMessageResponseSchema, {
    requestStream: true,
    responseStream: true,
  }),
  capabilities: method("Capabilities", CapabilitiesRequestSchema, CapabilitiesResponseSchema),
} as const;
