/** The lab's server over a service that the test gives: each kind of request by HTTP, and the bounds of a page's connection. */
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { LabEvent, LabReply, LabService } from "../../../src/course/lab/index.js";
import { serveLab } from "../../../src/course/lab-server/server.js";

const PAGE = { type: "text/html", bytes: new TextEncoder().encode("<p>page</p>") };
const SCRIPT = { type: "text/javascript", bytes: new TextEncoder().encode("12;") };
const SERVED: Readonly<Record<string, typeof PAGE>> = { "index.html": PAGE, "main.js": SCRIPT };
const OK: LabReply = { ok: true, value: {}, diagnostics: [] };

/** A server whose service replies as the test says, and tells events to the pages. */
async function serving(apply: LabService["apply"] = async () => OK) {
  const listeners = new Set<(event: LabEvent) => void>();
  const service: LabService = {
    apply,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {},
  };
  const server = await serveLab({ service, port: 0, page: (name) => SERVED[name] });
  onTestFinished(() => server.close());
  const { search } = new URL(server.url);
  const tell = (event: object): void => {
    for (const listener of listeners) listener(event as LabEvent);
  };
  return { server, listeners, tell, port: server.port, search };
}

const poll = <T>(fn: () => T) => expect.poll(fn, { interval: 3, timeout: 20_000 });

interface Answer {
  status: number;
  text: string;
  headers: IncomingHttpHeaders;
}

function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, agent: false, ...rest }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode!, text, headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** An open page, and what it has received; or the answer that refused it. */
function page(port: number, path: string, headers: Record<string, string> = {}): Promise<WebSocket | Answer> {
  return new Promise((resolve) => {
    const made = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    made.on("open", () => resolve(made));
    made.on("error", () => {});
    made.on("unexpected-response", (_, response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode!, text, headers: response.headers }));
    });
  });
}

async function openPage(port: number, search: string): Promise<WebSocket> {
  const made = await page(port, `/socket${search}`);
  if (!(made instanceof WebSocket)) throw new Error(`refused: ${made.text}`);
  return made;
}

const closed = (socket: WebSocket): Promise<[code: number, why: string]> =>
  new Promise((resolve) => socket.on("close", (code, why) => resolve([code, String(why)])));

it("serves a file with its type and length, and its head alone where only that is asked for", async () => {
  const { port, search } = await serving();
  for (const path of [`/${search}`, `/index.html${search}`]) {
    const { status, text, headers } = await ask(port, path);
    expect([status, text]).toEqual([200, "<p>page</p>"]);
    expect(headers).toMatchObject({ "content-type": "text/html", "content-length": "11" });
  }
  const script = await ask(port, "/main.js");
  expect([script.status, script.text]).toEqual([200, "12;"]);
  const head = await ask(port, "/main.js", { method: "HEAD" });
  expect([head.status, head.text]).toEqual([200, ""]);
  expect(head.headers).toMatchObject({ "content-type": "text/javascript", "content-length": "3" });
});

it("forbids in each answer, also a refusal, what a page from elsewhere could use", async () => {
  const { port, search } = await serving();
  for (const path of [`/${search}`, "/none.js"]) {
    const { headers } = await ask(port, path);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
    expect(String(headers["content-security-policy"]).split("; ")).toEqual([
      ...["default-src 'none'", "script-src 'self'", "worker-src 'self'"],
      ...["style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'"],
      `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}`,
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ]);
  }
});

it("says why it refuses a request", async () => {
  const { port, search } = await serving();
  const refusal = async (path: string, options?: Parameters<typeof ask>[2]) => {
    const { status, text, headers } = await ask(port, path, options);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    return [status, text];
  };
  const noToken = [403, "the token is missing: open the URL that p4loom lab printed\n"];
  expect(await refusal("/")).toEqual(noToken);
  expect(await refusal("/index.html")).toEqual(noToken);
  expect(await refusal(`/${search}x`)).toEqual(noToken);
  expect(await refusal("/none.js")).toEqual([404, "there is no such file\n"]);
  expect(await refusal("//")).toEqual([400, "no URL\n"]);
  expect(await refusal(`/${search}`, { headers: { host: "evil.example" } })).toEqual([
    403,
    "the request names another host\n",
  ]);
});

