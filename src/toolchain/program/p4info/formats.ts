/** P4Info files: protobuf text (`.txtpb`, `.txt`), binary (`.bin`, `.pb`) and JSON, read and written. */

import { fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import { DiagnosticError, type Diagnostics, SourceFile } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { ANY_TYPES } from "./any-types.js";
import { P4InfoSchema } from "./generated/p4/config/v1/p4info_pb.js";
import type { P4Info } from "./message.js";
import { readText } from "./text-reader.js";
import { writeText } from "./text-writer.js";

export type P4InfoFormat = "text" | "binary" | "json";

/** The format by the ending of a file's name (as p4c's); undefined for other endings. */
export function p4InfoFormatOf(path: string): P4InfoFormat | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === "txtpb" || ending === "txt" || ending === "prototxt" || ending === "textproto")
    return "text";
  if (ending === "bin" || ending === "pb" || ending === "binpb") return "binary";
  return ending === "json" ? "json" : undefined;
}

/**
 * Reads a P4Info. Without `format` the file's name decides; failing that, bytes are binary, and text is JSON
 * if it begins with `{`. Mistakes go to `diagnostics` (P41001 to P41005) and the answer is then undefined.
 */
export function readP4Info(
  input: SourceFile | Uint8Array,
  format: P4InfoFormat | undefined,
  diagnostics: Diagnostics,
): P4Info | undefined {
  try {
    if (input instanceof Uint8Array) {
      if ((format ?? "binary") === "binary") return fromBinary(P4InfoSchema, input);
      input = new SourceFile("P4Info", new TextDecoder().decode(input));
    }
    const chosen = format ?? p4InfoFormatOf(input.path) ?? (/^\s*\{/.test(input.text) ? "json" : "text");
    if (chosen === "text") return readText(input, P4InfoSchema);
    if (chosen === "json") return fromJsonString(P4InfoSchema, input.text, { registry: ANY_TYPES });
    diagnostics.error(
      CODES.binary,
      undefined,
      `${input.path}: a binary P4Info must be read as bytes, not as text`,
    );
  } catch (error) {
    if (error instanceof DiagnosticError) for (const d of error.diagnostics) diagnostics.add(d);
    else if (input instanceof SourceFile) {
      const span = { file: input, start: 0, end: 1 };
      diagnostics.error(CODES.json, span, `not a P4Info in JSON: ${messageOf(error)}`);
    } else {
      diagnostics.error(
        CODES.binary,
        undefined,
        `not a P4Info in binary form: ${messageOf(error)}`,
        "a text P4Info has the ending .txtpb or .txt",
      );
    }
  }
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Text as p4c writes it: its two comment lines, then the message. */
export function writeP4InfoText(p4info: P4Info): string {
  const head = "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n";
  return head + writeText(P4InfoSchema, p4info);
}

export function writeP4InfoBinary(p4info: P4Info): Uint8Array {
  return toBinary(P4InfoSchema, p4info);
}

/** Protobuf JSON (lowerCamelCase names, 64-bit numbers as strings), indented by one space as p4c does. */
export function writeP4InfoJson(p4info: P4Info): string {
  return `${toJsonString(P4InfoSchema, p4info, { prettySpaces: 1, registry: ANY_TYPES })}\n`;
}
