/** Targets of the fit checker by the names that people give. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Diagnostics, defined, didYouMean, fail } from "../base/index.js";
import { loadDocument } from "../toolchain/documents/index.js";
import { FIT_CODES, type Target, targetSchema } from "../toolchain/fit/index.js";
import { readSource } from "../toolchain/loading/index.js";

const TARGETS = fileURLToPath(new URL("../../data/targets/", import.meta.url));

/** A target by the name of its file in data/targets, or a file of the user's. */
export function loadTarget(name: string): Target {
  const names = readdirSync(TARGETS)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();
  const own = names.includes(name);
  if (!own && !existsSync(name)) {
    fail(
      FIT_CODES.unknownTarget,
      undefined,
      `--target ${name}: no such target or file${didYouMean(name, names, '"')}`,
      `targets: ${names.join(", ")}; or the path of a target file`,
    );
  }
  const diagnostics = new Diagnostics();
  const loaded = loadDocument(
    readSource(own ? join(TARGETS, `${name}.yaml`) : name),
    targetSchema,
    diagnostics,
  );
  diagnostics.throwIfErrors();
  return defined(loaded).value;
}
