/** Starts the page: connects to its lab, on the server that served the page or in a worker, and shows it. */
import { render } from "preact";
import "./style/theme.css";
import "./style/layout.css";
import "./style/network.css";
import "./style/panels.css";
import { App } from "./app.js";
import { connectSocket } from "./connection/socket.js";
import { connectWorker } from "./connection/worker.js";
import { keepOffline } from "./install.js";
import { readLanguages, startLanguage } from "./language/choice.js";
import { readProjects } from "./projects.js";
import { keptFiles } from "./state/kept-files.js";
import { Lab } from "./state/lab.js";

const [languages, projects] = await Promise.all([readLanguages(), readProjects()]);
await startLanguage(languages);
const lab = new Lab(projects?.current.name);
const lost = (reason: string) => lab.lost(reason);
const place = document.getElementById("page")!;
// The text for readers whose browser starts no program of the page.
place.replaceChildren();
render(<App lab={lab} projects={projects} languages={languages} />, place);
try {
  const connection =
    projects === undefined
      ? connectSocket(lost)
      : connectWorker(projects.current.file, keptFiles(projects.current.name), lost);
  await lab.open(await connection);
  if (projects !== undefined) await keepOffline();
} catch (error) {
  lost(error instanceof Error ? error.message : String(error));
}
