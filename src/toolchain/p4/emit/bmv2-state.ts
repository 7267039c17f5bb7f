/** Counters, meters, registers, hashes and random numbers as primitives of simple_switch. */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { Expr, StmtOf } from "../lower/ir.js";
import { algorithm, calculationInput } from "./bmv2-calculations.js";
import { type Emission, primitive, target } from "./emission.js";

type Extern = StmtOf<"extern">;

/** Undefined for a call of something else. */
export function statePrimitives(emission: Emission, stmt: Extern): bmv2.Primitive[] | undefined {
  const { expressions } = emission;
  const { args, span } = stmt;
  const value = (index: number): bmv2.Value => expressions.parameter(defined(args[index]));
  const place = (index: number): bmv2.Value => target(emission, defined(args[index]));
  const array = (type: "counter_array" | "meter_array" | "register_array"): bmv2.Value => ({
    type,
    value: stmt.instance?.name ?? "",
  });
  switch (stmt.name) {
    case "counter.count":
      return [primitive("count", [array("counter_array"), value(0)], span)];
    case "meter.execute_meter":
      return [primitive("execute_meter", [array("meter_array"), value(0), place(1)], span)];
    case "register.read":
      return [primitive("register_read", [place(0), array("register_array"), value(1)], span)];
    case "register.write":
      return [primitive("register_write", [array("register_array"), value(0), value(1)], span)];
    case "direct_counter.count":
    case "direct_meter.read":
      // The table itself counts and meters when an entry is hit.
      return [];
    case "hash": {
      const [result, algo, base, data, max] = args;
      const name = calculation(emission, algorithm(defined(algo)), defined(data), stmt);
      return [hashPrimitive(emission, name, [defined(result), defined(base), defined(max)], stmt)];
    }
    case "random":
      return [primitive("modify_field_rng_uniform", [place(0), value(1), value(2)], span)];
    default:
      return undefined;
  }
}

/** A new calculation over the data of a call; gives its name. */
export function calculation(emission: Emission, algo: string, data: Expr, { span }: Extern): string {
  return emission.resources.calculation(algo, calculationInput(emission, data), span);
}

/** `result = base + calculation mod max`. */
export function hashPrimitive(
  emission: Emission,
  name: string,
  [result, base, max]: readonly [Expr, Expr, Expr],
  { span }: Extern,
): bmv2.Primitive {
  const { expressions } = emission;
  return primitive(
    "modify_field_with_hash_based_offset",
    [
      target(emission, result),
      expressions.parameter(base),
      { type: "calculation", value: name },
      expressions.parameter(max),
    ],
    span,
  );
}
