/** The projects of a static page, and the choice of one. */

import { t } from "./language/texts.js";
import { forgetFiles, keptFiles } from "./state/kept-files.js";

/** A project of `projects.json`; `file` is the JSON file with its contents. */
interface Project {
  readonly name: string;
  readonly title: string;
  readonly file: string;
}

export interface Projects {
  readonly list: readonly Project[];
  readonly current: Project;
}

/** The projects in the folder of this page; undefined if the page comes from a lab server. */
export async function readProjects(): Promise<Projects | undefined> {
  const answer = await fetch("projects.json").catch(() => undefined);
  if (answer === undefined || !answer.ok) return undefined;
  const { projects } = (await answer.json()) as { projects: readonly Project[] };
  const wanted = new URLSearchParams(location.search).get("project");
  const current = projects.find(({ name }) => name === wanted) ?? projects[0]!;
  return { list: projects, current };
}

export function ProjectChoice({ projects: { list, current } }: { projects: Projects }) {
  const startOver = () => {
    forgetFiles(current.name);
    location.reload();
  };
  return (
    <>
      {list.length === 1 ? null : (
        <select
          aria-label={t("project.choice")}
          value={current.name}
          onChange={({ currentTarget }) => {
            const parameters = new URLSearchParams(location.search);
            parameters.set("project", currentTarget.value);
            location.search = parameters.toString();
          }}
        >
          {list.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      )}
      {Object.keys(keptFiles(current.name)).length === 0 ? null : (
        <button type="button" title={t("project.startOver.title")} onClick={startOver}>
          {t("project.startOver")}
        </button>
      )}
    </>
  );
}
