/** `p4loom rerun`: repeats the run of a folder of results, and says whether the same bytes come out. */
import { claim, given } from "../base/index.js";
import { type Rerun, rerun } from "../fabric/experiment/index.js";
import { EXIT, untilSignal, wrongUsage } from "./outcome.js";
import { progressLine } from "./run-experiment.js";

export interface RerunArguments {
  workers?: string;
  json?: boolean;
}

/** Exit status 1: something differs. */
export async function rerunFolder(folder: string, { workers, json }: RerunArguments): Promise<number> {
  const count = workers === undefined ? undefined : Number(workers);
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= 1024))
    return wrongUsage(`--workers ${workers}: expected a whole number from 1 to 1024`);
  const line = progressLine();
  const result = await untilSignal((stop) =>
    rerun(folder, { ...given({ workers: count }), progress: line.show, stop }).finally(line.clear),
  );
  if (typeof result === "number") {
    process.stderr.write("p4loom rerun: interrupted: nothing was compared\n");
    return result;
  }
  process.stdout.write(
    json ? `${JSON.stringify({ folder, ...result }, null, 2)}\n` : rerunText(folder, result),
  );
  return result.differing.length === 0 ? EXIT.success : EXIT.wrongInput;
}

/** For people: one sentence, or each file that differs with its places. */
export function rerunText(folder: string, { files, differing, notes, command }: Rerun): string {
  const ending = notes.map((note) => `note: ${note}\n`).join("");
  if (differing.length === 0 && files > 0) return `${claim("sameBytes", { files, folder })}\n${ending}`;
  const lines = differing.flatMap(({ name, lines: own }) => [name, ...own.map((text) => `    ${text}`)]);
  const head = `${differing.length} of ${files} files of ${folder} differ after ${command}:`;
  return `${[head, ...lines].join("\n")}\n${ending}`;
}
