/** The processes that tests start from a copy of the project with mutants: what they reach, what they try, and their end. */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { activeFile, reachedFile } from "./files.js";

export class Processes {
  readonly #tree: string | undefined;

  constructor(tree: string | undefined) {
    this.#tree = tree;
  }

  /** Processes that start from now on try this mutant; "": none, and they tell what they reach. */
  activate(mutant: string): void {
    if (this.#tree !== undefined) writeFileSync(activeFile(this.#tree), mutant);
  }

  forgetReached(): void {
    if (this.#tree !== undefined) truncateSync(reachedFile(this.#tree));
  }

  reached(): string[] {
    if (this.#tree === undefined) return [];
    const lines = readFileSync(reachedFile(this.#tree), "utf8").split("\n");
    return lines.filter((line) => line !== "");
  }

  /** Ends the programs of the tree that a failed test has left. */
  end(): void {
    if (this.#tree === undefined) return;
    const programs = join(this.#tree, "dist");
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
      try {
        if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(programs))
          process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended.
      }
  }
}
