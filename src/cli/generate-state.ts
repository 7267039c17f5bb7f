/** The state of a switch under a plan, as files: statements that p4loom's switches run, and JSON for other programs. */
import { given, toHex } from "../base/index.js";
import { queuesOfLinks } from "../fabric/experiment/index.js";
import { calculationName, type SwitchPlan, type SwitchSetting } from "../fabric/schemes/index.js";
import { nodeAt, type Topology } from "../fabric/topology/index.js";
import { type Printer, statementOf } from "../toolchain/control/index.js";
import {
  deviceView,
  type PacketGenerator,
  type QueueSelection,
  type Update,
} from "../toolchain/device/index.js";
import { P4InfoIndex, type Program } from "../toolchain/program/index.js";

/** Everything that `p4loom run` writes into the switch after its program, in the same order. */
function settingsOf(topology: Topology, own: SwitchPlan): SwitchSetting[] {
  return [...queuesOfLinks(topology, own.node), ...(own.settings ?? [])];
}

/** For `p4loom switch PROGRAM --commands FILE` and `source FILE` in `p4loom shell`. `file`: its path in the folder. */
export function stateText(topology: Topology, own: SwitchPlan, program: Program, file: string): string {
  const printer: Printer = { index: new P4InfoIndex(deviceView(program).p4info), naming: undefined };
  const { generators = [] } = own;
  const lines = [
    `# ${nodeAt(topology, own.node).name}: p4loom switch ${own.program}.p4 --commands ${file}`,
    ...settingsOf(topology, own).map((setting) => settingText(program, setting)),
    ...own.updates.map((update) => updateText(printer, update)),
    ...(generators.length === 0 ? [] : [`set_packet_generators ${generators.map(generatorText).join(" ")}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function settingText(program: Program, setting: SwitchSetting): string {
  switch (setting.kind) {
    case "queueDepth":
      return `set_queue_depth ${setting.packets}${queuesText(setting.queues)}`;
    case "queueRate":
      return `set_queue_rate ${setting.packetsPerSecond}${queuesText(setting.queues)}`;
    case "crc": {
      const { polynomial, initial, finalXor, reflectData, reflectRemainder } = setting.parameters;
      const words = [polynomial, initial, finalXor].map((value) => `0x${value.toString(16)}`);
      return `set_crc${setting.width}_parameters ${calculationName({ program }, setting)} ${words.join(" ")} ${reflectData} ${reflectRemainder}`;
    }
    case "toeplitzKey":
      return `set_toeplitz_hash_key ${setting.calculation} ${toHex(setting.key)}`;
  }
}

function queuesText({ port, priority }: QueueSelection = {}): string {
  return [port, priority].map((value) => (value === undefined ? "" : ` ${value}`)).join("");
}

function updateText(printer: Printer, { type, entity }: Update): string {
  const statement = statementOf(printer, entity);
  return type === "insert" ? statement : statement.replace(/^insert /, `${type} `);
}

function generatorText({ port, periodNs, startNs = 0, frame }: PacketGenerator): string {
  return [port, periodNs, startNs, toHex(frame)].join("/");
}

/** Values beyond 2^53 are hexadecimal strings; smaller ones are numbers of JSON. Bytes are hexadecimal strings. */
export function stateJson(topology: Topology, own: SwitchPlan): string {
  const plain = (_key: string, value: unknown) => {
    if (value instanceof Uint8Array) return toHex(value);
    if (typeof value !== "bigint") return value;
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : `0x${value.toString(16)}`;
  };
  const settings = settingsOf(topology, own);
  const { updates, generators = [] } = own;
  const state = {
    program: `${own.program}.p4`,
    ...given({ settings: settings.length === 0 ? undefined : settings }),
    updates,
    ...given({ generators: generators.length === 0 ? undefined : generators }),
  };
  return `${JSON.stringify(state, plain, 2)}\n`;
}
