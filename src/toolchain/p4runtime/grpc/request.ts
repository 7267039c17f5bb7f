/** The headers of a request: the rules of HTTP (RFC 9113, sections 8.2 and 8.3) and what gRPC needs of them. */
import type { Header } from "./hpack.js";

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  /** As in the header; undefined where it is absent. */
  readonly timeout: string | undefined;
  readonly encoding: string;
  /** Bytes of the body; undefined where the header is absent. */
  readonly contentLength: number | undefined;
}

/** Headers of HTTP/1 connections, which do not occur in HTTP/2 (section 8.2.2). */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
const PSEUDO: ReadonlySet<string> = new Set([":method", ":scheme", ":path", ":authority"]);
/** A name has visible characters without capitals, a colon at most in front (section 8.2.1). */
const NAME = /^:?[\x21-\x39\x3b-\x40\x5b-\x7e]+$/;
/** A value has no line ends and zeros, and no spaces around it (section 8.2.1). */
const BAD_VALUE = /[\0\r\n]|^[ \t]|[ \t]$/;

/** Whether a field may be in the headers of a request or in its trailers. */
function isProper([name, value]: Header): boolean {
  if (!NAME.test(name) || BAD_VALUE.test(value) || OF_CONNECTIONS.has(name)) return false;
  return name !== "te" || value === "trailers";
}

/** Whether a block may be the trailers of a request: no pseudo-headers (section 8.1). */
export function areTrailers(headers: readonly Header[]): boolean {
  return headers.every((header) => !header[0].startsWith(":") && isProper(header));
}

/** Undefined for a malformed request (section 8.1.1). */
export function readRequest(headers: readonly Header[]): RequestHead | undefined {
  const fields = new Map<string, string>();
  let isPseudo = true;
  for (const header of headers) {
    const [name, value] = header;
    if (!isProper(header)) return undefined;
    if (name.startsWith(":")) {
      if (!isPseudo || !PSEUDO.has(name) || fields.has(name)) return undefined;
    } else isPseudo = false;
    // Of other headers that come twice, gRPC takes the last.
    fields.set(name, value);
  }
  const [method, scheme, path] = [fields.get(":method"), fields.get(":scheme"), fields.get(":path")];
  if (!method || !scheme || !path) return undefined;
  const length = fields.get("content-length");
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined;
  return {
    method,
    path,
    contentType: fields.get("content-type") ?? "",
    timeout: fields.get("grpc-timeout"),
    encoding: fields.get("grpc-encoding") ?? "identity",
    contentLength: length === undefined ? undefined : Number(length),
  };
}
