/** A folder of text files, such as the package's templates. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A folder and what is below it; paths are relative to it, with `/` between names. */
export interface TextFolder {
  /** Names of the entries of a folder; empty where there is no such folder. */
  list(path: string): readonly string[];
  read(path: string): string;
}

export function textFolder(root: string | URL): TextFolder {
  const top = typeof root === "string" ? root : fileURLToPath(root);
  return {
    list(path) {
      try {
        return readdirSync(join(top, path));
      } catch (error) {
        if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
        throw error;
      }
    },
    read: (path) => readFileSync(join(top, path), "utf8"),
  };
}
