/**
 * Sessions with the embedded switch: test/toolchain/control/sessions/*.txt. The first line names the recorded program. A line after `> ` is a statement
 * of docs/shell.md or a command of simple_switch_CLI; the lines after it are what it prints, `!` the error with its code and the words that
 * it is reported at. After a statement that ends with a space, `=` has the data of --json.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { start } from "./start.js";

const folder = join(import.meta.dirname, "sessions");

describe.each(readdirSync(folder))("%s", (file) => {
  it("prints what is written", async () => {
    const [head, ...steps] = readFileSync(join(folder, file), "utf8").split(/^> /m);
    const { say } = start(head!.trim().replace("program ", ""), {}, { cpuPort: 255 });
    for (const step of steps) {
      const [statement, ...printed] = step.replace(/\n$/, "").split("\n");
      const { lines, data, diagnostics } = await say(statement!);
      const now = [
        ...lines,
        ...(statement!.endsWith(" ") ? data.map((one) => `= ${JSON.stringify(one)}`) : []),
        ...diagnostics.list.map(
          ({ code, span, message }) =>
            `! ${code} at \`${statement!.slice(span!.start, span!.end)}\`: ${message}`,
        ),
      ];
      expect({ statement, printed: now }).toEqual({ statement, printed });
    }
  });
});
