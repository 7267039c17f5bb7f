/** Unix sockets that the switch creates, by their paths. */
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fail } from "../../base/index.js";
import { CODES } from "./codes.js";

/** The path in the form that Node needs: a mere number would be a TCP port, on all addresses of the machine. */
export function socketPath(path: string): string {
  return path.includes("/") ? path : `./${path}`;
}

/**
 * Fails with P40014 when the folder of a socket is missing, or is a file: for the first, Node reports that permission is denied.
 * @param what option and value, as the message begins
 */
export function checkSocketFolder(what: string, path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder))
    fail(
      CODES.cannotListen,
      undefined,
      `${what}: there is no folder ${folder}`,
      "create it, or give another path",
    );
  if (!statSync(folder).isDirectory())
    fail(CODES.cannotListen, undefined, `${what}: ${folder} is not a folder`, "give a path in a folder");
}
