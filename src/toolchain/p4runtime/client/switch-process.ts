/** Ports and whole states of a switch that serves p4loom.v1.Settings. */
import { create } from "@bufbuild/protobuf";
import {
  DeviceError,
  type PortControl,
  type PortDescription,
  type StateControl,
} from "../../device/index.js";
import { decodeAttachment, encodeAttachment } from "../codec/attachment.js";
import type { Uint128 } from "../generated/p4/v1/p4runtime_pb.js";
import {
  AddPortRequestSchema,
  type Port,
  RemovePortRequestSchema,
  ResetStateRequestSchema,
  type RestoreStateRequest,
  RestoreStateRequestSchema,
  SaveStateRequestSchema,
} from "../generated/p4loom/v1/settings_pb.js";
import type { P4RuntimeChannel } from "./channel.js";

/** The controller that requests a change. Throws a `DeviceError` when this controller is not primary. */
type Claim = () => { deviceId: bigint; role: string; electionId: Uint128 };

/** Bytes of a document in one message. */
const PART_BYTES = 256 * 1024;

function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port < 2 ** 32) return port;
  throw new DeviceError("INVALID_ARGUMENT", `port ${port}: it is a whole number from 0 on`);
}

export function remotePorts(channel: P4RuntimeChannel, deviceId: bigint, claim: Claim): PortControl {
  return {
    async add(port, attachment) {
      const request = create(AddPortRequestSchema, { ...claim(), port: checkPort(port) });
      request.attachment = encodeAttachment(attachment);
      await channel.addPort(request);
    },
    async remove(port) {
      await channel.removePort(create(RemovePortRequestSchema, { ...claim(), port: checkPort(port) }));
    },
    list: async () => (await channel.listPorts(deviceId)).flatMap(descriptionOf),
  };
}

/** A port of a kind that is not known here is left out. */
function descriptionOf({ attachment: message, ...port }: Port): PortDescription[] {
  const attachment = decodeAttachment(message);
  if (attachment === undefined) return [];
  return [
    {
      port: port.port,
      attachment,
      up: port.up,
      received: Number(port.received),
      sent: Number(port.sent),
      receiveDrops: Number(port.receiveDrops),
      sendDrops: Number(port.sendDrops),
    },
  ];
}

export function remoteState(
  channel: P4RuntimeChannel,
  deviceId: bigint,
  role: string,
  claim: Claim,
): StateControl {
  function* requests(document: Uint8Array): Generator<RestoreStateRequest> {
    const who = claim();
    for (let start = 0; start < Math.max(document.length, 1); start += PART_BYTES) {
      const part = document.subarray(start, start + PART_BYTES);
      yield create(RestoreStateRequestSchema, start === 0 ? { ...who, part } : { part });
    }
  }
  return {
    save: () => channel.saveState(create(SaveStateRequestSchema, { deviceId, role })),
    restore: async (document) => await channel.restoreState([...requests(document)]),
    reset: async () => await channel.resetState(create(ResetStateRequestSchema, claim())),
  };
}
