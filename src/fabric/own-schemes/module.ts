/** A scheme from a user's module: `export default (kit) => ({ name, parameters, plan, hosts })`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
  DiagnosticError,
  fail,
  given,
  notJson,
  Random,
  SourceFile,
  type Span,
  systemErrorReason,
} from "../../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../base/packets/index.js";
import {
  directionValues,
  NO_SELECTOR,
  type ProgramPlan,
  selectorValues,
} from "../../toolchain/generate/index.js";
import {
  fixedPath,
  type HostContext,
  type HostPolicy,
  MovingPath,
  type PolicyDescription,
  ProbingPath,
} from "../hosts/index.js";
import {
  type FabricPlan,
  fixedHosts,
  hostPolicyOf,
  SCHEMES,
  type Scheme,
  schemeKit,
} from "../schemes/index.js";
import { computeRoutes, hostsOf, nodeNamed, switchesOf, type Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import { guarded, messageOf, type OwnModule, ownModule, placeOf, thrownAt } from "./guard.js";
import { importModule } from "./import-module.js";
import { policyOf } from "./policy.js";
import { describeValue, issueOf, planShape, schemeShape } from "./shape.js";

interface OwnScheme {
  readonly name: string;
  readonly title?: string;
  readonly summary?: string;
  readonly parameters?: z.ZodObject;
  plan(topology: Topology, parameters: unknown): unknown;
  readonly commands?: Readonly<Record<string, z.ZodType>>;
  hosts?(description: PolicyDescription, context: HostContext): unknown;
}

/** Limits of time in milliseconds, for tests. */
interface Limits {
  /** To load the module. */
  readonly loadMs?: number;
  /** Of a synchronous call. */
  readonly limitMs?: number;
}

/**
 * The scheme of the module at a file URL. `from` is the place that names it. Fails with P43401 when the module cannot be
 * loaded, P43402 when it takes too long, P43403 when it exports something else, P43404 when it throws.
 */
export async function schemeOfModule(
  url: string,
  from?: Span,
  { loadMs, limitMs }: Limits = {},
): Promise<Scheme> {
  const module = ownModule(url, from);
  rememberModule(module);
  const exported = (await importModule(module, loadMs))["default"];
  if (typeof exported !== "function")
    fail(
      CODES.shape,
      placeOf(module, "export"),
      exported === undefined
        ? "the module has no default export"
        : `the default export of the module is ${describeValue(exported)}, which is no function`,
      "write: export default (kit) => ({ name, parameters, plan, hosts })",
    );
  const made = guarded(module, "the default export", () => exported(makeKit(module)), limitMs);
  const issue = issueOf(schemeShape, made, "scheme");
  if (issue !== undefined)
    fail(
      CODES.shape,
      placeOf(module, issue.member ?? "export"),
      `the default export returns ${issue.text}`,
      ...issue.notes,
    );
  return wrapped(module, made as OwnScheme, limitMs);
}

function wrapped(module: OwnModule, own: OwnScheme, limitMs: number | undefined): Scheme {
  return {
    name: own.name,
    title: own.title ?? own.name,
    summary: own.summary ?? `the scheme of ${module.file.path}`,
    parameters: own.parameters ?? z.strictObject({}),
    ...given({ commands: own.commands }),
    plan: (topology, parameters) => {
      const made = guarded(module, "plan", () => own.plan(topology, parameters), limitMs);
      return planOf(module, own, topology, made);
    },
    hosts: (description, context) =>
      (description as PolicyDescription).kind === "fixed"
        ? fixedHosts(description)
        : policyOf(
            module,
            (plain, host) => own.hosts!(plain, host),
            description as PolicyDescription,
            context,
            limitMs,
          ),
  };
}

