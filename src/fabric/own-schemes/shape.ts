/** The shapes of the values that a user's module returns. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../base/packets/index.js";
import { describeIssues } from "../../toolchain/documents/index.js";
import { SIGNALS } from "../hosts/index.js";

const isFunction = z.custom<(...values: never[]) => unknown>((value) => typeof value === "function", {
  error: "expected a function",
});

/** The value of the default export of a module. */
export const schemeShape = z.strictObject({
  /** For messages and results; also the label of the scheme in results unless the experiment file gives another one. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected letters, digits, dots, dashes and underscores"),
  title: z.string().min(1).optional(),
  summary: z.string().optional(),
  parameters: z
    .custom<z.ZodObject>(
      (value) =>
        typeof (value as z.ZodObject | undefined)?.safeParse === "function" &&
        typeof (value as z.ZodObject).shape === "object",
      { error: "expected a schema that the kit's z.strictObject made" },
    )
    .optional(),
  plan: isFunction,
  hosts: isFunction.optional(),
  /** By name: the schema of the values of each. */
  commands: z
    .record(
      z.string(),
      z.custom<z.ZodType>((value) => typeof (value as z.ZodType | undefined)?.safeParse === "function", {
        error: "expected a schema that the kit's z made",
      }),
    )
    .optional(),
});

const programShape = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9_-]+$/, "expected letters, digits, dashes and underscores"),
  template: z.string(),
  values: z.looseObject({}),
});

/** The value of `plan`. */
export const planShape = z
  .strictObject({
    field: z.enum(SELECTOR_FIELDS).default("dscp"),
    programs: z.array(programShape).min(1),
    switches: z.array(
      z.looseObject({
        node: z.number().int().min(0),
        program: z.string(),
        updates: z.array(z.looseObject({ type: z.string(), entity: z.looseObject({ kind: z.string() }) })),
      }),
    ),
    /** The description of the hosts; absent: they stay on selector 0. */
    hosts: z.looseObject({}).optional(),
    /** true: hosts where the plan describes them, else switches. */
    repaths: z
      .union([z.boolean(), z.enum(["hosts", "switches"])], {
        error: "expected true, false, hosts or switches",
      })
      .default(false),
    notes: z.array(z.string()).default([]),
    controllers: z
      .array(
        z.looseObject({
          name: z.string().min(1),
          /** Node indexes of switches. */
          switches: z.array(z.number().int().min(0)).min(1),
          // Not an object schema: that would copy the controller, which may be of a class.
          controller: z.unknown().check((context) => {
            const { start, prepare } = (context.value ?? {}) as { start?: unknown; prepare?: unknown };
            const wrong = (member: string, value: unknown) =>
              context.issues.push({
                code: "custom",
                input: value,
                path: [member],
                message: "expected a function",
              });
            if (typeof start !== "function") wrong("start", start);
            else if (prepare !== undefined && typeof prepare !== "function") wrong("prepare", prepare);
          }),
          place: z.enum(["central", "switch"]).optional(),
        }),
      )
      .default([]),
  })
  .check((context) => {
    const { programs, switches } = context.value;
    for (const [i, { program }] of switches.entries()) {
      if (programs.some(({ name }) => name === program)) continue;
      context.issues.push({
        code: "custom",
        input: program,
        path: ["switches", i, "program"],
        message: `no program is called "${program}"`,
      });
    }
  });

/** The value of `hosts`, and of its `open`. */
export const policyShape = z.looseObject({
  open: isFunction,
  nic: isFunction.optional(),
  ecn: z.boolean().optional(),
  needs: z.array(z.enum(SIGNALS)).optional(),
  reassembly: z
    .looseObject({ cellBytes: z.number().positive(), holdNs: z.number().nonnegative() })
    .optional(),
  sourcePort: isFunction.optional(),
  onCarrier: isFunction.optional(),
  onMessage: isFunction.optional(),
});
export const chooserShape = z.looseObject({
  onTimeout: isFunction,
  onAck: isFunction,
  onData: isFunction,
  selectorFor: isFunction.optional(),
  onFastRetransmit: isFunction.optional(),
  onRound: isFunction.optional(),
  onIdle: isFunction.optional(),
  onReordering: isFunction.optional(),
  holds: z.boolean().optional(),
  masksMarks: z.boolean().optional(),
  onDrained: isFunction.optional(),
});

/** A value of a user for a message: short, on one line. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null || typeof value === "number") return String(value);
  if (typeof value === "function") return "a function";
  if (isPromise(value)) return "a promise";
  if (Array.isArray(value)) {
    const shown = value.slice(0, 4).map(describeValue).join(", ");
    return value.length > 4 ? `[${shown}, ...] (${value.length} elements)` : `[${shown}]`;
  }
  if (typeof value === "object") return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

function isPromise(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** An error of a value that code returned. */
interface ShapeIssue {
  /** After "returns": `no plan: missing key "switches": expected a list`. */
  readonly text: string;
  /** The member of the value that is there and wrong; undefined where one is missing. */
  readonly member?: string;
  readonly notes: readonly string[];
}

/** The first issue of a value that must be a `noun`, or undefined. */
export function issueOf(schema: z.ZodType, value: unknown, noun: string): ShapeIssue | undefined {
  if (isPromise(value)) return { text: `a promise; it must return its ${noun} at once`, notes: [] };
  if (typeof value !== "object" || value === null)
    return { text: `no ${noun}: expected an object, got ${describeValue(value)}`, notes: [] };
  const result = schema.safeParse(value);
  if (result.success) return undefined;
  const { path, message, notes } = describeIssues(result.error.issues, schema, value)[0]!;
  const isThere = path.length > 0 && Object.hasOwn(value, path[0]!);
  const text = `no ${noun}: ${message}`;
  return isThere ? { text, member: String(path[0]), notes } : { text, notes };
}
