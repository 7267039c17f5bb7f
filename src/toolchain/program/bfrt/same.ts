/**
 * Compares two schemas as BF Runtime's clients read them. Tables, keys, fields, actions and learn filters are found by name, so their
 * order among each other says nothing; all else counts: ids, types, sizes, defaults, the order of choices and of keys.
 */

/** The first differences, each with its path and both values; empty where both say the same. At most `limit` are told. */
export function sameBfrt(a: unknown, b: unknown, limit = 20): string[] {
  const out: string[] = [];
  compare(a, b, "", out, limit);
  return out.slice(0, limit);
}

/** Lists without an order; a list of objects is matched by their names. */
const UNORDERED = new Set([
  "tables",
  "learn_filters",
  "depends_on",
  "annotations",
  "action_specs",
  "data",
  "oneof",
  "container",
  "fields",
  "supported_operations",
  "attributes",
]);

function compare(a: unknown, b: unknown, path: string, out: string[], limit: number): void {
  if (out.length >= limit) return;
  if (Array.isArray(a) && Array.isArray(b)) {
    compareLists(a, b, path, out, limit);
  } else if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      compare(own(a, key), own(b, key), path === "" ? key : `${path}.${key}`, out, limit);
  } else if (typeof a === "number" || typeof a === "bigint" ? !sameNumber(a, b) : a !== b) {
    out.push(`${path}: ${show(a)} / ${show(b)}`);
  }
}

function compareLists(a: unknown[], b: unknown[], path: string, out: string[], limit: number): void {
  const last = path.slice(path.lastIndexOf(".") + 1);
  if (!UNORDERED.has(last)) {
    if (a.length !== b.length) out.push(`${path}: ${a.length} elements / ${b.length} elements`);
    for (let i = 0; i < Math.min(a.length, b.length); i++) compare(a[i], b[i], `${path}[${i}]`, out, limit);
    return;
  }
  const [left, right] = [named(a), named(b)];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const place = `${path}[${key}]`;
    if (!left.has(key) || !right.has(key))
      out.push(`${place}: only in the ${left.has(key) ? "first" : "second"}`);
    else compare(left.get(key), right.get(key), place, out, limit);
    if (out.length >= limit) return;
  }
}

/** By name; a number distinguishes elements of one name, and a plain value names itself. */
function named(items: readonly unknown[]): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (const item of items) {
    const name = nameOf(item);
    let key = name;
    for (let n = 2; map.has(key); n++) key = `${name} (${n})`;
    map.set(key, item);
  }
  return map;
}

function nameOf(item: unknown): string {
  if (!isObject(item)) return show(item);
  const { name, singleton, oneof } = item;
  if (typeof name === "string") return name;
  if (singleton !== undefined) return nameOf(singleton);
  return Array.isArray(oneof) ? oneof.map(nameOf).sort().join(" or ") : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** `number` and `bigint` of one value are the same. */
function sameNumber(a: number | bigint, b: unknown): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: the comparison of a number with a bigint
  return (typeof b === "number" || typeof b === "bigint") && a == b;
}

function show(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "bigint") return String(value);
  if (isObject(value) || Array.isArray(value)) return "{...}";
  return JSON.stringify(value);
}
