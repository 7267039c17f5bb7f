/** The updates of one Write: decoded, applied by the mode that was asked for, one status each (P4Runtime spec 12). */
import {
  type Atomicity,
  type Device,
  DeviceError,
  NamesExhausted,
  type Naming,
  type Update,
  type UpdateStatus,
} from "../../program/index.js";
import { decodeUpdate } from "../codec/entity.js";
import type { Wire } from "../codec/wire.js";
import {
  WriteRequest_Atomicity as AtomicityMessage,
  type Update as UpdateMessage,
} from "../generated/p4/v1/p4runtime_pb.js";
import { OK, updateStatusOf } from "../status.js";
import { reclaimNames } from "./reclaim.js";

export function atomicityOf(message: AtomicityMessage): Atomicity {
  switch (message) {
    case AtomicityMessage.CONTINUE_ON_ERROR:
      return "continueOnError";
    case AtomicityMessage.ROLLBACK_ON_ERROR:
      return "rollbackOnError";
    case AtomicityMessage.DATAPLANE_ATOMIC:
      return "dataplaneAtomic";
    default:
      throw new DeviceError("INVALID_ARGUMENT", `the atomicity ${message} is unknown`);
  }
}

const NOT_DONE: UpdateStatus = { code: "ABORTED", message: "another update of the batch failed" };

/** Elements that the whole-array updates of one Write may mean, all together. */
const MAX_UPDATES = 1 << 21;

/** The statuses of the updates, or undefined when all took effect. Throws what concerns the whole call. */
export async function applyUpdates(
  wire: Wire,
  device: Device,
  messages: readonly UpdateMessage[],
  atomicity: Atomicity,
): Promise<UpdateStatus[] | undefined> {
  const statuses: UpdateStatus[] = new Array(messages.length);
  const updates: Update[] = [];
  /** For each update the message that it comes from. */
  const origin: number[] = [];
  const fresh = new FreshNames(wire);
  let failed = false;
  let reclaimed = false;
  for (let i = 0; i < messages.length; i++) {
    statuses[i] = OK;
    try {
      const meant = decodeUpdate(fresh.wireOf(i), messages[i]!);
      if (updates.length + meant.length > MAX_UPDATES) {
        throw new DeviceError("RESOURCE_EXHAUSTED", `one Write may change at most ${MAX_UPDATES} elements`);
      }
      for (const update of meant) {
        updates.push(update);
        origin.push(i);
      }
    } catch (error) {
      if (error instanceof NamesExhausted && !reclaimed) {
        reclaimed = true;
        await reclaimNames(wire, device, updates);
        i--;
        continue;
      }
      statuses[i] = updateStatusOf(error);
      failed = true;
    }
  }
  const allOrNothing = (): UpdateStatus[] =>
    atomicity === "continueOnError"
      ? statuses
      : statuses.map((status) => (status.code === "OK" ? NOT_DONE : status));
  if (failed && atomicity !== "continueOnError") {
    fresh.keep(() => false);
    return allOrNothing();
  }
  if (updates.length > 0) {
    try {
      await device.write(updates, atomicity);
    } catch (error) {
      if (!(error instanceof DeviceError) || error.updates === undefined) throw error;
      for (const [k, status] of error.updates.entries()) {
        const i = origin[k]!;
        if (statuses[i]!.code === "OK") statuses[i] = status;
      }
      fresh.keep((i) => atomicity === "continueOnError" && statuses[i]!.code === "OK");
      // also what asked for nothing, such as a counter without data, counts as not done
      return allOrNothing();
    }
  }
  fresh.keep((i) => statuses[i]!.code === "OK");
  return failed ? statuses : undefined;
}

/** The names that the messages of one Write brought into use: of those that took no effect they are given up again. */
class FreshNames {
  /** For each name the messages that have it. */
  readonly #users = new Map<string, { type: string; name: string; messages: number[] }>();
  readonly #wire: Wire;
  #current = 0;

  constructor(wire: Wire) {
    const { names } = wire;
    const number = (type: string, name: string): bigint => {
      const key = JSON.stringify([type, name]);
      let fresh = this.#users.get(key);
      if (fresh === undefined && !names.has(type, name))
        this.#users.set(key, (fresh = { type, name, messages: [] }));
      fresh?.messages.push(this.#current);
      return names.number(type, name);
    };
    const naming: Naming = { number, name: (type, known) => names.name(type, known) };
    this.#wire = names.isEmpty ? wire : { ...wire, naming };
  }

  /** What message `i` is decoded with. */
  wireOf(i: number): Wire {
    this.#current = i;
    return this.#wire;
  }

  keep(tookEffect: (message: number) => boolean): void {
    for (const { type, name, messages } of this.#users.values())
      if (!messages.some(tookEffect)) this.#wire.names.drop(type, name);
  }
}
