/** Which tests `make test ROOM=...` runs. */
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { roomNamed } from "../../tools/rooms/name.mjs";
import { type Imports, isOneOf, readImports, select } from "../../tools/rooms/select.js";

const root = resolve(import.meta.dirname, "../..");

/** Room `low` below `high`, which another room does not know of. */
const imports: Imports = new Map([
  ["src/fabric/low/index.ts", ["src/fabric/low/a.ts"]],
  ["src/fabric/low/a.ts", []],
  ["src/fabric/high/index.ts", ["src/fabric/high/uses.ts", "src/fabric/high/other.ts"]],
  ["src/fabric/high/uses.ts", ["src/fabric/low/index.ts"]],
  ["src/fabric/high/other.ts", []],
  ["src/course/far/index.ts", ["src/fabric/high/index.ts"]],
  ["test/fabric/low/a.test.ts", ["src/fabric/low/a.ts"]],
  ["test/fabric/high/both.test.ts", ["src/fabric/high/index.ts", "src/fabric/low/index.ts"]],
  ["test/fabric/high/door.test.ts", ["src/fabric/high/index.ts"]],
  ["test/fabric/high/other.test.ts", ["src/fabric/high/other.ts"]],
  ["test/course/far/far.test.ts", ["src/course/far/index.ts"]],
  ["test/second-models/low.test.ts", ["src/fabric/low/index.ts"]],
]);

describe("tests of a room", () => {
  it("are its own, those that import it, and those of the rooms that do, but no others", () => {
    expect(select("fabric/low", imports, {}, 10_000)).toEqual({
      own: ["test/fabric/low/a.test.ts"],
      users: [
        "test/fabric/high/both.test.ts",
        "test/second-models/low.test.ts",
        "test/fabric/high/door.test.ts",
      ],
      leftOut: [],
    });
  });

  it("are always its own; of others the nearest and quickest until the time is over", () => {
    const ms = { "test/fabric/low/a.test.ts": 5000, "test/fabric/high/both.test.ts": 4000 };
    expect(select("fabric/low", imports, ms, 5350)).toEqual({
      own: ["test/fabric/low/a.test.ts"],
      users: ["test/second-models/low.test.ts"],
      leftOut: ["test/fabric/high/both.test.ts", "test/fabric/high/door.test.ts"],
    });
    expect(select("fabric/low", imports, ms, 100).own).toEqual(["test/fabric/low/a.test.ts"]);
  });

  it("are found in this tree for each room with users", () => {
    const real = readImports(root);
    const { own, users, leftOut } = select("fabric/topology", real, {}, Number.POSITIVE_INFINITY);
    expect(own).toContain("test/fabric/topology/build.test.ts");
    expect(users).toContain("test/fabric/traffic/patterns.test.ts");
    expect(leftOut).toEqual([]);
    expect(users).not.toContain("test/toolchain/hash/crc.test.ts");
  });
});

describe("globs", () => {
  it.each([
    ["test/fabric/testbed/*.test.ts", "test/fabric/testbed/grade.test.ts", true],
    ["test/fabric/testbed/*.test.ts", "test/fabric/testbed/agent/agent.test.ts", false],
    ["test/parity/**/*.test.ts", "test/parity/dahu.test.ts", true],
    ["test/cli/{net,switch}.test.ts", "test/cli/switch.test.ts", true],
    ["test/cli/{net,switch}.test.ts", "test/cli/shell.test.ts", false],
  ])("%s has %s: %s", (glob, path, expected) => expect(isOneOf([glob], path)).toBe(expected));
});

describe("names of rooms", () => {
  it.each([
    ["fabric/topology", "fabric/topology"],
    ["topology", "fabric/topology"],
    ["sim/packet", "fabric/sim/packet"],
    ["p4/lower/", "toolchain/p4/lower"],
    ["base", "base"],
    ["base/packets", "base/packets"],
    ["nope", undefined],
    ["../etc", undefined],
    ["", undefined],
  ])("%s", (name, room) => expect(roomNamed(root, name)).toBe(room));
});
