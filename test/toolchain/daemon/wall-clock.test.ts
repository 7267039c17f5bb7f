import { describe, expect, it, onTestFinished } from "vitest";
import { WallClock } from "../../../src/toolchain/daemon/wall-clock.js";

describe.each([
  { name: "in milliseconds", fine: false },
  { name: "in microseconds where there are such timers", fine: true },
])("WallClock $name", ({ fine }) => {
  function make() {
    const faults: unknown[] = [];
    const clock = new WallClock((fault) => faults.push(fault));
    if (fine) clock.refine();
    onTestFinished(() => clock.close());
    return { clock, faults };
  }

  it("runs callbacks by time, those of one time in the order in which they were set, and never early", async () => {
    const { clock } = make();
    const ran: [number, string][] = [];
    const start = clock.now();
    const add = (after: number, name: string) =>
      clock.at(start + after, () => ran.push([clock.now() - start - after, name]));
    for (const [after, name] of [
      [3000, "d"],
      [1500, "b"],
      [100, "a"],
      [1500, "c"],
      [4000, "e"],
    ] as const) {
      add(after, name);
    }
    const dropped = add(10, "no");
    add(2000, "no either")();
    dropped();
    dropped();
    await new Promise<void>((resolve) => clock.at(start + 5000, resolve));
    expect(ran.map(([, name]) => name).join("")).toBe("abcde");
    for (const [late] of ran) expect(late).toBeGreaterThanOrEqual(0);
  });

  it("reports exceptions of callbacks, and continues", async () => {
    const { clock, faults } = make();
    clock.at(clock.now(), () => {
      throw new Error("first");
    });
    await new Promise<void>((resolve) => clock.at(clock.now() + 1, resolve));
    expect(faults.map(String)).toEqual(["Error: first"]);
  });

  it("lets a callback set callbacks, and does not block the event loop", async () => {
    const { clock } = make();
    let rounds = 0;
    const again = (): void => {
      if (++rounds < 300) clock.at(clock.now(), again);
    };
    again();
    let turns = 0;
    while (rounds < 300) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    expect(turns).toBeGreaterThan(3);
  });

  it("runs no callback after it is closed", async () => {
    const { clock } = make();
    let ran = 0;
    clock.at(clock.now() + 1000, () => ran++);
    clock.close();
    // Another clock shows that the time has passed.
    const { clock: other } = make();
    await new Promise<void>((resolve) => other.at(other.now() + 3000, resolve));
    expect(ran).toBe(0);
  });
});
