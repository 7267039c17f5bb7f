/** The options `--set NAME=VALUE` of a command line. */
import { fail, SourceFile } from "../base/index.js";
import { CODES } from "./codes.js";

/** The settings of `--set` as a document, which messages quote like a file. */
export function settingsFile(settings: readonly string[]): SourceFile {
  const lines = settings.map((setting) => {
    const equals = setting.indexOf("=");
    if (equals <= 0) fail(CODES.wrongValue, undefined, `--set ${setting}: expected NAME=VALUE`);
    return `${setting.slice(0, equals)}: ${setting.slice(equals + 1)}`;
  });
  return new SourceFile("--set", lines.length > 0 ? lines.join("\n") : "{}");
}
