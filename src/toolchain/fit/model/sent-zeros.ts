/**
 * Fields that a header which is made here sends as zeros: the compiler takes their bytes from one container that nothing writes, and drops the
 * instructions that set them (p4c, backends/tofino/bf-p4c/phv/analysis/deparser_zero.cpp).
 */
import { type Access, type ActionModel, actionReads, type FitModel, type Gress, keyReads } from "./model.js";

type Model = Omit<FitModel, "sentZeros">;

/** The model with such fields, and without the operations that set them. */
export function withSentZeros(model: Model): FitModel {
  const none: ReadonlySet<string> = new Set();
  if (!model.hasEgressParser) return { ...model, sentZeros: { ingress: none, egress: none } };
  const sentZeros = { ingress: zerosOf(model, "ingress"), egress: zerosOf(model, "egress") };
  const units = model.units.map((unit) =>
    sentZeros[unit.gress].size === 0
      ? unit
      : { ...unit, actions: unit.actions.map((action) => without(action, sentZeros[unit.gress])) },
  );
  return { ...model, units, sentZeros };
}

function zerosOf(model: Model, gress: Gress): ReadonlySet<string> {
  const { parser } = model;
  const units = model.units.filter((unit) => unit.gress === gress);
  const read = new Set(
    units
      .flatMap((unit) => [
        ...keyReads(unit),
        ...actionReads(unit),
        ...unit.attached.flatMap(({ operands, address }) => [...operands, ...address.inputs]),
      ])
      .map(({ field }) => field),
  );
  const [zeroed, others] = [new Set<string>(), new Set<string>()];
  for (const { actions } of units)
    for (const { operations, fromBus } of actions) {
      for (const { write, constant } of operations) (constant === 0n ? zeroed : others).add(write.field);
      for (const { field } of fromBus) others.add(field);
    }
  const found = new Set<string>();
  for (const { name, metadata, fields } of model.headers.values())
    if (
      !metadata &&
      parser.isSent(gress, name) &&
      parser.isCarried(gress, name) &&
      !parser.isParsed(gress, name)
    )
      for (const field of wholeBytes(
        model,
        fields,
        (one) => zeroed.has(one) && !others.has(one) && !read.has(one),
      ))
        found.add(field);
  return found;
}

/** Those of a header's fields that share no byte with a field that is not such a one. */
function wholeBytes(
  { fields: infos }: Model,
  fields: readonly string[],
  isZero: (field: string) => boolean,
): string[] {
  const bytesOf = (field: string): number[] => {
    const { offset, width } = infos.get(field) ?? { offset: 0, width: 0 };
    const first = offset >> 3;
    return Array.from({ length: ((offset + width + 7) >> 3) - first }, (_, i) => first + i);
  };
  let zeros = fields.filter((field) => isZero(field) && bytesOf(field).length > 0);
  for (;;) {
    const taken = new Set(fields.filter((field) => !zeros.includes(field)).flatMap(bytesOf));
    const left = zeros.filter((field) => !bytesOf(field).some((byte) => taken.has(byte)));
    if (left.length === zeros.length) return left;
    zeros = left;
  }
}

function without(action: ActionModel, zeros: ReadonlySet<string>): ActionModel {
  const stays = ({ field }: Access) => !zeros.has(field);
  if (action.writes.every(stays)) return action;
  return {
    ...action,
    writes: action.writes.filter(stays),
    operations: action.operations.filter(({ write }) => stays(write)),
    data: action.data.filter(({ target }) => target === undefined || stays(target)),
  };
}
