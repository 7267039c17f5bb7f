/** The schemes that an experiment file defines: modules by their paths, and P4 programs with entries. */
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { Diagnostics, type Locate, type SourceFile } from "../../base/index.js";
import { SELECTOR_FIELDS } from "../../base/packets/index.js";
import type { EditedContents, LoadedDocument, OpenDocument } from "../../toolchain/documents/index.js";
import { readMapFile } from "../../toolchain/loading/index.js";
import type { FabricPlan, Scheme } from "../schemes/index.js";
import { buildTopology, type Topology, topologySchema } from "../topology/index.js";
import { schemeOfModule } from "./module.js";
import { PLAIN_NAME, plainParameters, plainScheme, planKey, planPlain } from "./plain-p4.js";

/** The part of a file that defines schemes; the check of the whole file handles the rest. */
const fileSchema = z.looseObject({
  topology: z.unknown(),
  selector: z.enum(SELECTOR_FIELDS).default("dscp").catch("dscp"),
  schemes: z.array(z.union([z.string(), z.looseObject({ scheme: z.string() })])),
});

/** Whether a scheme of this name is a module: a path, as Node's `import` distinguishes it from the name of a package. */
function isPath(name: string): boolean {
  return /^(?:\.{0,2}\/)/.test(name);
}

/**
 * The file's own schemes, by the names that it uses. Paths are relative to the folder of the file. Errors that the check of the whole
 * file finds are not checked here. Throws DiagnosticError for a scheme that cannot be loaded: P43401 to P43405, and errors of the
 * compiler and of the readers of entries.
 *
 * @param document of the file
 * @param variants other contents that the file will be used with, from the schemes that it has as it is
 */
export async function ownSchemesOf(
  file: SourceFile,
  document: OpenDocument,
  variants: (schemes: Readonly<Record<string, Scheme>>) => Iterable<EditedContents> = () => [],
): Promise<Record<string, Scheme>> {
  const folder = dirname(file.path);
  const schemes: Record<string, Scheme> = {};
  const plans = new Map<string, FabricPlan>();
  const read = async (edited: EditedContents | undefined) => {
    const checked = document.check(fileSchema, new Diagnostics(), edited);
    if (checked !== undefined) await addSchemes(checked, folder, schemes, plans);
  };
  await read(undefined);
  for (const edited of variants(schemes)) await read(edited);
  return { ...schemes, [PLAIN_NAME]: plainScheme(plans) };
}

async function addSchemes(
  { value, locate }: LoadedDocument<z.output<typeof fileSchema>>,
  folder: string,
  schemes: Record<string, Scheme>,
  plans: Map<string, FabricPlan>,
): Promise<void> {
  for (const [i, entry] of value.schemes.entries()) {
    const name = typeof entry === "string" ? entry : entry.scheme;
    if (isPath(name) && schemes[name] === undefined) {
      const from = locate(["schemes", i, "scheme"]) ?? locate(["schemes", i]);
      schemes[name] = await schemeOfModule(pathToFileURL(resolve(folder, name)).href, from);
    } else if (name === PLAIN_NAME) {
      const topology = topologyOf(value.topology, folder, locate);
      const own = typeof entry === "string" ? {} : withoutKeys(entry, ["scheme", "label", "runs"]);
      const parameters = plainParameters.safeParse({ field: value.selector, ...own });
      if (topology === undefined || !parameters.success) continue;
      const key = planKey(topology, parameters.data);
      if (plans.has(key)) continue;
      const inEntry: Locate = (path, atKey) => locate(["schemes", i, ...path], atKey);
      plans.set(key, await planPlain(topology, parameters.data, folder, inEntry));
    }
  }
}

function withoutKeys(value: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function topologyOf(input: unknown, folder: string, locate: Locate): Topology | undefined {
  const spec = topologySchema.safeParse(input);
  return spec.success
    ? buildTopology(
        spec.data,
        (path) => locate(["topology", ...path]),
        ({ map }, inTopology) => readMapFile(map, folder, inTopology(["map"])),
      )
    : undefined;
}
