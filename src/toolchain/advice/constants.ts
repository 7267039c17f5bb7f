/** Values that a program compares fields with, by the width of the fields: packets and entries with them take both ways of a condition. */
import type { bmv2, Program } from "../program/index.js";

export type Constants = ReadonlyMap<number, readonly bigint[]>;

/** The constants of conditions and of the program's own entries. */
export function constantsOf({ bmv2: json }: Program): Constants {
  const found = new Map<number, Set<bigint>>();
  const widths = widthsOf(json);
  const add = (width: number | undefined, text: unknown) => {
    if (width === undefined || typeof text !== "string") return;
    const value = BigInt.asUintN(width, BigInt(text));
    found.set(width, (found.get(width) ?? new Set()).add(value));
  };
  const widthOf = (value: unknown) => {
    const one = value as { type?: string; value?: unknown } | null;
    return one?.type === "field" && Array.isArray(one.value) ? widths.get(one.value.join(".")) : undefined;
  };
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    const { left, right } = node as { left?: unknown; right?: unknown };
    for (const [one, other] of [
      [left, right],
      [right, left],
    ]) {
      const constant = other as { type?: string; value?: unknown } | null | undefined;
      if (constant?.type === "hexstr") add(widthOf(one), constant.value);
    }
    for (const part of Object.values(node)) visit(part);
  };
  for (const { conditionals, tables } of json.pipelines) {
    visit(conditionals.map(({ expression }) => expression));
    for (const { key, entries } of tables)
      for (const { match_key } of entries ?? [])
        for (const [i, one] of match_key.entries())
          if ("key" in one) add(widthOf({ type: "field", value: key[i]?.target }), one.key);
  }
  return new Map([...found].map(([width, values]) => [width, [...values]]));
}

/** Widths of fields by `header.field`. */
function widthsOf({ headers, header_types: types }: bmv2.Bmv2Program): Map<string, number> {
  const widths = new Map<string, number>();
  for (const { name, header_type } of headers)
    for (const [field, width] of types.find((type) => type.name === header_type)?.fields ?? [])
      if (width !== "*") widths.set(`${name}.${field}`, width);
  return widths;
}
