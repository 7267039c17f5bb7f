/**
 * `core.p4`, `v1model.p4` and the Tofino architectures (`tna.p4`, `t2na.p4` and what they include), carried with the
 * compiler: our own text of the standard declarations (`p4/`).
 */
import { SourceFile } from "../../../base/index.js";
import { sources } from "./sources.js";

const files = new Map(
  Object.entries(sources).map(([name, text]) => [name, new SourceFile(`p4include/${name}`, text)]),
);

/** The library file that `#include <name>` means; undefined where there is none of that name. */
export function standardLibrary(name: string): SourceFile | undefined {
  return files.get(name);
}
