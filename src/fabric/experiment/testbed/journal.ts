/** The log of a testbed's runs, `logs/run.log`, and the facts in it that a reader of the results must know. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class Journal {
  readonly facts: string[] = [];
  readonly #folder: string;
  #begun = false;

  constructor(folder: string) {
    this.#folder = join(folder, "logs");
  }

  /** The first line creates the file, so a run that is refused before that leaves none. */
  write(line: string): void {
    const file = join(this.#folder, "run.log");
    if (!this.#begun) {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(file, "");
      this.#begun = true;
    }
    appendFileSync(file, `${line}\n`);
  }

  /** A sentence for the report; a repeated one is ignored. */
  fact(sentence: string): void {
    if (this.facts.includes(sentence)) return;
    this.facts.push(sentence);
    this.write(sentence);
  }
}
