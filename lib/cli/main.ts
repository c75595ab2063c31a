import { childEnvironment } from "#lib/platform/config";
import { failed } from "./failure";
import { run } from "./run";

// A reader such as `head` that closes the pipe early is not a failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : failed));
const { stdout, stderr } = process;
process.exitCode = await run(process.argv.slice(2), { stdout, stderr, environment: childEnvironment() });
