/** What is done on a testbed, in `logs/run.log`; and what of it a reader of the results must know. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class Journal {
  readonly facts: string[] = [];
  readonly #folder: string;
  #begun = false;

  constructor(folder: string) {
    this.#folder = join(folder, "logs");
  }

  /** A run that is refused before it does anything leaves no file. */
  write(line: string): void {
    const file = join(this.#folder, "run.log");
    if (!this.#begun) {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(file, "");
      this.#begun = true;
    }
    appendFileSync(file, `${line}\n`);
  }

  /** What a lab says of its progress begins with `run` or a switch; the rest is about what this machine cannot do. */
  labSays(line: string): void {
    if (/^(links|this) /.test(line)) this.fact(`${line[0]!.toUpperCase()}${line.slice(1)}.`);
    else this.write(line);
  }

  /** A line that belongs into the report; said once. */
  fact(line: string): void {
    if (this.facts.includes(line)) return;
    this.facts.push(line);
    this.write(line);
  }
}
