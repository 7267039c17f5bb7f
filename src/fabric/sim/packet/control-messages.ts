/**
 * Sizes of P4Runtime messages in bytes, for the time that they take on a simulated control channel. They follow the
 * protobuf encoding of `p4.v1` (P4Runtime spec 1.4): a tag and a length of 2 bytes a field or message, an identifier of
 * 4 bytes, values as short as they can be. The simulator does not encode messages; a test compares these sizes with the
 * real encoding.
 */
import type {
  ActionCall,
  ControllerPacket,
  DeviceEvent,
  Entity,
  Match,
  ReadQuery,
  TableAction,
} from "../../../toolchain/device/index.js";

/** Ethernet, IPv4, TCP and HTTP/2 headers, device id, role and election id of one message. */
export const MESSAGE_BYTES = 120;

const FIELD = 2;
const ID = FIELD + 4;

function valueBytes(value: bigint): number {
  let bytes = 1;
  for (let rest = value >> 8n; rest > 0n; rest >>= 8n) bytes++;
  return FIELD + bytes;
}

function matchBytes(match: Match): number {
  const header = 2 * FIELD + 2;
  switch (match.kind) {
    case "exact":
    case "optional":
      return header + valueBytes(match.value);
    case "lpm":
      return header + valueBytes(match.value) + 2;
    case "ternary":
      return header + valueBytes(match.value) + valueBytes(match.mask);
    case "range":
      return header + valueBytes(match.low) + valueBytes(match.high);
  }
}

function callBytes({ params }: ActionCall): number {
  let bytes = FIELD + ID;
  for (const value of Object.values(params)) bytes += FIELD + 2 + valueBytes(value);
  return bytes;
}

function actionBytes(action: TableAction | undefined): number {
  if (action === undefined) return 0;
  switch (action.kind) {
    case "action":
      return FIELD + callBytes(action);
    case "oneShot":
      return action.actions.reduce((sum, one) => sum + FIELD + 4 + callBytes(one), 2 * FIELD);
    default:
      return FIELD + ID;
  }
}

/** Bytes of one entity within a Write or a Read answer. */
export function entityBytes(entity: Entity): number {
  const header = 3 * FIELD + ID;
  switch (entity.kind) {
    case "tableEntry":
      return (
        header + entity.match.reduce((sum, one) => sum + matchBytes(one), 0) + actionBytes(entity.action)
      );
    case "directCounter":
    case "directMeter":
      return header + entityBytes(entity.entry) + 16;
    case "member":
      return header + ID + callBytes(entity.action);
    case "group":
      return header + ID + 12 * entity.members.length;
    case "multicastGroup":
    case "cloneSession":
      return header + 8 * entity.replicas.length;
    case "valueSet":
      return entity.members.flat().reduce((sum, one) => sum + matchBytes(one), header);
    case "register":
      return header + 4 + valueBytes(entity.value);
    default:
      return header + 16;
  }
}

/** Bytes of one query of a Read. */
export function queryBytes(query: ReadQuery): number {
  const match = "match" in query ? query.match : undefined;
  return 3 * FIELD + ID + (match ?? []).reduce((sum, one) => sum + matchBytes(one), 0);
}

/** Bytes of a packet-in or packet-out: payload and metadata. */
export function packetBytes({ payload, metadata }: ControllerPacket): number {
  let bytes = FIELD + 2 + payload.length;
  for (const value of Object.values(metadata)) bytes += FIELD + 2 + valueBytes(value);
  return bytes;
}

/** Bytes of a message that the switch sends on its own. */
export function eventBytes(event: DeviceEvent): number {
  switch (event.kind) {
    case "packetIn":
      return MESSAGE_BYTES + packetBytes(event.packet);
    case "digest":
      return event.list.data.reduce((sum, row) => sum + 8 * row.length, MESSAGE_BYTES);
    case "idleTimeout":
      return event.entries.reduce((sum, entry) => sum + entityBytes(entry), MESSAGE_BYTES);
    default:
      return MESSAGE_BYTES;
  }
}
