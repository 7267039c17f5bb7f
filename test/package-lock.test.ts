/** `npm ci` works from a clean clone, and the lock file names no registry. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

interface Entry {
  version?: string;
  optionalDependencies?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  resolved?: string;
}

const text = readFileSync(resolve(import.meta.dirname, "../package-lock.json"), "utf8");
const packages: Record<string, Entry> = JSON.parse(text).packages;

it("has an entry for every platform's optional packages (`npm run lock` adds what npm left out)", () => {
  const missing = Object.entries(packages).flatMap(([owner, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined &&
        packages[`${owner}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

it("agrees with package.json", () => {
  const own: Entry = JSON.parse(readFileSync(resolve(import.meta.dirname, "../package.json"), "utf8"));
  expect(packages[""]!.dependencies).toEqual(own.dependencies);
  expect(packages[""]!.devDependencies).toEqual(own.devDependencies);
  expect(packages[""]!.optionalDependencies).toEqual(own.optionalDependencies);
  for (const [name, version] of Object.entries({
    ...own.dependencies,
    ...own.devDependencies,
    ...own.optionalDependencies,
  })) {
    expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
});

it("names no registry", () => {
  expect(Object.values(packages).filter((entry) => entry.resolved !== undefined)).toEqual([]);
});
