/** `mark_to_drop`, which writes fields of the standard metadata. */
import { defined } from "../../../../base/index.js";
import type { LoweredCall } from "../../lower/architecture.js";
import { field } from "../../lower/build.js";

/** What BMv2's `mark_to_drop` writes. The drop port is an option of the switch. */
const DROP_FIELDS = ["egress_spec", "mcast_grp"];

/**
 * `mark_to_drop` of BMv2 always writes the architecture's `standard_metadata`. For a copy of it, such as an `inout`
 * parameter with storage of its own, the fields are taken from there, and those of the architecture stay as they were.
 */
export function markToDrop({ name, args, span, about, emit, save, storage }: LoweredCall): undefined {
  const standard = storage("standard");
  const place = args[0];
  const isStandard =
    standard.kind === "variable" && place?.kind === "variable" && place.variable === standard.variable;
  const copy = isStandard ? undefined : place;
  const kept = copy === undefined ? [] : DROP_FIELDS.map((one) => save(field(standard, one, span)));
  emit({
    kind: "extern",
    name,
    instance: undefined,
    args: [standard],
    outs: [0],
    result: undefined,
    about,
    span,
  });
  if (copy === undefined) return;
  for (const [i, one] of DROP_FIELDS.entries()) {
    emit({ kind: "assign", left: field(copy, one, span), right: field(standard, one, span), span });
    emit({ kind: "assign", left: field(standard, one, span), right: defined(kept[i]), span });
  }
}
