/** `p4loom new scheme NAME --kind KIND`: a folder with a scheme of one's own that runs, its experiment and its test. */
import { fail } from "../../base/index.js";
import { SCHEMES } from "../../fabric/schemes/index.js";
import { CODES } from "../codes.js";
import { writeOfKind } from "./write-folder.js";

/** Where the decisions are made: by the hosts (a module), or by the switches (a module and a template). The first one is the default. */
const KINDS = ["host", "switch"] as const;

/** Fails with P40005 for a name that a scheme of the package has and for another kind, and with the errors of writeNewFolder. */
export function newScheme(name: string, kind?: string): number {
  if (Object.hasOwn(SCHEMES, name))
    fail(CODES.wrongValue, undefined, `${name}: a scheme of p4loom has this name`, "choose another one");
  return writeOfKind({ what: "scheme", name, kind, kinds: KINDS, folders: (own) => ["common", own] });
}