it.each([
  ["POST", {}, undefined, 405],
  ["POST", {}, "x", 405],
  ["PUT", {}, "x", 405],
  ["GET", {}, "12345", 413],
  ["GET", { "transfer-encoding": "chunked" }, "12345", 413],
  ["HEAD", { "content-length": "2" }, "12", 413],
  ["GET", { "content-length": "0" }, undefined, 200],
] as const)(
  "takes GET and HEAD without a body: %s %j with %j gets %i %i",
  async (method, given, body, status) => {
    const { port, search } = await serving();
    const headers =
      body !== undefined && Object.keys(given).length === 0
        ? { "content-length": String(body.length) }
        : { ...given };
    const answer = await ask(port, `/${search}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.headers.connection).toBe("close");
    if (method !== "HEAD") expect(answer.text).toBe("only GET without a body\n");
  },
);

it("answers a line that is no HTTP with an error, and goes on", async () => {
  const { port } = await serving();
  const said = await new Promise<string>((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write("nonsense\r\n\r\n"));
    socket.on("data", (part) => (text += part));
    socket.on("close", () => resolve(text));
  });
  expect(said).toMatch(/^HTTP\/1.1 400 /);
  expect((await ask(port, "/main.js")).status).toBe(200);
});

it("fails with the reason where the port is taken", async () => {
  const { port } = await serving();
  const service = {} as LabService;
  await expect(serveLab({ service, port, page: () => undefined })).rejects.toThrow(
    new RegExp(`P46050.*: cannot listen on 127.0.0.1:${port}: .*in use`),
  );
});

it("opens a page's socket by its path, with the token, from its own page alone, and says why it does not", async () => {
  const { port, search } = await serving();
  const refused = async (path: string, headers: Record<string, string> = {}) => {
    const answer = (await page(port, path, headers)) as Answer;
    expect(answer.headers).toMatchObject({ connection: "close", "content-type": "text/plain" });
    return [answer.status, answer.text];
  };
  expect(await refused(`/other${search}`)).toEqual([403, "there is no such socket\n"]);
  expect(await refused("/socket")).toEqual([403, "the token is missing or wrong\n"]);
  expect(await refused(`/socket${search}x`)).toEqual([403, "the token is missing or wrong\n"]);
  const origin = "http://evil.example";
  expect(await refused(`/socket${search}`, { origin })).toEqual([
    403,
    "the request comes from another origin\n",
  ]);
  const own = await openPage(port, search);
  own.close();
});

it("has at most 16 pages; one that closes makes room, and hears nothing more", async () => {
  const { port, search, listeners } = await serving();
  const pages: WebSocket[] = [];
  for (let i = 0; i < 16; i++) pages.push(await openPage(port, search));
  expect(listeners.size).toBe(16);
  expect(await page(port, `/socket${search}`)).toMatchObject({
    ...{ status: 403, text: "too many pages are open\n" },
  });
  const gone = closed(pages[0]!);
  pages[0]!.close();
  await gone;
  await poll(() => listeners.size).toBe(15);
  await openPage(port, search);
  expect(listeners.size).toBe(16);
});

it("sends each page its replies and all events", async () => {
  const { port, search, tell, listeners } = await serving(async ({ op }) => ({
    ...OK,
    value: { op } as never,
  }));
  const own = await openPage(port, search);
  const heard: unknown[] = [];
  const has = (count: number) => poll(() => heard.length).toBe(count);
  own.on("message", (data) => heard.push(JSON.parse(String(data))));
  own.send(JSON.stringify({ id: 3, request: { op: "describe" } }));
  await has(1);
  tell({ kind: "frame", links: [] });
  tell({ kind: "restarted" });
  await has(3);
  own.send("no JSON");
  await has(4);
  expect(heard.slice(0, 3)).toEqual([
    { id: 3, reply: { ok: true, value: { op: "describe" }, diagnostics: [] } },
    { event: { kind: "frame", links: [] } },
    { event: { kind: "restarted" } },
  ]);
  expect(heard[3]).toMatchObject({ id: 0, reply: { ok: false } });
  expect(listeners.size).toBe(1);
});

it("closes a page with more than 256 requests without a reply, and not one that waits for its replies", async () => {
  const waiting: (() => void)[] = [];
  const { port, search } = await serving(() => new Promise((resolve) => waiting.push(() => resolve(OK))));
  const own = await openPage(port, search);
  let replies = 0;
  own.on("message", () => replies++);
  const end = closed(own);
  const call = JSON.stringify({ id: 1, request: { op: "describe" } });
  for (let i = 0; i < 256; i++) own.send(call);
  await poll(() => waiting.length).toBe(256);
  for (const reply of waiting.splice(0)) reply();
  await poll(() => replies).toBe(256);
  for (let i = 0; i < 256; i++) own.send(call);
  await poll(() => waiting.length).toBe(256);
  expect(own.readyState).toBe(WebSocket.OPEN);
  own.send(call);
  expect(await end).toEqual([1013, "too many requests without a reply"]);
  // Replies to a page that is gone go nowhere.
  for (const reply of waiting.splice(0)) reply();
});

it("closes a page that sends bytes, or a message above 5 MiB", async () => {
  const { port, search } = await serving();
  const [bytes, long] = [await openPage(port, search), await openPage(port, search)];
  const ends = Promise.all([closed(bytes), closed(long)]);
  bytes.send(new Uint8Array(3));
  long.send("x".repeat(5 * 2 ** 20 + 1));
  expect(await ends).toEqual([
    [1003, "only text messages are allowed"],
    [1009, ""],
  ]);
});

it("sends a slow page no frames while more than 4 MiB wait for it, and all other events", async () => {
  const { port, search, tell } = await serving();
  const own = await openPage(port, search);
  const kinds: string[] = [];
  own.on("message", (data) => kinds.push(JSON.parse(String(data)).event.kind));
  const text = "x".repeat(2 ** 20);
  // All in one turn: the kernel takes a part of it, the rest waits.
  for (let i = 0; i < 24; i++) tell({ kind: "notice", text });
  tell({ kind: "frame" });
  tell({ kind: "restarted" });
  await poll(() => kinds.at(-1)).toBe("restarted");
  expect(kinds).toEqual([...new Array(24).fill("notice"), "restarted"]);
  tell({ kind: "frame" });
  await poll(() => kinds.at(-1)).toBe("frame");
});

it("closes the connection of a page for which more than 64 MiB wait", async () => {
  const { port, search, tell, listeners } = await serving();
  const own = await openPage(port, search);
  const end = closed(own);
  const text = "x".repeat(16 * 2 ** 20);
  for (let i = 0; i < 6; i++) tell({ kind: "notice", text });
  tell({ kind: "restarted" });
  expect((await end)[0]).toBe(1006);
  await poll(() => listeners.size).toBe(0);
});

it("ends its pages when it closes, and listens no more", async () => {
  const { server, port, search } = await serving();
  const own = await openPage(port, search);
  const end = closed(own);
  await server.close();
  expect((await end)[0]).toBe(1006);
  await expect(ask(port, "/main.js")).rejects.toThrow("ECONNREFUSED");
});
