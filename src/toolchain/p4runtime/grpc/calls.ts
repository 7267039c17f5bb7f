/** The calls of a server: which method a request is for, and how its messages reach the handler of that method. */
import { Call, type CallHandler, type CallStatus, CODE, refuseRequest, resetRequest } from "./call.js";
import type { Header } from "./hpack.js";
import { readRequest } from "./request.js";
import type { Http2Stream } from "./stream.js";
import { timeoutMs } from "./text.js";

/** The handler of a method. A rejected promise ends the call with the status that the server makes from the error. */
export type Method =
  | { readonly kind: "unary"; handle(message: Uint8Array): Promise<Uint8Array> }
  | { readonly kind: "serverStream"; handle(message: Uint8Array, call: Call): Promise<undefined> }
  | { readonly kind: "clientStream"; handle(messages: AsyncIterable<Uint8Array>): Promise<Uint8Array> }
  | { readonly kind: "duplex"; handle(call: Call): CallHandler };

/** What calls are possible. */
export interface Calls {
  /** Largest message in bytes. */
  readonly maxBytes: number;
  /** By path, such as `/p4.v1.P4Runtime/Write`. */
  readonly methods: ReadonlyMap<string, Method>;
  statusOf(error: unknown): CallStatus;
}

/** Serves one request: `complete` is false when headers were left out because there were too many. */
export function serveRequest(
  options: Calls,
  stream: Http2Stream,
  headers: readonly Header[],
  complete: boolean,
): void {
  const head = readRequest(headers);
  // Headers that were left out may be those without which a request is malformed.
  if (head === undefined && complete) {
    resetRequest(stream);
    return;
  }
  const { path = "", timeout, contentLength } = head ?? {};
  if (head !== undefined && (head.method !== "POST" || !head.contentType.startsWith("application/grpc"))) {
    refuseRequest(stream, head.method === "POST" ? 415 : 405);
    return;
  }
  const limit = timeout === undefined ? undefined : timeoutMs(timeout);
  const method = options.methods.get(path);
  const call = new Call(stream, {
    maxBytes: options.maxBytes,
    encoding: head?.encoding ?? "identity",
    timeoutMs: limit,
    contentLength,
    isStream: method?.kind === "clientStream" || method?.kind === "duplex",
  });
  stream.receiver = call;
  const refused = !complete
    ? { code: CODE.RESOURCE_EXHAUSTED, details: "the headers of the request are too long" }
    : timeout !== undefined && limit === undefined
      ? { code: CODE.INTERNAL, details: `grpc-timeout is "${timeout}"` }
      : method === undefined
        ? { code: CODE.UNIMPLEMENTED, details: `there is no method ${path}` }
        : undefined;
  if (refused !== undefined || method === undefined) {
    call.fail(refused!);
    call.settle();
    return;
  }
  serveCall(method, call, options.statusOf);
}

function serveCall(method: Method, call: Call, statusOf: Calls["statusOf"]): void {
  const run = (start: () => Promise<Uint8Array | undefined>): void => {
    let task: Promise<Uint8Array | undefined>;
    try {
      task = start();
    } catch (error) {
      task = Promise.reject(error);
    }
    task.then(
      (message) => {
        if (message !== undefined) call.write(message);
        call.succeed();
        call.settle();
      },
      (error) => {
        call.fail(statusOf(error));
        call.settle();
      },
    );
  };
  switch (method.kind) {
    case "unary":
      call.handler = single(call, (message) => run(() => method.handle(message)));
      break;
    case "serverStream":
      call.handler = single(call, (message) => run(() => method.handle(message, call)));
      break;
    case "clientStream": {
      const messages = new MessageQueue();
      call.handler = messages;
      run(() => method.handle(messages));
      break;
    }
    case "duplex":
      call.settlesAtEnd = true;
      call.handler = method.handle(call);
  }
}

/** A request of one message. */
function single(call: Call, start: (message: Uint8Array) => void): CallHandler {
  let request: Uint8Array | undefined;
  let started = false;
  const refuse = (details: string): void => {
    call.fail({ code: CODE.INTERNAL, details });
    call.settle();
  };
  return {
    message(bytes) {
      if (request === undefined) request = bytes;
      else refuse("a request of more than one message");
    },
    ended() {
      if (request === undefined) {
        refuse("a request without a message");
        return;
      }
      started = true;
      start(request);
    },
    cancel() {
      if (!started) call.settle();
    },
  };
}

class Cancelled extends Error {}

/** The messages of a request, for one reader. */
class MessageQueue implements CallHandler, AsyncIterable<Uint8Array> {
  readonly #messages: Uint8Array[] = [];
  #state: "open" | "ended" | "cancelled" = "open";
  #wake: () => void = () => {};

  message(bytes: Uint8Array): void {
    this.#messages.push(bytes);
    this.#wake();
  }

  ended(): void {
    this.#state = "ended";
    this.#wake();
  }

  cancel(): void {
    this.#state = "cancelled";
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#messages.shift();
      if (this.#state === "cancelled") throw new Cancelled("the client cancelled the call");
      if (next !== undefined) yield next;
      else if (this.#state === "ended") return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
