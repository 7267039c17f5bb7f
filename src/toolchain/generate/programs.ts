/** One P4 program in a scheme's plan, and its text. The schemes define the templates and the meaning of their values. */
import type { z } from "zod";
import { DiagnosticError, Diagnostics, fail, SourceFile } from "../../base/index.js";
import { format } from "../formatting/index.js";
import { CODES } from "./codes.js";
import { faultTableName, faultValues } from "./partials.js";
import type { TemplateSet } from "./templates.js";

/** One P4 program to render. */
export interface ProgramPlan {
  /** Unique among the programs of a fabric, for example `tor`; the file is `NAME.p4`. */
  readonly name: string;
  /** `FOLDER/NAME`, below the folder of templates. */
  readonly template: string;
  /**
   * All values that the template and its partials name, except those of the fault table. `ecn: { threshold }` lets egress mark
   * packets that met a queue of this number of packets (partial `output`); 0, as without it: none. With `isDefault: true` beside it, an experiment's
   * threshold goes before it. `probes: true` lets a program answer
   * probes from its CPU port (partial `answer_probe`).
   */
  readonly values: object;
  /** The text of a program that is not in the package; `template` then is its path. */
  readonly own?: OwnText;
}

/** A file of a user: a template, which may use the partials of the package, or P4 source as it is. */
interface OwnText {
  readonly file: SourceFile;
  readonly kind: "template" | "source";
}

/**
 * The same program with fault tables, which are applied one after the other at the end of egress: `FabricEgress.faults`,
 * `FabricEgress.faults_2` and so on ({@link faultTable}). Each is ternary on ingress and egress port, IP version and five-tuple,
 * and a range of `packet_length`. Action `FabricEgress.lose` drops a packet without a signal: no counter counts it.
 * `FabricEgress.impair` drops and corrupts packets at random, see the partial `output`.
 */
export function withFaultTables(program: ProgramPlan, tables = 1): ProgramPlan {
  return { ...program, values: { ...program.values, faults: faultValues(tables) } };
}

/**
 * The same program with a threshold for marks, in packets: see {@link ProgramPlan.values}. Programs that have one of their own keep it, and
 * P4 source stays as it is.
 */
export function withMarks(program: ProgramPlan, threshold: number): ProgramPlan {
  const { ecn, ...values } = program.values as { readonly ecn?: { readonly isDefault?: boolean } };
  return {
    ...program,
    values: { ...values, ecn: ecn === undefined || ecn.isDefault === true ? { threshold } : ecn },
  };
}

/** More faults than this that act on one packet are refused. */
export const MAX_FAULT_TABLES = 8;

/** Name of a fault table in P4Info; `index` counts from 0. */
export function faultTable(index: number): string {
  return `FabricEgress.${faultTableName(index)}`;
}

export interface GeneratedFile {
  readonly file: string;
  readonly text: string;
}

/**
 * Values of the common partials that a program need not give. `tcp`: the parser continues with the rest of the TCP header, `hdr.tcp`.
 * `ethernetPayloads`: headers of the template that follow Ethernet's, `{ type, header, carriesIp }`: the constant of the EtherType, the header's name,
 * and whether it has an `ether_type` of its own and VLAN, IPv4 or IPv6 behind it.
 * `lifetime`: the part of the TTL and the hop limit that counts hops, where other bits of them carry something else.
 * `ownHeaders`: names of headers of the template, whose types end in `_t`; the deparser emits them before all others.
 */
const DEFAULTS = {
  faults: faultValues(0),
  ecn: { threshold: 0 },
  probes: false,
  tcp: false,
  ownHeaders: [],
  ethernetPayloads: [],
  routeKeys: [],
  lifetime: { ipv4: "hdr.ipv4.ttl", ipv6: "hdr.ipv6.hop_limit" },
};

/**
 * P4 source of one program; source from a template of the package is formatted. A user's text is not changed, so that positions in
 * messages are positions of the text. Throws DiagnosticError as {@link TemplateSet.render} does.
 */
export function renderProgram(templates: TemplateSet, program: ProgramPlan): string {
  const { own, template } = program;
  if (own?.kind === "source") return own.file.text;
  const values = { ...DEFAULTS, ...program.values };
  return own === undefined
    ? formattedText(template, templates.render(template, values))
    : templates.renderFile(own.file, values);
}

/** Texts that were formatted lately: the same programs are rendered again and again. */
const FORMATTED = new Map<string, string>();
const MAX_FORMATTED = 128;

function formattedText(template: string, text: string): string {
  const known = FORMATTED.get(text);
  if (known !== undefined) return known;
  const diagnostics = new Diagnostics();
  const result = format(new SourceFile(template, text), diagnostics);
  if (result === undefined) throw new DiagnosticError(diagnostics.list);
  const oldest = FORMATTED.keys().next();
  if (FORMATTED.size >= MAX_FORMATTED && !oldest.done) FORMATTED.delete(oldest.value);
  FORMATTED.set(text, result);
  return result;
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
  fail(CODES.values, undefined, `wrong values for template "${template}"`, ...problems);
}
