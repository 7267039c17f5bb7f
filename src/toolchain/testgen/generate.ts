/**
 * Tests of a program: paths of the symbolic execution, each with a packet and entries, kept where it reaches something that no earlier test reached. What is
 * expected of a test is what the switch does with it.
 */
import { type Coverage, coverageOf } from "../coverage/index.js";
import type { Program } from "../program/index.js";
import { Deadline, OutOfTime, Solver, Terms, TooLarge } from "../solver/index.js";
import { CoverageCounts, Switch } from "../switch/index.js";
import { Explorer, freshSwitch, freshTofino, type Path } from "../symbolic/index.js";
import type { Target } from "./commands.js";
import { type Stimulus, startOf, stimulusOf } from "./concrete.js";
import { type Expected, replay } from "./replay.js";
import { planOf } from "./rules.js";

export interface GeneratedTest {
  readonly stimulus: Stimulus;
  readonly expected: readonly Expected[];
}

export interface GenerateOptions {
  readonly seed: number;
  readonly maxTests: number;
  /** Keeps a test for each path, also where it reaches nothing new. */
  readonly allPaths: boolean;
  /** Whether to go on; asked before each path. */
  goesOn(): boolean;
  /** Whether there is time left; asked within paths, too. The path in which it ends is no test. */
  hasTime?(): boolean;
  /** Called with each path that has a packet, with what leaves the switch. */
  onPath?(path: Path, stimulus: Stimulus, expected: readonly Expected[]): void;
  /** Called after each test. */
  progress?(tests: number, coverage: Coverage): void;
}

export interface Generated {
  readonly tests: readonly GeneratedTest[];
  readonly coverage: Coverage;
  /** Paths that were followed to their ends. */
  readonly paths: number;
  /** Whether every path was followed: what no test reaches, no packet reaches (with fresh registers, one copy a packet, two passes). */
  readonly isComplete: boolean;
  /** What was not followed, with the number of paths that ended there. */
  readonly unhandled: ReadonlyMap<string, number>;
  /** Paths whose decisions depend on time, chance or hashes, so that they became no test. */
  readonly untested: number;
  /** Why it ended. */
  readonly end: "covered" | "exhausted" | "tests" | "time" | "memory";
}

const STILL = { now: () => 0, at: () => () => {} };

export async function generateTests(program: Program, options: GenerateOptions): Promise<Generated> {
  const generation = new Generation(program, options);
  const end = await generation.run();
  return generation.result(end);
}

class Generation {
  readonly #solver: Solver;
  readonly #explorer: Explorer;
  readonly #tests: GeneratedTest[] = [];
  readonly #counts: Float64Array;
  readonly #all = new CoverageCounts();
  readonly #target: Target;
  #paths = 0;
  #untested = 0;

  constructor(
    readonly program: Program,
    readonly options: GenerateOptions,
  ) {
    this.#solver = new Solver(new Terms(new Deadline(options.hasTime)));
    this.#target = program.bmv2.architecture === undefined ? "v1model" : "tofino";
    this.#explorer = new Explorer(planOf(program), this.#solver, {
      seed: options.seed,
      environment: this.#target === "tofino" ? freshTofino : freshSwitch,
      given: this.#target === "tofino" ? [startOf(this.#solver.terms)] : [],
    });
    // A switch that sees no packet: its counts are those to which the tests' are added.
    new Switch(program, { clock: STILL, transmit: () => {}, coverage: this.#all });
    this.#counts = this.#all.of(program.bmv2)!.hits;
  }

  get #coverage(): Coverage {
    return coverageOf(this.#all.of(this.program.bmv2)!);
  }

  async run(): Promise<Generated["end"]> {
    const { maxTests, allPaths } = this.options;
    while (!this.#explorer.isExhausted) {
      if (this.#tests.length >= maxTests) return "tests";
      if (!this.options.goesOn()) return "time";
      try {
        const before = this.#tests.length;
        await this.#step();
        if (this.#tests.length === before) continue;
      } catch (error) {
        if (error instanceof TooLarge) return "memory";
        if (error instanceof OutOfTime) return "time";
        throw error;
      }
      const coverage = this.#coverage;
      this.options.progress?.(this.#tests.length, coverage);
      if (!allPaths && coverage.items.every(({ hits }) => hits > 0)) return "covered";
    }
    return "exhausted";
  }

  async #step(): Promise<void> {
    const path = this.#explorer.step();
    if (path === undefined) return;
    this.#paths++;
    const stimulus = stimulusOf(path, this.#solver, this.#target);
    const replayed = stimulus === undefined ? undefined : await replay(this.program, stimulus);
    if (stimulus === undefined || replayed === undefined) {
      this.#untested++;
      this.#explorer.disregard();
      return;
    }
    const { counts, expected, isAsFollowed } = replayed;
    if (isAsFollowed) this.options.onPath?.(path, stimulus, expected);
    const isNew = counts.some((count, i) => count > 0 && this.#counts[i] === 0);
    if (!isNew && !this.options.allPaths) return;
    counts.forEach((count, i) => {
      this.#counts[i]! += count;
    });
    this.#tests.push({ stimulus, expected });
  }

  result(end: Generated["end"]): Generated {
    return {
      tests: this.#tests,
      coverage: this.#coverage,
      paths: this.#paths,
      isComplete: end === "exhausted" && this.#explorer.isComplete && this.#untested === 0,
      unhandled: this.#explorer.unhandled,
      untested: this.#untested,
      end,
    };
  }
}
