/** The results of grading, as plain data. */

export interface TestResult {
  readonly name: string;
  readonly passed: boolean;
  /** Present on hidden tests, of which students may see only the points. */
  readonly hidden?: true;
  /** Points of the submission: all or none. */
  readonly points: number;
  /** Maximum points of the test. */
  readonly of: number;
  /** Of a failed test: the expected and the observed behaviour of the first step that failed. */
  readonly expected?: string;
  readonly seen?: string;
  /** The place of the failed step in the exercise file: `exercise.yaml:20:9`. */
  readonly place?: string;
  /** The hint of the exercise. */
  readonly hint?: string;
  /** Further lines: the packet that was sent, messages of the compiler. */
  readonly details: readonly string[];
  /** The processing of packets at each switch during the failed step. */
  readonly story: readonly string[];
}
