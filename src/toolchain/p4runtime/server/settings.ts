/** The settings of p4loom.v1.Settings: queues and hashes of the device, for controllers elsewhere. */

import { create } from "@bufbuild/protobuf";
import { given } from "../../../base/index.js";
import { type Device, DeviceError, type QueueSelection, type TargetSettings } from "../../device/index.js";
import {
  type ApplyRequest,
  type DescribeResponse,
  DescribeResponseSchema,
  type QueueSelection as QueueMessage,
} from "../generated/p4loom/v1/settings_pb.js";

function taken(settings: TargetSettings | undefined): TargetSettings {
  if (settings === undefined) throw new DeviceError("UNIMPLEMENTED", "this device has no settings");
  return settings;
}

export function describeDevice({ settings, ports, prepare }: Device): DescribeResponse {
  if (settings === undefined && ports === undefined && prepare === undefined)
    throw new DeviceError("UNIMPLEMENTED", "this device has no settings");
  const has = settings !== undefined;
  return create(DescribeResponseSchema, {
    queueDepth: has,
    queueRate: has,
    crcParameters: has,
    toeplitzKey: settings?.setToeplitzKey !== undefined,
    generators: settings?.setGenerators !== undefined,
    ports: ports !== undefined,
    state: prepare !== undefined,
  });
}

function selection(message: QueueMessage | undefined): QueueSelection {
  return given({ port: message?.port, priority: message?.priority });
}

function count(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new DeviceError("OUT_OF_RANGE", `${value} is too large`);
  return Number(value);
}

/** Rejects with the error of the device when it refuses the setting. */
export async function applySetting(
  device: TargetSettings | undefined,
  { setting }: ApplyRequest,
): Promise<void> {
  const settings = taken(device);
  switch (setting.case) {
    case "queueDepth":
      return settings.setQueueDepth(count(setting.value.packets), selection(setting.value.queues));
    case "queueRate":
      return settings.setQueueRate(count(setting.value.packetsPerSecond), selection(setting.value.queues));
    case "crcParameters": {
      const { calculation, width, polynomial, initial, finalXor, ...reflect } = setting.value;
      if (width !== 16 && width !== 32) {
        throw new DeviceError("INVALID_ARGUMENT", `a CRC of ${width} bits; 16 or 32 are possible`);
      }
      return settings.setCrcParameters(calculation, width, {
        polynomial: BigInt(polynomial),
        initial: BigInt(initial),
        finalXor: BigInt(finalXor),
        reflectData: reflect.reflectData,
        reflectRemainder: reflect.reflectRemainder,
      });
    }
    case "toeplitzKey": {
      if (settings.setToeplitzKey === undefined) {
        throw new DeviceError("UNIMPLEMENTED", "this device cannot change the keys of Toeplitz hashes");
      }
      return settings.setToeplitzKey(setting.value.calculation, setting.value.key.slice());
    }
    case "generators": {
      if (settings.setGenerators === undefined) {
        throw new DeviceError("UNIMPLEMENTED", "this device has no packet generators");
      }
      const generators = setting.value.generators.map(({ port, periodNs, startNs, frame }) => ({
        port,
        periodNs: count(periodNs),
        startNs: count(startNs),
        frame: frame.slice(),
      }));
      return settings.setGenerators(generators);
    }
    default:
      throw new DeviceError("INVALID_ARGUMENT", "the setting is missing");
  }
}
