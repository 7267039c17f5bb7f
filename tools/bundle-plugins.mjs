/** The common plugins of the bundles of the command and of the page. */
import { join } from "node:path";

/** Names of zod that no source uses, by the module that defines them: the compiler of schemas, and schemas read from JSON Schema. */
export const OMITTED_OF_ZOD = {
  "core/compile.js": [
    "INVALID",
    "ZodCompileAsyncError",
    "ZodCompileUnsupportedError",
    "compile",
    "compileFn",
    "withParser",
  ],
  "classic/from-json-schema.js": ["fromJSONSchema"],
};

/** Removes what is not used of zod: its messages in forty languages, and the names above, which are `undefined` in a bundle. */
export const partOfZod = {
  name: "part-of-zod",
  setup(esbuild) {
    esbuild.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {}" }));
    for (const [path, names] of Object.entries(OMITTED_OF_ZOD)) {
      const filter = new RegExp(`zod/v4/${path}$`.replaceAll("/", "[\\\\/]").replaceAll(".", "\\."));
      const contents = names.map((name) => `export const ${name} = undefined;`).join("\n");
      esbuild.onLoad({ filter }, () => ({ contents }));
    }
  },
};

/** Omits modules of `src` without used exports: none of them has side effects. */
export const unusedModules = (src) => ({
  name: "unused-modules",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      if (!resolveDir.startsWith(src)) return undefined;
      return { path: join(resolveDir, path.replace(/\.js$/, ".ts")), sideEffects: false };
    });
  },
});
