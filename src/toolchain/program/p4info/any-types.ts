/**
 * The messages that may stand in an `Any` of P4Info, and how to pack them: what TNA's extern instances say of themselves. Text and JSON
 * show such a value as the message that it holds, and so need the message's description.
 */

import {
  createRegistry,
  type DescMessage,
  fromBinary,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import { file_barefoot_tofino } from "./generated/barefoot/tofino_pb.js";

export const ANY_TYPES: Registry = createRegistry(file_barefoot_tofino);

export function isAny(schema: DescMessage): boolean {
  return schema.typeName === AnySchema.typeName;
}

/** The description of the message that a type URL names; undefined where we have none. */
export function schemaOfUrl(url: string): DescMessage | undefined {
  return ANY_TYPES.getMessage(url.slice(url.lastIndexOf("/") + 1));
}

/** The held message with its description; undefined where the type is unknown or the bytes are no message of it. */
export function unpackAny(any: Any): { schema: DescMessage; message: Message } | undefined {
  const schema = schemaOfUrl(any.typeUrl);
  if (schema === undefined) return undefined;
  try {
    return { schema, message: fromBinary(schema, any.value) };
  } catch {
    return undefined;
  }
}

export { type Any, anyPack };
