/** A scheme from a user's module: `export default (kit) => ({ name, parameters, plan, hosts })`. */
import { z } from "zod";
import { fail, type Span } from "../base/index.js";
import { type FlowKey, type HostPolicy, type PolicyDescription, SELECTOR_FIELDS } from "../hosts/index.js";
import { type FabricPlan, fixedHosts, hostPolicyOf, type Scheme, schemeKit } from "../schemes/index.js";
import type { Topology } from "../topology/index.js";
import { watchedCaller } from "./call-watch.js";
import { checkedChooser } from "./chooser.js";
import { guarded, type OwnModule, ownModule, placeOf, TIME_LIMIT_MS } from "./guard.js";
import { importModule } from "./import-module.js";
import { makeKit } from "./kit.js";
import { chooserShape, describeValue, issueOf, planShape, policyShape, schemeShape } from "./shape.js";

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
      exported === undefined
        ? "the module has no default export"
        : `the default export of the module is ${describeValue(exported)}, which is no function`,
      "write: export default (kit) => ({ name, parameters, plan, hosts })",
    );
  const made = guarded(module, "the default export", () => exported(makeKit(module)), limitMs);
  const issue = issueOf(schemeShape, made, "scheme");
  if (issue !== undefined)
    fail(
      "P43403",
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
  const issue = issueOf(planShape, made, "plan");
  if (issue !== undefined)
    fail("P43403", placeOf(module, "plan"), `plan returns ${issue.text}`, ...issue.notes);
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
      fail("P43403", placeOf(module, "plan"), `plan returns no plan: node ${node}${of} is no switch`);
  const planned = new Set(plan.switches.map(({ node }) => node));
  const missing = topology.nodes.find(({ index, role }) => role !== "host" && !planned.has(index));
  if (missing !== undefined)
    fail("P43403", placeOf(module, "plan"), `plan returns no plan: it has no switch ${missing.name}`);
  if (hosts !== undefined && own.hosts === undefined)
    fail("P43403", placeOf(module, "plan"), "plan describes hosts, but the scheme has no member hosts");
  return {
    ...(plan as unknown as Omit<FabricPlan, "hosts" | "scheme">),
    scheme: own.name,
    place: placeOf(module, "plan"),
    hosts:
      hosts === undefined
        ? { kind: "fixed", selector: 0 }
        : { ...hosts, kind: own.name, module: module.url, moduleField: plan.field },
  };
}

/** Every call of the user's code names its place when it throws. */
function policyOf(
  module: OwnModule,
  own: OwnScheme,
  description: PolicyDescription,
  limitMs: number | undefined,
): HostPolicy {
  const { module: _module, moduleField, ...plain } = description;
  // A description that no plan wrote may lack the field: then selectors of the widest one are right.
  const field = SELECTOR_FIELDS.find((one) => one === moduleField) ?? "dscp_flow_label";
  const policy = guarded(module, "hosts", () => own.hosts!(plain as PolicyDescription), limitMs);
  const issue = issueOf(policyShape, policy, "policy");
  if (issue !== undefined)
    fail("P43403", placeOf(module, "hosts"), `hosts returns ${issue.text}`, ...issue.notes);
  const call = watchedCaller(module, limitMs ?? TIME_LIMIT_MS);
  const { open, nic } = policy as HostPolicy & { nic?: HostPolicy["nic"] };
  return {
    ...(policy as HostPolicy),
    open: (flow, random) => {
      const chooser = call("open", () => open.call(policy, flow, random));
      const wrong = issueOf(chooserShape, chooser, "chooser");
      if (wrong !== undefined)
        fail("P43403", placeOf(module, "open"), `open returns ${wrong.text}`, ...wrong.notes);
      return checkedChooser(module, chooser, field, call);
    },
    nic: (flow: FlowKey, selector: number, nics: number) => {
      if (nic === undefined) return schemeKit.flowHash(flow) % nics;
      const chosen = call("nic", () => nic.call(policy, flow, selector, nics));
      if (Number.isInteger(chosen) && chosen >= 0 && chosen < nics) return chosen;
      return fail(
        "P43403",
        placeOf(module, "nic"),
        `nic returns ${describeValue(chosen)}, which is no number of a NIC`,
        `expected a whole number from 0 to ${nics - 1}`,
      );
    },
  };
}

/** The policy of a description from a plan of any scheme: those of modules name their module. */
export async function hostPolicyFrom(description: unknown): Promise<HostPolicy> {
  const url = (description as { module?: unknown } | null | undefined)?.module;
  if (typeof url !== "string") return hostPolicyOf(description);
  return (await schemeOfModule(url)).hosts(description);
}
