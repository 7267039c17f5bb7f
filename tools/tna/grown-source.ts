/**
 * A public program, grown: copies of its files with a larger table, with more tables, or with more fields that live through a control. The files
 * stay apart, so that any compiler can read what is written.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** What grows. */
export type Growing =
  | { readonly kind: "table"; readonly table: string; readonly size: number }
  | { readonly kind: "tables"; readonly table: string; readonly tables: number }
  | { readonly kind: "fields"; readonly table: string; readonly fields: number };

/** Where a table stands: its file, and its line from 1 on. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

/** Bits of each field that is added. */
const FIELD_BITS = 32;
/** Fields that one of the added tables sets and matches. */
const FIELDS_A_TABLE = 4;
/** Entries of each table that is added. */
const ENTRIES_A_TABLE = 4096;

/** The text of a table's file with that growth; undefined where its text does not show where to write. */
export function grownText(place: Place, growing: Growing): string | undefined {
  const text = readFileSync(place.file, "utf8");
  if (growing.kind === "table") return withSize(text, place, growing.size);
  return withAdded(
    text,
    place,
    growing.kind === "fields" ? addedFields(growing.fields) : addedTables(growing.tables),
  );
}

function withSize(text: string, { line, name }: Place, size: number): string | undefined {
  const start = tableStart(text, line, name);
  if (start === undefined) return undefined;
  const open = text.indexOf("{", start);
  const end = closing(text, open);
  if (open < 0 || end === undefined) return undefined;
  const body = text.slice(open + 1, end);
  const known = /\bsize\s*=\s*[^;]+;/.exec(body);
  const changed =
    known === null ? `\n        size = ${size};${body}` : body.replace(known[0], `size = ${size};`);
  return text.slice(0, open + 1) + changed + text.slice(end);
}

/** Text for a control: declarations, and what stands at the start and at the end of its `apply`. */
interface Added {
  readonly declared: readonly string[];
  readonly first: readonly string[];
  readonly last: readonly string[];
}

/**
 * Fields of a control, set by keyless tables at its start and matched by tables at its end: they live in between. Their values are data of
 * entries, so that no compiler knows them.
 */
function addedFields(fields: number): Added {
  const numbers = Array.from({ length: fields }, (_, i) => i);
  const groups = numbers
    .filter((i) => i % FIELDS_A_TABLE === 0)
    .map((i) => numbers.slice(i, i + FIELDS_A_TABLE));
  return {
    declared: [
      ...numbers.map(variable),
      ...groups.map((group, at) => `${setter(at, group)}\n${matcher(at, group, 16)}`),
    ],
    first: groups.map((_, at) => `grow_in_${at}`),
    last: groups.map((_, at) => `grow_out_${at}`),
  };
}

/** Tables at a control's end, each of which matches two of the same four fields: no table depends on another of them. */
function addedTables(tables: number): Added {
  const fields = Array.from({ length: FIELDS_A_TABLE }, (_, i) => i);
  const pairs = fields.flatMap((one) => fields.filter((other) => other > one).map((other) => [one, other]));
  const numbers = Array.from({ length: tables }, (_, i) => i);
  return {
    declared: [
      ...fields.map(variable),
      setter(0, fields),
      ...numbers.map((at) => matcher(at, pairs[at % pairs.length]!, ENTRIES_A_TABLE)),
    ],
    first: ["grow_in_0"],
    last: numbers.map((at) => `grow_out_${at}`),
  };
}

const variable = (field: number): string => `    bit<${FIELD_BITS}> grown_${field};`;

/** A keyless table that sets fields to data of its entry. */
function setter(at: number, fields: readonly number[]): string {
  const parameters = fields.map((i) => `bit<${FIELD_BITS}> v${i}`).join(", ");
  const sets = fields.map((i) => `grown_${i} = v${i};`).join(" ");
  return `    action grow_set_${at}(${parameters}) { ${sets} }
    table grow_in_${at} { actions = { grow_set_${at}; } size = 1; }`;
}

/** A table that matches fields and changes nothing. */
function matcher(at: number, fields: readonly number[], size: number): string {
  const keys = fields.map((i) => `grown_${i} : exact;`).join(" ");
  return `    action grow_mark_${at}() {}
    table grow_out_${at} { key = { ${keys} } actions = { grow_mark_${at}; } size = ${size}; }`;
}

function withAdded(
  text: string,
  { line, name }: Place,
  { declared, first, last }: Added,
): string | undefined {
  const table = tableStart(text, line, name);
  if (table === undefined) return undefined;
  const head = [...text.slice(0, table).matchAll(/\bcontrol\s+\w+\s*(?:<[^>]*>)?\s*\(/g)].at(-1);
  if (head === undefined) return undefined;
  const open = text.indexOf("{", text.indexOf(")", head.index));
  const end = closing(text, open);
  if (open < 0 || end === undefined || end < table) return undefined;
  const apply = /\bapply\s*\{/.exec(text.slice(table, end));
  if (apply === null) return undefined;
  const applyOpen = table + apply.index + apply[0].length - 1;
  const applyEnd = closing(text, applyOpen);
  if (applyEnd === undefined) return undefined;
  const applied = (names: readonly string[]) => names.map((one) => ` ${one}.apply();`).join("");
  return `${text.slice(0, open + 1)}\n${declared.join("\n")}\n${text.slice(open + 1, applyOpen + 1)}${applied(first)}${text.slice(applyOpen + 1, applyEnd)}${applied(last)}\n    ${text.slice(applyEnd)}`;
}

/** Copies the program's files below `to`, with one of them changed; gives the path of the main file. */
export function writeGrown(
  to: string,
  { root, main, files }: { root: string; main: string; files: readonly string[] },
  changed: { file: string; text: string },
): string {
  const at = (file: string) => join(to, relative(root, file));
  for (const file of files) {
    mkdirSync(dirname(at(file)), { recursive: true });
    if (file === changed.file) writeFileSync(at(file), changed.text);
    else cpSync(file, at(file));
  }
  return at(main);
}

/** Where the words `table NAME` begin, at the line or next to it. */
function tableStart(text: string, line: number, name: string): number | undefined {
  const from = text
    .split("\n")
    .slice(0, Math.max(0, line - 3))
    .join("\n").length;
  for (const found of text.slice(from).matchAll(new RegExp(`\\btable\\s+${name}\\b`, "g"))) {
    const at = from + found.index;
    if (!text.slice(text.lastIndexOf("\n", at) + 1, at).includes("//")) return at;
  }
  return undefined;
}

/** The brace that closes the one at `open`, past comments. */
function closing(text: string, open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text.startsWith("//", i)) i = text.indexOf("\n", i);
    else if (text.startsWith("/*", i)) i = text.indexOf("*/", i) + 1;
    if (i < 0) return undefined;
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return undefined;
}
