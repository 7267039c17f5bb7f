/** A document as lines that a reader of a difference understands: lists of equal objects as tables, short values on one line. */

const SHORT = 250;

/** A list of objects with the same members as a table. */
function tableOf(list: readonly object[]): { keys: string[]; rows: string[] } | undefined {
  const keys = Object.keys(list[0] ?? {});
  const isSame = (one: object): boolean => Object.keys(one).join() === keys.join();
  if (list.length < 2 || keys.length < 3 || Array.isArray(list[0]) || !list.every(isSame)) return undefined;
  const rowOf = (one: object): string =>
    Object.values(one)
      .map((value) => JSON.stringify(value))
      .join(" ");
  return { keys, rows: list.map(rowOf) };
}

/** JSON with one line for each element of a list, and for each member of an object that is long. */
export function goldenLines(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const flat = JSON.stringify(value);
  if (flat.length < SHORT && !flat.slice(1).includes("[{")) return flat;
  const inner = `${indent}  `;
  const table = Array.isArray(value) ? tableOf(value) : undefined;
  if (table !== undefined)
    return [`columns ${table.keys.join(" ")}`, ...table.rows.map((row) => inner + row)].join("\n");
  const parts = Array.isArray(value)
    ? value.map((element) => `${inner}${goldenLines(element, inner)}`)
    : Object.entries(JSON.parse(flat)).map(
        ([name, element]) => `${inner}${JSON.stringify(name)}: ${goldenLines(element, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}
