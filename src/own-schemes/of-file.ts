/** The schemes that an experiment file brings along: modules by their paths, and P4 programs with entries. */
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { Diagnostics, type Locate, type SourceFile } from "../base/index.js";
import { loadDocument } from "../documents/index.js";
import { SELECTOR_FIELDS } from "../hosts/index.js";
import type { FabricPlan, Scheme } from "../schemes/index.js";
import { buildTopology, type Topology, topologySchema } from "../topology/index.js";
import { schemeOfModule } from "./module.js";
import { PLAIN_NAME, plainParameters, plainScheme, planPlain } from "./plain-p4.js";

/** The part of a file that tells which schemes it brings; all else is for the check of the whole file. */
const fileSchema = z.looseObject({
  topology: z.unknown(),
  selector: z.enum(SELECTOR_FIELDS).default("dscp").catch("dscp"),
  schemes: z.array(z.union([z.string(), z.looseObject({ scheme: z.string() })])),
});

/** Whether a scheme of this name is a module: a path, as Node's `import` tells it from the name of a package. */
function isPath(name: string): boolean {
  return /^(?:\.{0,2}\/)/.test(name);
}

/**
 * The file's own schemes, by the names that it uses. Paths start at the folder of the file. Nothing is checked that the
 * check of the whole file finds. Throws DiagnosticError for a scheme that cannot be had: P43401 to P43405, and what the
 * compiler and the readers of entries find.
 */
export async function ownSchemesOf(file: SourceFile): Promise<Record<string, Scheme>> {
  const document = loadDocument(file, fileSchema, new Diagnostics());
  if (document === undefined) return {};
  const { value, locate } = document;
  const folder = dirname(file.path);
  const schemes: Record<string, Scheme> = {};
  const plans = new Map<string, FabricPlan>();
  for (const [i, entry] of value.schemes.entries()) {
    const name = typeof entry === "string" ? entry : entry.scheme;
    if (isPath(name) && schemes[name] === undefined) {
      const from = locate(["schemes", i, "scheme"]) ?? locate(["schemes", i]);
      schemes[name] = await schemeOfModule(pathToFileURL(resolve(folder, name)).href, from);
    } else if (name === PLAIN_NAME) {
      const topology = topologyOf(value.topology, locate);
      const own = typeof entry === "string" ? {} : withoutKeys(entry, ["scheme", "label", "runs"]);
      const parameters = plainParameters.safeParse({ field: value.selector, ...own });
      if (topology === undefined || !parameters.success) continue;
      const inEntry: Locate = (path) => locate(["schemes", i, ...path]);
      plans.set(JSON.stringify(parameters.data), await planPlain(topology, parameters.data, folder, inEntry));
    }
  }
  return { ...schemes, [PLAIN_NAME]: plainScheme(plans) };
}

function withoutKeys(value: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function topologyOf(input: unknown, locate: Locate): Topology | undefined {
  const spec = topologySchema.safeParse(input);
  return spec.success ? buildTopology(spec.data, (path) => locate(["topology", ...path])) : undefined;
}
