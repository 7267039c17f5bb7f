import { configDefaults, defineConfig } from "vitest/config";

const common = {
  // Seeds of property tests; times of test files, where they are measured.
  setupFiles: ["test/fuzz-setup.ts", "tools/rooms/times-setup.ts"],
  // For tests that never end. On a busy machine a test of some seconds takes a minute.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
};

/** Labs: switches and hosts as processes, with real clocks. `tools/suite.ts` runs them beside all other tests. */
export const LABS = [
  "test/fabric/testbed/*.test.ts",
  "test/fabric/testbed/agent/agent.test.ts",
  "test/fabric/testbed/updates/*.test.ts",
  "test/toolchain/interfaces/{interfaces,kernel-tcp,libc,tun}.test.ts",
  "test/parity/**/*.test.ts",
  "test/fabric/experiment/load/on-lab.test.ts",
  "test/fabric/experiment/testbed.test.ts",
  "test/fabric/experiment/timeline/timeline.test.ts",
  "test/fabric/own-schemes/{flowbender,messages}.test.ts",
  "test/fabric/controllers/processes.test.ts",
  "test/cli/{net,switch,switch-interfaces,tutorials,shell}.test.ts",
  "test/docs/testbed.test.ts",
];

/** Tests that start the built command, gRPC servers or workers, or that read what the whole process has in memory. */
const PROCESSES = [
  "test/*.test.ts",
  "test/api/*.test.ts",
  "test/cli/**/*.test.ts",
  "test/toolchain/daemon/**/*.test.ts",
  "test/docs/**/*.test.ts",
  "test/toolchain/language-server/session.test.ts",
  "test/toolchain/loading/run-command.test.ts",
  "test/fabric/own-schemes/**/*.test.ts",
  "test/toolchain/p4runtime/**/*.test.ts",
  "test/course/audit/**/*.test.ts",
  "test/course/submissions/**/*.test.ts",
  "test/fabric/experiment/**/*.test.ts",
  "test/course/lab/browser/**/*.test.ts",
  "test/tools/**/*.test.ts",
];

// Files of a worker share modules (`isolate: false`), but for labs: to load them for each file took a third of the suite's time.
export default defineConfig({
  test: {
    // The projects share what Vite made of each module, also with the next run.
    experimental: { fsModuleCache: true },
    projects: [
      {
        // Everything else is code without processes.
        test: {
          name: "rooms",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...PROCESSES, ...LABS],
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          ...common,
        },
      },
      {
        test: {
          name: "processes",
          include: PROCESSES,
          exclude: [...configDefaults.exclude, ...LABS],
          isolate: false,
          // One more than processors: a worker waits for the processes that it starts.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          ...common,
        },
      },
      {
        test: {
          name: "labs",
          include: LABS,
          // A worker a file: a lab's namespaces, signal handlers and agents end with it.
          isolate: true,
          // Two labs at once would delay each other's packets.
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          ...common,
        },
      },
    ],
  },
});
