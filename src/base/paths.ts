/**
 * Paths with `/` between names, for code that also runs without a file system. The empty path is the folder to which
 * paths are relative.
 */

/** The path without empty names, `.` and, where a name precedes it, `..`. */
function normalised(path: string): string {
  const isAbsolute = path.startsWith("/");
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== ".." || names.length === 0 || names.at(-1) === "..") {
      if (!(name === ".." && isAbsolute)) names.push(name);
    } else names.pop();
  }
  return (isAbsolute ? "/" : "") + names.join("/");
}

/** `path` resolved relative to `folder`; an absolute path is returned unchanged. */
export function pathIn(folder: string, path: string): string {
  return normalised(path.startsWith("/") || folder === "" ? path : `${folder}/${path}`);
}

/** The folder of a file, or of a folder. */
export function folderOfPath(path: string): string {
  const whole = normalised(path);
  const slash = whole.lastIndexOf("/");
  return slash <= 0 ? whole.slice(0, slash + 1) : whole.slice(0, slash);
}

/** The last name of a path, without `suffix` if it ends with it. */
export function nameOfPath(path: string, suffix = ""): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return suffix !== "" && name.endsWith(suffix) && name !== suffix ? name.slice(0, -suffix.length) : name;
}

/** Whether a path, as {@link pathIn} returns it, is in a folder or below it. */
export function isWithin(folder: string, path: string): boolean {
  if (folder === "") return !path.startsWith("/") && path !== ".." && !path.startsWith("../");
  return path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);
}
