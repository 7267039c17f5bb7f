/** The processes that `p4loom grade` starts for each submission. */
import { serveController, serveJob } from "../../submissions/index.js";
import { EXIT } from "../outcome.js";

/** Runs the tests of one submission, which stdin has. */
export async function grader(): Promise<number> {
  await serveJob();
  return EXIT.success;
}

/** Runs the controller of a submission, until stdin ends. */
export async function controller(): Promise<number> {
  await serveController();
  return EXIT.success;
}
