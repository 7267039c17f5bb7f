/** Faults that tests make: a whole element loses everything, unless something else is given. */
import { type Element, type Fault, SILENCE } from "../../../../src/fabric/experiment/faults/fault.js";

export function silence(element: Element, other: Partial<Fault> = {}): Fault {
  return {
    number: 0,
    element,
    effect: SILENCE,
    match: undefined,
    at: 0,
    until: undefined,
    flap: undefined,
    ...other,
  };
}

/** Loss of a share, or corruption, or a delay. */
export function packets(effect: { loss?: number; corruption?: number; delay?: number }) {
  return { kind: "packets", loss: 0, corruption: 0, delay: 0, ...effect } as const;
}
