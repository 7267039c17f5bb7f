/** A chooser that does not return ends its process, with a diagnostic; one that is slow does not. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "p4loom-watch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function callTimeout(body: string) {
  const file = join(folder, "scheme.mjs");
  writeFileSync(
    file,
    `export default () => ({
  name: "loops",
  plan: () => ({}),
  hosts: () => ({
    open: () => ({
      selector: 0,
      onTimeout() { ${body} },
      onAck() {},
      onData: () => [0],
    }),
  }),
});
`,
  );
  const loader = resolve(import.meta.dirname, "../../../node_modules/tsx/dist/loader.mjs");
  const script = resolve(import.meta.dirname, "open-chooser.mjs");
  return spawnSync(process.execPath, ["--import", loader, script, pathToFileURL(file).href], {
    encoding: "utf8",
  });
}

it("a loop without end in a chooser ends the process and is placed", () => {
  const { stdout, stderr, signal } = callTimeout("for (;;);");
  expect(stderr).toMatch(/scheme\.mjs:7:7: error\[P43402\]: onTimeout has not returned after 3 s/);
  expect(stdout).toBe("");
  expect(signal).toBe("SIGKILL");
});

it("a chooser that returns does not, and the thread does not keep the process alive", () => {
  const { stdout, stderr, status } = callTimeout("return [1];");
  expect(stderr).toBe("");
  expect(stdout).toBe("returned\n");
  expect(status).toBe(0);
});
