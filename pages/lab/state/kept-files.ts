/** What was saved in a static page: this browser keeps it, since no server does. */

const key = (project: string): string => `p4loom-lab-files ${project}`;

/** The saved texts of a project by path. */
export function keptFiles(project: string): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(key(project)) ?? "{}") as Record<string, string>;
  } catch {
    // The browser keeps nothing for this page, or somebody else wrote there.
    return {};
  }
}

/** False when the browser does not keep it. */
export function keepFile(project: string, path: string, text: string): boolean {
  try {
    localStorage.setItem(key(project), JSON.stringify({ ...keptFiles(project), [path]: text }));
    return true;
  } catch {
    return false;
  }
}

export function forgetFiles(project: string): void {
  try {
    localStorage.removeItem(key(project));
  } catch {
    // Then there is nothing to forget.
  }
}
