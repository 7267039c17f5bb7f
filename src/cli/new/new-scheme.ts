/** `p4loom new scheme NAME`: a folder with a scheme of one's own that runs, its experiment and its test. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../base/index.js";
import { SCHEMES } from "../../fabric/schemes/index.js";
import { packageFile, writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { EXIT } from "../outcome.js";

/** Files of a new scheme, in `data/new-scheme/`; `NAME` in them is replaced by its name. */
const TEMPLATES = "data/new-scheme/";

const NAME = /^[a-z][a-z0-9-]*$/;

/**
 * Writes `NAME/` in the current folder, all files or none. Fails with P40005 for a name that is none, or that a scheme of the
 * package has, and with P40003 where something has the name of the folder already.
 */
export function newScheme(what: string, name: string): number {
  if (what !== "scheme") fail(CODES.wrongValue, undefined, `new ${what}: expected new scheme NAME`);
  if (!NAME.test(name))
    fail(
      CODES.wrongValue,
      undefined,
      `${name}: expected lower-case letters, digits and dashes, a letter first`,
    );
  if (Object.hasOwn(SCHEMES, name))
    fail(CODES.wrongValue, undefined, `${name}: a scheme of p4loom has this name`, "choose another one");
  if (existsSync(name) && !(statSync(name).isDirectory() && readdirSync(name).length === 0))
    fail(CODES.cannotWrite, undefined, `cannot write ${name}: it exists; nothing is overwritten`);
  const folder = packageFile(TEMPLATES);
  const files = readdirSync(folder)
    .sort()
    .map((file) => ({
      path: join(name, file),
      content: readFileSync(new URL(file, folder), "utf8").replaceAll("NAME", name),
    }));
  mkdirSync(name, { recursive: true });
  writeFiles(files);
  process.stderr.write(
    `${name}/ has ${files.map(({ path }) => path.slice(name.length + 1)).join(", ")}; try: p4loom run ${name}/experiment.yaml\n`,
  );
  return EXIT.success;
}
