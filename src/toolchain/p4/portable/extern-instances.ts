/** `extern_instances` of BMv2 JSON: what psa_switch and pna_nic make objects of, with the attributes that they read. */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { constantBits } from "../emit/bmv2-tables.js";
import { sourceInfo } from "../emit/source-info.js";
import { fold } from "../lower/fold.js";
import { type ExternInstance, type IrProgram, instancesOf } from "../lower/ir.js";
import { algorithmOf, argument } from "./instances.js";

export function externInstances(program: IrProgram): bmv2.ExternInstance[] {
  const made: bmv2.ExternInstance[] = [];
  for (const one of new Set(instancesOf(program))) {
    const shape = shapeOf(one);
    if (shape === undefined) continue;
    const { type, values } = shape;
    const { name, span } = one;
    made.push({
      name,
      id: made.length,
      type,
      ...sourceInfo(span),
      ...(values === undefined ? {} : { attribute_values: values }),
    });
  }
  return made;
}

interface Shape {
  readonly type: string;
  readonly values?: bmv2.ExternAttribute[];
}

function shapeOf(one: ExternInstance): Shape | undefined {
  const size = (name: string): bmv2.ExternAttribute => ({
    name,
    type: "hexstr",
    value: `0x${constantBits(defined(one.args[0])).toString(16).padStart(8, "0")}`,
  });
  switch (one.extern) {
    case "counter":
      return {
        type: "Counter",
        values: [
          size("n_counters"),
          { name: "type", type: "hexstr", value: COUNTER_TYPES[unitOf(one)] ?? "0x00" },
        ],
      };
    case "direct_counter":
      return undefined;
    case "meter":
      return {
        type: "Meter",
        // Numbers, as p4c writes them: the command line of psa_switch compares them as such.
        values: [
          { name: "is_direct", type: "hexstr", value: 0 },
          size("n_meters"),
          { name: "rate_count", type: "hexstr", value: 2 },
          { name: "type", type: "string", value: unitOf(one) },
        ],
      };
    case "Hash":
      return { type: "Hash", values: [algorithm(algorithmOf(argument(one, "algo")))] };
    case "InternetChecksum":
      return { type: "InternetChecksum" };
    case "Checksum": {
      const algo = algorithmOf(argument(one, "hash"));
      return algo === "csum16" ? { type: "InternetChecksum" } : { type: "Hash", values: [algorithm(algo)] };
    }
    default:
      return undefined;
  }
}

function algorithm(value: string): bmv2.ExternAttribute {
  return { name: "algo", type: "string", value };
}

/** What p4c writes for the kinds of counters; the targets count both in any case. */
const COUNTER_TYPES: Readonly<Record<string, string>> = {
  bytes: "0x00",
  packets: "0x01",
  packets_and_bytes: "0x02",
};

function unitOf({ args }: ExternInstance): string {
  const unit = fold(defined(args[1]));
  return unit.kind === "member" ? unit.name : "";
}
