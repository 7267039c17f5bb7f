/** The answers of statements, as one JSON document. */
import { type Diagnostic, diagnosticToJson, given } from "../../base/index.js";
import type { Output } from "../../toolchain/control/index.js";

interface Answer {
  statement: string;
  lines: string[];
  data: unknown[];
  diagnostics: Diagnostic[];
}

export class Transcript implements Output {
  readonly #answers: Answer[] = [];

  begin(statement: string): void {
    this.#answers.push({ statement, lines: [], data: [], diagnostics: [] });
  }

  print(line: string): void {
    this.#answers.at(-1)?.lines.push(line);
  }

  data(value: unknown): void {
    this.#answers.at(-1)?.data.push(value);
  }

  /** The diagnostics of the statement. */
  report(diagnostics: readonly Diagnostic[]): void {
    this.#answers.at(-1)?.diagnostics.push(...diagnostics);
  }

  /** An answer with data has the data instead of its lines. */
  document(address: string): object {
    return {
      switch: address,
      statements: this.#answers.map(({ statement, lines, data, diagnostics }) => ({
        statement,
        ok: !diagnostics.some(({ severity }) => severity === "error"),
        ...(data.length > 0 ? { data } : { lines }),
        ...given({ diagnostics: diagnostics.length > 0 ? diagnostics.map(diagnosticToJson) : undefined }),
      })),
    };
  }
}
