/** Starts the page: finds its lab, at the server that it comes from or in a worker of its own, and shows it. */
import { render } from "preact";
import "./style/theme.css";
import "./style/layout.css";
import "./style/network.css";
import "./style/panels.css";
import { App } from "./app.js";
import { connectSocket } from "./connection/socket.js";
import { readProjects } from "./projects.js";
import { Lab } from "./state/lab.js";

const lab = new Lab();
const page = document.getElementById("page")!;

try {
  const projects = await readProjects();
  render(<App lab={lab} projects={projects} />, page);
  const lost = (reason: string) => lab.lost(reason);
  await lab.open(await connectSocket(lost));
} catch (error) {
  lab.lost(error instanceof Error ? error.message : String(error));
}
