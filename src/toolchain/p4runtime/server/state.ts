/**
 * The state of a switch as a document of text lines: the first identifies the format, each other one is a `p4.v1.Update` in
 * protobuf's JSON form. Applied in order, the updates turn the state after loading the program into the state
 * that was saved. Identifiers are those of P4Info, so a document also fits a program that was compiled again.
 */
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  type Device,
  DeviceError,
  type Entity,
  entityKey,
  type Pace,
  type PreparedProgram,
  type TableEntry,
  type Update,
} from "../../device/index.js";
import { decodeUpdate, encodeUpdate } from "../codec/entity.js";
import type { Wire } from "../codec/wire.js";
import { UpdateSchema } from "../generated/p4/v1/p4runtime_pb.js";
import { EVERYTHING, isInitial, MODIFIED } from "./carry-over.js";
import { FreshNames, MAX_UPDATES } from "./write.js";

/** Largest document in bytes: some 300,000 table entries. */
export const MAX_STATE_BYTES = 64 * 1024 * 1024;
/** Bytes of one message that carries a part of a document. */
const PART_BYTES = 256 * 1024;
const FORMAT = 1;

/** What runs, as far as its state needs it. */
export interface Running {
  readonly device: Device;
  readonly wire: Wire;
  readonly programName: string;
}

function prepare({ device }: Running): Promise<PreparedProgram> {
  const { program } = device;
  if (program === undefined || device.prepare === undefined)
    throw new DeviceError("UNIMPLEMENTED", "this device does not give its state as a document");
  return device.prepare(program);
}

/**
 * The updates that bring the state after loading to the present state. Nothing is written meanwhile, which is for the
 * caller to ensure.
 */
export async function differenceFromInitial(running: Running, pace: Pace): Promise<Update[]> {
  const { device, wire } = running;
  const fresh = await prepare(running);
  const initial = new Map<string, TableEntry>();
  const isConstant = ({ table }: TableEntry): boolean =>
    wire.index.tables.byName(table)?.message.isConstTable ?? false;
  for (const isDefault of [false, true]) {
    for (const entity of await fresh.read([{ kind: "tableEntry", isDefault }], pace))
      if (entity.kind === "tableEntry") initial.set(entityKey(entity), entity);
  }
  fresh.discard();
  const updates: Update[] = [];
  const add = (entity: Entity): void => {
    if (entity.kind !== "tableEntry") {
      if (!isInitial(entity)) updates.push({ type: MODIFIED.has(entity.kind) ? "modify" : "insert", entity });
      return;
    }
    const { isConst: _, ...entry } = entity;
    const key = entityKey(entity);
    const before = initial.get(key);
    initial.delete(key);
    if (entity.isDefault) {
      if (before === undefined || !sameAction(before, entity))
        updates.push({ type: "modify", entity: entry });
    } else if (!isConstant(entity)) {
      updates.push({ type: before === undefined ? "insert" : "modify", entity: entry });
    } else {
      const { counter, meter, ...key } = entry;
      if (counter !== undefined && (counter.packets !== 0n || counter.bytes !== 0n))
        updates.push({ type: "modify", entity: { kind: "directCounter", entry: key, data: counter } });
      if (meter !== undefined)
        updates.push({ type: "modify", entity: { kind: "directMeter", entry: key, config: meter } });
    }
  };
  for (const query of EVERYTHING) {
    for (const entity of await device.read([query], pace)) {
      add(entity);
      const turn = pace();
      if (turn !== undefined) await turn;
    }
  }
  const deletions = [...initial.values()].flatMap(({ isConst: _, ...entity }): Update[] =>
    entity.isDefault ? [] : [{ type: "delete", entity }],
  );
  return [...deletions, ...updates];
}

