/**
 * Updates as a file: one WriteRequest. p4c's `--p4runtime-entries-files` writes the entries that a program brings along
 * in this form, for a control plane whose target does not take them from the program.
 */
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import type { TableEntry, Update } from "../device/index.js";
import { type P4InfoFormat, P4InfoIndex, type Program, writeText } from "../program/index.js";
import { encodeUpdate } from "./codec/entity.js";
import { CURRENT_DIALECT } from "./codec/ports.js";
import { makeWire } from "./codec/wire.js";
import { type WriteRequest, WriteRequestSchema } from "./generated/p4/v1/p4runtime_pb.js";

/** A WriteRequest that inserts entries. */
export function writeEntries(
  program: Pick<Program, "p4info">,
  entries: readonly TableEntry[],
  format: P4InfoFormat,
): string | Uint8Array {
  const updates = entries.map((entity): Update => ({ type: "insert", entity }));
  return writeUpdates(program, updates, format);
}

/**
 * A WriteRequest with these updates. Values are in the canonical form of the standard (8.4: the shortest bytes), where
 * p4c pads them.
 */
export function writeUpdates(
  program: Pick<Program, "p4info">,
  updates: readonly Update[],
  format: P4InfoFormat,
): string | Uint8Array {
  const request = requestOf(program, updates);
  switch (format) {
    case "binary":
      return toBinary(WriteRequestSchema, request);
    case "json":
      return `${toJsonString(WriteRequestSchema, request, { prettySpaces: 1 })}\n`;
    case "text":
      return `${HEAD}${writeText(WriteRequestSchema, request)}`;
  }
}

const HEAD = "# proto-file: p4/v1/p4runtime.proto\n# proto-message: p4.v1.WriteRequest\n\n";

function requestOf(program: Pick<Program, "p4info">, updates: readonly Update[]): WriteRequest {
  const wire = makeWire(new P4InfoIndex(program.p4info), CURRENT_DIALECT, true);
  return create(WriteRequestSchema, {
    updates: updates.map((update) => encodeUpdate(wire, update)),
  });
}
