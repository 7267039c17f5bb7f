/** The zeros that tables write because values have a container in turn, as operations of their actions. */
import type { ActionModel, FitModel, Operation } from "../model/model.js";
import type { PhvAllocation } from "./allocation.js";

/** The model with the zeros of an allocation; the model itself where there are none. */
export function withZeros(model: FitModel, { containers }: PhvAllocation): FitModel {
  const byUnit = new Map<number, Operation[]>();
  for (const { slices } of containers)
    for (const { field, lo, width, zeroedBy = [] } of slices)
      for (const id of zeroedBy) {
        const list = byUnit.get(id) ?? [];
        const write = { field, lo, width };
        byUnit.set(id, [
          ...list,
          { kind: "set", write, sources: [], data: true, constant: 0n, source: undefined },
        ]);
      }
  if (byUnit.size === 0) return model;
  const units = model.units.map((unit) => {
    const zeros = byUnit.get(unit.id);
    return zeros === undefined
      ? unit
      : { ...unit, actions: unit.actions.map((action) => withOperations(action, zeros)) };
  });
  return { ...model, units };
}

/** The action with those of the operations whose bits it does not write itself. */
function withOperations(action: ActionModel, zeros: readonly Operation[]): ActionModel {
  const isWritten = ({ write }: Operation) =>
    action.writes.some(
      ({ field, lo, width }) => field === write.field && lo < write.lo + write.width && write.lo < lo + width,
    );
  const added = zeros.filter((zero) => !isWritten(zero));
  return {
    ...action,
    writes: [...action.writes, ...added.map(({ write }) => write)],
    operations: [...action.operations, ...added],
  };
}
