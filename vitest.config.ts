import { defineConfig } from "vitest/config";

// P4LOOM_TESTS: a folder of tests, for mutation tests of one room (tools/mutants.mjs).
export default defineConfig({
  test: {
    include: [`${process.env["P4LOOM_TESTS"] ?? "test"}/**/*.test.ts`],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
