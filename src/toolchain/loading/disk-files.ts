/** The files of this machine, for rooms that read folders without touching the file system by themselves. */
import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { readSource } from "./files.js";

export const diskFiles = {
  absolute: (path: string): string => resolve(path),
  exists: (path: string): boolean => existsSync(path),
  list(folder: string): readonly string[] {
    try {
      return readdirSync(folder).sort();
    } catch {
      return [];
    }
  },
  /** Fails as {@link readSource} does. */
  read: (path: string): string => readSource(path).text,
};
