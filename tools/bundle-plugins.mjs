/** The common plugins of the bundles of the command and of the page. */
import { join } from "node:path";

/** Removes zod's messages in forty languages, which are not used. */
export const noLocales = {
  name: "no-locales",
  setup(esbuild) {
    esbuild.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {}" }));
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
