/** bf-rt.json as text: integers up to 64 bits stay whole, and the layout is the open compiler's, so that a plain `diff` compares. */
import type { Diagnostics, SourceFile } from "../../../base/index.js";
import { syntaxErrorPlace } from "../bmv2/json-place.js";
import { CODES } from "../codes.js";
import type { BfrtSchema } from "./schema.js";

type Value = string | number | bigint | boolean | null | readonly Value[] | { readonly [key: string]: Value };

export function writeBfrt(schema: BfrtSchema): string {
  return `${write(schema as unknown as Value, "")}\n`;
}

/** Lists of plain values stand on one line; all others one element a line. */
function write(value: Value, indent: string): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value as readonly Value[];
    if (items.every((item) => typeof item !== "object"))
      return `[${items.map((item) => write(item, "")).join(", ")}]`;
    return `[\n${items.map((item) => inner + write(item, inner)).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value as { [key: string]: Value });
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)} : ${write(item, inner)}`).join(",\n")}\n${indent}}`;
}

/** Begins a string that stands for an integer which a JavaScript number cannot hold. */
const MARK = "\u0000integer ";
const MARKED = new RegExp(`^${MARK}-?[0-9]+$`);

/**
 * Any JSON with integers of more than 15 digits as `bigint`, to compare what two compilers wrote. Undefined and P41024 where the text is
 * no JSON.
 */
export function readBfrt(file: SourceFile, diagnostics: Diagnostics): unknown {
  const marked = file.text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(MARK + token),
  );
  try {
    return JSON.parse(marked, (_, value: unknown) =>
      typeof value === "string" && MARKED.test(value) ? BigInt(value.slice(MARK.length)) : value,
    );
  } catch (error) {
    const at = syntaxErrorPlace(file.text);
    diagnostics.error(
      CODES.bfrtSyntax,
      { file, start: at, end: at + 1 },
      `this is no JSON: ${(error as Error).message}`,
    );
    return undefined;
  }
}
