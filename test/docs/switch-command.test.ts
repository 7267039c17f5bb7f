/** docs/switch-command.md names every option that there is, and none that there is not; its figures are those of the code. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { expect, it } from "vitest";
import { checkArguments } from "../../src/cli/switch/check-options.js";
import { defineSwitch } from "../../src/cli/switch/switch-options.js";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/switch-command.md"), "utf8");
const command = defineSwitch(new Command("switch"));

it("names the options that there are", () => {
  const defined = command.options.map(({ long, short }) => long ?? short!);
  const named = new Set([...page.matchAll(/(?<![\w-])(--?[a-zA-Z][\w-]*)/g)].map(([, flag]) => flag!));
  // As BMv2's users write it: -i.
  expect(defined.filter((flag) => !named.has(flag))).toEqual(["--interface"]);
  const known = new Set([
    ...defined,
    "-i",
    "-L",
    "-o",
    "-r",
    "-K",
    "--p4runtime-files",
    "--omit",
    "-v",
    "--dev",
    "--topology",
  ]);
  expect([...named].filter((flag) => !known.has(flag))).toEqual([]);
});

it("states the actual defaults", () => {
  const setup = checkArguments(["x.json"], command.parse(["node", "switch"], { from: "node" }).opts());
  expect(setup).toMatchObject({ address: "127.0.0.1:9559", dropPort: 511, priorityQueues: 1, deviceId: 0n });
  for (const text of [
    "127.0.0.1:9559",
    "`--drop-port N` | 511",
    "`--priority-queues N` | 1",
    `(${setup.log.maxBytes})`,
  ]) {
    expect(page).toContain(text);
  }
});
