/** The shapes of what a user's module returns. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../hosts/index.js";

const isFunction = z.custom<(...values: never[]) => unknown>((value) => typeof value === "function", {
  error: "expected a function",
});

/** What the default export of a module returns. */
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
});

const programShape = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9_-]+$/, "expected letters, digits, dashes and underscores"),
  template: z.string(),
  values: z.looseObject({}),
});

/** What `plan` returns. */
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
    repaths: z.boolean().default(false),
    notes: z.array(z.string()).default([]),
    controllers: z.array(z.looseObject({ name: z.string() })).default([]),
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

/** What `hosts` returns, and what `open` of it returns. */
export const policyShape = z.looseObject({ open: isFunction, nic: isFunction.optional() });
export const chooserShape = z.looseObject({ onTimeout: isFunction, onAck: isFunction, onData: isFunction });

/** The first issue of a value, or undefined. */
export function issueOf(schema: z.ZodType, value: unknown): string | undefined {
  const result = schema.safeParse(value);
  if (result.success) return undefined;
  const { path, message } = result.error.issues[0]!;
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
