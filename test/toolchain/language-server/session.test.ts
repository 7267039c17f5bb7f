/** A recorded session of an editor with `p4loom lsp`: the requests are in this file, the expected responses in test/golden. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMAND } from "../../built-command.js";

const root = resolve(import.meta.dirname, "../../..");
const RING = readFileSync(join(root, "examples/exercise/ring.p4"), "utf8");

let folder = "";
let client: Client;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "p4loom-lsp-")));
  client = new Client(
    spawn(process.execPath, [COMMAND, "lsp"], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] }),
  );
});
afterEach(() => {
  client.process.kill();
  rmSync(folder, { recursive: true, force: true });
});

interface Message {
  id?: number;
  method?: string;
  params?: { uri?: string; version?: number; diagnostics?: { message: string }[] };
  result?: unknown;
  error?: { code: number; message: string };
}

class Client {
  readonly #waiting = new Map<number, (message: Message) => void>();
  #listeners: ((message: Message) => void)[] = [];
  #held = Buffer.alloc(0);
  #id = 0;
  stderr = "";

  constructor(readonly process: ChildProcess) {
    process.stdout!.on("data", (chunk: Buffer) => this.#read(chunk));
    process.stderr!.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
  }

  #read(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk]);
    for (;;) {
      const header = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#held.toString("latin1"));
      if (header === null) return;
      const end = header[0].length + Number(header[1]);
      if (this.#held.length < end) return;
      const message = JSON.parse(this.#held.subarray(header[0].length, end).toString()) as Message;
      this.#held = this.#held.subarray(end);
      if (message.id !== undefined && message.method === undefined) this.#waiting.get(message.id)?.(message);
      for (const listener of [...this.#listeners]) listener(message);
    }
  }

  raw(bytes: string): void {
    this.process.stdin!.write(bytes);
  }

  send(message: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.raw(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  notify(method: string, params: object): void {
    this.send({ method, params });
  }

  ask(method: string, params: object): { id: number; answer: Promise<Message> } {
    const id = ++this.#id;
    const answer = new Promise<Message>((settle) => this.#waiting.set(id, settle));
    this.send({ id, method, params });
    return { id, answer };
  }

  /** The result of a request, or its error. */
  async request(method: string, params: object): Promise<unknown> {
    const { result, error } = await this.ask(method, params).answer;
    return error === undefined ? result : { error };
  }

  /** The next diagnostics of a file that fulfil a condition. */
  diagnostics(uri: string, holds: (messages: string[]) => boolean): Promise<string[]> {
    return new Promise((settle) => {
      const listener = ({ method, params }: Message) => {
        if (method !== "textDocument/publishDiagnostics" || params?.uri !== uri) return;
        const messages = params.diagnostics!.map(({ message }) => message);
        if (!holds(messages)) return;
        this.#listeners = this.#listeners.filter((one) => one !== listener);
        settle(messages);
      };
      this.#listeners.push(listener);
    });
  }

  async initialize(uri: string): Promise<unknown> {
    const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } } };
    const answer = await this.request("initialize", { processId: null, rootUri: uri, capabilities });
    this.notify("initialized", {});
    return answer;
  }

  open(uri: string, text: string): void {
    this.notify("textDocument/didOpen", { textDocument: { uri, languageId: "p4", version: 1, text } });
  }
}

/** The end of a piece of text, as line and character. */
function behind(text: string, piece: string): { line: number; character: number } {
  const offset = text.indexOf(piece) + piece.length;
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before.at(-1)!.length };
}