function planOf(module: OwnModule, own: OwnScheme, topology: Topology, made: unknown): FabricPlan {
  const issue = issueOf(planShape, made, "plan");
  if (issue !== undefined)
    fail(CODES.shape, placeOf(module, "plan"), `plan returns ${issue.text}`, ...issue.notes);
  const { hosts, ...plan } = planShape.parse(made);
  const isSwitch = (node: number) =>
    topology.nodes[node] !== undefined && topology.nodes[node].role !== "host";
  const asked = [
    ...plan.switches.map(({ node }) => ({ node, of: "" })),
    ...plan.controllers.flatMap(({ name, switches }) =>
      switches.map((node) => ({ node, of: `, of controller "${name}",` })),
    ),
  ];
  for (const { node, of } of asked)
    if (!isSwitch(node))
      fail(CODES.shape, placeOf(module, "plan"), `plan returns no plan: node ${node}${of} is no switch`);
  const planned = new Set(plan.switches.map(({ node }) => node));
  const missing = topology.nodes.find(({ index, role }) => role !== "host" && !planned.has(index));
  if (missing !== undefined)
    fail(CODES.shape, placeOf(module, "plan"), `plan returns no plan: it has no switch ${missing.name}`);
  if (hosts !== undefined && own.hosts === undefined)
    fail(CODES.shape, placeOf(module, "plan"), "plan describes hosts, but the scheme has no member hosts");
  const wrong = notJson(hosts ?? {});
  if (wrong !== undefined)
    fail(
      CODES.shape,
      placeOf(module, "plan"),
      `plan returns no plan: hosts.${wrong.path} is ${wrong.what}, which is no plain JSON`,
      "the description goes to another process on a real host: use numbers, strings, booleans, null, lists and plain objects",
    );
  return {
    ...(plan as unknown as Omit<FabricPlan, "hosts" | "scheme" | "repaths">),
    scheme: own.name,
    place: placeOf(module, "plan"),
    repaths: plan.repaths === true ? (hosts === undefined ? "switches" : "hosts") : plan.repaths,
    hosts:
      hosts === undefined
        ? { kind: "fixed", selector: 0 }
        : { ...hosts, kind: own.name, module: module.url, moduleField: plan.field },
  };
}

/** Makes the policy of one host from a description of any scheme's plan: those of modules name their module. */
export async function hostPolicyFrom(description: unknown): Promise<(context: HostContext) => HostPolicy> {
  const url = (description as { module?: unknown } | null | undefined)?.module;
  if (typeof url !== "string") return (context) => hostPolicyOf(description, context);
  const scheme = await schemeOfModule(url);
  return (context) => scheme.hosts(description, context);
}

// The kit that a user's scheme gets in place of imports: the same functions that the schemes of the package use.

/** The kit of one module: relative paths start at the folder of the module. */
function makeKit(module: OwnModule) {
  const own = (path: string, kind: "template" | "source") => {
    const file = fileURLToPath(new URL(path, module.url));
    try {
      return { file: new SourceFile(file, readFileSync(file, "utf8")), kind };
    } catch (error) {
      return fail(
        CODES.unloadable,
        placeOf(module, "plan"),
        `cannot read ${file}: ${systemErrorReason(error)}`,
      );
    }
  };
  return {
    /** The schema library, for `parameters`. */
    z,
    /** Ends the run with a diagnostic at the module's `plan`. */
    fail: (message: string, ...notes: string[]): never =>
      fail(CODES.threw, placeOf(module, "plan"), message, ...notes),
    /** A program from a template in the module's folder, which may use the partials of the package. */
    template: (name: string, path: string, values: object): ProgramPlan => ({
      name,
      template: path,
      values,
      own: own(path, "template"),
    }),
    /** A program from P4 source in the module's folder. */
    source: (name: string, path: string): ProgramPlan => ({
      name,
      template: path,
      values: {},
      own: own(path, "source"),
    }),
    /** Values that the partials of the package need. */
    partials: { directionValues, selectorValues, NO_SELECTOR },
    /** Reading a topology. */
    topology: { computeRoutes, hostsOf, nodeNamed, switchesOf },
    /** Updates for the tables of the package's partials, and the state of plain ECMP. */
    tables: schemeKit,
    /** The schemes of the package by name, to build upon. */
    schemes: SCHEMES,
    /** Choosers and host policies. */
    hosts: { fixedHosts, fixedPath, MovingPath, ProbingPath, SELECTOR_FIELDS, FIELD_BITS },
    Random,
  } as const;
}

// Exceptions of users' code that no caller awaits: in a timer, or in a promise that was dropped.

const loaded = new Map<string, OwnModule>();

/** Makes errors of the module known to {@link lateError}. */
function rememberModule(module: OwnModule): void {
  loaded.set(module.url, module);
}

/** P43404 at the place in a loaded module that an uncaught error names; undefined where it names none. */
export function lateError(error: unknown): DiagnosticError | undefined {
  const span = [...loaded.values()]
    .map((module): Span | undefined => thrownAt(module, error))
    .find((place) => place !== undefined);
  if (span === undefined) return undefined;
  return new DiagnosticError([
    {
      severity: "error",
      code: CODES.threw,
      span,
      message: `the module throws when its call has long returned: ${messageOf(error)}`,
      notes: [{ message: "catch it there: in a timer, or in a promise that nothing awaits" }],
    },
  ]);
}
