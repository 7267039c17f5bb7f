/** `p4loom new course NAME`: what students get of some exercises, each folder with the files that grade it where students push it. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Diagnostics, fail } from "../../base/index.js";
import { openExerciseFolder, studentFiles } from "../../course/submissions/index.js";
import { type OutputFile, packageFile } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { EXIT } from "../outcome.js";
import { templates, writeNewFolder } from "./write-folder.js";

/** Where the templates of `data/new-course` go, in the folder of an exercise. */
const PLACES: Readonly<Record<string, string>> = {
  "classroom.yml": ".github/workflows/classroom.yml",
  "gitlab-ci.yml": ".gitlab-ci.yml",
};

/**
 * @param exercises folders; none: those of the package's course
 * Fails with the errors of an exercise, with P40005 for two folders of one name, and with the errors of writeNewFolder.
 */
export function newCourse(name: string, exercises: readonly string[]): number {
  const { folders, names } = foldersOf(exercises);
  for (const folder of folders) openExerciseFolder(folder, new Diagnostics());
  const files = templates("data/new-course", name);
  writeNewFolder(name, () => [
    ...files.filter(({ path }) => PLACES[path] === undefined).map((file) => page(file, folders, names)),
    ...folders.flatMap((folder, index) =>
      [...studentFiles(folder), ...pushed(files)].map(({ path, content }) => ({
        path: `${names[index]!}/${path}`,
        content,
      })),
    ),
  ]);
  process.stderr.write(
    `${name}/ has ${names.length} exercises for students; ${name}/README.md says how to give them out\n`,
  );
  return EXIT.success;
}

/**
 * The folders of a course with their names; without folders those of the package's course. Fails with P40005 for two of one name.
 */
export function foldersOf(exercises: readonly string[]): {
  readonly folders: readonly string[];
  readonly names: readonly string[];
} {
  const folders = exercises.length > 0 ? exercises : ownCourse();
  const names = folders.map((folder) => basename(resolve(folder)));
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined)
    fail(
      CODES.wrongValue,
      undefined,
      `two exercises are named ${twice}`,
      "the course has a folder for each name",
    );
  return { folders, names };
}

function ownCourse(): string[] {
  const folder = fileURLToPath(packageFile("examples/course"));
  return readdirSync(folder)
    .sort()
    .map((one) => join(folder, one));
}

/** The files that grade an exercise where it is pushed, with the version of p4loom that wrote them. */
function pushed(files: readonly { path: string; content: string }[]): OutputFile[] {
  const version = ownVersion();
  return files.flatMap(({ path, content }) => {
    const place = PLACES[path];
    return place === undefined ? [] : [{ path: place, content: content.replaceAll("VERSION", version) }];
  });
}

/** The version of p4loom that writes the course. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
}

/** The teacher's page, with the folders of the exercises. */
export function page(
  { path, content }: { path: string; content: string },
  folders: readonly string[],
  names: readonly string[],
): OutputFile {
  const sources = folders.map(
    (folder, index) => `- \`${names[index]}\`: from \`${relative(".", folder) || "."}\``,
  );
  return { path, content: content.replace("SOURCES", sources.join("\n")) };
}
