/** Runs one test of an exercise on a submission. */
import {
  Diagnostics,
  formatDiagnostic,
  given,
  pathIn,
  type SourceFile,
  type Span,
} from "../../base/index.js";
import { readStf, runStf } from "../../toolchain/stf/index.js";
import type { CoverageCounts, PacketTrace } from "../../toolchain/switch/index.js";
import { SourceLines, Story } from "../../toolchain/trace/index.js";
import type { Exercise, ExerciseTest } from "../exercises/index.js";
import { checkFit } from "./check-fit.js";
import type { StartController } from "./controller.js";
import { StepFailure } from "./failure.js";
import type { TestNetwork } from "./network.js";
import { playSteps } from "./play-steps.js";
import type { TestResult } from "./result.js";
import { SimulatedNetwork } from "./simulated-network.js";
import { failureOf, Submission } from "./submission.js";

/** Bounds of the lines that describe how packets were processed. */
const MAX_STORY_LINES = 80;
const MAX_LINE_LENGTH = 400;

export interface RunTestOptions {
  /** Waits for one turn of the event loop: resolves when all promise continuations have run. */
  turn(): Promise<void>;
  /** The file of a fit target of p4loom; undefined if there is no target of this name. */
  target?(name: string): SourceFile | undefined;
  /** Needed for exercises with a controller. */
  startController?: StartController;
  /**
   * Creates another network instead of the simulated one. Results then have no story, and a failed test is repeated
   * if the network was late.
   */
  network?(submission: Submission): Promise<TestNetwork>;
  /** Called often while a test runs on a simulated network: whoever stops what hangs sees that it does not. */
  progress?(): void;
  /** False: failed tests have no story, which takes a second run. */
  story?: boolean;
  /** Counts what packets of the tests reach of the programs; tests then have no story. */
  coverage?: CoverageCounts;
}

/**
 * The result is the same for the same submission, unless `network` creates another network than the simulated one.
 * @param submission use the same object for all tests, so that its programs are compiled once
 */
export async function runTest(
  test: ExerciseTest,
  submission: Submission,
  options: RunTestOptions,
): Promise<TestResult> {
  const { name, points, hint, what } = test;
  const kept = hiddenMark(test);
  let failed: { failure: StepFailure; span: Span | undefined; story: readonly string[] } | undefined;
  const { missing } = submission;
  if (missing !== undefined) failed = { failure: missing, span: undefined, story: [] };
  else if (what.kind === "steps") failed = await playOnNetwork(test, submission, options);
  else if (what.kind === "stf") failed = await playScript(what, submission, options);
  else {
    const failure = checkFit(what, submission, options.target);
    failed = failure && { failure, span: undefined, story: [] };
  }
  if (failed === undefined)
    return { name, passed: true, ...kept, points, of: points, details: [], story: [] };
  const { failure, span = test.span, story } = failed;
  const { expected, seen } = failure;
  const place = placeOf(span);
  // The hint of a test helps with what the test asks for, not with files that do not compile.
  const before = failure.ofFiles ? submission.sameBefore(failure, name) : undefined;
  const details =
    before === undefined ? failure.details : [`as in the test "${before}", which has the messages`];
  return {
    name,
    passed: false,
    ...kept,
    points: 0,
    of: points,
    expected,
    seen,
    ...given({ place }),
    ...(hint === undefined || failure.ofFiles ? {} : { hint }),
    details,
    story,
  };
}

/** The mark of a hidden test in its result. */
export function hiddenMark({ hidden }: Pick<ExerciseTest, "hidden">): { hidden?: true } {
  return hidden ? { hidden: true } : {};
}

/** Runs all tests of an exercise, one after the other, each on a new network. */
export async function runTests(
  exercise: Exercise,
  handedIn: ReadonlyMap<string, string>,
  options: RunTestOptions,
): Promise<TestResult[]> {
  const submission = new Submission(exercise, handedIn);
  const results: TestResult[] = [];
  for (const test of exercise.tests) results.push(await runTest(test, submission, options));
  return results;
}

/** Maximum number of runs of a test on real switches that fails while the machine is late; the result of the last run counts. */
const MAX_RUNS = 3;

type Failed = { failure: StepFailure; span: Span | undefined; story: readonly string[] };
type Kind<K> = Extract<ExerciseTest["what"], { kind: K }>;

function placeOf(span: Span | undefined): string | undefined {
  if (span === undefined) return undefined;
  const { line, column } = span.file.position(span.start);
  return `${span.file.path}:${line}:${column}`;
}

