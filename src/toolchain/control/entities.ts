/** The entities of an answer by their kind: a switch may send more than it was asked for. */
import type { CounterData, Entity, MeterConfig, RegisterEntry, TableEntry } from "../device/index.js";

export function ofKind<K extends Entity["kind"]>(
  entities: readonly Entity[],
  ...kinds: readonly K[]
): Extract<Entity, { kind: K }>[] {
  const wanted: readonly string[] = kinds;
  return entities.filter((one): one is Extract<Entity, { kind: K }> => wanted.includes(one.kind));
}

/** The entries of a table without its default entry. */
export function entriesIn(entities: readonly Entity[]): TableEntry[] {
  return ofKind(entities, "tableEntry").filter(({ isDefault }) => !isDefault);
}

export function countersIn(entities: readonly Entity[]): CounterData[] {
  return ofKind(entities, "counter", "directCounter").map(({ data }) => data);
}

export function metersIn(entities: readonly Entity[]): (MeterConfig | undefined)[] {
  return ofKind(entities, "meter", "directMeter").map(({ config }) => config);
}

export function registersIn(entities: readonly Entity[]): RegisterEntry[] {
  return ofKind(entities, "register");
}
