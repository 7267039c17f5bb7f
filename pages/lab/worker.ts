/**
 * The lab of a static page: compiler, switches and simulator in a worker. The first message names its project; all
 * others are calls.
 */
import { answerCall, exerciseTests, type LabProject, LabSession } from "../../src/course/lab/index.js";
import type { NotOpened, OpenProject } from "./connection/worker.js";

/** The seed of the switches; it is fixed, so that the network is always the same. */
const SEED = 1;

const timers = {
  now: () => performance.now(),
  later(milliseconds: number, fn: () => void) {
    const timer = setTimeout(fn, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Waits for one turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

const notOpened = (why: NotOpened): void => postMessage(why);

async function open({ open: address, files }: OpenProject): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok) return notOpened({ unread: `${answer.status} ${answer.statusText}` });
  const project = (await answer.json()) as LabProject;
  const session = await LabSession.open(
    { ...project, files: { ...project.files, ...files } },
    { timers, seed: SEED, tests: exerciseTests(() => ({ turn })) },
  );
  session.subscribe((event) => postMessage({ event }));
  globalThis.onmessage = async ({ data }) => postMessage(await answerCall(session, data));
  postMessage({ ready: true });
}

globalThis.onmessage = ({ data }: MessageEvent<OpenProject>) => {
  open(data).catch((error: unknown) =>
    notOpened({ failed: error instanceof Error ? error.message : String(error) }),
  );
};
