/**
 * What the plan of a scheme has for a switch: its settings outside P4Runtime, packet generators, the limits of the queues at its links, and
 * its state. The calls are the same on every engine.
 */
import { DiagnosticError, fail } from "../../base/index.js";
import { type Device, DeviceError, type TargetSettings, type Update } from "../../toolchain/device/index.js";
import { calculationName, type FabricPlan, type SwitchPlan, type SwitchSetting } from "../schemes/index.js";
import type { Topology } from "../topology/index.js";
import { CODES } from "./codes.js";

/** Rates in packets and lengths of the queues at the links of a switch, where the links have such. */
export function queuesOfLinks(topology: Topology, node: number): SwitchSetting[] {
  return topology.nodes[node]!.ports.flatMap(({ number: port, link }): SwitchSetting[] => {
    const { ratePps, queuePackets } = topology.links[link]!;
    return [
      ...(queuePackets === undefined
        ? []
        : [{ kind: "queueDepth" as const, packets: queuePackets, queues: { port } }]),
      ...(ratePps === undefined
        ? []
        : [{ kind: "queueRate" as const, packetsPerSecond: ratePps, queues: { port } }]),
    ];
  });
}

/** Applies settings in their order. Fails with P45101 where the switch has no settings, or not this one. */
export async function applySettings(device: Device, settings: readonly SwitchSetting[]): Promise<void> {
  for (const one of settings) {
    const target = device.settings ?? refuse(device, NAMES[one.kind]);
    await apply(device, target, one);
  }
}

/** Starts the packet generators of a plan; those of an earlier plan end. Fails with P45101 where the switch has none. */
export async function startGenerators(device: Device, { generators = [] }: SwitchPlan): Promise<void> {
  const { settings } = device;
  if (settings?.setGenerators !== undefined) await settings.setGenerators(generators);
  else if (generators.length > 0) refuse(device, "packet generators");
}

const NAMES: Readonly<Record<SwitchSetting["kind"], string>> = {
  queueDepth: "depths of queues",
  queueRate: "rates of queues",
  crc: "parameters of CRCs",
  toeplitzKey: "keys of Toeplitz hashes",
};

function apply(device: Device, target: TargetSettings, setting: SwitchSetting): Promise<void> {
  switch (setting.kind) {
    case "queueDepth":
      return target.setQueueDepth(setting.packets, setting.queues);
    case "queueRate":
      return target.setQueueRate(setting.packetsPerSecond, setting.queues);
    case "crc":
      return target.setCrcParameters(calculationName(device, setting), setting.width, setting.parameters);
    case "toeplitzKey":
      if (target.setToeplitzKey === undefined) refuse(device, NAMES.toeplitzKey);
      return target.setToeplitzKey(setting.calculation, setting.key);
  }
}

function refuse({ name }: Device, what: string): never {
  return fail(
    CODES.settingLacks,
    undefined,
    `switch ${name} cannot set ${what}, which the experiment or one of its schemes needs`,
    "run it on the simulator (--engine sim) or on p4loom's own switch (--engine switch)",
    "BMv2 takes queues and hashes over Thrift, for which simple_switch_CLI has to be on PATH; it has no packet generators",
  );
}

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
