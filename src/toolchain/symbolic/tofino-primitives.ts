/** Primitives of a Tofino's externs on one path, as switch/codegen/action.ts runs them. */
import { defined } from "../../base/index.js";
import { type bmv2, bmv2Number } from "../program/index.js";
import type { Term, Terms } from "../solver/index.js";
import { mathUnit } from "../switch/index.js";
import type { Expressions } from "./expressions.js";
import { inputOf, onesComplementSum } from "./hashes.js";
import type { Pass } from "./pass.js";
import { Unhandled } from "./unhandled.js";

/** False: the primitive is of another kind. */
export function runTofinoPrimitive(
  { op, parameters }: bmv2.Primitive,
  pass: Pass,
  expressions: Expressions,
): boolean {
  const run = PRIMITIVES[op];
  if (run === undefined) return false;
  run(parameters, pass, expressions);
  return true;
}

type Run = (parameters: readonly bmv2.Value[], pass: Pass, expressions: Expressions) => void;

const PRIMITIVES: Readonly<Record<string, Run>> = {
  mirror: ([session, data], pass, expressions) => {
    pass.requests.mirror = { session: low(session, 16, expressions), data: bytesOf(data, pass) };
  },
  resubmit_data: ([data], pass) => {
    pass.requests.resubmitData = bytesOf(data, pass);
  },
  parsed_checksum: ([to, from], pass, expressions) => {
    const place = low(from, 32, expressions);
    if (place.op !== "const" || pass.parsed === undefined)
      throw new Unhandled("a checksum from a place that varies");
    store(to, onesComplementSum(pass.terms, pass.parsed(Number(place.value))), expressions);
  },
  math_unit: ([to, operand, settings], pass, expressions) => {
    const numbers = settings?.type === "parameters_vector" ? settings.value : [];
    const [halfPowers = 0, scale = 0, ...table] = numbers.map((one) =>
      one.type === "hexstr" ? Number(bmv2Number(one.value)) : 0,
    );
    const unit = (x: number) => mathUnit(x, halfPowers, scale, table);
    store(to, mathTerm(pass.terms, low(operand, 32, expressions), halfPowers, unit), expressions);
  },
  register_fill: ([register, value], pass, expressions) => {
    const name = String(register?.value);
    pass.registers.write(name, undefined, low(value, pass.register(name).bitwidth, expressions));
  },
  // As the switch begins: what is not configured answers the value, or drops nothing.
  low_pass: ([to, , , value], pass, expressions) => {
    pass.situation.leftOut.add("filters that a controller has configured");
    store(to, low(value, 32, expressions), expressions);
  },
  early_drop: ([to], pass, expressions) => {
    pass.situation.leftOut.add("early detection that a controller has configured");
    store(to, pass.terms.constant(0, 32), expressions);
  },
};

function low(value: bmv2.Value | undefined, bits: number, expressions: Expressions): Term {
  return expressions.numbers.low(expressions.number(defined(value)), bits);
}

function store(to: bmv2.Value | undefined, term: Term, expressions: Expressions): void {
  expressions.assign(defined(to), { kind: "term", term, signed: false });
}

/** The input of a calculation, with zeros up to a whole byte. */
function bytesOf(data: bmv2.Value | undefined, pass: Pass): Term {
  const { terms } = pass;
  if (data === undefined) return terms.constant(0, 0);
  const whole = inputOf(pass.calculation(String(data.value)).input, pass.source);
  return terms.concat(whole, terms.constant(0, (8 - (whole.width % 8)) % 8));
}

/** A math unit looks at the leading bits alone: four, and three where the place of the first is odd and the function has half powers. */
export function mathTerm(terms: Terms, operand: Term, halfPowers: number, unit: (x: number) => number): Term {
  let result = terms.constant(0, 32);
  for (let place = 0; place < 32; place++) {
    const count = Math.min(place + 1, halfPowers % 2 !== 0 && place % 2 === 1 ? 3 : 4);
    const rest = place + 1 - count;
    const leading = terms.slice(operand, rest, count);
    let here = terms.constant(0, 32);
    for (let value = 2 ** (count - 1); value < 2 ** count; value++)
      here = terms.choose(
        terms.equal(leading, terms.constant(value, count)),
        terms.constant(unit(value * 2 ** rest), 32),
        here,
      );
    result = terms.choose(terms.slice(operand, place, 1), here, result);
  }
  return result;
}
