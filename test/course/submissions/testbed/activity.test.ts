import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  activityOf,
  namespaceCalled,
  namespaceOf,
  startedBy,
  waitedNs,
} from "../../../../src/course/submissions/testbed/activity.js";

const children: ChildProcess[] = [];

const NAMESPACE = `p4loom-activity-${process.pid}`;

function canAddNamespace(): boolean {
  if (spawnSync("ip", ["netns", "add", NAMESPACE]).status !== 0) return false;
  execFileSync("ip", ["netns", "del", NAMESPACE]);
  return true;
}

function shell(line: string): number {
  const child = spawn("sh", ["-c", line], { stdio: "ignore", detached: true });
  children.push(child);
  return child.pid!;
}

afterEach(() => {
  for (const { pid } of children.splice(0)) process.kill(-pid!, "SIGKILL");
});

describe.skipIf(!existsSync("/proc/self/task"))("the work of processes", () => {
  it("finds the direct and indirect child processes of a process", async () => {
    const pid = shell("sh -c 'sleep 1000; true'; true");
    await vi.waitFor(() => expect(startedBy(pid)).toHaveLength(2), { timeout: 30_000 });
    expect(startedBy(process.pid)).toEqual(expect.arrayContaining([pid, ...startedBy(pid)]));
    expect(startedBy(startedBy(pid).at(-1)!)).toEqual([]);
  });

  it("detects that a process works, waits, and works again", async () => {
    const busy = shell("while :; do :; done");
    await vi.waitFor(() => expect(activityOf([busy]).works).toBe(true), { timeout: 30_000 });
    const idle = shell("exec sleep 1000");
    await vi.waitFor(
      () => {
        const { works, turns } = activityOf([idle]);
        expect(works).toBe(false);
        expect(turns).toBeGreaterThan(0);
        expect(activityOf([idle])).toEqual({ works, turns });
      },
      { timeout: 30_000 },
    );
    expect(activityOf([idle, busy]).works).toBe(true);
  });

  it.skipIf(!canAddNamespace())(
    "tells the network namespace of a process (needs root and ip netns)",
    async () => {
      execFileSync("ip", ["netns", "add", NAMESPACE]);
      try {
        const inside = shell(`exec ip netns exec ${NAMESPACE} sleep 1000`);
        await vi.waitFor(() => expect(namespaceOf(inside)).toBe(namespaceCalled(NAMESPACE)), {
          timeout: 30_000,
        });
        expect(namespaceOf(shell("exec sleep 1000"))).toBe(namespaceOf(process.pid));
        expect(namespaceOf(process.pid)).not.toBe(namespaceCalled(NAMESPACE));
        expect(namespaceOf(2 ** 30)).toBeUndefined();
      } finally {
        execFileSync("ip", ["netns", "del", NAMESPACE]);
      }
    },
  );

  it("treats a process that has ended as one without work", () => {
    expect(activityOf([2 ** 30])).toEqual({ works: false, turns: 0 });
    expect(waitedNs([2 ** 30])).toBeNaN();
  });

  it.skipIf(!existsSync("/proc/self/schedstat"))(
    "counts the time for which a processor was waited for",
    async () => {
      // More processes than processors.
      const pids = Array.from({ length: availableParallelism() + 1 }, () => shell("while :; do :; done"));
      const before = waitedNs(pids);
      await vi.waitFor(() => expect(waitedNs(pids)).toBeGreaterThan(before), { timeout: 30_000 });
    },
  );
});
