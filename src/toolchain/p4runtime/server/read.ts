/** The requests of one Read and its answers in messages of bounded size (P4Runtime spec 13). */
import { type Device, DeviceError, type Entity, type Pace, type UpdateStatus } from "../../device/index.js";
import { decodeQuery, type Reading } from "../codec/entity.js";
import { encodeReadResponse } from "../codec/read-response.js";
import type { Wire } from "../codec/wire.js";
import type { Entity as EntityMessage } from "../generated/p4/v1/p4runtime_pb.js";
import { OK, updateStatusOf } from "../status.js";

export interface ReadOutcome {
  readonly entities: readonly Entity[];
  /** One per request, if any failed. */
  readonly statuses: readonly UpdateStatus[] | undefined;
}

/** Reads all requests; nothing is written meanwhile, which is for the caller to ensure. */
export async function readAll(
  wire: Wire,
  device: Device,
  requests: readonly EntityMessage[],
  pace: Pace,
): Promise<ReadOutcome> {
  const entities: Entity[] = [];
  const statuses: UpdateStatus[] = [];
  for (const request of requests) {
    try {
      const { query, keep } = decodeKnown(wire, request);
      const found = query === undefined ? [] : await device.read([query], pace);
      for (const entity of found) {
        if (keep === undefined || entity.kind !== "tableEntry" || keep(entity)) entities.push(entity);
      }
      statuses.push(OK);
    } catch (error) {
      statuses.push(updateStatusOf(error));
    }
  }
  return { entities, statuses: statuses.some((status) => status.code !== "OK") ? statuses : undefined };
}

/**
 * Decodes a request. For a name that was never used the answer is empty; only for a direct resource it is an error that
 * its entry does not exist (P4Runtime spec 9.3.2, 9.4.2).
 */
function decodeKnown(wire: Wire, request: EntityMessage): Reading {
  try {
    return decodeQuery(wire, request);
  } catch (error) {
    const isDirect = ["directCounterEntry", "directMeterEntry"].includes(request.entity.case ?? "");
    if (error instanceof DeviceError && error.code === "NOT_FOUND" && !isDirect) return {};
    throw error;
  }
}

/** Maximum number of parts (entities, members, replicas, 64 bytes of metadata) in one response: far below 4 MiB. */
const PARTS_PER_RESPONSE = 250;

function partsOf(entity: Entity): number {
  switch (entity.kind) {
    case "tableEntry":
      return (
        1 +
        (entity.action?.kind === "oneShot" ? entity.action.actions.length : 0) +
        Math.ceil((entity.metadata?.length ?? 0) / 64)
      );
    case "group":
    case "valueSet":
      return 1 + entity.members.length;
    case "multicastGroup":
    case "cloneSession":
      return 1 + entity.replicas.length;
    default:
      return 1;
  }
}

/** The bytes of the responses, made one at a time, when the client reads; `keep` selects the entities. */
export async function* responses(
  wire: Wire,
  entities: readonly Entity[],
  pace: Pace,
  keep?: (entity: EntityMessage) => boolean,
): AsyncGenerator<Uint8Array> {
  for (let start = 0, end = 0; start < entities.length; start = end) {
    for (let parts = 0; end < entities.length && parts < PARTS_PER_RESPONSE; end++) {
      parts += partsOf(entities[end]!);
      const turn = pace();
      if (turn !== undefined) await turn;
    }
    const response = encodeReadResponse(wire, entities.slice(start, end), keep);
    if (response.length > 0) yield response;
  }
}
