/** What is typed on the terminal, as the standard input of a program in a host: a pipe with a name. */
import { execFileSync } from "node:child_process";
import { constants, createWriteStream, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TypedInput } from "../../course/exercise-network/index.js";

export function openTypedInput(): TypedInput {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-input-"));
  const path = join(folder, "input");
  execFileSync("mkfifo", ["-m", "600", path]);
  // Also opened for reading, so that neither this open nor the program's open waits for the other.
  const fd = openSync(path, constants.O_RDWR);
  const stream = createWriteStream(path, { fd });
  // A program that ends without reading leaves the typed text in the pipe.
  stream.on("error", () => {});
  return {
    path,
    write: (line) => void stream.write(`${line}\n`),
    end: () => void stream.end(),
    close: () => {
      stream.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
