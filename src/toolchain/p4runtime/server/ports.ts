/** The ports of p4loom.v1.Settings: requests checked for the device, and its answers as messages. */
import { create } from "@bufbuild/protobuf";
import {
  DeviceError,
  type PortAttachment,
  type PortControl,
  type PortDescription,
} from "../../device/index.js";
import { decodeAttachment, encodeAttachment } from "../codec/attachment.js";
import {
  type AddPortRequest,
  type ListPortsResponse,
  ListPortsResponseSchema,
  PortSchema,
} from "../generated/p4loom/v1/settings_pb.js";

/** Ports of v1model have 9 bits. */
const MAX_PORT = 511;
/** Names of interfaces have at most 15 bytes; names of files and namespaces are paths. */
const MAX_NAME = 4096;

export function portsOf(control: PortControl | undefined): PortControl {
  if (control === undefined)
    throw new DeviceError("UNIMPLEMENTED", "ports of this device can be neither added nor removed");
  return control;
}

export function checkPort(port: number): number {
  if (port > MAX_PORT) throw new DeviceError("OUT_OF_RANGE", `port ${port}; ports are 0 to ${MAX_PORT}`);
  return port;
}

function checkName(what: string, name: string): void {
  const invalid = (why: string) => new DeviceError("INVALID_ARGUMENT", `${what} ${why}`);
  if (name === "") throw invalid("is missing");
  if (name.length > MAX_NAME)
    throw invalid(`has ${name.length} characters; at most ${MAX_NAME} are possible`);
  if (/\p{Cc}/u.test(name)) throw invalid("has control characters");
}

export function attachmentOf({ port, attachment: message }: AddPortRequest): PortAttachment {
  const attachment = decodeAttachment(message);
  if (attachment === undefined)
    throw new DeviceError("INVALID_ARGUMENT", `port ${port} has neither an interface nor files`);
  const what = attachment.kind === "files" ? "name of the files" : "interface";
  checkName(`the ${what} of port ${port}`, attachment.name);
  if (attachment.kind === "interface" && attachment.namespace !== undefined)
    checkName(`the namespace of port ${port}`, attachment.namespace);
  return attachment;
}

export function listMessage(ports: readonly PortDescription[]): ListPortsResponse {
  const count = (frames: number): bigint => BigInt(Math.max(Math.trunc(frames), 0));
  return create(ListPortsResponseSchema, {
    ports: ports.map(({ port, attachment, up, received, sent, receiveDrops, sendDrops }) => {
      const message = create(PortSchema, {
        port,
        up,
        received: count(received),
        sent: count(sent),
        receiveDrops: count(receiveDrops),
        sendDrops: count(sendDrops),
      });
      message.attachment = encodeAttachment(attachment);
      return message;
    }),
  });
}
