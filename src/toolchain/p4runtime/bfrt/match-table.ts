/** Match-action tables: entries with their actions, members or groups, counters, meters and times, and the default entry. */
import { given } from "../../../base/index.js";
import {
  type CounterData,
  type Device,
  type TableEntry as DeviceEntry,
  DeviceError,
  type MeterConfig,
  type TableAction,
} from "../../device/index.js";
import type { TableEntry } from "../generated/bfrt_proto/bfruntime_pb.js";
import { keyFields, keyOf } from "./keys.js";
import { meterOf, meterValues } from "./meters.js";
import type { Table } from "./schema-index.js";
import { type Data, dataOf, keyFieldsOf, missing, type Row, type TableHandler, tableData } from "./table.js";
import { asNumber, type Value } from "./values.js";

const MEMBER = "$ACTION_MEMBER_ID";
const GROUP = "$SELECTOR_GROUP_ID";
const PACKETS = "$COUNTER_SPEC_PKTS";
const BYTES = "$COUNTER_SPEC_BYTES";
const TTL = "$ENTRY_TTL";

export function counterOf({ values }: Data): CounterData | undefined {
  const [packets, bytes] = [values.get(PACKETS), values.get(BYTES)];
  if (packets === undefined && bytes === undefined) return undefined;
  return {
    packets: typeof packets === "bigint" ? packets : 0n,
    bytes: typeof bytes === "bigint" ? bytes : 0n,
  };
}

export function counterValues({ packets, bytes }: CounterData): [string, Value][] {
  return [
    [BYTES, bytes],
    [PACKETS, packets],
  ];
}

function actionOfData({ action, params, values }: Data): TableAction | undefined {
  if (values.has(GROUP)) return { kind: "group", groupId: asNumber(values.get(GROUP)) };
  if (values.has(MEMBER)) return { kind: "member", memberId: asNumber(values.get(MEMBER)) };
  return action === undefined ? undefined : { kind: "action", action: action.name, params };
}

export class MatchTable implements TableHandler {
  constructor(
    readonly table: Table,
    private readonly device: Device,
  ) {}

  #entry(entry: TableEntry): DeviceEntry {
    const { name } = this.table;
    const { isDefaultEntry } = entry;
    const data = dataOf(this.table, entry.data);
    const fields = keyFieldsOf(entry) ?? [];
    const key = isDefaultEntry ? { match: [], priority: 0 } : keyOf(this.table, fields);
    const counter = counterOf(data);
    const meter: MeterConfig | undefined = meterOf(data.values);
    const ttl = data.values.get(TTL);
    return {
      kind: "tableEntry",
      table: name,
      ...key,
      ...given({
        action: actionOfData(data),
        counter,
        meter,
        idleTimeoutNs: typeof ttl === "bigint" ? ttl * 1_000_000n : undefined,
      }),
      ...(isDefaultEntry ? { isDefault: true } : {}),
    };
  }

  async insert(entry: TableEntry): Promise<void> {
    if (entry.isDefaultEntry) return this.modify(entry);
    await this.device.write([{ type: "insert", entity: this.#entry(entry) }]);
  }

  /** What the client leaves out stays as it is. */
  async modify(entry: TableEntry): Promise<void> {
    const entity = this.#entry(entry);
    if (entry.isDefaultEntry) {
      await this.device.write([{ type: "modify", entity }]);
      return;
    }
    const [old] = await this.#find(entity);
    if (old === undefined) throw missing(this.table);
    const { counter: _, meter: __, ...kept } = old;
    await this.device.write([{ type: "modify", entity: { ...kept, ...entity } }]);
  }

  async #find({ match, priority }: DeviceEntry): Promise<DeviceEntry[]> {
    const { name } = this.table;
    return this.#read({ kind: "tableEntry", table: name, match, priority, counter: true, meter: true });
  }

  async #read(query: Parameters<Device["read"]>[0][number]): Promise<DeviceEntry[]> {
    const found = await this.device.read([query]);
    return found.flatMap((entity) => (entity.kind === "tableEntry" ? [entity] : []));
  }

  async remove(entry: TableEntry): Promise<void> {
    const { name } = this.table;
    if (entry.isDefaultEntry) {
      // The action of the program is there all the time.
      if (this.table.has_const_default_action === true) return;
      const entity = { kind: "tableEntry", table: name, match: [], priority: 0, isDefault: true } as const;
      await this.device.write([{ type: "modify", entity }]);
      return;
    }
    const fields = keyFieldsOf(entry);
    const all =
      fields === undefined
        ? (await this.#read({ kind: "tableEntry", table: name })).filter(
            ({ isDefault, isConst }) => isDefault !== true && isConst !== true,
          )
        : [{ kind: "tableEntry", table: name, ...keyOf(this.table, fields) } as const];
    if (all.length > 0)
      await this.device.write(
        all.map(({ match, priority }) => ({
          type: "delete",
          entity: { kind: "tableEntry", table: name, match, priority },
        })),
      );
  }

  async read(entry: TableEntry): Promise<Row[]> {
    const { name } = this.table;
    const asks = { kind: "tableEntry", table: name, counter: true, meter: true } as const;
    const fallback = async (): Promise<DeviceEntry[]> => this.#read({ ...asks, isDefault: true });
    if (entry.isDefaultEntry) return (await fallback()).map((one) => this.#row(one));
    const fields = keyFieldsOf(entry);
    if (fields === undefined) {
      const entries = (await this.#read(asks)).filter(({ isDefault }) => isDefault !== true);
      return [...entries, ...(await fallback())].map((one) => this.#row(one));
    }
    const found = await this.#find({ kind: "tableEntry", table: name, ...keyOf(this.table, fields) });
    if (found.length === 0) throw missing(this.table);
    return found.map((one) => this.#row(one));
  }

  #row({ match, priority, action, counter, meter, idleTimeoutNs, isDefault }: DeviceEntry): Row {
    const values = new Map<string, Value>();
    if (action?.kind === "member") values.set(MEMBER, BigInt(action.memberId));
    else if (action?.kind === "group") values.set(GROUP, BigInt(action.groupId));
    else if (action?.kind === "oneShot")
      throw new DeviceError(
        "UNIMPLEMENTED",
        `an entry of ${this.table.name} has actions of its own in a group`,
      );
    if (counter !== undefined) for (const [name, value] of counterValues(counter)) values.set(name, value);
    for (const [name, value] of meterValues(this.table, meter)) values.set(name, value);
    if (idleTimeoutNs !== undefined) values.set(TTL, idleTimeoutNs / 1_000_000n);
    const call = action?.kind === "action" ? { name: action.action, params: action.params } : undefined;
    const data = tableData(this.table, call, values);
    return isDefault === true
      ? { key: [], data, isDefault }
      : { key: keyFields(this.table, { match: [...match], priority }), data };
  }
}
