/**
 * Loads another program into a running switch. Entries of the former program, and the values of its counters and registers,
 * are written to the new program, if it has the same tables, actions, fields and arrays.
 */

import { type Printer, statementOf } from "../../../toolchain/control/index.js";
import {
  type Device,
  DeviceError,
  difference,
  type Entity,
  type ReadQuery,
  type Update,
} from "../../../toolchain/device/index.js";
import { describeBmv2, P4InfoIndex, type Program } from "../../../toolchain/program/index.js";
import type { SwapView } from "../protocol.js";

/** The queries for the whole state of a program, with digests and value sets. */
const EVERYTHING: readonly ReadQuery[] = [
  { kind: "member" },
  { kind: "group" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
  { kind: "digest" },
  { kind: "valueSet" },
  { kind: "tableEntry" },
  { kind: "tableEntry", isDefault: true },
  { kind: "directCounter" },
  { kind: "directMeter" },
  { kind: "counter" },
  { kind: "meter" },
  { kind: "register" },
];

/** Maximum number of lost entities that are listed; the loss of a large table would list thousands. */
const MAX_LOST = 50;

type Reader = (queries: readonly ReadQuery[]) => Promise<Entity[]>;

/** Reads all state. Kinds that a program does not have, or that its target cannot read, count as empty. */
async function readAll(read: Reader): Promise<Entity[]> {
  const entities: Entity[] = [];
  for (const query of EVERYTHING) {
    try {
      entities.push(...(await read([query])));
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
    }
  }
  return entities;
}

export function printerOf(device: Device, program: Program): Printer {
  const { p4info, bmv2 } = program;
  const isEmpty = p4info.tables.length === 0 && p4info.actions.length === 0;
  return { index: new P4InfoIndex(isEmpty ? describeBmv2(bmv2) : p4info), naming: device.names };
}

/**
 * Loads a program and keeps the state that fits it.
 * Rejects with DeviceError, and changes nothing, when the device cannot run the program.
 */
export async function swapProgram(device: Device, next: Program): Promise<SwapView> {
  const former = device.program;
  const name = device.name;
  if (former === undefined) {
    await device.load(next);
    return { switch: name, kept: 0, lost: [] };
  }
  const printer = printerOf(device, former);
  const state = await readAll((queries) => device.read(queries));
  if (device.prepare === undefined) {
    // A remote switch shows only the state of the running program: the former state is compared with the new program's
    // initial state.
    await device.load(next);
    const begun = await readAll((queries) => device.read(queries));
    const wanted = difference(begun, state).filter(({ type }) => type !== "delete");
    return { switch: name, ...(await writeFitting(wanted, printer, (updates) => device.write(updates))) };
  }
  const fresh = await device.prepare(former);
  const initial = await readAll((queries) => fresh.read(queries));
  fresh.discard();
  const prepared = await device.prepare(next);
  try {
    const written = difference(initial, state);
    const result = await writeFitting(written, printer, (updates) => prepared.write(updates));
    prepared.commit();
    return { switch: name, ...result };
  } catch (error) {
    prepared.discard();
    throw error;
  }
}

/** Writes the updates one by one; an update that the program rejects is lost. */
async function writeFitting(
  written: readonly Update[],
  printer: Printer,
  write: (updates: readonly Update[]) => Promise<void>,
): Promise<Pick<SwapView, "kept" | "lost">> {
  const lost: { statement: string; reason: string }[] = [];
  let kept = 0;
  for (const update of written) {
    try {
      await write([update]);
      kept++;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      const statement = statementOf(printer, update.entity);
      if (lost.length < MAX_LOST)
        lost.push({ statement, reason: error.updates?.[0]?.message ?? error.message });
    }
  }
  return { kept, lost };
}
