/** The values of the template `templates/p4te/switch.p4.hbs`. */
import { z } from "zod";
import {
  checkValues,
  directionValues,
  hashSchema,
  NO_SELECTOR,
  type ProgramPlan,
} from "../../../toolchain/generate/index.js";

const count = z.number().int().min(1);

const schema = z.strictObject({
  /** As a word for people. */
  role: z.string(),
  /** Size of arrays by port: above the highest port number. */
  ports: count,
  /** Upwards: number of members of each action selector, and of entries of both tables of routing groups. */
  up: z.strictObject({ hash: hashSchema, members: count, queueGroups: count, rateGroups: count }).optional(),
  /** Downwards, where there is a choice. */
  down: z.strictObject({ hash: hashSchema, groups: count, members: count }).optional(),
  /** Whether hosts are below it: it keeps state for their flows. */
  isLeaf: z.boolean(),
  sizes: z.strictObject({ routes: count, classRates: count, ports: count }),
  meterType: z.enum(["bytes", "packets"]),
  delta: count,
  /** Microseconds. */
  gap: count,
  flows: count,
  rateControl: z.boolean(),
  /** Bytes. */
  rateWindow: count,
  decrease: count,
  increase: count,
  leastWindow: z.number().int().min(0).max(0xfff),
  holdWindow: z.boolean(),
  /** Whether a copy of a rate event returns to ingress; otherwise the control plane reports it. */
  recirculation: z.boolean(),
  truncates: z.boolean(),
  /** Microseconds after which the colour of an upward port is forgotten; absent: never. */
  colourAge: count.optional(),
});

type P4teProgram = z.output<typeof schema>;

const TEMPLATE = "p4te/switch";

/** Clone sessions of egress: to the control plane; and also to ingress; to ingress alone. For FACKs four times the port is added. */
export const EVENT_SESSION = 1;
export const RATE_EVENT_SESSION = 2;
export const COLOUR_SESSION = 3;
export const PORT_SESSIONS = 4;

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function p4teProgram(name: string, input: P4teProgram): ProgramPlan {
  const { up, down, isLeaf, rateControl, recirculation, colourAge, ...rest } = checkValues(
    TEMPLATE,
    schema,
    input,
  );
  const keepsFlows = isLeaf && rateControl;
  const recirculates = up !== undefined && recirculation;
  const ages = up !== undefined && colourAge !== undefined;
  const values = {
    ...rest,
    rateControl,
    keepsFlows,
    goesUp: up !== undefined,
    recirculates,
    ages,
    colourAge: colourAge ?? 0,
    // Two reports in each age: one that comes late does not let the colour of a busy port be forgotten.
    colourRefresh: Math.max(1, Math.floor((colourAge ?? 0) / 2)),
    copiesOfColour: recirculates ? COLOUR_SESSION : EVENT_SESSION,
    downGroups: down !== undefined,
    directions: [
      ...(up === undefined ? [] : [{ ...up, ...directionValues("up", up.hash), goesUp: true }]),
      ...(down === undefined ? [] : [{ ...down, ...directionValues("down", down.hash), goesUp: false }]),
    ],
    copiesOfRateEvent: recirculates ? RATE_EVENT_SESSION : EVENT_SESSION,
    routeActions: [
      "to_port",
      ...(up === undefined ? [] : ["to_uplinks"]),
      ...(down === undefined ? [] : ["to_downlinks"]),
    ],
    selector: NO_SELECTOR,
    tcp: true,
    ownHeaders: ["event"],
  };
  return { name, template: TEMPLATE, values };
}
