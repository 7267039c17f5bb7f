/**
 * `core.p4`, `v1model.p4`, the portable architectures (`psa.p4`, `pna.p4`) and the Tofino architectures (`tna.p4`, `t2na.p4` and what they
 * include), carried with the compiler: our own text of the standard declarations (`p4/`).
 */
import { SourceFile } from "../../../base/index.js";
import { sources } from "./sources.js";

export { filesDeclaring } from "./declarations.js";
export { insteadOnTofino } from "./v1model-names.js";

const files = new Map(
  Object.entries(sources).map(([name, text]) => [name, new SourceFile(`p4include/${name}`, text)]),
);

/** Files that programs name by a folder of p4c, one for each target. */
const FOLDERS: Readonly<Record<string, string>> = {
  "bmv2/psa.p4": "psa.p4",
  "dpdk/psa.p4": "psa_dpdk.p4",
  "bmv2/pna.p4": "pna_bmv2.p4",
  "dpdk/pna.p4": "pna_dpdk.p4",
};

/** The library file that `#include <name>` means; undefined where there is none of that name. */
export function standardLibrary(name: string): SourceFile | undefined {
  return files.get(Object.hasOwn(FOLDERS, name) ? FOLDERS[name]! : name);
}
