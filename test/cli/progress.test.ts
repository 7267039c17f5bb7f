import { describe, expect, it } from "vitest";
import { progressLine } from "../../src/cli/run-experiment.js";

describe("the progress line", () => {
  it("shows on a terminal how much is done and how long the rest takes, and is removed at the end", () => {
    const written: string[] = [];
    let now = 0;
    const stream = { isTTY: true, write: (text: string) => written.push(text) > 0 };
    const line = progressLine(stream as unknown as NodeJS.WriteStream, () => now);
    line.show(0, 400, "boot");
    now = 50;
    line.show(1, 400, "too soon");
    now = 10_000;
    line.show(100, 400, "runs");
    now = 20_000;
    line.show(101, 100_000, "too few for an estimate");
    now = 20_100;
    line.show(1100, 100_000, "more");
    line.show(100_000, 100_000, "end");
    line.clear();
    expect(written).toEqual([
      "\r\x1b[K  0 %  0/400  boot",
      "\r\x1b[K 25 %  100/400  30 s left  runs",
      "\r\x1b[K  0 %  101/100000  too few for an estimate",
      "\r\x1b[K  1 %  1100/100000  31 min left  more",
      "\r\x1b[K100 %  100000/100000  end",
      "\r\x1b[K",
    ]);
  });

  it("is a line every ten seconds where there is no terminal and it is asked for", () => {
    const written: string[] = [];
    let now = 0;
    const stream = { isTTY: false, write: (text: string) => written.push(text) > 0 };
    const line = progressLine(stream as unknown as NodeJS.WriteStream, () => now);
    line.plain();
    line.show(0, 100, "boot");
    for (now = 1000; now <= 21_000; now += 1000) line.show(now / 1000, 100, "runs");
    line.clear();
    expect(written).toEqual([" 10 %  10/100  90 s left  runs\n", " 20 %  20/100  80 s left  runs\n"]);
  });

  it("is not written where there is no terminal", () => {
    const stream = { isTTY: false, write: () => expect.fail("nothing may be written") };
    const line = progressLine(stream as unknown as NodeJS.WriteStream);
    line.show(1, 2, "x");
    line.clear();
  });
});