it("answers a session of an editor", async () => {
  const answers: [string, unknown][] = [];
  const uri = pathToFileURL(join(folder, "ring.p4")).href;
  writeFileSync(join(folder, "ring.p4"), RING);
  const note = async (method: string, params: object = {}) =>
    answers.push([method, await client.request(method, { textDocument: { uri }, ...params })]);
  const ask = (method: string, piece: string, params: object = {}) =>
    note(`textDocument/${method}`, { position: behind(RING, piece), ...params });

  answers.push(["initialize", await client.initialize(pathToFileURL(folder).href)]);
  const clean = client.diagnostics(uri, (messages) => messages.length === 0);
  client.open(uri, RING);
  await clean;
  await ask("hover", "hdr.ethernet.src");
  await ask("definition", "hdr.ipv4.dst_addr: lp");
  await ask("definition", "        forward");
  await ask("references", "action forw", { context: { includeDeclaration: true } });
  await ask("documentHighlight", "action forward(bit<48> ma");
  await ask("prepareRename", "action forw");
  await ask("rename", "action forw", { newName: "send_on" });
  await ask("rename", "action forw", { newName: "drop" });
  await ask("completion", "hdr.ethernet.src_addr = hdr.ethernet.");
  await ask("signatureHelp", "update_checksum(");
  await note("textDocument/documentSymbol");
  await note("textDocument/foldingRange");
  await note("textDocument/codeLens");
  await note("textDocument/formatting", { options: { tabSize: 4, insertSpaces: true } });
  const colours = (await client.request("textDocument/semanticTokens/full", { textDocument: { uri } })) as {
    data: number[];
  };
  expect(colours.data.length % 5).toBe(0);
  answers.push(["textDocument/semanticTokens/full, the first 20", colours.data.slice(0, 100)]);

  // A key press deletes one letter of a name.
  const place = behind(RING, "hdr.ethernet.src_addr = hdr.ethernet.dst_add");
  const wrong = client.diagnostics(uri, (messages) => messages.length > 0);
  client.notify("textDocument/didChange", {
    textDocument: { uri, version: 2 },
    contentChanges: [
      { range: { start: { ...place, character: place.character - 1 }, end: place }, text: "" },
    ],
  });
  answers.push(["diagnostics after a key", await wrong]);
  await note("textDocument/codeAction", {
    range: { start: place, end: place },
    context: { diagnostics: [] },
  });
  answers.push(["shutdown", await client.request("shutdown", {})]);
  const ended = new Promise((settle) => client.process.on("exit", settle));
  client.notify("exit", {});
  expect(await ended).toBe(0);
  const text = JSON.stringify(answers, null, 1)
    .replaceAll(pathToFileURL(folder).href, "file:///folder")
    .replaceAll(pathToFileURL(root).href, "file:///package");
  await expect(`${text}\n`).toMatchFileSnapshot(join(root, "test/golden/language-server/ring.session.json"));
});

it("survives input that is not a request, and cancels requests", async () => {
  const uri = pathToFileURL(join(folder, "a.p4")).href;
  await client.initialize(pathToFileURL(folder).href);
  client.raw("no header\r\n\r\n");
  client.raw("Content-Length: 7\r\n\r\n{no: js");
  client.raw("Content-Length: 99999999999\r\nContent-Type: x\r\n\r\n");
  client.process.stdin!.end();
  await new Promise((settle) => client.process.on("exit", settle));
  expect(client.stderr).toContain("without Content-Length is dropped");
  expect(client.stderr).toContain("not a JSON object is dropped");
  expect(client.stderr).toContain("99999999999 bytes is dropped");

  client = new Client(
    spawn(process.execPath, [COMMAND, "lsp"], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] }),
  );
  await client.initialize(pathToFileURL(folder).href);
  expect(await client.request("no/such", {})).toMatchObject({ error: { code: -32601 } });
  // Requests about texts that are not open, and about places after the end of a text.
  const position = { line: 99_999, character: 99_999 };
  expect(await client.request("textDocument/hover", { textDocument: { uri }, position })).toBeNull();
  expect(
    await client.request("textDocument/rename", {
      textDocument: { uri: "untitled:x" },
      position,
      newName: "y",
    }),
  ).toMatchObject({
    error: { message: "this text is not analysed" },
  });
  const published = client.diagnostics(uri, () => true);
  client.open(uri, "header h_t { bit<8> a; }\n");
  expect(await published).toEqual([]);
  expect(await client.request("textDocument/hover", { textDocument: { uri }, position })).toBeNull();
  const lens = client.ask("textDocument/codeLens", { textDocument: { uri } });
  client.notify("$/cancelRequest", { id: lens.id });
  expect((await lens.answer).error?.code).toBe(-32800);
  const long = client.diagnostics(uri, (messages) => messages.length === 1);
  client.notify("textDocument/didChange", {
    textDocument: { uri, version: 2 },
    contentChanges: [{ text: "// x\n".repeat(500_000) }],
  });
  expect(await long).toEqual(["this text has 2500000 characters; p4loom analyses texts of up to 2097152"]);
});

