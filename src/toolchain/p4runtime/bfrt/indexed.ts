/** Tables whose entries are there from the start, one an index: counters, meters, registers, parameters of register actions. */
import { type Device, DeviceError } from "../../device/index.js";
import type { TableEntry, TargetDevice } from "../generated/bfrt_proto/bfruntime_pb.js";
import { earlyDetections, lowPassFilters } from "./filters.js";
import type { Kind } from "./kind.js";
import { counterOf, counterValues } from "./match-table.js";
import { meterOf, meterValues } from "./meters.js";
import { commonFields, type Table } from "./schema-index.js";
import { dataOf, keyFieldsOf, missing, type Row, type TableHandler, tableData } from "./table.js";
import { bitsOf, exactField, exactKey, type Value } from "./values.js";

const counters: Kind = {
  query: (counter, index) => ({ kind: "counter", counter, ...(index === undefined ? {} : { index }) }),
  entity: ({ name: counter }, index, data) => {
    const found = counterOf(data);
    return found === undefined ? undefined : { kind: "counter", counter, index, data: found };
  },
  cleared: ({ name: counter }, index) => ({
    kind: "counter",
    counter,
    index,
    data: { packets: 0n, bytes: 0n },
  }),
  row: (_, entity) =>
    entity.kind === "counter" ? { index: entity.index, values: counterValues(entity.data) } : undefined,
};

const meters: Kind = {
  query: (meter, index) => ({ kind: "meter", meter, ...(index === undefined ? {} : { index }) }),
  entity: ({ name: meter }, index, { values }) => {
    const config = meterOf(values);
    return config === undefined ? undefined : { kind: "meter", meter, index, config };
  },
  cleared: ({ name: meter }, index) => ({ kind: "meter", meter, index }),
  row: (table, entity) =>
    entity.kind === "meter" ? { index: entity.index, values: meterValues(table, entity.config) } : undefined,
};

/** A cell with several words is one number, with the first word in the high bits. */
const registers: Kind = {
  query: (register, index) => ({ kind: "register", register, ...(index === undefined ? {} : { index }) }),
  entity: (table, index, { values }) => {
    if (values.size === 0) return undefined;
    let value = 0n;
    for (const { name, type } of commonFields(table)) {
      const part = values.get(name);
      value = (value << BigInt(bitsOf(type))) | (typeof part === "bigint" ? part : 0n);
    }
    return { kind: "register", register: table.name, index, value };
  },
  cleared: ({ name: register }, index) => ({ kind: "register", register, index, value: 0n }),
  row: (table, entity) => {
    if (entity.kind !== "register") return undefined;
    let rest = entity.value;
    const values = commonFields(table)
      .reverse()
      .map(({ name, type }): [string, Value] => {
        const bits = bitsOf(type);
        const part = BigInt.asUintN(bits, rest);
        rest >>= BigInt(bits);
        return [name, part];
      });
    return { index: entity.index, values };
  },
};

export const INDEXED: Readonly<Record<string, Kind>> = {
  Counter: counters,
  Meter: meters,
  Register: registers,
  RegisterParam: registers,
  PortMetadata: registers,
  Lpf: lowPassFilters,
  Wred: earlyDetections,
};

const PIPES = 4;
const ALL_PIPES = 0xffff;

function isOfOnePipe(target: TargetDevice | undefined): boolean {
  return target !== undefined && target.pipeId !== ALL_PIPES;
}

export class IndexedTable implements TableHandler {
  constructor(
    readonly table: Table,
    private readonly device: Device,
    private readonly kind: Kind,
  ) {}

  /** A controller of the hardware gets the value of each pipe; here all pipes have one. */
  get #times(): number {
    return this.table.table_type === "Register" ? PIPES : 1;
  }

  /** Undefined: all. A table without a key has one entry. */
  #index(entry: TableEntry): number | undefined {
    const [part] = this.table.key;
    if (part === undefined) return 0;
    const fields = keyFieldsOf(entry);
    return fields === undefined ? undefined : Number(exactKey(fields, part));
  }

  insert(entry: TableEntry): Promise<void> {
    return this.modify(entry);
  }

  async modify(entry: TableEntry): Promise<void> {
    const index = this.#index(entry);
    if (index === undefined)
      throw new DeviceError("INVALID_ARGUMENT", `an entry of ${this.table.name} is named by its index`);
    const entity = this.kind.entity(this.table, index, dataOf(this.table, entry.data));
    if (entity !== undefined) await this.device.write([{ type: "modify", entity }]);
  }

  async remove(entry: TableEntry): Promise<void> {
    const index = this.#index(entry);
    const indexes = index === undefined ? (await this.read(entry)).keys() : [index];
    await this.device.write(
      [...indexes].map((at) => ({ type: "modify", entity: this.kind.cleared(this.table, at) })),
    );
  }

  async read(entry: TableEntry, target?: TargetDevice): Promise<Row[]> {
    const index = this.#index(entry);
    const found = await this.device.read([this.kind.query(this.table.name, index)]);
    if (found.length === 0 && index !== undefined) throw missing(this.table);
    return found.flatMap((entity): Row[] => {
      const row = this.kind.row(this.table, entity);
      if (row === undefined) return [];
      const [part] = this.table.key;
      const key = part === undefined ? [] : [exactField(part, BigInt(row.index))];
      const data = tableData(this.table, undefined, new Map(row.values));
      const times = isOfOnePipe(target) ? 1 : this.#times;
      return [
        {
          key,
          data:
            times === 1 ? data : { ...data, fields: data.fields.flatMap((one) => Array(times).fill(one)) },
        },
      ];
    });
  }
}
