import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod";
import { OMITTED_OF_ZOD } from "../../tools/bundle-plugins.mjs";

const root = resolve(import.meta.dirname, "../..");
const names = Object.values(OMITTED_OF_ZOD).flat();

it("omits names of zod that no source has", () => {
  const uses = new RegExp(`\\bz\\.(${names.join("|")})\\b`);
  const users = ["src", "pages"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
        join(folder, path),
      ),
    )
    .filter((path) => path.endsWith(".ts") && uses.test(readFileSync(join(root, path), "utf8")));
  expect(users).toEqual([]);
});

it("omits names that zod has: an update of zod that moves them fails here", async () => {
  for (const [path, own] of Object.entries(OMITTED_OF_ZOD)) {
    const module: object = await import(join(root, "node_modules/zod/v4", path));
    expect(Object.keys(module).sort(), path).toEqual([...own].sort());
  }
  expect(z).toHaveProperty("fromJSONSchema");
});
