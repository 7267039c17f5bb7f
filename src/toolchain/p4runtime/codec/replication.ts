/** Multicast groups and clone sessions (P4Runtime spec 9.5). */

import { create } from "@bufbuild/protobuf";
import { given } from "../../../base/index.js";
import {
  type CloneSessionEntry,
  DeviceError,
  type MulticastGroupEntry,
  type Replica,
  type Update,
} from "../../device/index.js";
import {
  type CloneSessionEntry as CloneMessage,
  CloneSessionEntrySchema,
  MulticastGroupEntrySchema,
  type MulticastGroupEntry as MulticastMessage,
  type Replica as ReplicaMessage,
  ReplicaSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { decodeReplicaPort, encodeReplicaPort } from "./ports.js";
import { checkId, checkNumber, invalid, MAX_INT32, type Wire } from "./wire.js";

function encodeReplicas(wire: Wire, replicas: readonly Replica[]): ReplicaMessage[] {
  return replicas.map((replica) =>
    create(ReplicaSchema, {
      portKind: encodeReplicaPort(wire, replica),
      instance: checkNumber(replica.instance, "instance"),
    }),
  );
}

function decodeReplicas(wire: Wire, messages: readonly ReplicaMessage[]): Replica[] {
  return messages.map((message) => {
    if (message.backupReplicas.length > 0) {
      throw new DeviceError("UNIMPLEMENTED", "backup replicas are not supported");
    }
    return { ...decodeReplicaPort(wire, message.portKind), instance: message.instance };
  });
}

export function encodeMulticast(wire: Wire, entry: MulticastGroupEntry): MulticastMessage {
  return create(MulticastGroupEntrySchema, {
    multicastGroupId: checkNumber(entry.groupId, "multicast group id"),
    replicas: encodeReplicas(wire, entry.replicas),
    ...given({ metadata: entry.metadata }),
  });
}

export function decodeMulticast(wire: Wire, message: MulticastMessage): MulticastGroupEntry {
  return {
    kind: "multicastGroup",
    groupId: message.multicastGroupId,
    replicas: decodeReplicas(wire, message.replicas),
    ...given({ metadata: message.metadata.length === 0 ? undefined : message.metadata.slice() }),
  };
}

export function decodeMulticastUpdate(wire: Wire, type: Update["type"], message: MulticastMessage): Update {
  const groupId = checkId(message.multicastGroupId, "multicast group id");
  if (type === "delete") return { type, entity: { kind: "multicastGroup", groupId, replicas: [] } };
  const entity = decodeMulticast(wire, message);
  const seen = new Set<string>();
  for (const { port, instance } of entity.replicas) {
    const key = `${port}/${instance}`;
    if (seen.has(key)) throw invalid(`multicast group ${groupId}: port ${port} instance ${instance} twice`);
    seen.add(key);
  }
  return { type, entity };
}

export function encodeClone(wire: Wire, entry: CloneSessionEntry): CloneMessage {
  return create(CloneSessionEntrySchema, {
    sessionId: checkNumber(entry.sessionId, "clone session id"),
    replicas: encodeReplicas(wire, entry.replicas),
    classOfService: checkNumber(entry.classOfService, "class of service"),
    packetLengthBytes: checkNumber(entry.packetLengthBytes, "packet length", MAX_INT32),
  });
}

export function decodeClone(wire: Wire, message: CloneMessage): CloneSessionEntry {
  return {
    kind: "cloneSession",
    sessionId: message.sessionId,
    replicas: decodeReplicas(wire, message.replicas),
    classOfService: message.classOfService,
    packetLengthBytes: message.packetLengthBytes,
  };
}

export function decodeCloneUpdate(wire: Wire, type: Update["type"], message: CloneMessage): Update {
  const sessionId = checkId(message.sessionId, "clone session id");
  if (type === "delete") {
    const empty = { kind: "cloneSession", replicas: [], classOfService: 0, packetLengthBytes: 0 } as const;
    return { type, entity: { ...empty, sessionId } };
  }
  if (message.packetLengthBytes < 0) {
    throw invalid(`clone session ${sessionId}: packet length ${message.packetLengthBytes} is negative`);
  }
  return { type, entity: decodeClone(wire, message) };
}
