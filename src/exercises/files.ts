/** Files of an exercise that are in memory. */
import { isWithin, pathIn } from "../base/index.js";
import type { ExerciseFiles } from "./folder.js";

/** Texts by their paths. */
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

/** Files with others in front of them: what is in `front` hides what has the same path behind. */
export function overlay(front: ExerciseFiles, behind: ExerciseFiles): ExerciseFiles {
  return {
    absolute: behind.absolute,
    exists: (path) => front.exists(path) || behind.exists(path),
    list: (folder) => [...new Set([...front.list(folder), ...behind.list(folder)])].sort(),
    read: (path) => (front.exists(path) ? front : behind).read(path),
  };
}
