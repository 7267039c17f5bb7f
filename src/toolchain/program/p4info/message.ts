/** P4Info as a protobuf message, and how to make one. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type P4Info, P4InfoSchema } from "./generated/p4/config/v1/p4info_pb.js";

export type { P4Info };

/** Plain nested objects in the shape of {@link P4Info}, every field optional. */
export type P4InfoInit = MessageInitShape<typeof P4InfoSchema>;

/** A P4Info message with the given fields set and everything else at its default. */
export function createP4Info(init: P4InfoInit = {}): P4Info {
  return create(P4InfoSchema, init);
}
