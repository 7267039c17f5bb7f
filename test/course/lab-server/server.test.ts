/** The server of a lab: who is let in, what is bounded, and files that stay in their folder. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  type LabServer,
  openSimulatedLab,
  readLabProject,
  serveLab,
} from "../../../src/course/lab-server/index.js";
import { ROOT } from "../lab/wall.js";

const PAGE = { type: "text/html", bytes: new TextEncoder().encode("<p>page</p>") };
const SCRIPT = { type: "text/javascript", bytes: new TextEncoder().encode("1;") };

let folder = "";
let server: LabServer;
let lab: Awaited<ReturnType<typeof openSimulatedLab>>;
let query = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-lab-"));
  cpSync(join(ROOT, "examples/exercise"), join(folder, "exercise"), { recursive: true });
  writeFileSync(join(folder, "secret.p4"), "secret");
  lab = await openSimulatedLab(await readLabProject(join(folder, "exercise")), 1);
  const page = (name: string) => ({ "index.html": PAGE, "main.js": SCRIPT })[name];
  server = await serveLab({ service: lab.service, port: 0, page });
  query = new URL(server.url).search;
});

afterAll(async () => {
  await server.close();
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  text: string;
  headers: IncomingHttpHeaders;
}

function get(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: server.port, path, headers, method }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode!, text, headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The status that refuses a WebSocket, or `open`. */
function socket(path: string, headers: Record<string, string> = {}): Promise<WebSocket | number> {
  return new Promise((resolve) => {
    const made = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers });
    made.on("open", () => resolve(made));
    made.on("unexpected-response", (_, response) => resolve(response.statusCode!));
    made.on("error", () => {});
  });
}

async function ask(path: string, call: unknown): Promise<Record<string, unknown>> {
  const page = (await socket(path)) as WebSocket;
  const answer = new Promise<Record<string, unknown>>((resolve) => {
    page.on("message", (data) => {
      const message = JSON.parse(String(data));
      if ("reply" in message) resolve(message);
    });
  });
  page.send(typeof call === "string" ? call : JSON.stringify(call));
  const message = await answer;
  page.close();
  return message;
}

