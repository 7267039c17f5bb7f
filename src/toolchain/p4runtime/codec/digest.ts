/** Digests: their configuration (P4Runtime spec 9.8) and the lists on the stream (16.3). */
import { create } from "@bufbuild/protobuf";
import { DeviceError, type DigestConfigEntry, type DigestList, type Update } from "../../device/index.js";
import {
  DigestEntry_ConfigSchema,
  DigestEntrySchema,
  type DigestList as DigestListMessage,
  DigestListSchema,
  type DigestEntry as DigestMessage,
} from "../generated/p4/v1/p4runtime_pb.js";
import { decodeData, encodeData } from "./data.js";
import { arrayById, arrayNamed } from "./resources.js";
import { checkLong, checkNumber, invalid, MAX_INT32, type Wire } from "./wire.js";

export function encodeDigestConfig(wire: Wire, entry: DigestConfigEntry): DigestMessage {
  return create(DigestEntrySchema, {
    digestId: arrayNamed(wire.index.digests, entry.digest, "digest").id,
    config: create(DigestEntry_ConfigSchema, {
      maxListSize: checkNumber(entry.maxListSize, "max_list_size", MAX_INT32),
      maxTimeoutNs: checkLong(entry.maxTimeoutNs, "max_timeout_ns"),
      ackTimeoutNs: checkLong(entry.ackTimeoutNs, "ack_timeout_ns"),
    }),
  });
}

export function encodeDigestQuery(wire: Wire, digest: string | undefined): DigestMessage {
  const message = create(DigestEntrySchema);
  if (digest !== undefined) message.digestId = arrayNamed(wire.index.digests, digest, "digest").id;
  return message;
}

export function decodeDigestConfig(wire: Wire, message: DigestMessage): DigestConfigEntry {
  const digest = arrayById(wire.index.digests, message.digestId, "digest");
  const { maxListSize, maxTimeoutNs, ackTimeoutNs } = message.config ?? create(DigestEntry_ConfigSchema);
  return { kind: "digest", digest: digest.name, maxListSize, maxTimeoutNs, ackTimeoutNs };
}

export function decodeDigestUpdate(wire: Wire, type: Update["type"], message: DigestMessage): Update {
  const entity = decodeDigestConfig(wire, message);
  if (type !== "delete") {
    if (message.config === undefined) throw invalid(`digest "${entity.digest}": its config is missing`);
    if (entity.maxListSize < 0 || entity.maxTimeoutNs < 0n || entity.ackTimeoutNs < 0n) {
      throw invalid(`digest "${entity.digest}": sizes and timeouts cannot be negative`);
    }
  }
  return { type, entity };
}

export function encodeDigestList(wire: Wire, list: DigestList): DigestListMessage {
  const digest = arrayNamed(wire.index.digests, list.digest, "digest");
  return create(DigestListSchema, {
    digestId: digest.id,
    listId: list.listId,
    timestamp: list.timestampNs,
    data: list.data.map((values) => encodeData(wire, digest.message.typeSpec, values, digest.name)),
  });
}

export function decodeDigestList(wire: Wire, message: DigestListMessage): DigestList {
  const digest = wire.index.digests.byId(message.digestId);
  if (digest === undefined)
    throw new DeviceError("INTERNAL", `digest list of unknown id ${message.digestId}`);
  return {
    digest: digest.name,
    listId: message.listId,
    timestampNs: message.timestamp,
    data: message.data.map((data) => decodeData(wire, digest.message.typeSpec, data, digest.name)),
  };
}
