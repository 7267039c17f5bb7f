/** What differs between the arrays of BF Runtime. */
import type { Entity, ReadQuery } from "../../device/index.js";
import type { Table } from "./schema-index.js";
import type { Data } from "./table.js";
import type { Value } from "./values.js";

/** How one kind of array is read and written. */
export interface Kind {
  query(name: string, index: number | undefined): ReadQuery;
  /** Undefined: the data says nothing of it. */
  entity(table: Table, index: number, data: Data): Entity | undefined;
  /** As after loading. */
  cleared(table: Table, index: number): Entity;
  row(table: Table, entity: Entity): { index: number; values: [string, Value][] } | undefined;
}
