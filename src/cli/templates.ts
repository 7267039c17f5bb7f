/** The templates that come with the package, two folders above both `src/cli` and `dist/cli`. */
import { readFileSync } from "node:fs";
import { loadTemplates, type TemplateSet } from "../generate/index.js";

export function packageTemplates(): TemplateSet {
  return loadTemplates((path) => readFileSync(packageFile(`templates/${path}`), "utf8"));
}

/** The place of a file that comes with the package. */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
