/** The attachments of ports as messages of p4loom.v1.Settings. */

import { create } from "@bufbuild/protobuf";
import { given } from "../../../base/index.js";
import type { PortAttachment } from "../../device/index.js";
import {
  type AddPortRequest,
  FilesAttachmentSchema,
  InterfaceAttachmentSchema,
} from "../generated/p4loom/v1/settings_pb.js";

export type AttachmentMessage = AddPortRequest["attachment"];

export function encodeAttachment(attachment: PortAttachment): AttachmentMessage {
  if (attachment.kind === "files")
    return { case: "files", value: create(FilesAttachmentSchema, { name: attachment.name }) };
  const { name, namespace = "" } = attachment;
  return { case: "interface", value: create(InterfaceAttachmentSchema, { name, namespace }) };
}

/** Undefined when there is none, or one of a kind that is not known here. */
export function decodeAttachment(message: AttachmentMessage): PortAttachment | undefined {
  switch (message.case) {
    case "files":
      return { kind: "files", name: message.value.name };
    case "interface": {
      const { name, namespace } = message.value;
      return { kind: "interface", name, ...given({ namespace: namespace || undefined }) };
    }
    default:
      return undefined;
  }
}
