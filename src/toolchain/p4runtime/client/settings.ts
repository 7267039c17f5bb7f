/** `TargetSettings` of a switch that serves p4loom.v1.Settings. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type CrcParameters,
  DeviceError,
  type QueueSelection,
  type TargetSettings,
} from "../../device/index.js";
import type { ApplyRequestSchema, DescribeResponse } from "../generated/p4loom/v1/settings_pb.js";
import { QueueSelectionSchema } from "../generated/p4loom/v1/settings_pb.js";

export type Setting = NonNullable<MessageInitShape<typeof ApplyRequestSchema>["setting"]>;

function whole(what: string, value: number): bigint {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new DeviceError("INVALID_ARGUMENT", `${what} is ${value}: it is a whole number from 0 on`);
  }
  return BigInt(value);
}

function queuesOf({ port, priority }: QueueSelection) {
  const message = create(QueueSelectionSchema);
  if (port !== undefined) message.port = Number(whole("the port", port));
  if (priority !== undefined) message.priority = Number(whole("the priority", priority));
  return message;
}

function word(what: string, value: bigint, width: 16 | 32): number {
  if (value < 0n || value >> BigInt(width) !== 0n) {
    throw new DeviceError("INVALID_ARGUMENT", `${what} is ${value}, which does not fit in ${width} bits`);
  }
  return Number(value);
}

/** The settings that the switch supports; undefined when it supports none of those here. */
export function remoteSettings(
  { queueDepth, queueRate, crcParameters, toeplitzKey, generators }: DescribeResponse,
  apply: (setting: Setting) => Promise<void>,
): TargetSettings | undefined {
  if (!queueDepth || !queueRate || !crcParameters) return undefined;
  const settings: TargetSettings = {
    async setQueueDepth(packets: number, queues: QueueSelection = {}): Promise<void> {
      const value = { packets: whole("a queue's depth", packets), queues: queuesOf(queues) };
      await apply({ case: "queueDepth", value });
    },
    async setQueueRate(packetsPerSecond: number, queues: QueueSelection = {}): Promise<void> {
      const value = {
        packetsPerSecond: whole("a queue's rate", packetsPerSecond),
        queues: queuesOf(queues),
      };
      await apply({ case: "queueRate", value });
    },
    async setCrcParameters(calculation: string, width: 16 | 32, parameters: CrcParameters): Promise<void> {
      const { polynomial, initial, finalXor, reflectData, reflectRemainder } = parameters;
      const value = {
        calculation,
        width,
        polynomial: word(`the polynomial of ${calculation}`, polynomial, width),
        initial: word(`the start value of ${calculation}`, initial, width),
        finalXor: word(`the final XOR of ${calculation}`, finalXor, width),
        reflectData,
        reflectRemainder,
      };
      await apply({ case: "crcParameters", value });
    },
  };
  if (toeplitzKey) {
    settings.setToeplitzKey = (calculation, key) =>
      apply({ case: "toeplitzKey", value: { calculation, key } });
  }
  if (generators) {
    settings.setGenerators = async (list) =>
      apply({
        case: "generators",
        value: {
          generators: list.map(({ port, periodNs, startNs = 0, frame }) => ({
            port: Number(whole("the port", port)),
            periodNs: whole("a packet generator's period", periodNs),
            startNs: whole("the time to a generator's first packet", startNs),
            frame,
          })),
        },
      });
  }
  return settings;
}
