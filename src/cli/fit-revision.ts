/** A program as a git revision has it: the repository's files of that revision in a folder of their own, with an index of its own. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fail } from "../base/index.js";
import { runCommand } from "../toolchain/loading/index.js";
import { CODES } from "./codes.js";

interface Place {
  /** The program in that revision. */
  readonly path: string;
  /** A folder of the present tree in that revision; others stay as they are. */
  readonly folderOf: (folder: string) => string;
}

/**
 * Calls `use` with the program at `revision`, and removes the files afterwards. The repository, its index and its work tree stay as they
 * are. Fails where the program is in no repository, or the revision or the file in it does not exist.
 */
export async function atRevision<T>(
  path: string,
  revision: string,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  const wrong = (what: string): never =>
    fail(
      CODES.wrongValue,
      undefined,
      `--diff ${revision}: ${what}`,
      "name a file, or a git revision that has the program: HEAD~1, a tag, a commit",
    );
  // A revision never begins with a dash: git would take it for an option.
  if (revision.startsWith("-")) wrong("no file and no git revision");
  // Git names its folder without symbolic links, so names are compared without.
  const physical = (one: string) => (existsSync(one) ? realpathSync(one) : resolve(one));
  const from = dirname(physical(path));
  const top = await runCommand(["git", "-C", from, "rev-parse", "--show-toplevel"]);
  if (top.error !== undefined) wrong("no such file, and the program is in no git repository");
  const root = top.stdout.trim();
  const known = await runCommand([
    "git",
    "-C",
    root,
    "rev-parse",
    "--verify",
    "--quiet",
    `${revision}^{commit}`,
  ]);
  if (known.error !== undefined) wrong("no such file, and no such git revision");
  const folder = mkdtempSync(join(tmpdir(), "p4loom-diff-"));
  try {
    const git = async (...args: string[]) => {
      const index = `GIT_INDEX_FILE=${join(folder, "index")}`;
      const end = await runCommand(["env", index, "git", "-C", root, ...args]);
      if (end.error !== undefined) wrong(`git ${args[0]}: ${end.error}`);
    };
    const tree = join(folder, "tree");
    await git("read-tree", known.stdout.trim());
    await git("checkout-index", "--all", `--prefix=${tree}/`);
    const below = (one: string) => relative(root, physical(one));
    const inTree = (one: string) => join(tree, below(one));
    const isInside = (one: string) => !/^\.\.(?:[/\\]|$)/.test(below(one)) && !isAbsolute(below(one));
    if (!isInside(path)) wrong("no such file, and the program is outside of its git repository");
    const old = inTree(path);
    if (!existsSync(old)) wrong(`the revision has no ${below(path)}`);
    return await use({ path: old, folderOf: (one) => (isInside(one) ? inTree(one) : one) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
