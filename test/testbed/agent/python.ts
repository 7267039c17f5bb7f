/** Asks parts of the host agent, which is Python, one question after the other. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const here = import.meta.dirname;
export const agentFolder = join(here, "../../../mininet/agent");

/** Why there is no Python for tests; undefined: there is. */
export function pythonMissing(): string | undefined {
  const found = spawnSync("python3", ["-c", "import sys; print(sys.version_info >= (3, 9))"], {
    encoding: "utf8",
  });
  if (found.status !== 0) return "there is no python3";
  return found.stdout.trim() === "True" ? undefined : "python3 is older than 3.9";
}

/** The answers of `drive.py` to all questions. */
export function askPython<T>(questions: readonly object[]): T[] {
  const done = spawnSync("python3", [join(here, "drive.py"), agentFolder], {
    input: questions.map((question) => `${JSON.stringify(question)}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(done.stderr);
  return done.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

/** The agent with what it is given at once on its stdin, as a pipe: it waits for requests, which no file lets it do. */
export const throughPipe = ["sh", "-c", `cat | python3 -B "${agentFolder}"`];
