/** Wrong modules of users: each gives one diagnostic with its code, at a place in the module. */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { DiagnosticError, formatDiagnostic, Random } from "../../../src/base/index.js";
import { CLIENT, restingHost } from "../../../src/fabric/hosts/index.js";
import { schemeOfModule } from "../../../src/fabric/own-schemes/module.js";
import { example } from "../topology/load.js";

(globalThis as Record<symbol, unknown>)[Symbol.for("p4loom.import")] = createRequire(import.meta.url)(
  "./native-import.cjs",
);

const folder = resolve(import.meta.dirname, "../../bad/own-schemes");

/** Short only where a module is to reach them: a busy machine needs seconds to load a module. */
const LIMITS: Readonly<Record<string, { readonly loadMs?: number; readonly limitMs?: number }>> = {
  "P43402-never-loads.mjs": { loadMs: 1000 },
  "P43402-plan-never-returns.mjs": { loadMs: 60_000, limitMs: 3000 },
};

/** All that an experiment does with a scheme, up to its first timeout. */
async function use(file: string): Promise<void> {
  const scheme = await schemeOfModule(
    pathToFileURL(resolve(folder, file)).href,
    undefined,
    LIMITS[file] ?? { loadMs: 60_000, limitMs: 60_000 },
  );
  const plan = scheme.plan(example("clos"), scheme.parameters.parse({}));
  const policy = scheme.hosts(plan.hosts, restingHost());
  const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };
  const chooser = policy.open(flow, new Random(1), CLIENT);
  expect(chooser.selector).toBe(0);
  chooser.onTimeout(1);
}

describe("a wrong module", () => {
  it.each(readdirSync(folder))("%s", async (file) => {
    const error = await use(file).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DiagnosticError);
    const [diagnostic, ...more] = (error as DiagnosticError).diagnostics;
    expect(more).toEqual([]);
    expect(diagnostic!.code).toBe(file.slice(0, 6));
    expect(formatDiagnostic(diagnostic!).replaceAll(`${folder}/`, "")).toMatchSnapshot();
  });

  it("that is missing is reported at the place that names it", async () => {
    await expect(use("missing.mjs")).rejects.toThrow(
      /P43401\]: cannot read the scheme .*missing\.mjs: no such file/i,
    );
  });
});
