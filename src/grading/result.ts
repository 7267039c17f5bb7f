/** What grading finds, as plain data. */

export interface TestResult {
  readonly name: string;
  readonly passed: boolean;
  /** Points given: all or none. */
  readonly points: number;
  /** Points of the test. */
  readonly of: number;
  /** Of a failed test: what the first step that failed expected, and what was seen. */
  readonly expected?: string;
  readonly seen?: string;
  /** The place in the exercise file of what failed: `exercise.yaml:20:9`. */
  readonly place?: string;
  /** What to do, in the words of the exercise. */
  readonly hint?: string;
  /** Further lines: the packet that was sent, messages of the compiler. */
  readonly details: readonly string[];
  /** What happened to packets at each switch during the step that failed. */
  readonly story: readonly string[];
}
