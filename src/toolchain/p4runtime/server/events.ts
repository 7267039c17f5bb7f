/** Events of a device as stream messages to the primaries (P4Runtime spec 16). */

import { create } from "@bufbuild/protobuf";
import { given } from "../../../base/index.js";
import type { DeviceEvent } from "../../device/index.js";
import { encodeDigestList } from "../codec/digest.js";
import { encodePacketIn } from "../codec/packet.js";
import { encodeTableEntry } from "../codec/table-entry.js";
import type { Wire } from "../codec/wire.js";
import {
  IdleTimeoutNotificationSchema,
  type StreamMessageResponse,
  StreamMessageResponseSchema,
} from "../generated/p4/v1/p4runtime_pb.js";

/** The message of an event; undefined for those that P4Runtime has no message for (port states). */
export function encodeEvent(wire: Wire, event: DeviceEvent): StreamMessageResponse | undefined {
  const message = create(StreamMessageResponseSchema);
  switch (event.kind) {
    case "packetIn":
      message.update = { case: "packet", value: encodePacketIn(wire, event.packet) };
      return message;
    case "digest":
      message.update = { case: "digest", value: encodeDigestList(wire, event.list) };
      return message;
    case "idleTimeout": {
      if (event.entries.length === 0) return undefined;
      const tableEntry = event.entries.map(({ table, match, priority, kind, ...rest }) => {
        const { controllerMetadata, metadata, idleTimeoutNs } = rest;
        return encodeTableEntry(wire, {
          kind,
          table,
          match,
          priority,
          ...given({ controllerMetadata, metadata, idleTimeoutNs }),
        });
      });
      const value = create(IdleTimeoutNotificationSchema, { tableEntry, timestamp: event.timestampNs });
      message.update = { case: "idleTimeoutNotification", value };
      return message;
    }
    case "portState":
      return undefined;
  }
}
