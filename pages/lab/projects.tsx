/** The projects of a static page: which there are, and which one is open. */

/** A project of `projects.json`; `file` has its files as JSON. */
interface Project {
  readonly name: string;
  readonly title: string;
  readonly file: string;
}

export interface Projects {
  readonly list: readonly Project[];
  readonly current: string;
}

/** The projects beside this page; undefined: a server has the lab. */
export async function readProjects(): Promise<Projects | undefined> {
  const answer = await fetch("projects.json").catch(() => undefined);
  if (answer === undefined || !answer.ok) return undefined;
  const { projects } = (await answer.json()) as { projects: readonly Project[] };
  const wanted = new URLSearchParams(location.search).get("project");
  const current = projects.find(({ name }) => name === wanted) ?? projects[0]!;
  return { list: projects, current: current.name };
}

export function ProjectChoice({ projects: { list, current } }: { projects: Projects }) {
  if (list.length === 1) return null;
  return (
    <select
      aria-label="Exercise"
      value={current}
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
  );
}