async function playOnNetwork(
  test: ExerciseTest,
  submission: Submission,
  options: RunTestOptions,
): Promise<Failed | undefined> {
  const first = await play(test, submission, options, undefined);
  if (first === undefined) return undefined;
  if (options.network !== undefined) {
    let last: Played | undefined = first;
    // A failure before the first step does not depend on time.
    for (let plays = 1; plays < MAX_RUNS && last?.late && last.span !== undefined; plays++)
      last = await play(test, submission, options, undefined);
    return last && { ...last, story: [] };
  }
  if (options.story === false || options.coverage !== undefined) return { ...first, story: [] };
  // Runs the same events again to record the trace of the failed step: switches are faster without a trace.
  const traces: PacketTrace[] = [];
  const again = await play(test, submission, options, traces);
  return { ...(again ?? first), story: storyOf(traces, submission) };
}

type Played = Omit<Failed, "story"> & { readonly late: boolean };

async function play(
  test: ExerciseTest,
  submission: Submission,
  options: RunTestOptions,
  traces: PacketTrace[] | undefined,
): Promise<Played | undefined> {
  const { exercise } = submission;
  const waits: { idle?: () => Promise<void> } = {};
  const turn = async (): Promise<void> => {
    await options.turn();
    await waits.idle?.();
  };
  let network: TestNetwork | undefined;
  try {
    network =
      (await options.network?.(submission)) ??
      new SimulatedNetwork(exercise.topology, {
        ...exercise.limits,
        turn,
        progress: () => options.progress?.(),
        ...(traces === undefined ? {} : { trace: (one) => void traces.push(one) }),
        ...given({ coverage: options.coverage }),
      });
    const steps = (test.what as Kind<"steps">).steps;
    const failed = await playSteps(steps, submission, network, {
      waits,
      startController: options.startController,
      begin: () => {
        if (traces !== undefined) traces.length = 0;
      },
    });
    return failed && { ...failed, late: network.wasLate() };
  } catch (error) {
    return { failure: failureOf(error, "the network starts"), span: undefined, late: false };
  } finally {
    await network?.close();
  }
}

async function playScript(
  { script, program }: Kind<"stf">,
  submission: Submission,
  { coverage }: RunTestOptions,
): Promise<Failed | undefined> {
  const diagnostics = new Diagnostics();
  const traces: PacketTrace[] = [];
  try {
    const compiled = submission.program(pathIn(submission.folder, program));
    const commands = readStf(script, diagnostics);
    diagnostics.throwIfErrors();
    const seen =
      coverage === undefined ? { trace: (one: PacketTrace) => void traces.push(one) } : { coverage };
    await runStf(commands, compiled.program, diagnostics, seen);
    const errors = diagnostics.list.filter(({ severity }) => severity === "error");
    const [error] = errors.toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
    if (error === undefined) return undefined;
    const line = error.span === undefined ? 0 : error.span.file.position(error.span.start).line;
    // Packets are counted in the order of the script; the story shows the last one before the failed line.
    const before = commands.filter(
      ({ kind, span }) => kind === "packet" && script.position(span.start).line <= line,
    );
    const shown = traces.filter(({ input }) => input.packet_id === before.length - 1);
    const text = formatDiagnostic(error).split("\n");
    const failure = new StepFailure(`the packet test ${script.path} passes`, error.message, text.slice(1));
    return { failure, span: error.span, story: storyOf(shown, submission) };
  } catch (error) {
    return { failure: failureOf(error, `the packet test ${script.path} passes`), span: undefined, story: [] };
  }
}

/** The stories of packets in the order of their arrival at switches; only the first ones if there are many. */
export function storyOf(traces: readonly PacketTrace[], { files }: Submission): string[] {
  const sources = new SourceLines(undefined, (path) => (files.exists(path) ? files.read(path) : undefined));
  const story = new Story(sources, false);
  const sorted = traces
    .map((trace, index) => ({ trace, index }))
    .sort((a, b) => a.trace.input.time_us - b.trace.input.time_us || a.index - b.index);
  const lines: string[] = [];
  for (const [shown, { trace }] of sorted.entries()) {
    const next = story.of(trace);
    if (shown > 0 && lines.length + next.length > MAX_STORY_LINES) {
      lines.push(`... and ${sorted.length - shown} more`);
      break;
    }
    // A single packet can have thousands of lines, if the switch copies it many times.
    lines.push(...next.slice(0, MAX_STORY_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH)));
    if (next.length > MAX_STORY_LINES) lines.push(`... and ${next.length - MAX_STORY_LINES} lines more`);
  }
  return lines;
}
