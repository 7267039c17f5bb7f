/** `p4loom new scheme NAME`: a folder with a scheme of one's own that runs, its experiment and its test. */
import { fail } from "../../base/index.js";
import { SCHEMES } from "../../fabric/schemes/index.js";
import { CODES } from "../codes.js";
import { EXIT } from "../outcome.js";
import { templates, writeNewFolder } from "./write-folder.js";

/** Fails with P40005 for a name that a scheme of the package has, and with the errors of writeNewFolder. */
export function newScheme(name: string): number {
  if (Object.hasOwn(SCHEMES, name))
    fail(CODES.wrongValue, undefined, `${name}: a scheme of p4loom has this name`, "choose another one");
  const files = templates("data/new-scheme", name);
  writeNewFolder(name, () => files);
  process.stderr.write(
    `${name}/ has ${files.map(({ path }) => path).join(", ")}; try: p4loom run ${name}/experiment.yaml\n`,
  );
  return EXIT.success;
}
