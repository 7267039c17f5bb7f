/** The server on standard input and output, as editors start it. */
import { Transform, type TransformCallback } from "node:stream";
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { type ServerOptions, serve } from "./server.js";

/** Maximum length of a message in bytes; the largest messages contain a whole text. */
const MAX_MESSAGE = 64 * 1024 * 1024;
/** Maximum length of the header of a message, in bytes. */
const MAX_HEADER = 4096;

/** Serves until the editor says `exit` or closes the input. */
export function startOnStdio(options: ServerOptions): Promise<void> {
  const input = process.stdin.pipe(new MessageFilter((why) => process.stderr.write(`p4loom lsp: ${why}\n`)));
  const connection = createConnection(
    ProposedFeatures.all,
    new StreamMessageReader(input),
    new StreamMessageWriter(process.stdout),
  );
  serve(connection, options);
  return new Promise((resolve) => input.on("end", resolve));
}

/**
 * Passes on whole messages and drops all other input: a header without a length, a length above the limit, a body that is not
 * a JSON object. With such input, the protocol's library would wait forever or end.
 */
class MessageFilter extends Transform {
  #held: Buffer = Buffer.alloc(0);
  /** Remaining bytes of a message that is dropped because it is too long. */
  #dropping = 0;

  constructor(readonly complain: (why: string) => void) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#step()) {}
    done();
  }

  /** Handles one message or one piece of invalid input; false if more input is needed. */
  #step(): boolean {
    if (this.#dropping > 0) {
      const count = Math.min(this.#dropping, this.#held.length);
      this.#dropping -= count;
      this.#held = this.#held.subarray(count);
      return this.#held.length > 0 && this.#dropping === 0;
    }
    const headerEnd = this.#held.indexOf("\r\n\r\n");
    if (headerEnd < 0) {
      if (this.#held.length <= MAX_HEADER) return false;
      this.complain("input without a header Content-Length is dropped");
      this.#held = this.#held.subarray(this.#held.length - 3);
      return false;
    }
    const header = this.#held.subarray(0, headerEnd).toString("latin1");
    // Invalid input may precede a header.
    const length = Number(/Content-Length: *(\d+) *(?:\r\n|$)/i.exec(header)?.[1] ?? Number.NaN);
    const body = headerEnd + 4;
    if (Number.isNaN(length)) {
      this.complain("a message without Content-Length is dropped");
      this.#held = this.#held.subarray(body);
      return true;
    }
    if (length > MAX_MESSAGE) {
      this.complain(`a message of ${length} bytes is dropped; the maximum is ${MAX_MESSAGE}`);
      this.#held = this.#held.subarray(body);
      this.#dropping = length;
      return true;
    }
    if (this.#held.length < body + length) return false;
    const content = this.#held.subarray(body, body + length);
    this.#held = this.#held.subarray(body + length);
    if (isMessage(content))
      this.push(Buffer.concat([Buffer.from(`Content-Length: ${length}\r\n\r\n`), content]));
    else this.complain("a message that is not a JSON object is dropped");
    return true;
  }
}

function isMessage(content: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(content.toString("utf8"));
    return typeof value === "object" && value !== null && "jsonrpc" in value;
  } catch {
    return false;
  }
}
