/** The messages to and from the process that grades one submission: one line of JSON each. */
import type { TestResult } from "../grading/index.js";
import type { TestbedEngine } from "./testbed/networks.js";

export interface Job {
  /** Texts of the exercise by their paths in its folder, without its solution. */
  readonly exercise: Readonly<Record<string, string>>;
  /** Texts of the submission. */
  readonly handedIn: Readonly<Record<string, string>>;
  /** Of missing files: the names of files that differ only in upper and lower case. */
  readonly similar?: Readonly<Record<string, string>>;
  /** Texts of p4loom's own fit targets, by name. */
  readonly targets: Readonly<Record<string, string>>;
  /** Command that starts the process of a controller. */
  readonly controller: readonly string[];
  /** Real switches for the tests; absent: the simulator. */
  readonly testbed?: TestbedJob;
}

export interface TestbedJob extends TestbedEngine {
  /** Folder for the logs of the switches; the parent process removes it. */
  readonly folder: string;
}

export type JobAnswer =
  /** A test goes on. */
  | { readonly kind: "alive" }
  /** The result of a test; results are sent in the order of the tests. */
  | { readonly kind: "result"; readonly result: TestResult }
  /** The last test had to be stopped; no further test is run. */
  | { readonly kind: "stopped"; readonly expected: string; readonly seen: string }
  /** This machine could not run the network of a test; no further test is run. */
  | { readonly kind: "fault"; readonly message: string }
  | { readonly kind: "done" };
