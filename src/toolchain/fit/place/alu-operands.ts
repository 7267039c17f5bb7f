/**
 * Where the operands of an ALU stand on the exact crossbar (p4c, backends/tofino/bf-p4c/mau/tofino/input_xbar.cpp,
 * setup_stateful_search_bus): one begins at the first byte that the ALU takes, the other a word of the ALU later.
 */
import { type CrossbarByte, isPlaceOf } from "./crossbar-groups.js";

export interface Operand {
  readonly bytes: readonly CrossbarByte[];
  readonly bits: number;
  /** It stands alone at the low end of its bytes, as an ALU takes it from the crossbar; else the matrix shifts it. */
  readonly isAlone: boolean;
}

/**
 * The places of all bytes of one or two operands, counted from the first byte that an ALU takes. Undefined: they take the matrix.
 * @param least of the ALU's word, in bytes; a word of Tofino 2 that is no pair is as wide as its operands
 */
export function placesOfOperands(operands: readonly Operand[], least: number): number[] | undefined {
  if (operands.length > 2 || !operands.every(({ isAlone }) => isAlone)) return undefined;
  const width = Math.max(least, ...operands.map(({ bytes }) => bytes.length));
  const isReversed = hasSecondPlace(operands, width);
  if (isReversed === undefined) return undefined;
  const first = isReversed && operands.length === 1 ? width : 0;
  const free = new Set(operands.flatMap(({ bytes }, i) => bytes.map((_, byte) => first + i * width + byte)));
  // The bytes of the operand before take the lowest places that they can have, also those that only the other operand can have.
  const placesOf = ({ bytes }: Operand) =>
    bytes.map((byte) => {
      const place = [...free].sort((a, b) => a - b).find((one) => isPlaceOf(byte, one));
      if (place !== undefined) free.delete(place);
      return place;
    });
  const [before, behind] = isReversed ? [...operands].reverse() : operands;
  const lists = [before, behind].flatMap((operand) => (operand === undefined ? [] : [placesOf(operand)]));
  const places = (isReversed ? lists.reverse() : lists).flat();
  return places.every((place) => place !== undefined) ? places : undefined;
}

/** Whether some operand can stand in the second place alone, in the order in which they choose; undefined: one has no place. */
function hasSecondPlace(operands: readonly Operand[], width: number): boolean | undefined {
  const fits = ({ bytes }: Operand, start: number) => bytes.every((byte, i) => isPlaceOf(byte, start + i));
  const taken = [false, false];
  for (const operand of operands) {
    const [low, high] = taken.map((isTaken, i) => !isTaken && fits(operand, i * width));
    if (low !== true && high !== true) return undefined;
    if (low !== high) taken[low === true ? 0 : 1] = true;
  }
  return taken[1];
}
