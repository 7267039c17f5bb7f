/**
 * State over a change of the program (P4Runtime spec 14, RECONCILE_AND_COMMIT): everything a controller wrote
 * is read, checked against the new program by name, and written again.
 */
import {
  type Device,
  DeviceError,
  type Entity,
  type Pace,
  type ReadQuery,
  type Update,
} from "../../device/index.js";
import { decodeUpdate, encodeUpdate } from "../codec/entity.js";
import type { Wire } from "../codec/wire.js";

/** In the order in which they can be written: after an entity come those that refer to it. */
export const EVERYTHING: readonly ReadQuery[] = [
  { kind: "member" },
  { kind: "group" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
  { kind: "valueSet" },
  { kind: "digest" },
  { kind: "tableEntry", counter: true, meter: true },
  { kind: "tableEntry", isDefault: true, counter: true, meter: true },
  { kind: "counter" },
  { kind: "meter" },
  { kind: "register" },
];

/** Whether an entity is as it is in a fresh device, so that nothing needs to be carried over. */
export function isInitial(entity: Entity): boolean {
  switch (entity.kind) {
    case "counter":
      return entity.data.packets === 0n && entity.data.bytes === 0n;
    case "meter":
      return entity.config === undefined;
    case "register":
      return entity.value === 0n;
    case "valueSet":
      return entity.members.length === 0;
    case "tableEntry":
      return entity.isConst === true;
    default:
      return false;
  }
}

export const MODIFIED = new Set<Entity["kind"]>(["counter", "meter", "register", "valueSet"]);

/** The updates that bring a fresh device of the same program to this state. */
export async function collectState(device: Device, pace?: Pace): Promise<Update[]> {
  const updates: Update[] = [];
  for (const query of EVERYTHING) {
    for (const entity of await device.read([query], pace)) {
      const turn = pace?.();
      if (turn !== undefined) await turn;
      if (isInitial(entity)) continue;
      const modify = MODIFIED.has(entity.kind) || (entity.kind === "tableEntry" && entity.isDefault);
      updates.push({ type: modify ? "modify" : "insert", entity });
    }
  }
  return updates;
}

/** Maximum number of errors in one message. */
const MAX_COMPLAINTS = 3;

/** Throws INVALID_ARGUMENT when the new program has no place for some of the state. */
export async function checkCarryOver(wire: Wire, state: readonly Update[], pace: Pace): Promise<void> {
  const complaints: string[] = [];
  for (const update of state) {
    const turn = pace();
    if (turn !== undefined) await turn;
    try {
      decodeUpdate(wire, encodeUpdate(wire, update));
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      // A default entry that the old program sets itself need not be kept.
      if (update.entity.kind === "tableEntry" && update.entity.isDefault) continue;
      complaints.push(error.message);
    }
  }
  if (complaints.length === 0) return;
  const shown = complaints.slice(0, MAX_COMPLAINTS).join("; ");
  throw new DeviceError("INVALID_ARGUMENT", `${complaints.length} entities cannot be kept: ${shown}`);
}

/** The first error of updates that were written; default entries that the program forbids do not count. */
export async function firstLost(
  state: readonly Update[],
  write: (updates: readonly Update[]) => Promise<void>,
): Promise<string | undefined> {
  if (state.length === 0) return undefined;
  try {
    await write(state);
    return undefined;
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    if (error.updates === undefined) return error.message;
    const lost = error.updates.find((status, i) => {
      const { entity } = state[i]!;
      return status.code !== "OK" && !(entity.kind === "tableEntry" && entity.isDefault);
    });
    return lost?.message;
  }
}
