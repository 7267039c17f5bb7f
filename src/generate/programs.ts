/** One P4 program as a scheme plans it, and its text. Which templates there are, and what their values mean, the schemes know. */
import type { z } from "zod";
import { fail } from "../base/index.js";
import { FAULT_TABLE, NO_FAULT_TABLE } from "./partials.js";
import type { TemplateSet } from "./templates.js";

/** One P4 program to render. */
export interface ProgramPlan {
  /** Unique among the programs of a fabric, for example `tor`; the file is `NAME.p4`. */
  readonly name: string;
  /** `FOLDER/NAME`, below the folder of templates. */
  readonly template: string;
  /** All values that the template and its partials name, except those of the fault table. */
  readonly values: object;
}

/**
 * The same program with the table `FabricEgress.faults`: ternary on `standard_metadata.ingress_port` and
 * `standard_metadata.egress_port`, action `FabricEgress.lose`. Its entries are faults without a signal: packets that
 * arrived at a port, or that would leave by a port, are dropped as the last action of the switch; no counter counts them.
 */
export function withFaultTable(program: ProgramPlan): ProgramPlan {
  return { ...program, values: { ...program.values, faults: FAULT_TABLE } };
}

export interface GeneratedFile {
  readonly file: string;
  readonly text: string;
}

/** P4 source of one program. Throws DiagnosticError as {@link TemplateSet.render} does. */
export function renderProgram(templates: TemplateSet, program: ProgramPlan): string {
  return templates.render(program.template, { faults: NO_FAULT_TABLE, ...program.values });
}

/** All programs of a fabric as files. */
export function renderPrograms(templates: TemplateSet, programs: readonly ProgramPlan[]): GeneratedFile[] {
  return programs.map((program) => ({ file: `${program.name}.p4`, text: renderProgram(templates, program) }));
}

/** The values of a template after its schema. Throws DiagnosticError P42004 when they do not have its shape. */
export function checkValues<T>(template: string, schema: z.ZodType<T>, values: unknown): T {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  fail("P42004", undefined, `wrong values for template "${template}"`, ...problems);
}
