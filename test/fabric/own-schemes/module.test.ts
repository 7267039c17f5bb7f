/** What a scheme of a module is, beside what it says: defaults, plans that are completed, and places of errors that come late. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError, formatDiagnostic, Random } from "../../../src/base/index.js";
import { CLIENT, restingHost } from "../../../src/fabric/hosts/index.js";
import { hostPolicyFrom, lateError, schemeOfModule } from "../../../src/fabric/own-schemes/module.js";
import { nodeNamed, switchesOf } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";

(globalThis as Record<symbol, unknown>)[Symbol.for("p4loom.import")] = createRequire(import.meta.url)(
  "./native-import.cjs",
);

const folder = mkdtempSync(join(tmpdir(), "p4loom-module-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const topology = build({
  kind: "leaf_spine",
  tors: 2,
  leaves: 1,
  homing: "single",
  hosts_per_rack: 1,
} as never);

let modules = 0;
/** The scheme of a module whose default export returns `{ name: "own", MEMBERS }`. */
async function schemeOf(members: string) {
  const path = join(folder, `scheme${modules++}.mjs`);
  writeFileSync(path, `export default (kit) => ({\n  name: "own",\n${members}\n});\n`);
  const url = pathToFileURL(path).href;
  return { path, url, scheme: await schemeOfModule(url, undefined, { loadMs: 60_000, limitMs: 60_000 }) };
}

/** A member `plan` whose plan has these keys too, or others. */
const planning = (keys: string) => `  plan(topology) {
    const programs = [{ name: "p", template: "t", values: {} }];
    const switches = kit.topology.switchesOf(topology).map(({ index }) => ({ node: index, program: "p", updates: [] }));
    return { programs, switches, ${keys} };
  },`;
const HOSTS = "  hosts: () => ({ open: () => kit.hosts.fixedPath(3) }),";

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(DiagnosticError);
    return formatDiagnostic((error as DiagnosticError).diagnostics[0]!);
  }
  throw new Error("the call was to fail");
}

describe("the scheme of a module", () => {
  it("has its name as title, its file in the summary and no parameters, unless it says otherwise", async () => {
    const { path, scheme } = await schemeOf(planning(""));
    expect(scheme).toMatchObject({ name: "own", title: "own", summary: `the scheme of ${path}` });
    expect(scheme).not.toHaveProperty("commands");
    expect(scheme.parameters.safeParse({}).success).toBe(true);
    expect(scheme.parameters.safeParse({ a: 1 }).success).toBe(false);
    const { scheme: other } = await schemeOf(
      `  title: "Own", summary: "moves", parameters: kit.z.strictObject({ a: kit.z.number() }),
  commands: { go: kit.z.number() },\n${planning("")}`,
    );
    expect(other).toMatchObject({ name: "own", title: "Own", summary: "moves" });
    expect(other.parameters.safeParse({ a: 1 }).success).toBe(true);
    expect(Object.keys(other.commands!)).toEqual(["go"]);
  });

  it("has fixed hosts where its plan describes none", async () => {
    const { scheme } = await schemeOf(planning(""));
    const plan = scheme.plan(topology, {});
    expect(plan).toMatchObject({ scheme: "own", repaths: false, field: "dscp" });
    expect(plan.hosts).toEqual({ kind: "fixed", selector: 0 });
    expect(plan.switches.map(({ node }) => node)).toEqual(switchesOf(topology).map(({ index }) => index));
  });

  it("has described hosts with the module's place and the plan's field", async () => {
    const { scheme, url } = await schemeOf(`${planning('hosts: { gap: 5 }, field: "flow_label"')}\n${HOSTS}`);
    const { hosts } = scheme.plan(topology, {});
    expect(hosts).toEqual({ gap: 5, kind: "own", module: url, moduleField: "flow_label" });
    const policy = (await hostPolicyFrom(hosts))(restingHost());
    expect(
      policy.open(
        { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 },
        undefined as never,
        undefined as never,
      ).selector,
    ).toBe(3);
  });

  it.each([
    ["repaths: true", "switches"],
    ["repaths: true, hosts: {}", "hosts"],
    ['repaths: "switches", hosts: {}', "switches"],
    ['repaths: "hosts"', "hosts"],
    ["repaths: false, hosts: {}", false],
  ])("says who leaves paths: %s", async (keys, repaths) => {
    const { scheme } = await schemeOf(`${planning(keys)}\n${HOSTS}`);
    expect(scheme.plan(topology, {}).repaths).toBe(repaths);
  });

  it("is refused where its plan describes hosts that it does not make", async () => {
    const { scheme } = await schemeOf(planning("hosts: {}"));
    expect(messageOf(() => scheme.plan(topology, {}))).toMatch(
      /scheme\d+\.mjs:3:3: error\[P43403\]: plan describes hosts, but the scheme has no member hosts/,
    );
  });

  it.each([
    ["of a host", `${nodeNamed(topology, "host0-0-0")!.index}`],
    ["of no node", "999"],
  ])("is refused where its plan has a switch %s", async (_, node) => {
    const { scheme } = await schemeOf(
      planning(`switches: [...switches, { node: ${node}, program: "p", updates: [] }]`),
    );
    expect(messageOf(() => scheme.plan(topology, {}))).toContain(
      `plan returns no plan: node ${node} is no switch`,
    );
  });

  it("is refused where its plan lacks a switch", async () => {
    const { scheme } = await schemeOf(planning("switches: switches.slice(1)"));
    expect(messageOf(() => scheme.plan(topology, {}))).toContain(
      `plan returns no plan: it has no switch ${switchesOf(topology)[0]!.name}`,
    );
  });
});

