/** Files of an exercise, on disk or in memory. */
import { isWithin, pathIn } from "../../base/index.js";

/** The files of an exercise, on disk or in memory. Paths have `/` between names. */
export interface ExerciseFiles {
  /** Converts a path from the user to the form that the other methods expect. */
  absolute(path: string): string;
  /** Whether a file or a folder exists at the path. */
  exists(path: string): boolean;
  /** Names in a folder; empty if the folder does not exist. */
  list(folder: string): readonly string[];
  read(path: string): string;
}

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
