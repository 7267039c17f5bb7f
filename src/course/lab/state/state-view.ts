/** The state of a switch for a page: tables with their entries, groups, arrays, each with the statements that write it. */
import { given } from "../../../base/index.js";
import { deletionOf, type Printer, statementOf, targetText } from "../../../toolchain/control/index.js";
import {
  type Device,
  DeviceError,
  type Entity,
  type MeterConfig,
  matchText,
  type ReadQuery,
  type TableEntry,
} from "../../../toolchain/device/index.js";
import type { TableInfo } from "../../../toolchain/program/index.js";
import type { ArrayView, EntryView, ProfileView, StateView, TableView } from "../protocol.js";

/** Maximum number of entries of a table, and of cells of an array, that are shown. */
const MAX_ENTRIES = 500;
const MAX_CELLS = 64;

type EntityOf<Kind extends Entity["kind"]> = Extract<Entity, { kind: Kind }>;

/** Reads one kind of entities; the result is empty if the target cannot read this kind. */
async function read<Kind extends Entity["kind"]>(
  device: Device,
  query: ReadQuery & { kind: Kind },
): Promise<EntityOf<Kind>[]> {
  try {
    const entities = await device.read([query]);
    return entities.filter((entity): entity is EntityOf<Kind> => entity.kind === query.kind);
  } catch (error) {
    if (error instanceof DeviceError) return [];
    throw error;
  }
}

/** @param cells an array, and the index of the first cell to return */
export async function stateView(
  device: Device,
  printer: Printer,
  what: { program: string; undo: number; cells?: { array: string; from: number } | undefined },
): Promise<StateView> {
  const { index } = printer;
  const tables: TableView[] = [];
  for (const table of index.tables.list) tables.push(await tableView(device, printer, table));
  const profiles: ProfileView[] = [];
  for (const { name } of index.actionProfiles.list) profiles.push(await profileView(device, printer, name));
  return {
    switch: device.name,
    program: what.program,
    tables,
    profiles,
    arrays: await arrayViews(device, printer, what.cells),
    others: await otherViews(device, printer),
    undo: what.undo,
  };
}

async function tableView(device: Device, printer: Printer, table: TableInfo): Promise<TableView> {
  const { name, message, fields, actions, profile, directCounter, directMeter } = table;
  const entries = await read(device, {
    kind: "tableEntry",
    table: name,
    ...(directCounter === undefined ? {} : { counter: true }),
    ...(directMeter === undefined ? {} : { meter: true }),
  });
  const [byDefault] = await read(device, { kind: "tableEntry", table: name, isDefault: true });
  const own = entries.filter(({ isDefault }) => isDefault !== true);
  return {
    name,
    size: Number(message.size),
    fields: fields.list.map((field) => ({ name: field.name, match: field.kind, bits: field.bitwidth })),
    actions: [...actions.values()].map(({ action }) => ({
      name: action.name,
      params: action.params.list.map((param) => ({ name: param.name, bits: param.bitwidth })),
    })),
    ...(profile === undefined ? {} : { profile: profile.name }),
    isConst: own.length > 0 && own.every(({ isConst }) => isConst === true),
    entries: own.slice(0, MAX_ENTRIES).map((entry) => entryView(printer, table, entry)),
    ...(byDefault === undefined ? {} : { defaultEntry: entryView(printer, table, byDefault) }),
    more: Math.max(0, own.length - MAX_ENTRIES),
  };
}

function entryView(printer: Printer, table: TableInfo, entry: TableEntry): EntryView {
  const { match, priority, action, counter, meter, isConst, isDefault } = entry;
  const key = table.fields.list.flatMap((field) => {
    const part = match.find((one) => one.field === field.name);
    return part === undefined ? [] : [[field.name, matchText(printer.naming, field, part)] as const];
  });
  const { counter: _, elapsedNs: __, ...bare } = entry;
  return {
    key: Object.fromEntries(key),
    priority,
    action: targetText(printer, action).replace(/^ => /, ""),
    ...(isConst === true ? { isConst: true as const } : {}),
    ...(counter === undefined
      ? {}
      : { counter: { packets: String(counter.packets), bytes: String(counter.bytes) } }),
    ...(meter === undefined ? {} : { meter: meterText(meter) }),
    statement: statementOf(printer, bare),
    ...(isConst === true || isDefault === true ? {} : { deletion: deletionOf(printer, entry) }),
  };
}

