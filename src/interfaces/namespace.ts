/** Network namespaces: a socket belongs for good to the one in which it was made. */
import { closeSync, fstatSync, openSync } from "node:fs";
import { fail } from "../base/index.js";
import { ERROR, type Libc } from "./libc.js";

const CLONE_NEWNET = 0x40000000;
/** Of this thread: only the caller's moves to another namespace and back. */
const OWN = "/proc/thread-self/ns/net";

/** `/run/netns/NAME` for a name as `ip netns` has it; a path stays. */
export function namespacePath(namespace: string): string {
  return namespace.includes("/") ? namespace : `/run/netns/${namespace}`;
}

/**
 * Runs `body` in a network namespace (the process's own if undefined) and comes back. It gets the namespace's
 * identity, equal for all paths to it. Fails with P40022 (no permission) or P40023 (no such namespace).
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
  if (c.setns(own, CLONE_NEWNET) < 0) throw new Error(`cannot come back: setns: ${c.errorName(c.errno())}`);
}

function enter(c: Libc, path: string): number {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") fail("P40022", undefined, `no permission to open ${path}`);
    fail(
      "P40023",
      undefined,
      `no network namespace ${path}: ${code === "ENOENT" ? "no such file" : code}`,
      "`ip netns list` names those of iproute2; /proc/PID/ns/net is that of a process",
    );
  }
  if (c.setns(fd, CLONE_NEWNET) === 0) return fd;
  const errno = c.errno();
  closeSync(fd);
  if (errno === ERROR.EPERM) {
    fail(
      "P40022",
      undefined,
      `no permission to enter the namespace ${path}`,
      "it takes root (CAP_SYS_ADMIN)",
    );
  }
  return fail("P40023", undefined, `${path} is no network namespace: ${c.errorName(errno)}`);
}

function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd);
  return `${dev}:${ino}`;
}
