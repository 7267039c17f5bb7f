/** Network namespaces. A socket stays in the namespace in which it was made. */
import { closeSync, fstatSync, openSync } from "node:fs";
import { fail, systemErrorReason } from "../../base/index.js";
import { CODES } from "./codes.js";
import { ERROR, type Libc } from "./libc.js";

const CLONE_NEWNET = 0x40000000;
/** The namespace of this thread; only this thread moves to another namespace and back. */
const OWN = "/proc/thread-self/ns/net";

/** `/run/netns/NAME` for a name of `ip netns`; a path stays as it is. */
export function namespacePath(namespace: string): string {
  return namespace.includes("/") ? namespace : `/run/netns/${namespace}`;
}

/**
 * Runs `body` in a network namespace (the process's own if undefined) and returns to the previous namespace. `body` gets
 * the identity of the namespace, which is equal for all paths to it. Fails with P40022 (no permission) or P40023 (no such namespace).
 */
export function inNamespace<T>(c: Libc, namespace: string | undefined, body: (identity: string) => T): T {
  const own = openSync(OWN, "r");
  try {
    if (namespace === undefined) return body(identityOf(own));
    const other = enter(c, namespacePath(namespace));
    try {
      return body(identityOf(other));
    } finally {
      closeSync(other);
      comeBack(c, own);
    }
  } finally {
    closeSync(own);
  }
}

function comeBack(c: Libc, own: number): void {
  if (c.setns(own, CLONE_NEWNET) < 0)
    throw new Error(`cannot return to the namespace: setns: ${c.errorName(c.errno())}`);
}

function enter(c: Libc, path: string): number {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM")
      fail(CODES.notPermitted, undefined, `no permission to open ${path}`);
    fail(
      CODES.noNamespace,
      undefined,
      `no network namespace ${path}: ${systemErrorReason(error)}`,
      "`ip netns list` names those of iproute2; /proc/PID/ns/net is that of a process",
    );
  }
  if (c.setns(fd, CLONE_NEWNET) === 0) return fd;
  const errno = c.errno();
  closeSync(fd);
  if (errno === ERROR.EPERM) {
    fail(
      CODES.notPermitted,
      undefined,
      `no permission to enter the namespace ${path}`,
      "it needs root (CAP_SYS_ADMIN)",
    );
  }
  return fail(CODES.noNamespace, undefined, `${path} is no network namespace: ${c.errorName(errno)}`);
}

function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd);
  return `${dev}:${ino}`;
}
