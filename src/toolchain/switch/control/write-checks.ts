/** What the writers of tables and of action profiles share. */

import { defined } from "../../../base/index.js";
import type { ActionCall } from "../../device/index.js";
import type { bmv2 } from "../../program/index.js";
import { checkWidth, refuse } from "./keys.js";

export type Undo = () => void;

/** Checks an action and its parameters against the actions that are allowed. */
export function checkAction(
  what: string,
  actions: ReadonlyMap<string, bmv2.Bmv2Action>,
  call: ActionCall,
): bmv2.Bmv2Action {
  const action = actions.get(call.action);
  if (action === undefined)
    refuse("NOT_FOUND", `${what} has no action ${call.action}; it has ${[...actions.keys()].join(", ")}`);
  const names = action.runtime_data.map(({ name }) => name);
  for (const name of Object.keys(call.params))
    if (!names.includes(name))
      refuse(
        "NOT_FOUND",
        `action ${call.action} has no parameter ${name}; it has ${names.join(", ") || "none"}`,
      );
  for (const { name, bitwidth } of action.runtime_data) {
    if (!Object.hasOwn(call.params, name))
      refuse("INVALID_ARGUMENT", `action ${call.action} needs its parameter ${name}`);
    checkWidth(`parameter ${name} of action ${call.action}`, defined(call.params[name]), bitwidth);
  }
  return action;
}
