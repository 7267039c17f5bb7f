import type { LabConnection, LabMessage } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { MessageConnection } from "./messages.js";

/** The first message to the worker: the address of the project, and texts that replace those of its files. */
export interface OpenProject {
  readonly open: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The answer of a worker that has no lab: the status of a project that its server did not give, or another error. */
export type NotOpened = { readonly unread: string } | { readonly failed: string };

/** Starts a lab in a worker of this page, with the project of a JSON file. `files`: the files that were saved in this browser. */
export function connectWorker(
  project: string,
  files: Readonly<Record<string, string>>,
  lost: (reason: string) => void,
): Promise<LabConnection> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("worker.js", location.href), { type: "module" });
    const connection = new MessageConnection({
      send: (message) => worker.postMessage(message),
      close: () => worker.terminate(),
    });
    let open = false;
    const fail = (reason: string) => {
      connection.lose(reason);
      if (open) lost(reason);
      else reject(new Error(reason));
    };
    worker.onmessage = ({ data }: MessageEvent<LabMessage | { ready: true } | NotOpened>) => {
      if ("ready" in data) {
        open = true;
        resolve(connection);
      } else if ("unread" in data) fail(t("lab.projectUnread", { reason: data.unread }));
      else if ("failed" in data) fail(data.failed);
      else connection.receive(data);
    };
    worker.onerror = ({ message }) => fail(t("lab.workerFailed", { message }));
    worker.postMessage({ open: new URL(project, location.href).href, files } satisfies OpenProject);
  });
}
