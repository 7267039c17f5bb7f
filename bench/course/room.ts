/**
 * A room of 30 students on this machine: all open their pages at once, read the exercise, save the solution, send a ping, and
 * run all tests. Seconds until the pages are open, of the run of the tests for each student, and in all; memory of a session at its largest.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { StudentPage, startRoom } from "../../test/course/lab-server/room-client.js";
import type { Benchmark } from "../benchmark.js";

const STUDENTS = 30;
const EXERCISE = resolve(import.meta.dirname, "../../examples/course/01-forwarding");
const FILE = "forwarding.p4";

const middleOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

export const run: Benchmark = async (report) => {
  const names = Array.from({ length: STUDENTS }, (_, i) => `student${i + 1}`);
  const room = await startRoom(EXERCISE, { students: names });
  const solution = readFileSync(join(EXERCISE, "solution", FILE), "utf8");
  const start = performance.now();
  const seconds = (since: number): number => (performance.now() - since) / 1000;
  try {
    const opened: number[] = [];
    const graded: number[] = [];
    const one = async (name: string): Promise<void> => {
      const page = await StudentPage.open(room.addresses.get(name) ?? "");
      await page.ask({ op: "describe" });
      await page.ask({ op: "exercise.read" });
      opened.push(seconds(start));
      await page.ask({ op: "files.save", path: FILE, text: solution });
      await page.ask({ op: "traffic.start", traffic: { kind: "ping", from: "h1", to: "h2", count: 1 } });
      const since = performance.now();
      const reply = await page.ask({ op: "exercise.test" });
      graded.push(seconds(since));
      const passed = reply.ok && reply.value.results.every(({ state }) => state === "passed");
      if (!passed) throw new Error(`${name} did not pass all tests`);
    };
    await Promise.all(names.map(one));
    const all = seconds(start);
    const { students } = await room.status();
    const peaks = students.map(({ peak }) => peak / 2 ** 20);
    report({ name: "room/open", unit: "s, the last of 30", value: Math.max(...opened) });
    report({ name: "room/grade", unit: "s, the middle of 30", value: middleOf(graded) });
    report({ name: "room/all", unit: "s", value: all });
    report({ name: "room/memory", unit: "MiB, the middle of 30", value: middleOf(peaks) });
    report({ name: "room/memory-most", unit: "MiB", value: Math.max(...peaks) });
  } finally {
    await room.stop();
  }
};
