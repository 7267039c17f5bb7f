/** Counters, meters and registers, of their own or of table entries, found by name. */
import { fail } from "../base/index.js";
import type {
  CounterData,
  Entity,
  MeterConfig,
  P4InfoIndex,
  RegisterEntry,
  TableInfo,
} from "../program/index.js";
import { CODES } from "./codes.js";
import { findNamed, type Named } from "./names.js";
import type { Word } from "./words.js";

/** An array of `size` elements, or the resource of a table's entries. */
export type Resource = { name: string; size: number } | { name: string; table: TableInfo };

interface Resources {
  readonly own: readonly (Named & { message: { size: bigint } })[];
  readonly direct: (table: TableInfo) => Named | undefined;
}

/** What counters or meters the program has: arrays, then those of tables. */
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
  return findNamed(kind, listResources(kind, index), word);
}

export interface RegisterInfo {
  readonly name: string;
  readonly size: number;
  readonly bits: number;
}

/** A register whose values are plain bit strings; fails at the word for those of structs. */
export function findRegister(index: P4InfoIndex, word: Word): RegisterInfo {
  const { name, message } = findNamed("register", index.registers.list, word);
  const bits = index.bitwidthOf(message.typeSpec);
  if (bits === undefined)
    fail(CODES.unable, word.span, `register ${name} holds structs, which cannot be written here`);
  return { name, size: message.size, bits };
}

export function countersIn(entities: readonly Entity[]): CounterData[] {
  return entities.flatMap((one) =>
    one.kind === "counter" || one.kind === "directCounter" ? [one.data] : [],
  );
}

export function metersIn(entities: readonly Entity[]): (MeterConfig | undefined)[] {
  return entities.flatMap((one) => (one.kind === "meter" || one.kind === "directMeter" ? [one.config] : []));
}

export function registersIn(entities: readonly Entity[]): RegisterEntry[] {
  return entities.filter((one): one is RegisterEntry => one.kind === "register");
}
