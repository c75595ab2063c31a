import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "#tests/support/temporary-folder";
import {
  isSameProcess,
  ownIdentity,
  processToken,
  takeFileLock,
  tryFileLock,
} from "../../../lib/platform/processes.mjs";

const folder = temporaryFolder();
const file = path.join(folder, "lock");

test("a lock has one holder at a time, and can be taken again after its release", async () => {
  const first = tryFileLock(file, { address: "here" });
  expect(tryFileLock(file)).toEqual({ holder: { ...ownIdentity(), address: "here" } });
  const waiting = takeFileLock(file, { timeoutMs: 5_000 });
  first.release?.();
  const second = await waiting;
  expect(second.release).toBeDefined();
  first.release?.();
  expect(tryFileLock(file).release).toBeUndefined();
  second.release?.();
});

test("waiting ends with the holder's identity at the timeout, or immediately when aborted", async () => {
  const first = tryFileLock(file);
  expect((await takeFileLock(file, { timeoutMs: 60 })).holder?.pid).toBe(process.pid);
  const signal = AbortSignal.abort();
  await expect(takeFileLock(file, { timeoutMs: 60_000, signal })).rejects.toThrow("aborted");
  first.release?.();
});

test("a lock is free if its holder was killed, or its PID belongs to another process", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const pid = child.pid ?? 0;
  const identity = { pid, token: processToken(pid) ?? "" };
  writeFileSync(file, JSON.stringify(identity));
  expect(isSameProcess(identity)).toBe(true);
  expect(tryFileLock(file).holder?.pid).toBe(pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  tryFileLock(file).release?.();

  writeFileSync(file, JSON.stringify({ pid: process.pid, token: "of an earlier process" }));
  const { release } = tryFileLock(file);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ownIdentity());
  release?.();

  // Of an interrupted copy or a disk that lost its power: a lock is never seen without its content.
  writeFileSync(file, "");
  tryFileLock(file).release?.();
  expect(readdirSync(folder)).toEqual([]);
});

test("a dead holder's lock in a folder that cannot be written is an error, not a running process", async () => {
  const unwritable = temporaryFolder();
  onTestFinished(() => chmodSync(unwritable, 0o700));
  const locked = path.join(unwritable, "lock");
  writeFileSync(locked, JSON.stringify({ pid: process.pid, token: "of an earlier process" }));
  const module = path.join(unwritable, "processes.mjs");
  copyFileSync(path.resolve(import.meta.dirname, "../../../lib/platform/processes.mjs"), module);
  chmodSync(unwritable, 0o555);
  // For root, no folder is unwritable, and another account may not be allowed to start this Node.js.
  const script = `if (process.getuid?.() === 0) { process.setgid(65534); process.setuid(65534); }
    const { tryFileLock } = await import(${JSON.stringify(module)});
    try { tryFileLock(${JSON.stringify(locked)}); } catch (error) { process.stdout.write(error.code); }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: unwritable,
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(await text(child.stdout)).toBe("EACCES");
});

test("exactly one of several processes takes over a dead holder's lock", async () => {
  writeFileSync(file, JSON.stringify({ pid: process.pid, token: "of an earlier process" }));
  const module = JSON.stringify(path.resolve(import.meta.dirname, "../../../lib/platform/processes.mjs"));
  const script = `const { tryFileLock } = await import(${module});
    process.stdout.write(tryFileLock(${JSON.stringify(file)}).release ? "got" : "not");
    process.stdin.resume();`;
  const children = [1, 2, 3, 4].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "ignore"] }),
  );
  // Each holds what it got until all have answered.
  const answers = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0])));
  const ended = children.map((child) => once(child, "exit"));
  for (const { stdin } of children) stdin.end();
  await Promise.all(ended);
  expect(answers.filter((answer) => answer === "got")).toHaveLength(1);
});

test("of processes that take and release a lock all the time, one holds it at a time", async () => {
  const module = JSON.stringify(path.resolve(import.meta.dirname, "../../../lib/platform/processes.mjs"));
  const held = path.join(folder, "held");
  const script = `const { mkdirSync, rmdirSync } = await import("node:fs");
    const { tryFileLock } = await import(${module});
    let count = 0;
    while (count < 30) {
      const { release } = tryFileLock(${JSON.stringify(file)});
      if (!release) continue;
      // Throws if another process has the folder.
      mkdirSync(${JSON.stringify(held)});
      rmdirSync(${JSON.stringify(held)});
      release();
      count += 1;
    }`;
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" }),
  );
  expect(await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]))).toEqual([0, 0, 0]);
});
