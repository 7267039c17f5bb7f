/**
 * The project of a student: the files of the exercise as the teacher has them, which the student only reads, and the student's own of those
 * to hand in. So the tests and their points are the teacher's, and a correction of the exercise reaches everyone.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError, Diagnostics, fail } from "../../../base/index.js";
import { EXERCISE_FILE, filesOf, readExercise } from "../../exercises/index.js";
import { CODES } from "../codes.js";
import { readFolder, writeInFolder } from "../folder.js";
import { type ProjectOnDisk, readLabProject } from "../read-project.js";

/** The files to hand in, and the visible tests. Fails with P46072 where the folder is no exercise with tests. */
export async function roomExercise(path: string) {
  const { project, folder } = await readLabProject(path);
  if (folder === undefined || project.open.kind !== "exercise" || project.files[EXERCISE_FILE] === undefined)
    return fail(
      CODES.roomExercise,
      undefined,
      `${path} is not the folder of an exercise with tests`,
      "a room has one exercise with its exercise.yaml",
    );
  const diagnostics = new Diagnostics();
  const exercise = readExercise(filesOf(new Map(Object.entries(project.files))), "", diagnostics);
  if (exercise === undefined || diagnostics.hasErrors) throw new DiagnosticError(diagnostics.list);
  const tests = exercise.tests.filter(({ hidden }) => !hidden).map(({ name, points }) => ({ name, points }));
  return { project, folder, handsIn: exercise.handsIn, title: exercise.title, tests };
}

/** `folder`: that of the student's files; those that it does not have yet are written to it. */
export async function seatProject(path: string, folder: string): Promise<ProjectOnDisk> {
  const { project, handsIn } = await roomExercise(path);
  for (const name of handsIn) {
    const start = project.files[name];
    if (start !== undefined && !existsSync(join(folder, name))) writeInFolder(folder, name, start);
  }
  const own = readFolder(folder);
  const files = { ...project.files };
  for (const name of handsIn) if (own[name] !== undefined) files[name] = own[name];
  const readOnly = Object.keys(files).filter((name) => !handsIn.includes(name));
  return { project: { ...project, files, readOnly }, folder, writable: handsIn };
}
