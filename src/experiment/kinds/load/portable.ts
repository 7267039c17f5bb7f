/** The outcome of a unit as JSON: only the scheme needs a conversion. */
import type { SweepKind, Unit } from "../kind.js";
import type { LoadFigures, LoadOutcome } from "./outcome.js";
import type { Load, LoadSettings } from "./schema.js";

export const PORTABLE_LOAD: SweepKind<LoadSettings, Load, Unit, LoadOutcome, object, unknown>["portable"] = {
  toJson: ({ scheme: _, ...figures }): LoadFigures => figures,
  fromJson: (json, { scheme }) => ({ scheme, ...(json as LoadFigures) }),
};
