/** What a testbed learns of a BMv2 before it starts one; the BMv2 is a script that prints a help text. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findBmv2, planSwitch } from "../../../src/fabric/testbed/switches/command-line.js";
import type { TestbedStartOptions } from "../../../src/fabric/testbed/testbed.js";
import type { TestbedSwitch } from "../../../src/fabric/testbed/testbed-spec.js";

function script(help: string, cli: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-find-bmv2-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "simple_switch_grpc");
  writeFileSync(path, `#!/bin/sh\ncat <<END\n${help}\nEND\n`);
  if (cli) writeFileSync(join(folder, "simple_switch_CLI"), "");
  chmodSync(path, 0o755);
  return path;
}

const spec = { name: "s1", deviceId: 1, ports: [] } as unknown as TestbedSwitch;
const options = { engine: "bmv2", folder: "/out" } as unknown as TestbedStartOptions;

async function optionsFor(path: string): Promise<readonly string[]> {
  return planSwitch({ id: "id", spec, index: 2, start: [path] }, options, await findBmv2(path)).options;
}

describe("findBmv2", () => {
  it("passes the options of Thrift and nanomsg where the help lists them", async () => {
    const path = script("  --thrift-port arg\n  --notifications-addr arg\n  --nanolog arg", true);
    expect(await optionsFor(path)).toEqual(
      expect.arrayContaining(["--thrift-port", "9092", "--notifications-addr", "--"]),
    );
    expect(await findBmv2(path)).toMatchObject({
      thrift: true,
      cli: { path: path.replace(/_grpc$/, "_CLI") },
    });
  });

  it("leaves them out where the help does not, and says what is missing", async () => {
    const path = script("  --nanolog arg", true);
    const words = await optionsFor(path);
    expect(words).not.toContain("--thrift-port");
    expect(words).not.toContain("--notifications-addr");
    // The options of the target still follow this word.
    expect(words.indexOf("--")).toBe(words.indexOf("--grpc-server-addr") - 1);
    expect((await findBmv2(path)).cli).toEqual({ reason: `${path} is built without Thrift` });
  });

  it("refuses a program that cannot be run", async () => {
    const path = script("", false);
    chmodSync(path, 0o644);
    await expect(findBmv2(path)).rejects.toMatchObject({ diagnostics: [{ code: "P43103" }] });
  });
});