describe("the server of a lab", () => {
  it("serves its page to who has the URL, with nothing from elsewhere allowed in it", async () => {
    const page = await get(`/${query}`);
    expect([page.status, page.text]).toEqual([200, "<p>page</p>"]);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.headers["content-security-policy"]).not.toMatch(/https?:\/\/(?!127|localhost)/);
    expect((await get("/main.js")).status).toBe(200);
    expect((await get("/nothing.js")).status).toBe(404);
  });

  it("is reached by the loopback address alone", async () => {
    const outside = await new Promise((resolve) => {
      const tried = connect({ port: server.port, host: "127.0.0.2" });
      tried.on("connect", () => resolve("connected"));
      tried.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    expect(outside).toBe("ECONNREFUSED");
  });

  it("refuses a missing or wrong token", async () => {
    const wrong = query.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect([(await get("/")).status, (await get(`/${wrong}`)).status]).toEqual([403, 403]);
    expect([await socket("/socket"), await socket(`/socket${wrong}`)]).toEqual([403, 403]);
  });

  it("refuses another Host and another Origin, also with the token", async () => {
    const hosts = [
      "evil.example",
      `evil.example:${server.port}`,
      "127.0.0.1",
      `localhost:${server.port + 1}`,
    ];
    for (const host of hosts) expect((await get(`/${query}`, { host })).status, host).toBe(403);
    expect((await get(`/${query}`, { host: `localhost:${server.port}` })).status).toBe(200);
    const origins = ["http://evil.example", "null", `https://127.0.0.1:${server.port}`, "http://127.0.0.1:1"];
    for (const origin of origins) {
      expect((await get(`/${query}`, { origin })).status, origin).toBe(403);
      expect(await socket(`/socket${query}`, { origin }), origin).toBe(403);
    }
    const own = await socket(`/socket${query}`, { origin: `http://127.0.0.1:${server.port}` });
    expect(own).toBeInstanceOf(WebSocket);
    (own as WebSocket).close();
    // Another port of this machine is another origin of the same site.
    for (const site of ["cross-site", "same-site"])
      expect((await get("/main.js", { "sec-fetch-site": site })).status, site).toBe(403);
    for (const site of ["same-origin", "none"])
      expect((await get("/main.js", { "sec-fetch-site": site })).status, site).toBe(200);
  });

  it("takes no other method, no body, no long headers", async () => {
    expect((await get(`/${query}`, {}, "POST", "x")).status).toBe(405);
    expect((await get(`/${query}`, {}, "DELETE")).status).toBe(405);
    expect((await get(`/${query}`, { "content-length": "5" }, "GET", "12345")).status).toBe(413);
    expect((await get(`/${query}`, { long: "x".repeat(20_000) })).status).toBe(431);
  });

  it("answers calls, and reports what is wrong with data that are none", async () => {
    const path = `/socket${query}`;
    const { id, reply } = await ask(path, { id: 7, request: { op: "describe" } });
    expect([id, reply]).toMatchObject([7, { ok: true, value: { title: "exercise" } }]);
    const wrong = [
      "no JSON",
      "[1,2]",
      { id: 3, request: { op: "explode" } },
      { id: 4, request: { op: "describe", more: 1 } },
      { id: -1, request: { op: "describe" } },
      { id: 5, request: { op: "files.save", path: "x.p4" } },
      { id: 6, request: { op: "clock.set", speed: "fast" } },
    ];
    for (const call of wrong) {
      const answer = (await ask(path, call)) as { reply: { ok: boolean; diagnostics: unknown[] } };
      expect(answer.reply.ok, JSON.stringify(call)).toBe(false);
      expect(answer.reply.diagnostics.length).toBeGreaterThan(0);
    }
  });

  it("closes a page that sends too much at once, or bytes instead of text", async () => {
    const closed = async (send: (page: WebSocket) => void): Promise<number> => {
      const page = (await socket(`/socket${query}`)) as WebSocket;
      const code = new Promise<number>((resolve) => page.on("close", resolve));
      send(page);
      return code;
    };
    expect(await closed((page) => page.send("x".repeat(6 * 2 ** 20)))).toBe(1009);
    expect(await closed((page) => page.send(new Uint8Array(3)))).toBe(1003);
    const many = JSON.stringify({ id: 1, request: { op: "describe" } });
    expect(
      await closed((page) => {
        for (let i = 0; i < 5000; i++) page.send(many);
      }),
    ).toBe(1013);
  });

  it("writes files of its folder only", async () => {
    const path = `/socket${query}`;
    symlinkSync(folder, join(folder, "exercise/up"));
    symlinkSync(join(folder, "secret.p4"), join(folder, "exercise/link.p4"));
    const save = async (file: string) => {
      const { reply } = await ask(path, {
        id: 1,
        request: { op: "files.save", path: file, text: "changed" },
      });
      return (reply as { ok: boolean; diagnostics: { code: string }[] }).diagnostics[0]?.code ?? "saved";
    };
    const outside = ["../secret.p4", "/etc/x.p4", "a/../../secret.p4", "..", "", "a\\..\\b.p4", "a\0b.p4"];
    for (const file of outside) expect(await save(file), file).toMatch(/P46001|P43/);
    expect(await save("up/secret.p4")).toBe("P46053");
    expect(await save("link.p4")).toBe("P46053");
    expect(readFileSync(join(folder, "secret.p4"), "utf8")).toBe("secret");
    const read = await ask(path, { id: 1, request: { op: "files.read", path: "link.p4" } });
    expect(read).toMatchObject({ reply: { ok: false } });
    expect(await save("notes/new.md")).toBe("saved");
    expect(readFileSync(join(folder, "exercise/notes/new.md"), "utf8")).toBe("changed");
  });

  it("is notified of files that change", async () => {
    const page = (await socket(`/socket${query}`)) as WebSocket;
    const changed = new Promise<string>((resolve) => {
      page.on("message", (data) => {
        const { event } = JSON.parse(String(data));
        if (event?.kind === "file") resolve(event.path);
      });
    });
    writeFileSync(join(folder, "exercise/README.md"), "written by an editor");
    expect(await changed).toBe("README.md");
    page.close();
  });
});
