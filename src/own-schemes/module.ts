/** A scheme from a user's module: `export default (kit) => ({ name, parameters, plan, hosts })`. */
import { z } from "zod";
import { fail, type Span } from "../base/index.js";
import type { FlowKey, HostPolicy, PathChooser, PolicyDescription } from "../hosts/index.js";
import { type FabricPlan, fixedHosts, hostPolicyOf, type Scheme, schemeKit } from "../schemes/index.js";
import type { Topology } from "../topology/index.js";
import { guarded, type OwnModule, ownModule, placed, placeOf } from "./guard.js";
import { importModule } from "./import-module.js";
import { makeKit } from "./kit.js";
import { chooserShape, issueOf, planShape, policyShape, schemeShape } from "./shape.js";

interface OwnScheme {
  readonly name: string;
  readonly title?: string;
  readonly summary?: string;
  readonly parameters?: z.ZodObject;
  plan(topology: Topology, parameters: unknown): unknown;
  hosts?(description: PolicyDescription): unknown;
}

/** Limits of time in milliseconds, for tests. */
export interface Limits {
  readonly limitMs?: number;
}

/**
 * The scheme of the module at a file URL. `from` is the place that names it. Fails with P43401 when the module cannot be
 * loaded, P43402 when it takes too long, P43403 when it exports something else, P43404 when it throws.
 */
export async function schemeOfModule(url: string, from?: Span, { limitMs }: Limits = {}): Promise<Scheme> {
  const module = ownModule(url, from);
  const exported = (await importModule(module, limitMs))["default"];
  if (typeof exported !== "function")
    fail(
      "P43403",
      placeOf(module, "export"),
      `the module has no default export that is a function, but ${exported === undefined ? "none" : `a value of type ${typeof exported}`}`,
      "write: export default (kit) => ({ name, parameters, plan, hosts })",
    );
  const made = guarded(module, "default", () => exported(makeKit(module)), limitMs);
  const issue = issueOf(schemeShape, made);
  if (issue !== undefined)
    fail("P43403", placeOf(module, issue.split(":")[0]!), `the default export returns no scheme: ${issue}`);
  return wrapped(module, made as OwnScheme, limitMs);
}

function wrapped(module: OwnModule, own: OwnScheme, limitMs: number | undefined): Scheme {
  return {
    name: own.name,
    title: own.title ?? own.name,
    summary: own.summary ?? `the scheme of ${module.file.path}`,
    parameters: own.parameters ?? z.strictObject({}),
    plan: (topology, parameters) => {
      const made = guarded(module, "plan", () => own.plan(topology, parameters), limitMs);
      return planOf(module, own, topology, made);
    },
    hosts: (description) =>
      (description as PolicyDescription).kind === "fixed"
        ? fixedHosts(description)
        : policyOf(module, own, description as PolicyDescription, limitMs),
  };
}

function planOf(module: OwnModule, own: OwnScheme, topology: Topology, made: unknown): FabricPlan {
  const issue = made instanceof Promise ? "a promise; it must return its plan at once" : undefined;
  const result = planShape.safeParse(made);
  if (issue !== undefined || !result.success)
    fail(
      "P43403",
      placeOf(module, "plan"),
      `plan returns ${issue ?? `no plan: ${issueOf(planShape, made)}`}`,
    );
  const { hosts, ...plan } = result.data;
  for (const { node } of plan.switches)
    if (topology.nodes[node] === undefined || topology.nodes[node].role === "host")
      fail("P43403", placeOf(module, "plan"), `plan returns no plan: node ${node} is no switch`);
  const planned = new Set(plan.switches.map(({ node }) => node));
  const missing = topology.nodes.find(({ index, role }) => role !== "host" && !planned.has(index));
  if (missing !== undefined)
    fail("P43403", placeOf(module, "plan"), `plan returns no plan: it has no switch ${missing.name}`);
  if (hosts !== undefined && own.hosts === undefined)
    fail("P43403", placeOf(module, "plan"), "plan describes hosts, but the scheme has no member hosts");
  return {
    ...(plan as unknown as Omit<FabricPlan, "hosts" | "scheme">),
    scheme: own.name,
    hosts:
      hosts === undefined ? { kind: "fixed", selector: 0 } : { ...hosts, kind: own.name, module: module.url },
  };
}

/** Every call of the user's code names its place when it throws. */
function policyOf(
  module: OwnModule,
  own: OwnScheme,
  description: PolicyDescription,
  limitMs: number | undefined,
): HostPolicy {
  const { module: _module, ...plain } = description;
  const policy = guarded(module, "hosts", () => own.hosts!(plain as PolicyDescription), limitMs);
  const issue = issueOf(policyShape, policy);
  if (issue !== undefined) fail("P43403", placeOf(module, "hosts"), `hosts returns no policy: ${issue}`);
  const { open, nic } = policy as HostPolicy & { nic?: HostPolicy["nic"] };
  return {
    ...(policy as HostPolicy),
    open: (flow, random) => {
      const chooser = placed(module, "open", () => open.call(policy, flow, random));
      const wrong = issueOf(chooserShape, chooser);
      if (wrong !== undefined) fail("P43403", placeOf(module, "open"), `open returns no chooser: ${wrong}`);
      return placedChooser(module, chooser as PathChooser);
    },
    nic: (flow: FlowKey, selector: number, nics: number) =>
      nic === undefined
        ? schemeKit.flowHash(flow) % nics
        : placed(module, "nic", () => nic.call(policy, flow, selector, nics)),
  };
}

/** The chooser with its methods, each of which names its place when it throws. */
function placedChooser(module: OwnModule, chooser: PathChooser): PathChooser {
  return new Proxy(chooser, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      return (...values: unknown[]) => placed(module, String(name), () => value.apply(target, values));
    },
  });
}

/** The policy of a description from a plan of any scheme: those of modules name their module. */
export async function hostPolicyFrom(description: unknown): Promise<HostPolicy> {
  const url = (description as { module?: unknown } | null | undefined)?.module;
  if (typeof url !== "string") return hostPolicyOf(description);
  return (await schemeOfModule(url)).hosts(description);
}
