/** `p4loom new experiment NAME --kind KIND`: a folder with an experiment file that runs, and its test. */
import { writeOfKind } from "./write-folder.js";

/** The first one is the default. */
const KINDS = ["failover", "load"] as const;

/** Fails with P40005 for another kind, and with the errors of writeNewFolder. */
export function newExperiment(name: string, kind?: string): number {
  return writeOfKind({ what: "experiment", name, kind, kinds: KINDS, folders: (own) => [own] });
}
