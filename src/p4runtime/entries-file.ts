/**
 * The entries that a program brings along, as p4c's `--p4runtime-entries-files` writes them: one WriteRequest that inserts
 * all of them, for a control plane whose target does not take them from the program.
 */
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import {
  type P4InfoFormat,
  P4InfoIndex,
  type Program,
  type TableEntry,
  writeText,
} from "../program/index.js";
import { encodeUpdate } from "./codec/entity.js";
import { CURRENT_DIALECT } from "./codec/ports.js";
import { type WriteRequest, WriteRequestSchema } from "./generated/p4/v1/p4runtime_pb.js";

/** Values are in the canonical form of the standard (8.4: the shortest bytes), where p4c pads them. */
export function writeEntries(
  program: Pick<Program, "p4info">,
  entries: readonly TableEntry[],
  format: P4InfoFormat,
): string | Uint8Array {
  const request = requestOf(program, entries);
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

function requestOf(program: Pick<Program, "p4info">, entries: readonly TableEntry[]): WriteRequest {
  const wire = { index: new P4InfoIndex(program.p4info), dialect: CURRENT_DIALECT, lenient: true };
  return create(WriteRequestSchema, {
    updates: entries.map((entity) => encodeUpdate(wire, { type: "insert", entity })),
  });
}
