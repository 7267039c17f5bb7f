/** Reporter of vitest that writes the outcome of each test file (`outcome.ts`) to the file named by `P4LOOM_OUTCOME`. */
import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";
import type { FileOutcome, RunOutcome } from "./outcome.js";

function outcomeOf(module: TestModule): FileOutcome {
  const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  for (const test of module.children.allTests()) count[test.result().state]++;
  return {
    file: module.relativeModuleId,
    project: module.project.name,
    passed: count.passed,
    // A test that has not ended has failed. A hook or the file itself can fail without a test that does.
    failed: Math.max(count.failed + count.pending, module.state() === "failed" ? 1 : 0),
    skipped: count.skipped,
    ms: Math.round(module.diagnostic().duration),
  };
}

export default class OutcomeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const files = modules.map(outcomeOf);
    let errors = 0;
    for (const error of unhandled) {
      const index = modules.findIndex(({ moduleId }) => moduleId === error["VITEST_TEST_PATH"]);
      if (index === -1) errors++;
      else files[index]!.failed++;
    }
    const outcome: RunOutcome = { files, errors };
    writeFileSync(process.env["P4LOOM_OUTCOME"]!, JSON.stringify(outcome));
  }
}
