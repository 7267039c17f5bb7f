/** What the agent makes of TCP that passes by: timeouts, progress, and the selectors of acknowledgements. */
import { describe, expect, it } from "vitest";
import { askPython, pythonMissing } from "./python.js";

const missing = pythonMissing();
const MS = 1e6;

type Event =
  | ["sent", sequence: number, length: number, now: number, inLoss?: boolean]
  | ["acknowledge", number: number, pure: boolean, window: number, now: number]
  | ["answer_on", selectors: number[]];

/** What the flow says to each event: `sent` whether it is a timeout, `acknowledge` the timeouts that it ends. */
function flow(...events: Event[]): unknown[] {
  return askPython<unknown[]>([{ op: "tcp", quiet: 2 * MS, events }])[0]!;
}

describe.skipIf(missing !== undefined)(`a flow that passes by${missing ? ` (${missing})` : ""}`, () => {
  it("has a timeout where the first unacknowledged segment leaves again after silence", () => {
    expect(
      flow(
        ["sent", 1000, 100, 0],
        ["sent", 1000, 100, 10 * MS],
        ["sent", 1000, 100, 30 * MS],
        ["acknowledge", 1100, true, 50, 31 * MS],
        ["sent", 1100, 100, 31 * MS],
        ["acknowledge", 1200, true, 50, 32 * MS],
      ),
    ).toEqual([false, true, true, 2, false, 0]);
  });

  it("has a timeout before it is connected, and on its FIN", () => {
    expect(
      flow(
        ["sent", 2 ** 32 - 1, 1, 0],
        ["sent", 2 ** 32 - 1, 1, 1000 * MS],
        ["acknowledge", 0, false, 50, 1001 * MS],
        ["sent", 0, 1, 1001 * MS],
        ["sent", 0, 1, 1010 * MS],
      ),
    ).toEqual([false, true, 1, false, true]);
  });

  it("has none where an acknowledgement makes the kernel go on after one", () => {
    expect(
      flow(
        ["sent", 0, 100, 0],
        ["sent", 100, 100, 0],
        ["sent", 200, 100, 0],
        ["sent", 0, 100, 10 * MS],
        ["acknowledge", 100, true, 50, 11 * MS],
        ["sent", 100, 100, 11 * MS + 5000],
        ["acknowledge", 200, true, 50, 12 * MS],
        ["sent", 200, 100, 12 * MS + 5000],
      ),
    ).toEqual([false, false, false, true, 1, false, 0, false]);
  });

  it("has none where duplicate acknowledgements show one lost segment, one where that is lost again", () => {
    const window: Event[] = [0, 100, 200, 300].map((at) => ["sent", at, 100, 0]);
    const duplicates = (count: number, now: number) =>
      Array.from({ length: count }, (): Event => ["acknowledge", 0, true, 50, now]);
    const after = (count: number, ...more: Event[]) =>
      flow(...window, ["acknowledge", 0, true, 50, MS], ...duplicates(count, MS), ...more).slice(5 + count);
    expect(after(3, ["sent", 0, 100, 1.1 * MS], ["sent", 0, 100, 20 * MS])).toEqual([false, true]);
    // A late one, as of the kernel's reordering timer.
    expect(after(3, ["sent", 0, 100, 9 * MS])).toEqual([false]);
    // Fewer show no loss; for a socket of its own the agent asks the kernel.
    expect(after(1, ["sent", 0, 100, 9 * MS])).toEqual([true]);
    expect(after(1, ["sent", 0, 100, 9 * MS, false])).toEqual([false]);
    expect(after(3, ["sent", 0, 100, 9 * MS, true])).toEqual([true]);
  });

  it("has none where another segment leaves again, a window is probed, or windows change", () => {
    expect(
      flow(
        ["sent", 0, 100, 0],
        ["sent", 100, 100, 0],
        ["sent", 100, 100, 20 * MS],
        ["acknowledge", 200, true, 0, 21 * MS],
        ["sent", 199, 1, 50 * MS],
        ["sent", 200, 100, 60 * MS],
        ["acknowledge", 200, true, 10, 61 * MS],
        ["acknowledge", 200, true, 20, 61 * MS],
        ["acknowledge", 200, true, 30, 61 * MS],
        ["acknowledge", 200, false, 30, 61 * MS],
        ["sent", 200, 100, 80 * MS, false],
      ),
    ).toEqual([false, false, false, 0, false, false, null, null, null, null, true]);
  });

  it("takes no acknowledgement of what was not sent", () => {
    expect(
      flow(
        ["acknowledge", 7, true, 50, 0],
        ["sent", 100, 100, 0],
        ["acknowledge", 300, true, 50, 1],
        ["acknowledge", 99, true, 50, 1],
        ["acknowledge", 200, true, 50, 1],
      ),
    ).toEqual([null, false, null, null, 0]);
  });

  it("collects the selectors of the next acknowledgement, few of them", () => {
    // The chooser's own selector is 0.
    expect(
      flow(
        ["answer_on", [0]],
        ["answer_on", [0, 3]],
        ["answer_on", [5]],
        ["answer_on", [5, 3]],
        ["answer_on", [6, 7, 8]],
      ),
    ).toEqual([null, [0, 3], [0, 3, 5], [0, 3, 5], [0, 3, 5, 6]]);
  });
});
