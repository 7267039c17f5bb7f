/** What the symbolic execution says of a path, beside what the switch does with the path's packet. */
import { Evaluator, variablesOf } from "../solver/index.js";
import { isRandom, type Path } from "../symbolic/index.js";
import type { Stimulus } from "./concrete.js";
import type { Expected } from "./replay.js";

/**
 * Whether the switch does something else than the path says. Of a packet that gets copies a path says what one of them does. A path that random numbers decide
 * says nothing of the switch, which has others.
 */
export function contradicts(
  { outcome, situation, conditions }: Path,
  { model, bytes }: Stimulus,
  expected: readonly Expected[],
): boolean {
  if (variablesOf(conditions).some(({ name }) => isRandom(name))) return false;
  const hasCopies = situation.copies.length > 0;
  if (outcome.kind === "dropped") return !hasCopies && expected.length > 0;
  const evaluator = new Evaluator(model);
  const { front, rest } = outcome;
  const port = Number(evaluator.valueOf(outcome.port));
  const head = evaluator.valueOf(front);
  const nibbles = Array.from({ length: front.width >> 2 }, (_, i) =>
    Number((head >> BigInt(front.width - 4 * (i + 1))) & 15n),
  );
  for (const byte of bytes.subarray(rest)) nibbles.push(byte >> 4, byte & 15);
  const isThis = (one: Expected) =>
    one.port === port &&
    one.nibbles.length === nibbles.length &&
    one.nibbles.every((nibble, i) => nibble === undefined || nibble === nibbles[i]);
  return hasCopies ? !expected.some(isThis) : expected.length !== 1 || !expected.every(isThis);
}
