/** Names of rooms on the command line of tools: `fabric/topology`, or `topology` without the wing. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {string} root the project's folder
 * @param {string | undefined} name a folder below src, or below one of its wings
 * @returns {string | undefined} the folder below src, or nothing where there is none
 */
export function roomNamed(root, name) {
  if (name === undefined || !/^[a-z0-9-]+(\/[a-z0-9-]+)*\/?$/.test(name)) return undefined;
  return ["", "toolchain", "fabric", "course"]
    .map((wing) => join(wing, name).replace(/\/$/, ""))
    .find((path) => existsSync(join(root, "src", path)));
}