it("finds the program that an open header file belongs to, and renames in all programs that include it", async () => {
  const HEADERS = "header h_t { bit<8> size; }\nstruct headers_t { h_t h; }\n";
  const body = (field: string) =>
    `#include <core.p4>\n#include <v1model.p4>\n#include "headers.p4"\nstruct m_t { }\n` +
    `parser P(packet_in p, out headers_t hdr, inout m_t m, inout standard_metadata_t s) { state start { p.extract(hdr.h); transition accept; } }\n` +
    `control C(inout headers_t hdr, inout m_t m) { apply { } }\n` +
    `control I(inout headers_t hdr, inout m_t m, inout standard_metadata_t s) { apply { hdr.h.${field} = 1; } }\n` +
    `control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }\n` +
    `V1Switch(P(), C(), I(), I(), C(), D()) main;\n`;
  writeFileSync(join(folder, "headers.p4"), HEADERS);
  writeFileSync(join(folder, "one.p4"), body("size"));
  writeFileSync(join(folder, "two.p4"), body("size"));
  const uri = (name: string) => pathToFileURL(join(folder, name)).href;
  await client.initialize(pathToFileURL(folder).href);
  client.open(uri("headers.p4"), HEADERS);
  const position = behind(HEADERS, "bit<8> si");
  const renamed = (await client.request("textDocument/rename", {
    textDocument: { uri: uri("headers.p4") },
    position,
    newName: "length",
  })) as { changes: Record<string, unknown[]> };
  expect(
    Object.entries(renamed.changes)
      .map(([name, edits]) => [name, edits.length])
      .sort(),
  ).toEqual([
    [uri("headers.p4"), 1],
    [uri("one.p4"), 1],
    [uri("two.p4"), 1],
  ]);
  const found = (await client.request("textDocument/references", {
    textDocument: { uri: uri("headers.p4") },
    position,
    context: { includeDeclaration: false },
  })) as { uri: string }[];
  expect(found.map((one) => one.uri)).toEqual([uri("one.p4")]);
});

it("reads the project file of a program, again when it changes, and says at it what is wrong", async () => {
  const uri = (name: string) => pathToFileURL(join(folder, name)).href;
  const project = (text: string) => writeFileSync(join(folder, "p4loom.yaml"), text);
  const saved = () => client.notify("textDocument/didSave", { textDocument: { uri: uri("main.p4") } });
  mkdirSync(join(folder, "lib"));
  writeFileSync(join(folder, "lib/size.p4"), "#if WIDTH == 9\nheader h_t { bit<WIDTH> a; }\n#endif\n");
  project("include: [lib]\ndefines: { WIDTH: 9 }\n");
  await client.initialize(pathToFileURL(folder).href);
  const right = client.diagnostics(uri("main.p4"), () => true);
  client.open(uri("main.p4"), "#include <size.p4>\nstruct s_t { h_t h; }\n");
  expect(await right).toEqual([]);
  const wrong = client.diagnostics(uri("p4loom.yaml"), () => true);
  const lost = client.diagnostics(uri("main.p4"), (messages) => messages.length > 0);
  project("include: [lib]\ndefines: [WIDTH]\n# longer than before\n");
  saved();
  expect(await wrong).toEqual(["defines: expected a map of keys, got a list of 1"]);
  expect((await lost)[0]).toContain("size.p4");
  const mended = client.diagnostics(uri("p4loom.yaml"), (messages) => messages.length === 0);
  const again = client.diagnostics(uri("main.p4"), (messages) => messages.length === 0);
  project("include: [lib]\ndefines: { WIDTH: 9 }\n# once more, and longer\n");
  saved();
  await mended;
  await again;
});
