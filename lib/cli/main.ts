import path from "node:path";
import { nameCommand, npxCommand, quoteArgument } from "#lib/platform/command-line";
import { packageRoot } from "#lib/platform/database/paths";
import { logToStandardError } from "#lib/platform/log";
import { failed } from "./failure";
import { isClone } from "./installation";
import { run } from "./run";

/** How long the process waits for open connections after its command has ended and its output was read, in milliseconds. */
const lingerMs = 1_000;

// In a clone, npm's script works only in its own folder.
if (!isClone) nameCommand(() => npxCommand("@tapedeck/server", "tapedeck-server"));
else if (process.cwd() !== packageRoot) nameCommand(() => `node ${quoteArgument(path.resolve(process.argv[1] ?? ""))}`);

// A reader such as `head` that closes the pipe early is not a failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : failed));
const { stdout, stderr, argv } = process;
// These run until they are stopped, and print nothing else.
if (!["up", "dev", "worker"].includes(argv[2] ?? "")) logToStandardError();
process.exitCode = await run(argv.slice(2), { stdout, stderr });
// A request that the command has given up on must not keep the process.
setInterval(() => {
  if (stdout.writableLength + stderr.writableLength === 0) process.exit();
}, lingerMs).unref();