function meterText({ committedRate, committedBurst, peakRate, peakBurst }: MeterConfig): string {
  return `cir=${committedRate} cburst=${committedBurst} pir=${peakRate} pburst=${peakBurst}`;
}

async function profileView(device: Device, printer: Printer, profile: string): Promise<ProfileView> {
  const members = await read(device, { kind: "member", profile });
  const groups = await read(device, { kind: "group", profile });
  return {
    name: profile,
    members: members.slice(0, MAX_ENTRIES).map((member) => ({
      id: member.memberId,
      action: targetText(printer, { kind: "action", ...member.action }).replace(/^ => /, ""),
      statement: statementOf(printer, member),
    })),
    groups: groups.slice(0, MAX_ENTRIES).map((group) => ({
      id: group.groupId,
      members: group.members.map(({ memberId, weight }) => ({ id: memberId, weight })),
      statement: statementOf(printer, group),
    })),
  };
}

async function arrayViews(
  device: Device,
  printer: Printer,
  cells: { array: string; from: number } | undefined,
): Promise<ArrayView[]> {
  const { index } = printer;
  const views: ArrayView[] = [];
  for (const { name, message } of index.counters.list) {
    const found = await read(device, { kind: "counter", counter: name });
    const shown = pick(found, name, cells, ({ data }) => data.packets !== 0n || data.bytes !== 0n);
    const unit = UNITS[message.spec?.unit ?? 0];
    views.push({
      kind: "counter",
      name,
      size: found.length,
      ...given({ unit }),
      cells: shown.map((cell) => ({
        index: cell.index,
        value: `${cell.data.packets} packets, ${cell.data.bytes} bytes`,
        statement: statementOf(printer, cell),
      })),
    });
  }
  for (const { name } of index.meters.list) {
    const found = await read(device, { kind: "meter", meter: name });
    const shown = pick(found, name, cells, ({ config }) => config !== undefined);
    views.push({
      kind: "meter",
      name,
      size: found.length,
      cells: shown.map((cell) => ({
        index: cell.index,
        value: cell.config === undefined ? "default" : meterText(cell.config),
        statement: statementOf(printer, cell),
      })),
    });
  }
  for (const { name, message } of index.registers.list) {
    const found = await read(device, { kind: "register", register: name });
    const shown = pick(found, name, cells, ({ value }) => value !== 0n);
    const bits = index.bitwidthOf(message.typeSpec);
    views.push({
      kind: "register",
      name,
      size: found.length,
      ...given({ bits }),
      cells: shown.map((cell) => ({
        index: cell.index,
        value: String(cell.value),
        statement: statementOf(printer, cell),
      })),
    });
  }
  return views;
}

/** Units of a counter, by their number in P4Info. */
const UNITS: Readonly<Record<number, "packets" | "bytes" | "both">> = { 1: "bytes", 2: "packets", 3: "both" };

/** The requested cells; without a request, the first cells of a small array, and the changed cells of a large one. */
function pick<Cell extends { index: number }>(
  found: readonly Cell[],
  name: string,
  cells: { array: string; from: number } | undefined,
  isUsed: (cell: Cell) => boolean,
): readonly Cell[] {
  if (cells?.array === name) return found.slice(cells.from, cells.from + MAX_CELLS);
  if (found.length <= MAX_CELLS) return found;
  return found.filter((cell) => cell.index < 8 || isUsed(cell)).slice(0, MAX_CELLS);
}

async function otherViews(device: Device, printer: Printer): Promise<StateView["others"]> {
  const kinds = ["multicastGroup", "cloneSession", "digest", "valueSet"] as const;
  const views: StateView["others"][number][] = [];
  for (const kind of kinds)
    for (const entity of await read(device, { kind }))
      views.push({ kind, statement: statementOf(printer, entity) });
  return views;
}
