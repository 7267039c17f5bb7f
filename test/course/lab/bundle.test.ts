/** A lab and the language service run in a browser: everything that they import can be bundled without modules of Node. */
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ROOT } from "./wall.js";

it.each(["course/lab", "toolchain/editing"])(
  "bundles src/%s for a browser without modules of Node",
  async (room) => {
    const result = await build({
      entryPoints: [join(ROOT, `src/${room}/index.ts`)],
      bundle: true,
      write: false,
      minify: true,
      platform: "browser",
      format: "esm",
      metafile: true,
      // the solver of the fit checker's `--exact` is loaded on request only; a lab never requests it
      external: ["highs"],
      logLevel: "silent",
    });
    const names = Object.values(result.metafile.inputs).flatMap(({ imports }) =>
      imports.map(({ path }) => path),
    );
    expect(names.filter((name) => name.startsWith("node:"))).toEqual([]);
    expect(result.warnings).toEqual([]);
    const [file] = result.outputFiles;
    expect(file!.contents.length).toBeLessThan(3 * 2 ** 20);
    // no globals of Node either: Buffer and process would fail only at run time
    expect(file!.text).not.toMatch(/\bBuffer\.(from|alloc)\(|\bprocess\.(cwd|argv|hrtime)\b/);
  },
);
