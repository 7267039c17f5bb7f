/** The requests of one Read and its answers in messages of bounded size (P4Runtime spec 13). */
import { create } from "@bufbuild/protobuf";
import { type Device, DeviceError, type Entity, type UpdateStatus } from "../../program/index.js";
import { decodeQuery, encodeEntity, type Reading } from "../codec/entity.js";
import type { Wire } from "../codec/wire.js";
import {
  type Entity as EntityMessage,
  type ReadResponse,
  ReadResponseSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
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
): Promise<ReadOutcome> {
  const entities: Entity[] = [];
  const statuses: UpdateStatus[] = [];
  for (const request of requests) {
    try {
      const { query, keep } = decodeKnown(wire, request);
      const found = query === undefined ? [] : await device.read([query]);
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

/** Decodes a request; nothing can be found under a name that was never used. */
function decodeKnown(wire: Wire, request: EntityMessage): Reading {
  try {
    return decodeQuery(wire, request);
  } catch (error) {
    if (error instanceof DeviceError && error.code === "NOT_FOUND") return {};
    throw error;
  }
}

/** Parts (entities, members, replicas, 64 bytes of metadata) in one response: far below 4 MiB. */
const PARTS_PER_RESPONSE = 1000;

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

/** The entities as responses, made one at a time as the stream takes them. */
export function* responses(wire: Wire, entities: readonly Entity[]): Generator<ReadResponse> {
  let response = create(ReadResponseSchema);
  let parts = 0;
  for (const entity of entities) {
    response.entities.push(encodeEntity(wire, entity));
    parts += partsOf(entity);
    if (parts >= PARTS_PER_RESPONSE) {
      yield response;
      response = create(ReadResponseSchema);
      parts = 0;
    }
  }
  if (response.entities.length > 0) yield response;
}
