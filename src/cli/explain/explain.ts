/** `p4loom explain`: what a diagnostic means, and what to do. */
import { defined, fail } from "../../base/index.js";
import { packageFile, textFolder } from "../../toolchain/loading/index.js";
import {
  entryJson,
  entryOf,
  entryText,
  type Group,
  groupsJson,
  groupsText,
  groupText,
  nearestCode,
  normalCode,
  readCatalogue,
} from "../../toolchain/messages/index.js";
import { CODES } from "../codes.js";
import { EXIT } from "../outcome.js";
import type { ExplainArguments } from "./explain-options.js";

/** Prints codes, a group of codes (`P403`), or the list of groups. */
export function explain(typed: readonly string[], options: ExplainArguments): number {
  const groups = installedCatalogue();
  const found = typed.map((word) => foundFor(groups, word));
  if (options.json) {
    const data = typed.length === 0 ? groupsJson(groups) : found.map(({ json }) => json);
    process.stdout.write(`${JSON.stringify(typed.length === 1 ? data[0] : data, null, 2)}\n`);
  } else {
    const texts = typed.length === 0 ? [groupsText(groups)] : found.map(({ text }) => text);
    process.stdout.write(`${texts.join("\n\n")}\n`);
  }
  return EXIT.success;
}

/** The catalogue of the package. */
export function installedCatalogue(): Group[] {
  const data = textFolder(packageFile("data/diagnostics"));
  const bad = textFolder(packageFile("test/bad"));
  return readCatalogue({
    list: () => data.list(""),
    read: (name) => data.read(name),
    wrong: (path) => bad.read(path),
  });
}

function foundFor(groups: readonly Group[], word: string): { text: string; json: object } {
  const code = normalCode(word);
  const whole = groups.find(({ prefix }) => prefix === code);
  if (whole !== undefined) return { text: groupText(whole), json: defined(groupsJson([whole])[0]) };
  const found = entryOf(groups, code);
  if (found !== undefined)
    return { text: entryText(found.group, found.entry), json: entryJson(found.group, found.entry) };
  const near = nearestCode(groups, code);
  const hint = near === undefined ? "" : `; the nearest is ${near}`;
  return fail(
    CODES.wrongValue,
    undefined,
    `there is no diagnostic ${word}${hint}`,
    "p4loom explain lists the groups",
  );
}
