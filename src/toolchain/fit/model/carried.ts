/** What the mirrors and resubmissions of a Tofino's deparsers carry: a session, and a list of fields and constants. */
import type { bmv2 } from "../../program/index.js";
import type { CarriedValue } from "./model.js";
import { fieldsIn } from "./simplify/graph.js";

type Deparsers = readonly bmv2.Bmv2Deparser[];

/** All fields that they carry, sessions included. */
export function fieldsCarriedBy(program: bmv2.Bmv2Program, deparsers: Deparsers): ReadonlySet<string> {
  const carried = new Set<string>();
  for (const { parameters } of carriersOf(deparsers))
    fieldsIn([parameters, listOf(program, parameters)], carried);
  return carried;
}

/** Fields that state a mirror's session. */
export function sessionsOf(deparsers: Deparsers): ReadonlySet<string> {
  return fieldsIn(
    carriersOf(deparsers).flatMap(({ op, parameters }) => (op === "mirror" ? parameters.slice(0, 1) : [])),
  );
}

/** The list of each of them, in its order; a list with another value than a field or a constant is left out. */
export function carriedListsOf(program: bmv2.Bmv2Program, deparsers: Deparsers): readonly CarriedValue[][] {
  return carriersOf(deparsers).flatMap(({ parameters }) => {
    const values = listOf(program, parameters)?.map(carriedValue);
    return values?.every((one) => one !== undefined) === true ? [values] : [];
  });
}

function carriedValue(value: bmv2.CalculationInput): CarriedValue | undefined {
  if (value.type === "field") return { field: value.value.join(".") };
  return value.type === "hexstr" && value.bitwidth !== undefined ? { bits: value.bitwidth } : undefined;
}

const carriersOf = (deparsers: Deparsers) =>
  deparsers
    .flatMap(({ primitives = [] }) => primitives)
    .filter(({ op }) => op === "mirror" || op === "resubmit_data");

function listOf(
  { calculations }: bmv2.Bmv2Program,
  parameters: readonly bmv2.Value[],
): readonly bmv2.CalculationInput[] | undefined {
  const named = parameters.find((one) => one.type === "calculation")?.value;
  return calculations.find(({ name }) => name === named)?.input;
}
