/** Removes the names that no entity uses, when a type has no numbers left for new names. */
import { type Device, DeviceError, type Naming, type Pace, type Update } from "../../device/index.js";
import { encodeUpdate } from "../codec/entity.js";
import type { Wire } from "../codec/wire.js";
import { collectState } from "./carry-over.js";

/** Keeps the names to which the device's state and the updates in progress refer. */
export async function reclaimNames(
  wire: Wire,
  device: Device,
  pending: readonly Update[],
  pace: Pace,
): Promise<void> {
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
  for (const update of [...(await collectState(device, pace)), ...pending]) {
    const turn = pace();
    if (turn !== undefined) await turn;
    // a deletion has a key only, no action
    if (update.type !== "delete") encodeUpdate(listening, update);
  }
  wire.names.keep(used);
}