describe("the policy of a host", () => {
  const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };

  it("is one of the package where the description names no module", async () => {
    const policy = (await hostPolicyFrom({ kind: "fixed", selector: 4 }))(restingHost());
    expect(policy.open(flow, new Random(1), CLIENT).selector).toBe(4);
    expect(() => hostPolicyFrom(null)).not.toThrow();
    await expect(hostPolicyFrom(null).then((make) => make(restingHost()))).rejects.toThrow();
  });
});

describe("a module", () => {
  it.each([
    ["export const name = 1;\n", "the module has no default export"],
    ["export default 5;\n", "the default export of the module is 5, which is no function"],
  ])("%j is refused", async (text, message) => {
    const path = join(folder, `wrong${modules++}.mjs`);
    writeFileSync(path, text);
    const error: unknown = await schemeOfModule(pathToFileURL(path).href).catch((thrown: unknown) => thrown);
    expect(formatDiagnostic((error as DiagnosticError).diagnostics[0]!)).toContain(
      `error[P43403]: ${message}`,
    );
  });

  it("with a syntax error is placed at the character that Node reports", async () => {
    const path = join(folder, "syntax.mjs");
    writeFileSync(path, "export default () => {\n  const a = 1;\n  let b = ) ;\n};\n");
    const error: unknown = await schemeOfModule(pathToFileURL(path).href).catch((thrown: unknown) => thrown);
    const [diagnostic] = (error as DiagnosticError).diagnostics;
    expect(formatDiagnostic(diagnostic!)).toMatch(
      /syntax\.mjs:3:11: error\[P43401\]: the module does not load: SyntaxError/,
    );
    expect(diagnostic!.span!.end - diagnostic!.span!.start).toBe(1);
  });

  it("that throws when it is loaded is placed where it throws", async () => {
    const path = join(folder, "throws.mjs");
    writeFileSync(path, "const a = 1;\nnull.x;\nexport default a;\n");
    const error: unknown = await schemeOfModule(pathToFileURL(path).href).catch((thrown: unknown) => thrown);
    expect(formatDiagnostic((error as DiagnosticError).diagnostics[0]!)).toMatch(
      /throws\.mjs:2:6: error\[P43401\]: the module does not load: TypeError/,
    );
  });
});

describe("an error that nothing awaits", () => {
  it("is placed in the module that its stack names, and in none otherwise", async () => {
    const { path } = await schemeOf(planning(""));
    const error = Object.assign(new Error("late"), { stack: `Error: late\n    at f (${path}:4:9)\n` });
    expect(lateError(error)!.diagnostics.map(formatDiagnostic).join()).toMatch(
      /scheme\d+\.mjs:4:9: error\[P43404\]: the module throws when its call has long returned: Error: late/,
    );
    // A file whose name begins with the module's is another one.
    const other = Object.assign(new Error("late"), { stack: `Error: late\n    at f (${path}.map:4:9)\n` });
    expect(lateError(other)).toBeUndefined();
    expect(lateError(new Error("elsewhere"))).toBeUndefined();
  });
});
