import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  isSameProcess,
  ownIdentity,
  processToken,
  takeFileLock,
  tryFileLock,
} from "../../../lib/platform/processes.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "tapedeck-lock-"));
const file = path.join(folder, "lock");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("one holder at a time, and a lock that was given back can be taken again", async () => {
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

test("waiting ends after its time with the name of the holder, or at once when it is called off", async () => {
  const first = tryFileLock(file);
  expect((await takeFileLock(file, { timeoutMs: 60 })).holder?.pid).toBe(process.pid);
  const signal = AbortSignal.abort();
  await expect(takeFileLock(file, { timeoutMs: 60_000, signal })).rejects.toThrow("aborted");
  first.release?.();
});

test("a holder that was killed, or whose number went to another process, holds nothing", async () => {
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
});

test("of many that find a dead holder's lock at once, exactly one gets it", async () => {
  writeFileSync(file, JSON.stringify({ pid: process.pid, token: "of an earlier process" }));
  const module = JSON.stringify(path.resolve(import.meta.dirname, "../../../lib/platform/processes.mjs"));
  const script = `const { tryFileLock } = await import(${module});
    process.stdout.write(tryFileLock(${JSON.stringify(file)}).release ? "got" : "not");
    setTimeout(() => {}, 1500);`;
  const answers = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
      });
      await once(child, "close");
      return text;
    }),
  );
  expect(answers.filter((answer) => answer === "got")).toHaveLength(1);
});
