/** What the bundles of the command and of the page have in common. */
import { join } from "node:path";

/** zod's messages in forty languages, none of which is asked for. */
export const noLocales = {
  name: "no-locales",
  setup(esbuild) {
    esbuild.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {}" }));
  },
};

/** Modules of `src` of which nothing is used are left out: none of them has side effects. */
export const unusedModules = (src) => ({
  name: "unused-modules",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      if (!resolveDir.startsWith(src)) return undefined;
      return { path: join(resolveDir, path.replace(/\.js$/, ".ts")), sideEffects: false };
    });
  },
});
