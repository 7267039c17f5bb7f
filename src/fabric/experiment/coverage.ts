/** What the packets of runs reach of the programs of their schemes: {@link RunOptions.coverage}, in the simulator. */
import type { SourceFile } from "../../base/index.js";
import type { Program } from "../../toolchain/program/index.js";
import { CoverageCounts, type ProgramCounts } from "../../toolchain/switch/index.js";

/** One program of one or more schemes. Programs with equal texts are one program. */
interface RunProgram {
  /** `SCHEME/NAME.p4`, as in the folder `programs` of the results; several where schemes or points share the text. */
  readonly names: Set<string>;
  readonly program: Program;
  readonly source: SourceFile;
}

export interface CoveredRunProgram {
  readonly names: readonly string[];
  readonly source: SourceFile;
  readonly counts: ProgramCounts;
}

/** Counts over all jobs that run with it in one process. */
export class RunCoverage {
  readonly counts = new CoverageCounts();
  readonly #programs = new Map<string, RunProgram>();

  /** The program of this text that is counted; undefined before {@link add}. */
  programOf(text: string): Program | undefined {
    return this.#programs.get(text)?.program;
  }

  add(name: string, source: SourceFile, program: Program): void {
    const known = this.#programs.get(source.text);
    if (known === undefined) this.#programs.set(source.text, { names: new Set([name]), program, source });
    else known.names.add(name);
  }

  /** The programs that a switch has run, in the order in which they were compiled. */
  get programs(): CoveredRunProgram[] {
    return [...this.#programs.values()].flatMap(({ names, source, program }) => {
      const counts = this.counts.of(program.bmv2);
      return counts === undefined ? [] : [{ names: [...names], source, counts }];
    });
  }
}