function sameAction(one: TableEntry, other: TableEntry): boolean {
  const text = ({ action }: TableEntry): string =>
    JSON.stringify(action, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return text(one) === text(other);
}

/** The document in parts of bounded size. Throws RESOURCE_EXHAUSTED when it would be too large. */
export async function* documentParts(
  { wire, programName }: Running,
  updates: readonly Update[],
  pace: Pace,
  limit = MAX_STATE_BYTES,
): AsyncGenerator<Uint8Array> {
  let waiting = `${JSON.stringify({ p4loomState: FORMAT, program: programName })}\n`;
  let size = 0;
  const encoder = new TextEncoder();
  for (const [i, update] of updates.entries()) {
    waiting += `${JSON.stringify(toJson(UpdateSchema, encodeUpdate(wire, update)))}\n`;
    const turn = pace();
    if (turn !== undefined) await turn;
    if (waiting.length < PART_BYTES) continue;
    const part = encoder.encode(waiting);
    waiting = "";
    size += part.length;
    if (size > limit) {
      const done = `${i + 1} of ${updates.length} updates`;
      throw new DeviceError(
        "RESOURCE_EXHAUSTED",
        `the state is too large: ${done} take ${size} bytes of at most ${limit}`,
      );
    }
    yield part;
  }
  yield encoder.encode(waiting);
}

interface Line {
  readonly number: number;
  readonly value: JsonValue;
}

/** The lines of a document, which comes in parts; throws INVALID_ARGUMENT that names the line which is no JSON. */
function* linesOf(parts: readonly Uint8Array[]): Generator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let waiting = "";
  const parsed = (text: string): Line => {
    try {
      return { number, value: JSON.parse(text) as JsonValue };
    } catch (error) {
      throw wrong(number, error);
    }
  };
  const decoded = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (error) {
      throw wrong(number + 1, error);
    }
  };
  for (const part of parts) {
    // A part may be as large as a message.
    for (let start = 0; start < part.length; start += PART_BYTES) {
      waiting += decoded(part.subarray(start, start + PART_BYTES));
      const lines = waiting.split("\n");
      waiting = lines.pop()!;
      for (const line of lines) {
        number++;
        yield parsed(line);
      }
    }
  }
  waiting += decoded();
  number++;
  if (waiting !== "") yield parsed(waiting);
}

function wrong(line: number, error: unknown): DeviceError {
  const code = error instanceof DeviceError ? error.code : "INVALID_ARGUMENT";
  const why = error instanceof Error ? error.message : String(error);
  return new DeviceError(code, `line ${line} of the state: ${why}`);
}

function checkHead(line: Line | undefined): void {
  const head = line?.value;
  const format =
    typeof head === "object" && head !== null && !Array.isArray(head) ? head["p4loomState"] : undefined;
  if (format === FORMAT) return;
  const why =
    format === undefined ? "this is not a state that SaveState gave" : `format ${format}; ${FORMAT} is known`;
  throw wrong(1, new Error(why));
}

/** Replaces the state of the device by that of a document in parts; a document that is refused changes nothing. */
export async function restoreDocument(
  running: Running,
  parts: readonly Uint8Array[],
  pace: Pace,
): Promise<void> {
  const fresh = new FreshNames(running.wire);
  const prepared = await prepare(running);
  try {
    const lines = linesOf(parts);
    checkHead(lines.next().value as Line | undefined);
    const updates: Update[] = [];
    /** For each update the number of its line. */
    const origin: number[] = [];
    for (const { number, value } of lines) {
      const turn = pace();
      if (turn !== undefined) await turn;
      try {
        const message = fromJson(UpdateSchema, value);
        for (const update of decodeUpdate(fresh.wireOf(updates.length), message)) {
          if (updates.length >= MAX_UPDATES)
            throw new DeviceError("RESOURCE_EXHAUSTED", `a state has at most ${MAX_UPDATES} elements`);
          updates.push(update);
          origin.push(number);
          const next = pace();
          if (next !== undefined) await next;
        }
      } catch (error) {
        throw wrong(number, error);
      }
    }
    try {
      if (updates.length > 0) await prepared.write(updates, pace);
    } catch (error) {
      if (!(error instanceof DeviceError) || error.updates === undefined) throw error;
      const first = error.updates.findIndex(({ code }) => code !== "OK");
      const { code, message } = error.updates[first]!;
      throw wrong(origin[first]!, new DeviceError(code, message));
    }
    prepared.commit();
  } catch (error) {
    fresh.keep(() => false);
    prepared.discard();
    throw error;
  }
}
