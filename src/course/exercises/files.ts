/** Files of an exercise in memory. */
import { isWithin, pathIn } from "../../base/index.js";
import type { ExerciseFiles } from "./folder.js";

/** Files from texts by their paths. */
export function filesOf(texts: ReadonlyMap<string, string>): ExerciseFiles {
  const list = (folder: string): string[] => {
    const whole = pathIn("", folder);
    const start = whole === "" ? 0 : whole.length + 1;
    const inside = [...texts.keys()].filter((path) => path !== whole && isWithin(whole, path));
    return [...new Set(inside.map((path) => path.slice(start).split("/")[0]!))].sort();
  };
  return {
    absolute: (path) => pathIn("", path),
    exists: (path) => texts.has(path) || list(path).length > 0,
    list,
    read: (path) => {
      const text = texts.get(path);
      if (text === undefined) throw new Error(`there is no file ${path}`);
      return text;
    },
  };
}

/** Two sets of files as one: a file of `front` replaces the file of `base` with the same path. */
export function overlay(front: ExerciseFiles, base: ExerciseFiles): ExerciseFiles {
  return {
    absolute: base.absolute,
    exists: (path) => front.exists(path) || base.exists(path),
    list: (folder) => [...new Set([...front.list(folder), ...base.list(folder)])].sort(),
    read: (path) => (front.exists(path) ? front : base).read(path),
  };
}
