/** Files that are chosen while others are read: the replies come in any order. */
import { describe, expect, it } from "vitest";
import { Lab } from "../../../../pages/lab/state/lab.js";

type Connection = Parameters<Lab["open"]>[0];

/** A lab whose replies to "read this file" wait until they are released. */
async function labWithHeldFiles(): Promise<{ lab: Lab; release(path: string): Promise<void> }> {
  const held: { path: string; reply: (value: unknown) => void }[] = [];
  const connection = {
    subscribe: () => {},
    request: (request: { op: string; path?: string }) =>
      request.op === "files.read"
        ? new Promise((reply) => held.push({ path: request.path ?? "", reply }))
        : Promise.resolve({ ok: false, diagnostics: [] }),
  };
  const lab = new Lab(undefined);
  await lab.open(connection as unknown as Connection);
  return {
    lab,
    release: async (path) => {
      const at = held.findIndex((one) => one.path === path);
      held.splice(at, 1)[0]?.reply({ ok: true, value: { text: `text of ${path}` } });
      await Promise.resolve();
    },
  };
}

describe("files of the page", () => {
  it("shows the file that was chosen last, whichever reply comes last", async () => {
    const { lab, release } = await labWithHeldFiles();
    const opening = [lab.openFile("README.md"), lab.openFile("a.p4")];
    await release("a.p4");
    await release("README.md");
    await Promise.all(opening);
    expect(lab.store.value.shown).toBe("a.p4");
    expect(lab.store.value.open.map(({ path }) => path)).toEqual(["a.p4", "README.md"]);
  });

  it("opens a file once, also where it is chosen again while it is read", async () => {
    const { lab, release } = await labWithHeldFiles();
    const opening = [lab.openFile("a.p4"), lab.openFile("a.p4")];
    await release("a.p4");
    await release("a.p4");
    await Promise.all(opening);
    expect(lab.store.value.open.map(({ path }) => path)).toEqual(["a.p4"]);
    expect(lab.store.value.shown).toBe("a.p4");
  });
});
