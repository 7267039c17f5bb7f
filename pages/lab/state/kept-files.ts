/** The files that a user saved in a static page; the browser stores them, because there is no server. */

const key = (project: string): string => `p4loom-lab-files ${project}`;

/** The saved texts of a project by path. */
export function keptFiles(project: string): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(key(project)) ?? "{}") as Record<string, string>;
  } catch {
    // The browser does not store data for this page, or other code wrote this item.
    return {};
  }
}

/** Stores a file. False if the browser does not store it. */
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
    // Nothing is stored, so nothing has to be deleted.
  }
}
