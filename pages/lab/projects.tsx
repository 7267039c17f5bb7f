/** The projects of a static page, and the choice of one. */
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
          aria-label="Exercise"
          value={current.name}
          onChange={({ currentTarget }) => {
            location.search = new URLSearchParams({ project: currentTarget.value }).toString();
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
        <button type="button" title="Deletes the files that were saved in this browser" onClick={startOver}>
          Start over
        </button>
      )}
    </>
  );
}
