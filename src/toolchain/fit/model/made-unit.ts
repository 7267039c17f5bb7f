/** A table without a key that the target's compiler adds to ingress. */
import { type Access, NO_RESOURCES, type Unit } from "./model.js";

export function madeUnit(name: string, label: string, writes: readonly Access[]): Omit<Unit, "id"> {
  return {
    name,
    label,
    gress: "ingress",
    kind: "action",
    table: undefined,
    key: [],
    actions: [
      {
        name,
        hit: true,
        isDefault: true,
        memories: [],
        data: [],
        reads: [],
        writes,
        fromBus: [],
        arithmetic: [],
        operations: [],
        source: undefined,
      },
    ],
    size: 1,
    ...NO_RESOURCES,
    condition: undefined,
    source: undefined,
  };
}
