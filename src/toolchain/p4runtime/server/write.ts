/** Decodes the updates of one Write and applies them in the requested mode, with a status for each (P4Runtime spec 12). */
import {
  type Atomicity,
  type Device,
  DeviceError,
  NamesExhausted,
  type Naming,
  type Pace,
  type Update,
  type UpdateStatus,
} from "../../device/index.js";
import { decodeUpdate, encodeUpdate } from "../codec/entity.js";
import type { Wire } from "../codec/wire.js";
import {
  WriteRequest_Atomicity as AtomicityMessage,
  type Update as UpdateMessage,
} from "../generated/p4/v1/p4runtime_pb.js";
import { OK, updateStatusOf } from "../status.js";
import { collectState } from "./carry-over.js";

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

/** Maximum number of elements that all updates of one Write, or of one state, may change together. */
export const MAX_UPDATES = 1 << 21;

/**
 * Maximum number of updates of one DATAPLANE_ATOMIC Write, and of elements in its whole-array updates. No packet may be
 * forwarded between two of them, so packets wait until all are applied.
 */
const MAX_ATOMIC_UPDATES = 400;
const MAX_ATOMIC_ELEMENTS = 16_384;

function checkAtomic(messages: number, updates: number): void {
  const [count, limit, what] =
    messages > MAX_ATOMIC_UPDATES
      ? [messages, MAX_ATOMIC_UPDATES, "updates"]
      : [updates, MAX_ATOMIC_ELEMENTS, "elements"];
  if (count <= limit) return;
  throw new DeviceError(
    "RESOURCE_EXHAUSTED",
    `${count} ${what} in one Write with DATAPLANE_ATOMIC; at most ${limit} are possible, since packets wait meanwhile`,
  );
}

/** The updates of a Write, decoded one by one. */
interface UpdateMessages {
  readonly length: number;
  update(i: number): UpdateMessage;
}

interface WriteManner {
  readonly atomicity: Atomicity;
  /** Throws where the sender may not send a message. */
  check(message: UpdateMessage): void;
  /** Between messages: other work may have its turn. */
  readonly pace: Pace;
}

/**
 * The statuses of the updates, or undefined when all took effect. Throws errors of the whole call: an
 * update that cannot be decoded, and errors of `check`; nothing is applied then.
 */
export async function applyUpdates(
  wire: Wire,
  device: Device,
  messages: UpdateMessages,
  { atomicity, check, pace }: WriteManner,
): Promise<UpdateStatus[] | undefined> {
  const statuses: UpdateStatus[] = new Array(messages.length);
  const updates: Update[] = [];
  /** For each update the index of its message. */
  const origin: number[] = [];
  const fresh = new FreshNames(wire);
  let failed = false;
  let reclaimed = false;
  if (atomicity === "dataplaneAtomic") checkAtomic(messages.length, 0);
  for (let i = 0; i < messages.length; i++) {
    const turn = pace();
    if (turn !== undefined) await turn;
    let message: UpdateMessage;
    try {
      message = messages.update(i);
      check(message);
    } catch (error) {
      fresh.keep(() => false);
      throw error;
    }
    statuses[i] = OK;
    try {
      const before = updates.length;
      for (const update of decodeUpdate(fresh.wireOf(i), message)) {
        if (updates.length >= MAX_UPDATES) {
          updates.length = before;
          origin.length = before;
          throw new DeviceError("RESOURCE_EXHAUSTED", `one Write may change at most ${MAX_UPDATES} elements`);
        }
        updates.push(update);
        origin.push(i);
        if (updates.length - before > 1) {
          const next = pace();
          if (next !== undefined) await next;
        }
      }
    } catch (error) {
      if (error instanceof NamesExhausted && !reclaimed) {
        reclaimed = true;
        await reclaimNames(wire, device, updates, pace);
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
      if (atomicity === "dataplaneAtomic") checkAtomic(messages.length, updates.length);
      await device.write(updates, atomicity, pace);
    } catch (error) {
      if (!(error instanceof DeviceError) || error.updates === undefined) {
        fresh.keep(() => false);
        throw error;
      }
      for (const [k, status] of error.updates.entries()) {
        const i = origin[k]!;
        if (statuses[i]!.code === "OK") statuses[i] = status;
      }
      fresh.keep((i) => atomicity === "continueOnError" && statuses[i]!.code === "OK");
      // an update without effect, such as a counter without data, counts as not done too
      return allOrNothing();
    }
  }
  fresh.keep((i) => statuses[i]!.code === "OK");
  return failed ? statuses : undefined;
}

/** The names first used by the messages of one Write; the names of messages without effect are removed again. */
export class FreshNames {
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

/** Removes the names that no entity uses, when a type has no numbers left: keeps those to which the device's state and the updates in progress refer. */
async function reclaimNames(
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
