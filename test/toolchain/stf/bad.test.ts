/** One wrong test a file: each gives exactly the code in its name, with a place, and nothing else. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { CODES } from "../../../src/toolchain/stf/codes.js";
import { play } from "./small.js";

const folder = resolve(import.meta.dirname, "../../bad/stf");
const files = readdirSync(folder).sort();

it.each(files)("%s", async (name) => {
  const { codes, messages } = await play(readFileSync(join(folder, name), "utf8"));
  expect(codes).toEqual([name.slice(0, 6)]);
  expect(messages[0]).toMatch(/^test\.stf:\d+:\d+: (error|warning)\[/);
  expect(messages).toMatchSnapshot();
});

it("has an example of every code of the room", () => {
  expect([...new Set(files.map((name) => name.slice(0, 6)))]).toEqual(Object.values(CODES).sort());
});
