/** What the open Tofino compiler did with a program: its recorded results (`results.json`). */
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import type { Case, Chip } from "./corpus.js";

export interface RivalVerdict {
  /** `language` and `architecture` for a refusal by its front end and its mid end; later phases accept in that sense. */
  outcome: "language" | "architecture" | "accepted";
  message: string;
  /** Place of the first message, where it has one; without the file for a record of an equal program. */
  file: string | undefined;
  line: number | undefined;
  /** The place is in the files of the architecture. */
  inLibrary: boolean;
  /** An include folder of the list that the recorded run left out. */
  withoutFolder: string | undefined;
  /** Processor time of the recorded run, where it ended after the mid end. */
  middleEndSeconds: number | undefined;
}

interface Result {
  repo: string;
  path: string;
  variant?: string;
  target: Chip;
  result: string;
  phase?: string;
  error?: string;
  note?: string;
  cpu_seconds?: number;
}

export class Rival {
  readonly #results = new Map<string, Result>();

  constructor(folder: string) {
    const list = JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as Result[];
    for (const one of list) this.#results.set(key(one.repo, one.path, one.variant ?? "", one.target), one);
  }

  /** The verdict on a case, or on the listed program to which it is equal; undefined where none is recorded. */
  of({ repo, path, variant, chip, duplicateOf }: Case): RivalVerdict | undefined {
    const own = this.#results.get(key(repo, path, variant, chip));
    if (own !== undefined) return verdictOf(own);
    if (duplicateOf === undefined) return undefined;
    const slash = duplicateOf.indexOf("/");
    const other = duplicateOf.slice(0, slash).replace("__", "/");
    const result = this.#results.get(key(other, duplicateOf.slice(slash + 1), "", chip));
    if (result === undefined) return undefined;
    const verdict = verdictOf(result);
    // The files of both have different names.
    return { ...verdict, file: undefined };
  }
}

function key(repo: string, path: string, variant: string, chip: string): string {
  return [repo, path, variant, chip].join(" ");
}

function verdictOf({ result, phase, error = "", note = "", cpu_seconds }: Result): RivalVerdict {
  const place = /^(.*?)\((\d+)\):/.exec(error);
  const refused = phase === "frontend" ? "language" : phase === "midend" ? "architecture" : "accepted";
  return {
    outcome: result === "error" ? refused : "accepted",
    message: error.replace(/\[--Werror=[a-z-]+\] /, ""),
    file: place === null ? undefined : comparable(place[1]!),
    line: place === null ? undefined : Number(place[2]),
    inLibrary: error.startsWith("p4include/"),
    withoutFolder: /^include_dirs without ([^\s,]+),/.exec(note)?.[1],
    middleEndSeconds: result === "error" && phase === "midend" ? cpu_seconds : undefined,
  };
}

/** A path as both sides write it: the recorded runs had links without blanks. */
export function comparable(path: string): string {
  return normalize(path).replaceAll(" ", "_");
}
