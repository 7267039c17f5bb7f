/** Counters, meters and registers, as arrays or for table entries, found by name. */
import { defined, fail } from "../../base/index.js";
import type { P4InfoIndex, TableInfo } from "../program/index.js";
import { CODES } from "./codes.js";
import { candidatesFor, findNamed, type Named } from "./names.js";
import type { Word } from "./words.js";

/** An array of `size` elements, or the resource of a table's entries. */
export type Resource = { name: string; size: number } | { name: string; table: TableInfo };

interface Resources {
  readonly own: readonly (Named & { message: { size: bigint } })[];
  readonly direct: (table: TableInfo) => Named | undefined;
}

/** The counters or meters of the program: arrays, then those of tables. */
export function listResources(kind: "counter" | "meter", index: P4InfoIndex): Resource[] {
  const { own, direct }: Resources =
    kind === "counter"
      ? { own: index.counters.list, direct: (table) => table.directCounter }
      : { own: index.meters.list, direct: (table) => table.directMeter };
  return [
    ...own.map(({ name, message }) => ({ name, size: Number(message.size) })),
    ...index.tables.list.flatMap((table) => {
      const found = direct(table);
      return found === undefined ? [] : [{ name: found.name, table }];
    }),
  ];
}

export function findResource(kind: "counter" | "meter", index: P4InfoIndex, word: Word): Resource {
  const list = listResources(kind, index);
  // a counter or meter of a table may be called by the table's name
  const owners = candidatesFor(index.tables.list, word.text);
  const owned = list.filter((one) => "table" in one && owners.length === 1 && one.table === owners[0]);
  if (owned.length > 0 && candidatesFor(list, word.text).length === 0) return defined(owned[0]);
  return findNamed(kind, list, word);
}

export interface RegisterInfo {
  readonly name: string;
  readonly size: number;
  readonly bits: number;
}

/** A register whose values are plain bit strings; fails at the word when its values are structs. */
export function findRegister(index: P4InfoIndex, word: Word): RegisterInfo {
  const { name, message } = findNamed("register", index.registers.list, word);
  const bits = index.bitwidthOf(message.typeSpec);
  if (bits === undefined)
    fail(CODES.unable, word.span, `register ${name} holds structs, which cannot be written here`);
  return { name, size: message.size, bits };
}
