/**
 * Who a process is. A number alone is not enough: numbers are used again, after a restart above all.
 * Plain JavaScript, because the launcher needs it before anything is installed.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const psTimeoutMs = 5_000;

/** @param {number} pid @param {string} columns */
function ps(pid, columns) {
  try {
    const options = { encoding: "utf8", timeout: psTimeoutMs, stdio: ["ignore", "pipe", "ignore"], windowsHide: true };
    return execFileSync("ps", ["-o", columns, "-p", String(pid)], options).trim();
  } catch {
    return "";
  }
}

/** Does any process have this number, even one that has ended and waits to be reaped? */
export function isNumberInUse(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** A text that stays the same while the process lives and differs from its successor's; undefined where none runs. */
export function processToken(pid) {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isNumberInUse(pid)) return undefined;
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command's name may hold spaces and brackets; the fields begin behind the last bracket.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, startTicks] = [fields[0], fields[19]];
      return state === "Z" || state === "X" ? undefined : `ticks:${startTicks}`;
    } catch {
      return undefined;
    }
  }
  if (process.platform === "win32") return "alive";
  const [state = "", ...started] = ps(pid, "stat=,lstart=").split(/\s+/);
  return state === "" || state.startsWith("Z") ? undefined : `started:${started.join(" ")}`;
}

/** Is this very process still running? */
export function isSameProcess(identity) {
  const token = processToken(identity.pid);
  return token !== undefined && token === identity.token;
}

export function ownIdentity() {
  return { pid: process.pid, token: processToken(process.pid) ?? "unknown" };
}

/** The words a process was started with, or an empty text. */
export function commandLine(pid) {
  if (process.platform === "win32") return "";
  if (process.platform !== "linux") return ps(pid, "command=");
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}
