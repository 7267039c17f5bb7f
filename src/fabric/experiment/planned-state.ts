/** Writes the state that a plan has for a switch; a refusal of a plan that a user's module made is the module's error. */
import { DiagnosticError, fail } from "../../base/index.js";
import { type Device, DeviceError, type Update } from "../../toolchain/device/index.js";
import type { FabricPlan } from "../schemes/index.js";
import { CODES } from "./codes.js";

/**
 * `more` is written before the plan's updates of the switch `node`, in the same batch. Fails with P43406 for an update of a
 * module's plan that the switch refuses; all other errors of the device pass as they are.
 */
export async function writePlanned(
  device: Device,
  plan: FabricPlan,
  node: number,
  more: readonly Update[] = [],
): Promise<void> {
  const index = plan.switches.findIndex((own) => own.node === node);
  const { updates } = plan.switches[index]!;
  try {
    await device.write([...more, ...updates]);
  } catch (error) {
    if (plan.place === undefined || error instanceof DiagnosticError) throw error;
    const statuses = error instanceof DeviceError ? error.updates : undefined;
    // A switch that does not answer has not refused an update.
    if (error instanceof DeviceError && statuses === undefined) throw error;
    const first = statuses?.findIndex(({ code }) => code !== "OK");
    if (first !== undefined && first < more.length) throw error;
    const at = first === undefined ? undefined : first - more.length;
    const what = at === undefined ? "the updates" : `update ${at}, ${nameOf(updates[at]!)},`;
    const where = `switches[${index}].updates${at === undefined ? "" : `[${at}]`}`;
    const refused = statuses?.filter(({ code }) => code !== "OK").length ?? 1;
    fail(
      CODES.refusedPlan,
      plan.place,
      `switch ${device.name} refuses ${what} of its plan: ${reasonOf(statuses?.[first!] ?? error)}`,
      `it is ${where} of the plan that the module returns`,
      ...(refused > 1 ? [`${refused} updates of this switch are refused; this is the first`] : []),
    );
  }
}

/** `insert tableEntry "nope"`. */
function nameOf({ type, entity }: Update): string {
  const named = Object.entries(entity).find(([key, value]) => key !== "kind" && typeof value === "string");
  return `${type} ${entity.kind}${named === undefined ? "" : ` "${named[1]}"`}`;
}

function reasonOf(error: unknown): string {
  return String((error as { message?: unknown }).message ?? error);
}
