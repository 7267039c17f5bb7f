/** `p4loom hash linear --switch ADDRESS`: whether the choices of a switch that runs are linear, and what each header bit does. */

import { setTimeout as sleep } from "node:timers/promises";
import { fail, given, Random } from "../../base/index.js";
import { FIELD_BITS, ipv4Text } from "../../base/packets/index.js";
import {
  controlProbeBits,
  type ProbedChoice,
  Prober,
  probeChoice,
  REFERENCE_SOURCE_BITS,
  referenceProbe,
} from "../../fabric/probing/index.js";
import { DeviceError, type Entity } from "../../toolchain/device/index.js";
import { connect } from "../../toolchain/p4runtime/index.js";
import { CODES } from "../codes.js";
import type { HashSettings } from "./hash-options.js";
import type { HashReport } from "./report.js";

/** A destination of the switch's routes. */
interface Destination {
  readonly route: string;
  readonly address: bigint;
}

/** An address of TEST-NET-3 (RFC 5737), which only a default route covers. */
const ANYWHERE = 0xcb007101n;
const PORT_BITS = 16;

/** Connects as the primary controller, and sends nothing but probes. */
export async function linearOfSwitch(
  address: string,
  { field, probes, seed, deviceId }: HashSettings,
): Promise<HashReport> {
  const device = await connect(address, { deviceId, reconnect: false }).catch((error: unknown) => {
    if (!(error instanceof DeviceError)) throw error;
    const where = error.message.includes(address) ? "" : `${address}: `;
    return fail(CODES.noSwitch, undefined, `${where}${error.message} (${error.code})`);
  });
  try {
    const prober = new Prober(device, { field, sleep: (ns) => sleep(ns / 1e6, undefined, { ref: false }) });
    const bits = controlProbeBits(PORT_BITS, field, FIELD_BITS[field]);
    const rows: { route: string; found: ProbedChoice }[] = [];
    for (const { route, address: dst } of destinations(await device.read([{ kind: "tableEntry" }]))) {
      const random = new Random(seed).fork(route);
      const found = await probeChoice(prober, {
        reference: referenceProbe(dst),
        sourceBits: REFERENCE_SOURCE_BITS,
        bits,
        tests: probes,
        random,
      });
      if (found.ports.length > 1) rows.push({ route, found });
    }
    prober.close();
    return reportOf(
      address,
      rows,
      bits.map(({ name }) => name),
    );
  } finally {
    await device.close();
  }
}

/** One for each action of the tables whose keys are IPv4 prefixes: routes with one action have one choice. */
function destinations(entities: readonly Entity[]): Destination[] {
  const found = new Map<string, Destination>();
  const tables = new Set<string>();
  for (const entity of entities) {
    if (entity.kind !== "tableEntry") continue;
    const [part] = entity.match;
    if (part?.kind !== "lpm" || !part.field.includes("ipv4")) continue;
    tables.add(entity.table);
    const key = actionKey(entity.action);
    // The last address of a prefix: the first ones may have longer prefixes of their own.
    const last = part.value | ((1n << BigInt(32 - part.prefixLength)) - 1n);
    if (!found.has(key))
      found.set(key, { route: `${ipv4Text(part.value)}/${part.prefixLength}`, address: last });
  }
  for (const entity of entities) {
    if (entity.kind !== "tableEntry" || !tables.has(entity.table) || entity.match.length > 0) continue;
    const key = actionKey(entity.action);
    if (entity.isDefault !== true && !found.has(key))
      found.set(key, { route: "0.0.0.0/0", address: ANYWHERE });
  }
  return [...found.values()];
}

function actionKey(action: unknown): string {
  return JSON.stringify(action, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}

function reportOf(
  address: string,
  rows: readonly { route: string; found: ProbedChoice }[],
  bits: readonly string[],
): HashReport {
  const title = `Choices of the switch at ${address}`;
  return {
    title,
    tables: [
      {
        title,
        header: ["route", "ports", "linear", "tests", "counterexample"],
        rows: rows.map(({ route, found }) => [
          route,
          found.ports.join(" "),
          verdict(found),
          found.tests,
          counterexampleText(found),
        ]),
      },
      {
        title: "Offset of the next hop by header bit (the pathmap)",
        header: ["bit", ...rows.map(({ route }) => route)],
        rows: bits.map((name, bit) => [name, ...rows.map(({ found }) => found.offsets[bit])]),
      },
    ],
    notes: [
      "linear: no counterexample among this number of random headers, each with a random change of the bits below.",
      ...(rows.length === 0 ? ["No route of the switch has a choice between several ports."] : []),
    ],
    json: rows.map(({ route, found: { counterexample, ...found } }) => ({
      route,
      ...found,
      linear: counterexample === undefined && found.stray === undefined,
      ...given({
        counterexample:
          counterexample === undefined
            ? undefined
            : {
                bits: counterexample.bits,
                got: counterexample.got,
                expected: counterexample.expected,
              },
      }),
    })),
  };
}

function verdict({ counterexample, stray }: ProbedChoice): string {
  if (stray !== undefined) return "unknown";
  return counterexample === undefined ? "yes" : "no";
}

function counterexampleText({ counterexample, stray }: ProbedChoice): string | undefined {
  if (stray !== undefined) return `a probe left by port ${stray}, which random headers had not shown`;
  if (counterexample === undefined) return undefined;
  const { bits, got, expected, header } = counterexample;
  return `ports ${header.srcPort} and ${header.dstPort}: a change of ${bits.length} bits leads to next hop ${got}, not ${expected}`;
}
