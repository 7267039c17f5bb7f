/** `p4loom new course NAME --for moodle`: a question for CodeRunner of each exercise, in a file that Moodle imports. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, defined } from "../../base/index.js";
import { coderunnerXml, exerciseTexts, openExerciseFolder } from "../../course/submissions/index.js";
import { EXIT } from "../outcome.js";
import { foldersOf, ownVersion, page } from "./new-course.js";
import { templates, writeNewFolder } from "./write-folder.js";

/**
 * @param exercises folders; none: those of the package's course
 * Fails with the errors of an exercise, P46318, P40005 for two folders of one name, and the errors of writeNewFolder.
 */
export function newQuestions(name: string, exercises: readonly string[]): number {
  const { folders, names } = foldersOf(exercises);
  const files = new Map(templates("data/new-questions", name).map(({ path, content }) => [path, content]));
  const sources = folders.map((folder) => {
    const text = join(folder, "README.md");
    return {
      exercise: openExerciseFolder(folder, new Diagnostics()),
      text: existsSync(text) ? readFileSync(text, "utf8") : "",
      files: exerciseTexts(folder),
    };
  });
  const questions = coderunnerXml(sources, name, defined(files.get("grader.py")));
  const readme = {
    path: "README.md",
    content: defined(files.get("README.md")).replace("VERSION", ownVersion()),
  };
  writeNewFolder(name, () => [page(readme, folders, names), { path: "questions.xml", content: questions }]);
  process.stderr.write(
    `${name}/questions.xml has ${names.length} questions for CodeRunner; ${name}/README.md says how to import them\n`,
  );
  return EXIT.success;
}
