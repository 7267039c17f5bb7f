/** Words for errors of the operating system: for messages about files, ports and processes. */

/** Texts of errno(3) for common errors of files, sockets and processes. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "permission denied"],
  ["EADDRINUSE", "the address is already in use"],
  ["EADDRNOTAVAIL", "this machine does not have that address"],
  ["EBUSY", "the device or file is busy"],
  ["ECONNREFUSED", "the connection was refused"],
  ["ECONNRESET", "the other end closed the connection"],
  ["EDQUOT", "the disk quota is used up"],
  ["EEXIST", "it already exists"],
  ["EFBIG", "the file is too large"],
  ["EINVAL", "the system does not accept this"],
  ["EIO", "input or output error"],
  ["EISDIR", "it is a directory"],
  ["ELOOP", "too many symbolic links"],
  ["EMFILE", "too many files are open in this process"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ENFILE", "too many files are open on this machine"],
  ["ENODEV", "no such device"],
  ["ENOENT", "no such file"],
  ["ENOMEM", "there is not enough memory"],
  ["ENOSPC", "no space is left on the disk"],
  ["ENOTDIR", "a part of the path is not a directory"],
  ["ENOTEMPTY", "the directory is not empty"],
  ["ENOTFOUND", "no such host"],
  ["ENXIO", "no such device or address"],
  ["EPERM", "the operation is not permitted"],
  ["EPIPE", "the reader has closed it"],
  ["EROFS", "the file system is read-only"],
  ["ETIMEDOUT", "it took too long"],
  ["ETXTBSY", "the program is running"],
]);

/**
 * Why a call of the system failed, as words without a code or path, such as "permission denied". Libraries (gRPC among
 * them) put the code of the system into their own text: it is found there too. Without a known code
 * the error's own text is returned.
 */
export function systemErrorReason(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof message === "string" ? message : String(error);
  for (const name of [String(code ?? ""), ...(text.match(/\bE[A-Z]{3,}\b/g) ?? [])]) {
    const reason = REASONS.get(name);
    if (reason !== undefined) return reason;
  }
  return text;
}
