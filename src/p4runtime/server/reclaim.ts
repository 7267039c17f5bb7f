/** Gives up the names that no entity has, when a type has run out of numbers for new ones. */
import { type Device, DeviceError, type Naming, type Update } from "../../program/index.js";
import { encodeUpdate } from "../codec/entity.js";
import type { Wire } from "../codec/wire.js";
import { collectState } from "./carry-over.js";

/** Keeps what the device's state and the updates under way refer to. */
export async function reclaimNames(wire: Wire, device: Device, pending: readonly Update[]): Promise<void> {
  const used = new Map<string, Set<bigint>>();
  const recorder: Naming = {
    number: () => {
      throw new DeviceError("INTERNAL", "nothing is decoded here");
    },
    name: (type, number) => {
      let numbers = used.get(type);
      if (numbers === undefined) used.set(type, (numbers = new Set()));
      numbers.add(number);
      return "";
    },
  };
  const listening: Wire = { ...wire, naming: recorder };
  for (const update of [...(await collectState(device)), ...pending]) {
    // what is deleted by its key alone carries no action
    if (update.type !== "delete") encodeUpdate(listening, update);
  }
  wire.names.keep(used);
}
