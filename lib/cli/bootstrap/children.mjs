/**
 * Child processes that must not outlive a killed launcher for long: each stands in a file of the data folder while it
 * runs, and the next start ends what it finds there without a living owner.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isSameProcess, ownIdentity, processToken } from "../../platform/processes/identity.mjs";
import { dataFolder } from "./package-root.mjs";

const endTimeoutMs = 5_000;
const pollMs = 20;
const hasGroups = process.platform !== "win32";
const folder = path.join(dataFolder, "children");

/** `spawn` in a process group of its own, noted while it runs. */
export function startChild(file, words, options) {
  mkdirSync(folder, { recursive: true });
  const child = spawn(file, words, { ...options, detached: hasGroups, windowsHide: true });
  if (child.pid === undefined) return child;
  const note = path.join(folder, `${child.pid}.json`);
  const identity = { pid: child.pid, token: processToken(child.pid) ?? "ended", owner: ownIdentity() };
  writeFileSync(note, JSON.stringify(identity));
  child.once("exit", () => rmSync(note, { force: true }));
  return child;
}

/** Sends a signal to a child and whatever it started. */
export function signalChild(pid, name) {
  try {
    process.kill(hasGroups ? -pid : pid, name);
  } catch {
    // It is gone already.
  }
}

/** Ends children whose owner was killed, and waits until they are gone. */
export async function endLeftoverChildren() {
  let names = [];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  await Promise.all(names.map((name) => endLeftover(path.join(folder, name))));
}

async function endLeftover(note) {
  let child;
  try {
    child = JSON.parse(readFileSync(note, "utf8"));
  } catch {
    // Killed while the note was written, or taken away by another process meanwhile.
    rmSync(note, { force: true });
    return;
  }
  if (isSameProcess(child.owner)) return;
  if (isSameProcess(child)) {
    signalChild(child.pid, "SIGKILL");
    const deadline = Date.now() + endTimeoutMs;
    while (isSameProcess(child) && Date.now() < deadline) await delay(pollMs);
  }
  rmSync(note, { force: true });
}
