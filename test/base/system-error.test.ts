import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { systemErrorReason } from "../../src/base/index.js";

function thrown(task: () => unknown): unknown {
  try {
    task();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("systemErrorReason", () => {
  it("says in words what the system refused, without code or path", () => {
    expect(systemErrorReason(thrown(() => readFileSync("/none")))).toBe("no such file");
    expect(systemErrorReason(thrown(() => readFileSync("/")))).toBe("it is a directory");
    expect(systemErrorReason(Object.assign(new Error("x"), { code: "ENOSPC" }))).toBe(
      "no space is left on the disk",
    );
  });

  it("finds the system's code in the text of a library", () => {
    const text =
      "No address added out of total 1 resolved errors: [listen EADDRINUSE: address already in use 127.0.0.1:9559]";
    expect(systemErrorReason(new Error(text))).toBe("the address is already in use");
  });

  it("keeps the text of any other error", () => {
    expect(systemErrorReason(new Error("out of luck"))).toBe("out of luck");
    expect(systemErrorReason("a string")).toBe("a string");
    expect(systemErrorReason(Object.assign(new Error("weird"), { code: 7 }))).toBe("weird");
  });
});
