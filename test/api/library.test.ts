/** The public interface: each subpath of the package is a file of `src/api`, with a section of docs/library.md and a program that runs. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { whyNot } from "../fabric/testbed/machine.js";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const names = readdirSync(join(root, "src/api")).map((file) => basename(file, ".ts"));
const page = read("docs/library.md");

/** An example's code, and what it prints. */
function example(name: string): { code: string; prints: string } {
  const [code, prints] = read(`examples/api/${name}.ts`).split("\n/* prints\n");
  return { code: code!, prints: prints!.replace(/\n\*\/\n$/, "") };
}

const shown = (name: string) => {
  const { code, prints } = example(name);
  const indented = prints.replace(/^(?=.)/gm, "    ");
  return `<!-- example: ${name} -->\n\`\`\`ts\n${code}\`\`\`\n\nIt prints\n\n${indented}\n<!-- /example -->`;
};

describe("the library", () => {
  it("has a file of src/api for each subpath of the package, and no other subpath", () => {
    const { exports } = JSON.parse(read("package.json")) as { exports: Record<string, string> };
    const expected = names.map((name) => [`./${name}`, `./dist/api/${name}.js`]);
    expect(exports).toEqual({ ...Object.fromEntries(expected), "./package.json": "./package.json" });
  });

  it("has one example a subpath", () => {
    expect(readdirSync(join(root, "examples/api")).sort()).toEqual(names.map((name) => `${name}.ts`).sort());
  });

  it("shows the examples on its page", () => {
    const wanted = page.replace(/<!-- example: (\w+) -->[\s\S]*?<!-- \/example -->/g, (_, name) =>
      shown(name),
    );
    if (process.env["P4LOOM_GOLDEN"] === "update") writeFileSync(join(root, "docs/library.md"), wanted);
    else expect(page).toBe(wanted);
    for (const name of names) expect(page).toContain(`\n## p4loom/${name}\n\n<!-- example: ${name} -->`);
  });

  it.each(names)("runs the example of p4loom/%s", (name) => {
    const reason = name === "testbed" ? whyNot("netns", "switch") : undefined;
    if (reason !== undefined) return console.log(`p4loom/testbed: not run: ${reason}`);
    const args = ["--import", "tsx", `examples/api/${name}.ts`];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.trimEnd()).toBe(example(name).prints);
  });

  const browser = [...page.matchAll(/^\| \[`p4loom\/(\w+)`\].* (yes|no) \|$/gm)];

  it("says of each subpath whether it runs in a browser", () => {
    expect(browser.map(([, name]) => name).sort()).toEqual(names.toSorted());
  });

  it.each(browser.map(([, name, runs]) => [name!, runs!]))("p4loom/%s: %s", async (name, runs) => {
    const result = await build({
      entryPoints: [join(root, `src/api/${name}.ts`)],
      bundle: true,
      platform: "browser",
      external: ["highs"],
      format: "esm",
      write: false,
      logLevel: "silent",
    }).catch(() => undefined);
    expect(result !== undefined).toBe(runs === "yes");
  });
});
