/** What packets reached of programs: the counts of switches that are made with it (`SwitchOptions.coverage`). */
import { type Bmv2Program, runnableForm } from "../program/index.js";
import type { CountedPoint } from "./codegen/count-points.js";
import type { Specialised } from "./codegen/specialised.js";

export interface ProgramCounts {
  readonly program: Bmv2Program;
  readonly points: readonly CountedPoint[];
  /** Numbers of the names of actions, as the counts of tables are ordered. */
  readonly actionNumbers: ReadonlyMap<string, number>;
  /** Switches that run the same program object add to the same counts. A double holds them exactly up to 2^53. */
  readonly hits: Float64Array;
}

export class CoverageCounts {
  readonly #programs = new Map<Bmv2Program, ProgramCounts>();

  /** The counts of a program that was specialised to be counted. */
  countsOf({ program, counted, actionNumbers }: Specialised): ProgramCounts {
    let counts = this.#programs.get(program);
    if (counts === undefined) {
      const { points, size } = counted ?? { points: [], size: 0 };
      counts = { program, points, actionNumbers, hits: new Float64Array(size) };
      this.#programs.set(program, counts);
    }
    return counts;
  }

  /** Undefined while no switch has loaded the program. Switches count the form that they run, which PSA and PNA programs have apart. */
  of(program: Bmv2Program): ProgramCounts | undefined {
    return this.#programs.get(runnableForm(program));
  }
}
