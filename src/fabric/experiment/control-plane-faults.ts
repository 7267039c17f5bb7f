/** Faults of controllers in the list of an experiment file: `{ at: 1s, kind: kill, controller: routes }`. */
import { type Diagnostics, didYouMean, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { SchemeRun } from "./experiment.js";
import type { ListedFault } from "./faults/listed-faults.js";

export interface ControllerFault {
  /** Nanoseconds from the start. */
  readonly at: number;
  readonly kind: "kill" | "restart";
  /** Name of the controller. */
  readonly controller: string;
  /** Place in the file's list. */
  readonly number: number;
}

/**
 * The faults of controllers, in time order. Adds P43014 for a controller that no scheme has, P43015 for one that is killed
 * already, P43022 for a time after the end, and P43027 for what a fault of a controller cannot have.
 * After an error the faults must not be used.
 */
export function controllerFaults(
  { faults, duration }: { readonly faults: readonly ListedFault[]; readonly duration: number },
  schemes: readonly SchemeRun[],
  locate: Locate,
  diagnostics: Diagnostics,
): ControllerFault[] {
  const names = [...new Set(schemes.flatMap(({ plan }) => (plan.controllers ?? []).map(({ name }) => name)))];
  const found = faults.flatMap((spec, number): ControllerFault[] => {
    const { at, kind, controller } = spec;
    if (controller === undefined) return [];
    const place = (key: string) => locate(["faults", number, key]) ?? locate(["faults", number]);
    const others = Object.keys(spec).filter(
      (key) => !["at", "kind", "controller"].includes(key) && spec[key as keyof ListedFault] !== undefined,
    );
    for (const key of others)
      diagnostics.error(
        CODES.controllerFault,
        place(key),
        `a fault of a controller has no ${key}`,
        "it has at and kind",
      );
    if (at >= duration)
      diagnostics.error(
        CODES.afterTheEnd,
        place("at"),
        "the fault comes after the end of the run, see `duration`",
      );
    if (!names.includes(controller))
      diagnostics.error(
        CODES.unknownPlace,
        place("controller"),
        `no controller is called "${controller}"${didYouMean(controller, names, '"')}`,
        names.length > 0
          ? `controllers: ${names.join(", ")}`
          : "no scheme of this file has controllers; control_plane: { recompute_routes: true } gives one",
      );
    if (kind === "kill" || kind === "restart") return [{ at, kind, controller, number }];
    diagnostics.error(
      CODES.controllerFault,
      place("kind"),
      kind === undefined
        ? "a fault of a controller without a kind"
        : `a controller has no fault of the kind "${kind}"`,
      "kinds of a controller: kill, restart",
    );
    return [];
  });
  const inTime = found.toSorted((a, b) => a.at - b.at || a.number - b.number);
  const killed = new Set<string>();
  for (const { controller, kind, number } of inTime) {
    if (kind === "kill" && killed.has(controller))
      diagnostics.error(
        CODES.faultState,
        locate(["faults", number, "kind"]),
        `${controller} has already been killed`,
      );
    if (kind === "kill") killed.add(controller);
    else killed.delete(controller);
  }
  return inTime;
}
